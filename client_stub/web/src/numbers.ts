// The numbers under the picture, once a second, and whether the world keeps its pace.
import type { Mirror } from "./mirror";
import type { Panel } from "./panel";

/** Below this share of its ticks a world is slow, when it lasts for so many seconds. */
const SLOW_SHARE = 0.6;
const SLOW_AFTER = 3;

export interface Source {
  readonly mirror: Mirror | null;
  /** A recording goes as fast as it is told to. */
  readonly replays: boolean;
  /** How the world's time goes: whether it stands, and how many times as fast as its own. */
  readonly fixtures: { readonly paused: boolean; readonly speed: number };
}

interface Line {
  readonly bytes: number;
  readonly ready: boolean;
  /** Nothing was heard for long, which is said already. */
  readonly silent: boolean;
}

export class Numbers {
  private last = { time: performance.now(), bytes: 0, tick: 0 };
  /** Seconds in a row with far fewer ticks than there should be. */
  private slowSeconds = 0;

  constructor(
    private readonly source: Source, private readonly line: Line,
    private readonly panel: Pick<Panel, "showNumbers" | "showSlow">,
  ) {}

  show(): void {
    const { mirror, replays } = this.source;
    if (!mirror) return;
    const now = performance.now();
    const seconds = (now - this.last.time) / 1000;
    const ticks = Math.max(0, mirror.tick - this.last.tick);
    const first = this.last.tick === 0 && !replays;
    const rate = first ? mirror.welcome.tickRate : ticks / seconds;
    const { paused, speed } = this.source.fixtures;
    if (paused) this.panel.showSlow("paused by an operator");
    else if (!replays && !first) this.watch(rate, mirror.welcome.tickRate * speed);
    const { water, pipes } = mirror.counters;
    this.panel.showNumbers(mirror.tick, rate, water, pipes, (this.line.bytes - this.last.bytes) / seconds);
    this.last = { time: now, bytes: this.line.bytes, tick: mirror.tick };
  }

  private watch(rate: number, tickRate: number): void {
    if (this.line.silent) return;
    const slow = this.line.ready && rate < tickRate * SLOW_SHARE && !document.hidden;
    this.slowSeconds = slow ? this.slowSeconds + 1 : 0;
    if (this.slowSeconds === 0) return this.panel.showSlow("");
    if (this.slowSeconds < SLOW_AFTER) return;
    this.panel.showSlow(rate === 0 ? "the world stands still" : `slow: ${rate.toFixed(0)} of ${tickRate} ticks a second`);
  }
}
