// What hovering tells, and the cards of what is pinned, each with a chart over the last minute.
import { Chart } from "./chart";
import { factsOf, subjectText, type Facts } from "./facts";
import type { Vec3 } from "./geometry";
import { turnedSubject, type Known, type Subject } from "./subjects";

/** Cards at a time; a further one takes the oldest's place. */
const MOST_PINS = 3;
/** Milliseconds between two samples of a chart. */
const INTERVAL = 250;
/** What a place can be asked about, besides its cell. */
const SCOPES = ["cell", "column", "chunk"] as const;

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

class Pin {
  readonly card = document.createElement("article");
  readonly chart = new Chart();
  private readonly body = document.createElement("div");
  private readonly choice = document.createElement("select");
  private readonly scopes: HTMLButtonElement[] = [];
  private seen = "";
  private names = "";

  constructor(public subject: Subject, private readonly name: string, remove: () => void) {
    const close = document.createElement("button");
    close.className = "close";
    close.textContent = "×";
    close.addEventListener("click", remove);
    close.setAttribute("aria-label", `Unpin ${name}`);
    this.choice.setAttribute("aria-label", "Charted value");
    this.choice.addEventListener("change", () => this.chart.clear());
    this.card.append(close, this.body);
    if (SCOPES.some((scope) => scope === subject.kind)) this.card.append(this.scopeButtons());
    this.card.append(this.choice, this.chart.canvas);
  }

  update(facts: Facts | null, now: number): void {
    if (!facts) return this.write({ title: this.name, rows: [], why: ["It is no longer there."], measures: [] });
    this.write(facts);
    const names = facts.measures.map(({ name }) => name).join();
    if (names !== this.names) {
      this.names = names;
      const chosen = this.choice.value;
      this.choice.replaceChildren(...facts.measures.map(({ name }) => new Option(name)));
      if (facts.measures.some(({ name }) => name === chosen)) this.choice.value = chosen;
      else this.chart.clear();
      this.choice.hidden = facts.measures.length < 2;
    }
    const measure = facts.measures.find(({ name }) => name === this.choice.value) ?? facts.measures[0];
    if (!measure) return;
    this.chart.add(measure.value, now);
    this.chart.paint(measure.unit);
  }

  private write(facts: Facts): void {
    const seen = JSON.stringify([facts.title, facts.rows, facts.why]);
    if (seen === this.seen) return;
    this.seen = seen;
    this.body.replaceChildren(...factElements(facts, "h3"));
  }

  private scopeButtons(): HTMLElement {
    const group = document.createElement("div");
    group.className = "scopes";
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Told of");
    for (const scope of SCOPES) {
      const button = document.createElement("button");
      button.textContent = scope;
      button.addEventListener("click", () => {
        this.subject = { ...this.subject, kind: scope } as Subject;
        this.chart.clear();
        this.mark();
      });
      this.scopes.push(button);
    }
    group.append(...this.scopes);
    this.mark();
    return group;
  }

  private mark(): void {
    for (const button of this.scopes) {
      const active = button.textContent === this.subject.kind;
      button.classList.toggle("active", active);
      button.setAttribute("aria-pressed", String(active));
    }
  }
}

export class Inspector {
  private readonly section = element("inspector");
  private readonly list = element("pins");
  private readonly tip = element("pipe-tip");
  private known: (() => Known | null) | null = null;
  private world = "";
  /** The place in the world of one in the picture. */
  private real = (at: Vec3) => at;
  private pins: Pin[] = [];
  private tipSeen = "";

  constructor() {
    element("inspector-close").addEventListener("click", () => this.unpinAll());
    window.setInterval(() => this.update(), INTERVAL);
  }

  /** Another world is shown, or the same one anew, perhaps from another side. `real`: of its picture; there and back. */
  attach(world: string, known: () => Known | null, real: (at: Vec3) => Vec3): void {
    if (world !== this.world) this.unpinAll();
    for (const pin of this.pins) pin.subject = turnedSubject(pin.subject, (at) => real(this.real(at)));
    this.real = real;
    this.world = world;
    this.known = known;
  }

  get pinned(): Subject[] {
    return this.pins.map(({ subject }) => subject);
  }

  /** Null: nothing to tell, as when the pointer is elsewhere. */
  hover(subject: Subject | null, at: { x: number; y: number } | null): void {
    const known = this.known?.() ?? null;
    // A card says the same already.
    const name = subject && subjectText(subject);
    const told = this.pins.some((pin) => subjectText(pin.subject) === name);
    const facts = subject && !told && at && known ? factsOf(known, subject) : null;
    this.tip.hidden = !facts;
    if (!facts || !at) return;
    const seen = JSON.stringify([facts.title, facts.rows, facts.why]);
    if (seen !== this.tipSeen) this.tip.replaceChildren(...factElements(facts, "strong"));
    this.tipSeen = seen;
    const { offsetWidth, offsetHeight } = this.tip;
    const right = at.x + 18 + offsetWidth > window.innerWidth;
    this.tip.style.left = `${Math.max(4, right ? at.x - 14 - offsetWidth : at.x + 18)}px`;
    this.tip.style.top = `${Math.max(4, Math.min(at.y + 14, window.innerHeight - offsetHeight - 8))}px`;
  }

  /** Pins it, or lets it go where it was pinned; returns what was done. */
  pin(subject: Subject): string {
    const name = subjectText(subject);
    const held = this.pins.find((pin) => subjectText(pin.subject) === name);
    const told = subjectText(subject, this.real);
    if (held) {
      this.unpin(held);
      return `Unpinned ${told}`;
    }
    const pin: Pin = new Pin(subject, told, () => this.unpin(pin));
    this.pins.unshift(pin);
    this.list.prepend(pin.card);
    for (const old of this.pins.splice(MOST_PINS)) old.card.remove();
    this.section.hidden = false;
    this.list.scrollTop = 0;
    this.update();
    return `Pinned ${told}`;
  }

  unpinAll(): void {
    this.pins = [];
    this.list.replaceChildren();
    this.section.hidden = true;
  }

  private unpin(pin: Pin): void {
    this.pins = this.pins.filter((each) => each !== pin);
    pin.card.remove();
    if (this.pins.length === 0) this.unpinAll();
  }

  private update(): void {
    const known = this.pins.length > 0 && !document.hidden ? this.known?.() : null;
    // From afar what is pinned is not held; its cells are on their way.
    if (known && !known.isFar) for (const pin of this.pins) pin.update(factsOf(known, pin.subject), known.now);
  }
}

/** Title, rows, and the sentences that explain. */
export function factElements(facts: Facts, heading: "h3" | "strong"): HTMLElement[] {
  const title = document.createElement(heading);
  title.textContent = facts.title;
  const rows = facts.rows.map(([label, text]) => {
    const row = document.createElement("div");
    row.className = "fact";
    const name = document.createElement("i");
    name.textContent = label;
    const value = document.createElement("span");
    value.textContent = text;
    row.append(name, " ", value);
    return row;
  });
  const why = facts.why.map((text) => {
    const sentence = document.createElement("p");
    sentence.textContent = text;
    return sentence;
  });
  return [title, ...rows, ...why];
}
