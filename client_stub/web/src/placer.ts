// The panel of springs, drains, heaters and levels, and what a click or a drag with one of them sends.
import type { Command, Place } from "@commands";
import { FixtureEdit, placement, removal, type Standing } from "./fixture_edit";
import type { Vec3 } from "./geometry";
import type { Site } from "./late_placer";
import { FULL } from "./mirror";
import { DEGREE } from "./layer_values";
import { Mixture } from "./mixture";
import { cellText } from "./pipe_mirror";
import { PourPanel } from "./pour_panel";
import { stepsBetween } from "./shapes";
import type { PlacingTool, Tool } from "./tools";

interface About {
  label: string;
  key: string;
  /** What it does, and what undo can do about it. */
  text: string;
}

const TOOLS: Record<PlacingTool, About> = {
  spring: { label: "Spring", key: "Shift+S",
    text: "Click a cell: new water comes into it in every tick. Undo takes the spring away; the water that came stays." },
  drain: { label: "Drain", key: "Shift+D",
    text: "Click a cell: it loses water in every tick. Undo takes the drain away; the water that went does not come back." },
  heater: { label: "Heater", key: "Shift+H",
    text: "Click water, or rock beside it: it is warmed in every tick. Undo takes the heater away." },
  cooler: { label: "Cooler", key: "Shift+C",
    text: "Click water, or rock beside it: it is cooled in every tick. Undo takes the cooler away." },
  level: { label: "Fill", key: "Shift+L",
    text: "Click in a basin: all that water reaches from there is filled up to the level, and stands at rest. " +
      "This cannot be undone: no command puts back what was there." },
  evaporate: { label: "Lower", key: "Shift+E",
    text: "Click water: what stands above the level in that body of water is taken away. " +
      "This cannot be undone: no command puts back what was there." },
  bubble: { label: "Bubble", key: "Shift+B",
    text: "Click in a chamber: all that is open there, from the level up, becomes a pocket of air that stays; water in it goes. " +
      "This cannot be undone: dig one of its cells, and all of it is air like any other." },
  remove: { label: "Remove", key: "Shift+X",
    text: "Click springs, drains and heaters, or drag over them: they are taken away. Undo puts them back as they were." },
};

/** The commands of tools that a level belongs to. */
const LEVELS = { level: "fill_level", evaporate: "evaporate_level", bubble: "trap_air" } as const;

type Field = "rate" | "energy" | "head" | "level";
const FIELDS: Record<Field, { label: string; for: PlacingTool[]; value: string; hint: string }> = {
  rate: { label: "Rate", for: ["spring", "drain"], value: "512", hint: `Units a tick; ${FULL} to a full cell` },
  energy: { label: "Energy", for: ["heater", "cooler"], value: "200000",
    hint: `Units a tick; ${(FULL * DEGREE).toLocaleString("en")} warm a full cell by a degree` },
  head: { label: "Up to", for: ["spring"], value: "",
    hint: "It gives until the water stands so many cells high; empty: as the world's water has it" },
  level: { label: "Level", for: ["level", "evaporate", "bubble"], value: "",
    hint: "Cells above the world's floor; empty: the top of the cell that is clicked, of a bubble its bottom" },
};

export class Placer {
  private readonly panel = document.createElement("section");
  private readonly buttons = new Map<PlacingTool, HTMLButtonElement>();
  private readonly rows = new Map<Field, HTMLLabelElement>();
  /** Of a spring's water. */
  private readonly mixture = new Mixture();
  private readonly pouring = new PourPanel();
  private readonly text = document.createElement("p");
  private site: Site | null = null;
  private tool: PlacingTool | null = null;
  private last: Vec3 | null = null;
  private edit: FixtureEdit | null = null;
  /** What the stroke has taken away already. */
  private readonly taken = new Set<string>();

  constructor(private readonly choose: (tool: Tool) => void) {
    this.panel.id = "placing-panel";
    this.panel.setAttribute("aria-label", "Springs, heat and levels");
    const close = document.createElement("button");
    close.className = "close";
    close.textContent = "×";
    close.title = "Close (9)";
    close.setAttribute("aria-label", "Close the springs");
    close.addEventListener("click", () => document.getElementById("placing-toggle")!.click());
    const title = document.createElement("h2");
    title.textContent = "Springs";
    const form = document.createElement("form");
    form.className = "options";
    form.autocomplete = "off";
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(...Object.keys(FIELDS).map((name) => this.row(name as Field)), ...this.mixture.rows);
    this.text.className = "about";
    this.panel.append(close, title, this.toolbar(), this.text, form);
    document.getElementById("side")!.prepend(this.panel);
    this.panel.hidden = true;
  }

  get shown(): boolean {
    return !this.panel.hidden;
  }

  /** `pours`: whether Pour is in the hand. */
  show(shown: boolean, tool: PlacingTool | null, site: Site | null, pours: boolean): void {
    const drops = !shown && this.tool !== null;
    [this.tool, this.site] = [shown ? tool : null, site];
    this.panel.hidden = !shown;
    const toggle = document.getElementById("placing-toggle")!;
    toggle.classList.toggle("active", shown);
    toggle.setAttribute("aria-expanded", String(shown));
    this.pouring.show(pours, site);
    this.update();
    if (drops) this.choose("pan");
  }

  /** Which tools there are may change: only some worlds have heat. */
  private update(): void {
    const heat = this.site?.fixtures().heat ?? false;
    const watching = document.body.classList.contains("watching");
    for (const [name, button] of this.buttons) {
      button.hidden = !heat && (name === "heater" || name === "cooler");
      button.disabled = watching;
      button.classList.toggle("active", name === this.tool);
      button.setAttribute("aria-pressed", String(name === this.tool));
    }
    for (const [name, row] of this.rows) {
      row.hidden = this.tool === null || !FIELDS[name].for.includes(this.tool);
    }
    this.mixture.offer(this.site?.layers() ?? [], heat, this.tool === "spring");
    this.text.textContent = this.tool === null ? "Choose what to put into a cell." : TOOLS[this.tool].text;
  }

  begin(site: Site, tool: PlacingTool, cell: Vec3): void {
    [this.site, this.tool, this.last] = [site, tool, cell];
    this.edit = null;
    this.taken.clear();
    if (!site.queue.ready) return site.warn("Not connected: nothing was changed");
    if (tool === "remove") {
      if (!this.takeAt(cell)) site.warn("There is no spring, drain or heater here");
      return;
    }
    if (tool === "level" || tool === "evaporate" || tool === "bubble") return this.setLevel(site, tool, cell);
    const standing = this.standing(tool, cell);
    if (standing) this.send(placement(standing), standing, true);
  }

  /** To the cell, leaving out none on the way. */
  move(cell: Vec3): void {
    if (!this.last || this.tool !== "remove") return;
    for (const { x, y } of stepsBetween(this.last, cell, 1)) this.takeAt({ x, y, z: cell.z });
    this.last = cell;
  }

  end(): void {
    this.last = null;
  }

  private setLevel(site: Site, tool: keyof typeof LEVELS, cell: Vec3): void {
    const cells = this.number("level");
    const level = cells === null ? (site.heightOf(cell) + (tool === "bubble" ? 0 : 1)) * FULL : Math.round(cells * FULL);
    const at: Place = [cell.x, cell.y, cell.z];
    site.queue.send({ cmd: LEVELS[tool], at, level }, this);
  }

  private standing(tool: "spring" | "drain" | "heater" | "cooler", at: Vec3): Standing | null {
    const heats = tool === "heater" || tool === "cooler";
    const rate = Math.round(this.number(heats ? "energy" : "rate") ?? NaN);
    if (!Number.isFinite(rate)) {
      this.site!.warn(`${heats ? "Energy" : "Rate"} is empty: how much is it to be a tick?`);
      return null;
    }
    if (heats) return { kind: "heater", at, rate: tool === "cooler" ? -rate : rate };
    if (tool === "drain") return { kind: "drain", at, rate };
    const head = this.number("head");
    return { kind: "spring", at, rate, head: head === null ? undefined : Math.round(head * FULL), ...this.mixture.holds };
  }

  /** Takes away what stands near the cell; returns whether anything does. */
  private takeAt(cell: Vec3): boolean {
    const site = this.site!;
    const { sources, drains, heaters } = site.fixtures();
    const reach = site.reach();
    const near = ({ at }: { at: Vec3 }) => (at.z === cell.z || site.sees(at.z)) && Math.hypot(at.x - cell.x, at.y - cell.y) <= reach;
    const kinds = [["spring", sources], ["drain", drains], ["heater", heaters]] as const;
    let found = false;
    for (const [kind, list] of kinds) {
      for (const spring of list.filter(near)) {
        found = true;
        const name = `${kind} ${cellText(spring.at)}`;
        if (this.taken.has(name)) continue;
        this.taken.add(name);
        const standing = { kind, ...spring };
        this.send(removal(standing), standing, false);
      }
    }
    return found;
  }

  /** What the server did can be taken back, all of a stroke at once. */
  private send(command: Command, standing: Standing, adds: boolean): void {
    const site = this.site!;
    const isFirst = this.edit === null;
    const edit = (this.edit ??= new FixtureEdit(adds, () => site.fixtures()));
    edit.sent();
    // It has its place in the history from now on: what is drawn meanwhile comes after it.
    if (isFirst) site.history.add(edit);
    const isSent = site.queue.send(command, this, (applied) => {
      edit.answered(applied ? standing : null);
      if (applied) site.changed();
    });
    if (!isSent) edit.answered(null);
  }

  /** Null: the field is empty. */
  private number(name: Field): number | null {
    const input = this.rows.get(name)!.querySelector("input")!;
    return input.value.trim() === "" ? null : Number(input.value);
  }

  private toolbar(): HTMLElement {
    const bar = document.createElement("div");
    bar.className = "tool-grid";
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "What to put into a cell");
    for (const [name, { label, key }] of Object.entries(TOOLS) as [PlacingTool, About][]) {
      const button = document.createElement("button");
      button.textContent = label;
      button.title = `${label} (${key})`;
      button.dataset["tool"] = name;
      button.addEventListener("click", () => this.choose(name));
      this.buttons.set(name, button);
      bar.append(button);
    }
    return bar;
  }

  private row(name: Field): HTMLLabelElement {
    const row = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "number", step: "any", name, value: FIELDS[name].value, title: FIELDS[name].hint });
    row.append(`${FIELDS[name].label} `, input);
    this.rows.set(name, row);
    return row;
  }
}
