// At a tick of one's own, or with the others: a recording is watched together at first, and who wants to look
// elsewhere gets another position on the server (server/playback/own_positions.h), with both panes of a comparison.
//
//   shared ──toggle, "alone" is answered──► own ──toggle──► shared
//                                            │ the connection is lost, or the server has freed it
//                                            └──► shared, and from there on one's own again, at the same tick
import type { ResultMessage } from "./messages";
import type { Viewer } from "./viewer";

/** How often to ask where the others are, in milliseconds. */
const LOOK_INTERVAL = 1000;

export interface OwnPositionEvents {
  /** It is the one or the other now. */
  moved(alone: boolean): void;
  /** The tick at which the others are; null: it is not known, or we are with them. */
  others(tick: number | null): void;
}

export class OwnPosition {
  private on = false;
  /** Nobody else's. */
  private name = "";
  private askedSeq = 0;
  /** The tick to come back to as soon as the server is there. */
  private lostAt: number | null = null;
  private looks: number | undefined;

  constructor(private readonly viewers: Viewer[], private readonly events: OwnPositionEvents) {
    for (const viewer of viewers) {
      viewer.doubts = () => {
        if (!viewer.ready) this.lost();
      };
    }
  }

  toggle(): void {
    this.lostAt = null;
    if (this.on) this.move(false);
    else this.ask(this.viewers[0]!.mirror?.tick);
  }

  answered(result: ResultMessage): void {
    if (result.seq !== this.askedSeq) return;
    this.askedSeq = 0;
    if (result.applied) this.move(true);
  }

  /** The first pane stands on a connection. */
  welcomed(): void {
    this.askedSeq = 0; // what was asked on the one before is not answered any more
    const { lostAt } = this;
    this.lostAt = null;
    if (lostAt !== null) this.ask(lostAt);
  }

  private ask(tick: number | undefined): void {
    if (tick === undefined || this.askedSeq !== 0) return;
    this.name = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.askedSeq = this.viewers[0]!.command({ cmd: "alone", as: this.name, to: tick });
  }

  private lost(): void {
    if (!this.on) return;
    this.lostAt = this.viewers[0]!.mirror?.tick ?? null;
    this.move(false);
  }

  private move(alone: boolean): void {
    this.on = alone;
    for (const { connection } of this.viewers) connection.move(alone ? `?alone=${this.name}` : "");
    this.events.moved(alone);
    window.clearInterval(this.looks);
    if (alone) this.looks = window.setInterval(() => void this.look(), LOOK_INTERVAL);
    void this.look();
  }

  private async look(): Promise<void> {
    let tick: number | null = null;
    try {
      const listed = this.on ? ((await (await fetch("/worlds")).json()) as { name: string; tick: number }[]) : [];
      tick = listed.find(({ name }) => name === this.viewers[0]!.mirror?.welcome.world)?.tick ?? null;
    } catch {
      // The server is away, which the connection tells.
    }
    this.events.others(this.on ? tick : null); // we may be back by now
  }
}
