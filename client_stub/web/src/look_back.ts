// Leaving the present of a world that lives: the server gives us a position of our own in what it has recorded
// (server/host/look_back.h), which is watched and steered as a replay is, and "Back to live" leads back. The others
// notice nothing.
//
//   live ──"alone" is answered──► past ──H, "Back to live"──► live
//                                  │ the connection is lost, or the server has freed the position
//                                  └──► live, and from there to the same tick again
//
// The page fetches this after the first water; the timeline comes when it is first wanted, with what shows replays.
// What is imported here otherwise would part the files that the page begins with, which makes them larger.
import { agoText } from "./ago";
import { takesKey } from "./input";
import type { Hand } from "./hand";
import type { ResultMessage } from "./messages";
import type { Panel, WorldEntry } from "./panel";
import type { PlaybackCommand } from "./playback";
import type { Timeline } from "./timeline";
import type { Mirror } from "./mirror";
import type { ViewerEvents } from "./viewer_parts";

/** How often to look whether we are where we are to be, in milliseconds. */
const LOOK_INTERVAL = 100;
/** So many looks our own edits may be on their way before we leave all the same. */
const MOST_LOOKS = 30;
const WHY_NOT = "you look at the past, which nobody can change; go back to live to build";
/** Keys that would build. */
const TOOL_KEYS = /^[234780blrgi]$|^[SDHCLEX]$/;

/** The viewer that is shown. */
export interface Looker {
  readonly mirror: Mirror | null;
  readonly ready: boolean;
  readonly queue: { readonly idle: boolean; send(command: PlaybackCommand, by: object, done: (applied: boolean) => void): boolean };
  readonly connection: { readonly query: string; move(query: string): void };
  readonly hand: Pick<Hand, "whyNot" | "setRights" | "setTool" | "togglePipes" | "brush">;
  events: ViewerEvents | null;
  doubts: (() => void) | null;
  command(command: PlaybackCommand): number;
  fit(): void;
}

function named(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class LookBack {
  timeline: Timeline | null = null;
  private readonly button = document.createElement("button");
  private readonly strip = document.createElement("p");
  private readonly text = document.createElement("span");
  /** In whose world we look at the past; null: we are live. */
  private past: Looker | null = null;
  private world = "";
  private name = "";
  private before: { whyNot: string | null; doubts: (() => void) | null } | null = null;
  /** Who asked for a position that is not ours yet, and for which tick. */
  private asked: { viewer: Looker; tick: number } | null = null;
  /** The tick to come back to as soon as the server is there. */
  private lostAt: number | null = null;

  /** `viewer`: that is shown now; `worlds`: that the server lists. */
  constructor(
    private readonly viewer: () => Looker | null, private readonly worlds: () => WorldEntry[],
    private readonly panel: Pick<Panel, "tell" | "warn">,
  ) {
    Object.assign(this.button, { id: "look-back", hidden: true,
      innerHTML: '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 12a8 8 0 1 0 3-6L4 8M4 3v5h5M12 8v5l3 2"/></svg>' });
    this.button.addEventListener("click", () => {
      this.toggle();
      this.button.blur(); // or Space would press it once more
    });
    document.getElementById("zoom-buttons")!.prepend(this.button);
    this.strip.id = "past";
    const back = document.createElement("button");
    back.id = "back-to-live";
    back.textContent = "Back to live";
    back.title = "Back to live (H)";
    back.addEventListener("click", () => this.back());
    this.strip.append(this.text, back);
    window.addEventListener("keydown", (event) => this.pressed(event), { capture: true });
    window.setInterval(() => this.look(), LOOK_INTERVAL);
    this.show();
    Object.assign(window, { lookBack: this }); // for tests and for the curious
  }

  /** Whether we look at what was. */
  get looksBack(): boolean {
    return this.past !== null;
  }

  toggle(): void {
    if (this.past) this.back();
    else this.ask(this.viewer()?.mirror?.tick);
  }

  /** To a tick of the past, from wherever we are. */
  goTo(tick: number): void {
    if (this.past && this.timeline) this.timeline.goTo(tick);
    else this.ask(tick);
  }

  back(): void {
    const { past } = this;
    if (!past) return;
    this.leave();
    past.connection.move("");
    this.panel.tell("Back to live");
  }

  /** Whether that world can be looked back in. */
  private offered(world: string): boolean {
    return this.worlds().some((entry) => entry.name === world && entry.look_back === true);
  }

  private ask(tick: number | undefined): void {
    const viewer = this.viewer();
    const world = viewer?.mirror?.welcome.world;
    if (!viewer || tick === undefined || world === undefined || this.asked) return;
    if (!this.offered(world)) return this.panel.warn("This server lets nobody look back");
    this.asked = { viewer, tick };
    this.name = named();
    this.world = world;
    const sent = viewer.queue.send({ cmd: "alone", as: this.name, to: tick }, this, (applied) => {
      if (applied) void this.fetchTimeline().then(() => this.enterWhenIdle(viewer, MOST_LOOKS));
      else this.asked = null;
    });
    if (!sent) this.asked = null;
  }

  private async fetchTimeline(): Promise<void> {
    if (this.timeline) return;
    try {
      const part = await import("./replay");
      part.buildTimeline();
      const section = document.getElementById("timeline")!;
      section.prepend(this.strip);
      section.classList.add("past");
      this.timeline = new part.Timeline(this.facts(), {
        send: (request) => this.past?.command(request) ?? 0,
        alone: () => this.back(),
        fit: () => this.past?.fit(),
        pipes: () => this.past?.hand.togglePipes(),
        inspect: () => {
          const { hand } = this.past!;
          hand.setTool(hand.brush.tool === "inspect" ? "pan" : "inspect");
        },
      });
      this.timeline.leave();
    } catch {
      this.asked = null;
      this.panel.warn("The timeline could not be fetched. Reload the page.");
    }
  }

  /** What became of our edits is told over the connection that we leave. */
  private enterWhenIdle(viewer: Looker, looks: number): void {
    if (this.asked?.viewer !== viewer || viewer !== this.viewer()) return; // who is shown now asks again
    if (viewer.queue.idle || looks === 0) this.enter(viewer);
    else window.setTimeout(() => this.enterWhenIdle(viewer, looks - 1), LOOK_INTERVAL);
  }

  private enter(viewer: Looker): void {
    this.asked = null;
    this.past = viewer;
    this.before = { whyNot: viewer.hand.whyNot, doubts: viewer.doubts };
    viewer.hand.setRights(WHY_NOT);
    viewer.events = {
      welcome: () => this.timeline!.reset(),
      tick: () => this.ticked(),
      result: (result: ResultMessage) => this.timeline!.answered(result),
    };
    viewer.doubts = () => {
      if (this.past === viewer && !viewer.ready) this.lost();
      else this.before?.doubts?.();
    };
    viewer.connection.move(`?alone=${this.name}`);
    this.timeline!.enter(this.facts());
    this.show();
  }

  private leave(): void {
    const { past, before } = this;
    this.past = null;
    this.timeline?.leave();
    if (past && before) {
      past.events = null;
      past.doubts = before.doubts;
      past.hand.setRights(before.whyNot);
    }
    this.show();
  }

  /** The present first: whether there is a past to come back to is seen from there. */
  private lost(): void {
    const past = this.past!;
    this.lostAt = past.mirror?.tick ?? null;
    this.leave();
    past.connection.move("");
  }

  private look(): void {
    const viewer = this.viewer();
    if (this.past && viewer !== this.past) this.replaced();
    if (this.asked && viewer !== this.asked.viewer) {
      this.lostAt = this.asked.tick;
      this.asked = null;
    }
    const tick = viewer?.ready && viewer.connection.query === "" ? viewer.mirror?.tick : undefined;
    this.button.hidden = viewer?.mirror == null || (!this.past && !this.offered(viewer.mirror.welcome.world));
    if (this.lostAt === null || tick === undefined || this.asked) return;
    const { lostAt } = this;
    this.lostAt = null;
    if (viewer!.mirror!.welcome.world !== this.world) return;
    if (tick < lostAt) this.panel.warn("The world was begun anew: the past that you looked at is gone");
    else this.ask(lostAt);
  }

  /** Another viewer is shown: of another world, or of another side of this one. */
  private replaced(): void {
    this.lostAt = this.past!.mirror?.tick ?? null;
    this.past = null;
    this.timeline?.leave();
    this.show();
  }

  private ticked(): void {
    const { mirror } = this.past!;
    if (!mirror?.playback) return;
    const { tick, playback } = mirror;
    this.timeline!.update(tick, playback);
    const number = (value: number) => value.toLocaleString("en");
    this.text.textContent = `You look at tick ${number(tick)} of ${number(playback.lastTick)} ` +
      `(${agoText(playback.lastTick - tick, mirror.welcome.tickRate)})`;
  }

  /** Of a recording that grows no more is known than its bounds, which come with each tick. */
  private facts() {
    const { mirror } = this.viewer()!;
    const { world, tickRate } = mirror!.welcome;
    return { first_tick: 0, last_tick: mirror!.tick, tick_rate: tickRate, first_difference: null, trouble: "", complete: true,
      recordings: [{ world, file: world, recorded: world, first_tick: 0, last_tick: mirror!.tick, commands: 0, marks: [], checkpoints: [] }] };
  }

  private show(): void {
    const title = this.past ? "Back to live (H)" : "Look back at what was (H)";
    this.button.title = title;
    this.button.setAttribute("aria-label", title);
    this.button.setAttribute("aria-pressed", String(this.past !== null));
    this.button.classList.toggle("active", this.past !== null);
    document.body.classList.toggle("past", this.past !== null);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (takesKey(event)) return;
    if (event.key === "h") this.toggle();
    else if (this.past && TOOL_KEYS.test(event.key)) this.panel.warn(WHY_NOT.charAt(0).toUpperCase() + WHY_NOT.slice(1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
