// The panel of those who run a world: its time, its recording, who may build, who is connected. What they ask for is
// the command "operate" (protocol/README.md); the server goes by their role and answers with its reason.
import type { CommandQueue } from "./command_queue";
import type { Fixtures } from "./fixtures";
import type { Role } from "./session";

export type Operation =
  | { cmd: "operate"; action: "pause" | "resume" | "save" }
  | { cmd: "operate"; action: "step"; ticks: number }
  | { cmd: "operate"; action: "speed"; speed: number }
  | { cmd: "operate"; action: "reset"; recording: "keep" }
  | { cmd: "operate"; action: "read-only"; read_only: boolean }
  | { cmd: "operate"; action: "kick"; account: string };

/** The world that is shown, and what its operators may do. */
export interface Operated {
  readonly queue: CommandQueue;
  readonly role: Role;
  readonly readOnly: boolean;
  fixtures(): Fixtures;
  say(text: string): void;
  warn(text: string): void;
  /** How the world stands may have changed. */
  changed(): void;
  /** What may be done in it, too. */
  rightsChanged(): void;
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 10];

function button(text: string, title: string, run: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = title;
  made.addEventListener("click", run);
  return made;
}

export class Operators {
  private readonly panel = document.createElement("section");
  private readonly state = document.createElement("p");
  private readonly pause = button("Pause", "", () => this.togglePause());
  private readonly steps = document.createElement("input");
  private readonly stepButton = button("Step", "Let the world take so many ticks; it must be paused", () => this.step());
  private readonly speed = document.createElement("select");
  private readonly readOnly = button("Read-only", "", () => this.toggleReadOnly());
  private readonly reset = button("Reset to start", "", () => this.askForReset());
  private readonly account = document.createElement("input");
  private of: Operated | null = null;
  private sure = false;

  constructor(private readonly toggle: () => void) {
    this.panel.id = "operators-panel";
    this.panel.setAttribute("aria-label", "Running the world");
    const close = button("×", "Close", () => this.toggle());
    close.className = "close";
    close.setAttribute("aria-label", "Close the operators' tools");
    const title = document.createElement("h2");
    title.textContent = "Run the world";
    this.state.className = "about";
    Object.assign(this.steps, { type: "number", min: "1", max: "100000", value: "1" });
    this.speed.append(...SPEEDS.map((speed) => new Option(`${speed}×`, String(speed))));
    this.speed.addEventListener("change", () => {
      this.send({ cmd: "operate", action: "speed", speed: Number(this.speed.value) }, `Speed ${this.speed.value}×`);
    });
    this.account.placeholder = "empty: all guests";
    this.panel.append(close, title, this.state, this.row(this.pause, button("Save",
      "Checkpoint the world, and wait until its history is durable",
      () => this.send({ cmd: "operate", action: "save" }, "Saved: all of the history up to now is durable"))),
    this.labelled("Ticks", this.steps), this.row(this.stepButton), this.labelled("Speed", this.speed),
    this.row(this.readOnly, this.reset), this.labelled("Account", this.account),
    this.row(button("End their connections", "Ends the connections of that account; without one, of all who showed no token", () => this.kick())));
    document.getElementById("side")!.prepend(this.panel);
    this.panel.hidden = true;
  }

  get shown(): boolean {
    return !this.panel.hidden;
  }

  show(shown: boolean, of: Operated | null): void {
    this.panel.hidden = !shown;
    this.of = of;
    this.sure = false;
    this.update();
  }

  /** What is known of the world is other than it was. */
  update(): void {
    if (!this.of || !this.shown) return;
    const { paused, speed } = this.of.fixtures();
    this.state.textContent = `${paused ? "Paused" : "Runs"}${speed === 1 ? "" : ` at ${speed}×`}` +
      `${this.of.readOnly ? ", read-only" : ""}.`;
    this.pause.textContent = paused ? "Go on" : "Pause";
    this.pause.title = paused ? "Let the world's time go on" : "Hold the world's time; commands wait";
    this.stepButton.disabled = !paused;
    if (document.activeElement !== this.speed) {
      if (![...this.speed.options].some(({ value }) => Number(value) === speed)) this.speed.append(new Option(`${speed}×`, String(speed)));
      this.speed.value = String(speed);
    }
    this.readOnly.textContent = this.of.readOnly ? "Let people build" : "Read-only";
    this.readOnly.title = this.of.readOnly ? "Let those build again who may" : "Let nobody build, until the server ends or you let them";
    this.reset.hidden = this.of.role !== "admin";
    this.reset.textContent = this.sure ? "Yes, reset it" : "Reset to start";
    this.reset.title = "Begin the world anew; its recording is kept among the removed ones";
  }

  private togglePause(): void {
    const { paused } = this.of!.fixtures();
    this.send({ cmd: "operate", action: paused ? "resume" : "pause" }, paused ? "The world's time goes on" : "Paused");
  }

  private step(): void {
    this.send({ cmd: "operate", action: "step", ticks: Math.round(Number(this.steps.value)) || 1 }, "Stepped");
  }

  private toggleReadOnly(): void {
    const { readOnly, rightsChanged } = this.of!;
    this.send({ cmd: "operate", action: "read-only", read_only: !readOnly },
      readOnly ? "Who may build can do so again" : "Nobody builds in this world now", rightsChanged);
  }

  /** It ends what there is for all who watch: one click is not enough. */
  private askForReset(): void {
    if (this.sure) this.send({ cmd: "operate", action: "reset", recording: "keep" }, "");
    this.sure = !this.sure;
    this.update();
  }

  private kick(): void {
    const account = this.account.value.trim();
    this.send({ cmd: "operate", action: "kick", account },
      account === "" ? "Ended the connections of all who showed no token" : `Ended the connections of ${account}`);
  }

  private send(operation: Operation, done: string, after: () => void = () => undefined): void {
    const of = this.of!;
    const isSent = of.queue.send(operation, this, (applied) => {
      if (applied && done !== "") of.say(done);
      if (applied) after();
      of.changed();
    });
    if (!isSent) of.warn("Not connected: nothing was done");
  }

  private row(...buttons: HTMLButtonElement[]): HTMLElement {
    const row = document.createElement("div");
    row.className = "actions";
    row.append(...buttons);
    return row;
  }

  private labelled(text: string, input: HTMLInputElement | HTMLSelectElement): HTMLElement {
    const form = document.createElement("div");
    form.className = "options";
    const label = document.createElement("label");
    label.append(`${text} `, input);
    form.append(label);
    return form;
  }
}
