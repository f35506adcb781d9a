// The timeline of a replay: where it stands, and steering it. Others may share the position, so what is shown
// is what the server says; while the slider is dragged it shows what is asked for.
import { clamp } from "./geometry";
import { takesKey } from "./input";
import type { Playback, ResultMessage } from "./messages";
import type { PlaybackCommand } from "./playback";
import { paintTrack, timeText, type TimelineFacts, type TrackScene } from "./timeline_track";

/** Speeds offered, in thousandths of the recorded one; 0: as fast as it goes. */
const SPEEDS = [125, 250, 500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 256000, 1024000, 0];
const SPEED_NAMES: Record<number, string> = { 125: "⅛×", 250: "¼×", 500: "½×", 0: "max" };

export interface TimelineEvents {
  /** Sends a request; the number that its result will carry, or 0. */
  send(request: PlaybackCommand): number;
  /** On one's own, or with the others again. */
  alone(): void;
  fit(): void;
  pipes(): void;
  inspect(): void;
}

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export class Timeline {
  private readonly canvas = element<HTMLCanvasElement>("track");
  private readonly slider = element<HTMLInputElement>("seek");
  private readonly tickInput = element<HTMLInputElement>("tl-tick");
  private readonly speed = element<HTMLSelectElement>("tl-speed");
  private playback: Playback | null = null;
  private tick = 0;
  private dragging = false;
  /** The tick to be asked for once the seek on its way is answered. */
  private wanted: number | null = null;
  private unanswered = 0;
  /** The speed that the server has not answered for yet. */
  private askedSpeed: number | null = null;
  private askedSeq = 0;
  private hover: number | null = null;
  private others: number | null = null;
  private needsPaint = true;
  /** A link's tick, until it is known which ticks there are. */
  private begin: number | null = null;

  constructor(private facts: TimelineFacts, private readonly events: TimelineEvents) {
    element("timeline").hidden = false;
    for (const speed of SPEEDS) {
      this.speed.append(new Option(SPEED_NAMES[speed] ?? `${speed / 1000}×`, String(speed)));
    }
    this.listenToSlider();
    this.listenToButtons();
    this.showAlone(false);
    window.addEventListener("keydown", (event) => this.pressed(event), { capture: true });
    window.addEventListener("resize", () => (this.needsPaint = true));
    this.setFacts(facts);
    const paint = () => {
      requestAnimationFrame(paint);
      if (this.needsPaint) this.paint();
    };
    paint();
  }

  setFacts(facts: TimelineFacts): void {
    this.facts = facts;
    element("tl-difference").hidden = facts.recordings.length < 2;
    element("tl-first").hidden = facts.recordings.length < 2;
    element<HTMLButtonElement>("tl-first").disabled = facts.first_difference === null;
    const none = facts.recordings.every((recording) => recording.marks.length === 0);
    for (const id of ["tl-command-before", "tl-command-after"]) {
      element<HTMLButtonElement>(id).disabled = none;
    }
    this.showDifference();
    this.needsPaint = true;
  }

  /** What the newest message of the server says. */
  update(tick: number, playback: Playback): void {
    this.tick = tick;
    this.playback = playback;
    this.slider.min = String(playback.firstTick);
    this.slider.max = String(playback.lastTick);
    element("tl-play").classList.toggle("playing", playback.playing);
    element("tl-play").title = playback.playing ? "Pause (Space)" : "Play (Space)";
    if (document.activeElement !== this.speed) this.speed.value = String(playback.speed);
    element("tl-trouble").textContent = playback.trouble;
    element("tl-trouble").hidden = playback.trouble === "";
    this.showDifference();
    this.needsPaint = true;
    const { begin } = this;
    this.begin = null;
    if (begin !== null) this.goTo(begin);
  }

  /** To a link's tick, and stands still there: it is that moment which is to be seen. */
  goTo(tick: number): void {
    if (!this.playback) this.begin = tick;
    else if (tick !== this.standsAt) {
      if (this.playback.playing) this.togglePlay();
      this.seek(clamp(tick, this.playback.firstTick, this.playback.lastTick));
    }
  }

  /** Null: it plays, or nothing has come yet. */
  get standsAt(): number | null {
    return this.playback && !this.playback.playing && this.begin === null ? this.tick : null;
  }

  /** No recording is shown any more. */
  leave(): void {
    element("timeline").hidden = true;
    this.playback = null;
    this.reset();
  }

  /** And one is again. */
  enter(facts: TimelineFacts): void {
    element("timeline").hidden = false;
    this.setFacts(facts);
  }

  /** Whether this position is one's own. */
  showAlone(alone: boolean): void {
    element("tl-alone").setAttribute("aria-pressed", String(alone));
    element("tl-alone").title = alone ? "You are on your own: back to where the others are (A)"
      : "You watch with the others: look elsewhere on your own (A)";
  }

  /** Where the others are, while one is alone. */
  showOthers(tick: number | null): void {
    this.needsPaint ||= tick !== this.others;
    this.others = tick;
  }

  answered(result: ResultMessage): void {
    if (result.seq === this.askedSeq) this.askedSpeed = null;
    if (result.seq !== this.unanswered) return;
    this.unanswered = 0;
    this.sendWanted();
  }

  /** The connection is a new one. */
  reset(): void {
    this.unanswered = 0;
    this.wanted = null;
    this.askedSpeed = null;
  }

  /** Of a drag's many seeks one is on its way at a time, and of the others the last one counts. */
  seek(tick: number): void {
    this.wanted = tick;
    this.sendWanted();
  }

  private sendWanted(): void {
    if (this.wanted === null || this.unanswered !== 0) return;
    this.unanswered = this.events.send({ cmd: "seek", to: this.wanted });
    this.wanted = null;
  }

  private step(by: number): void {
    this.events.send({ cmd: "step", by });
  }

  private togglePlay(): void {
    this.events.send({ cmd: this.playback?.playing ? "pause" : "play" });
  }

  private changeSpeed(thousandths: number): void {
    this.askedSpeed = thousandths;
    this.askedSeq = this.events.send({ cmd: "speed", times: thousandths === 0 ? "max" : thousandths / 1000 });
  }

  /** From the speed that was asked for last: keys come faster than the server's word. */
  private nextSpeed(direction: number): void {
    const now = SPEEDS.indexOf(this.askedSpeed ?? this.playback?.speed ?? 1000);
    this.changeSpeed(SPEEDS[clamp((now < 0 ? 3 : now) + direction, 0, SPEEDS.length - 1)]!);
  }

  /** To the nearest mark of commands in that direction. */
  private toCommand(direction: number): void {
    const ticks = this.facts.recordings.flatMap((recording) => recording.marks.map(([tick]) => tick));
    const beyond = ticks.filter((tick) => (tick - this.tick) * direction > 0);
    if (beyond.length === 0) return;
    this.seek(direction > 0 ? Math.min(...beyond) : Math.max(...beyond));
  }

  private toFirstDifference(): void {
    if (this.facts.first_difference !== null) this.seek(this.facts.first_difference);
  }

  private listenToSlider(): void {
    const { slider } = this;
    slider.addEventListener("pointerdown", () => (this.dragging = true));
    const drop = () => {
      this.dragging = false;
      this.needsPaint = true;
    };
    slider.addEventListener("pointerup", drop);
    slider.addEventListener("pointercancel", drop);
    slider.addEventListener("change", drop);
    slider.addEventListener("input", () => {
      this.needsPaint = true;
      this.seek(Number(slider.value));
    });
    slider.addEventListener("pointermove", (event) => {
      this.hover = event.offsetX;
      this.needsPaint = true;
    });
    slider.addEventListener("pointerleave", () => {
      this.hover = null;
      this.needsPaint = true;
    });
  }

  private listenToButtons(): void {
    const on = (id: string, action: () => void) => {
      element(id).addEventListener("click", () => {
        action();
        element(id).blur(); // or Space would press it once more
      });
    };
    on("tl-play", () => this.togglePlay());
    on("tl-back", () => this.step(-1));
    on("tl-forward", () => this.step(1));
    on("tl-home", () => this.seek(this.playback?.firstTick ?? 0));
    on("tl-end", () => this.seek(this.playback?.lastTick ?? 0));
    on("tl-command-before", () => this.toCommand(-1));
    on("tl-command-after", () => this.toCommand(1));
    on("tl-first", () => this.toFirstDifference());
    on("tl-alone", () => this.events.alone());
    on("tl-fit", () => this.events.fit());
    on("tl-inspect", () => this.events.inspect());
    on("tl-pipes", () => this.events.pipes());
    this.speed.addEventListener("change", () => {
      this.changeSpeed(Number(this.speed.value));
      this.speed.blur();
    });
    this.tickInput.addEventListener("focus", () => this.tickInput.select());
    this.tickInput.addEventListener("blur", () => (this.needsPaint = true));
    this.tickInput.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.tickInput.blur();
      if (event.key !== "Enter") return;
      const tick = Number(this.tickInput.value.replace(/[,\s]/g, ""));
      if (Number.isSafeInteger(tick) && tick >= 0) this.seek(tick);
      this.tickInput.blur();
    });
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target !== this.slider && takesKey(event)) return;
    if (element("timeline").hidden) return;
    // Back to where the others are, before it is known where we are, too.
    if (event.key === "a") this.events.alone();
    else if (!this.playback || !this.steered(event, this.playback)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Whether a key steers. */
  private steered(event: KeyboardEvent, playback: Playback): boolean {
    const far = event.shiftKey ? this.facts.tick_rate : 1;
    switch (event.key) {
      case " ": this.togglePlay(); break;
      case "ArrowLeft": this.step(-far); break;
      case "ArrowRight": this.step(far); break;
      case "ArrowUp": this.nextSpeed(1); break;
      case "ArrowDown": this.nextSpeed(-1); break;
      case "Home": this.seek(playback.firstTick); break;
      case "End": this.seek(playback.lastTick); break;
      case "c": this.toCommand(1); break;
      case "C": this.toCommand(-1); break;
      case "d": this.toFirstDifference(); break;
      default: return false;
    }
    return true;
  }

  private showDifference(): void {
    if (this.facts.recordings.length < 2) return;
    const cells = this.playback?.differingCells ?? 0;
    const text = element("tl-difference");
    text.classList.toggle("same", cells <= 0);
    text.textContent = cells <= 0 ? "no cell differs"
      : `${cells.toLocaleString("en")} cell${cells === 1 ? " differs" : "s differ"}`;
    const first = this.facts.first_difference;
    element("tl-first").title = first !== null
      ? `The first tick that differs: ${first.toLocaleString("en")} (D)`
      : this.facts.complete ? "No tick of the two recordings differs" : "Still being looked for";
  }

  private paint(): void {
    this.needsPaint = false;
    if (!this.playback) return;
    const shown = this.dragging ? Number(this.slider.value) : this.tick;
    if (!this.dragging) this.slider.value = String(this.tick);
    const { tick_rate: rate } = this.facts;
    element("tl-time").textContent = timeText(shown, rate, 2);
    element("tl-of").textContent = `of ${this.playback.lastTick.toLocaleString("en")}`;
    if (document.activeElement !== this.tickInput) {
      this.tickInput.value = shown.toLocaleString("en");
    }
    this.slider.setAttribute("aria-valuetext", `tick ${shown}, ${timeText(shown, rate, 2)}`);
    const scene: TrackScene = {
      first: this.playback.firstTick, last: this.playback.lastTick, shown, facts: this.facts,
      others: this.others, hover: this.hover, loud: this.dragging || this.hover !== null,
    };
    const tip = paintTrack(this.canvas, scene);
    const tipElement = element("tl-tip");
    tipElement.hidden = tip === null;
    if (!tip) return;
    tipElement.textContent = tip.text;
    const half = tipElement.offsetWidth / 2;
    tipElement.style.left = `${clamp(tip.x, half, this.canvas.clientWidth - half)}px`;
  }
}
