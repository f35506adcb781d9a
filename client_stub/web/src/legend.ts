// The choice of an overlay, and what its colours mean, in a corner of the picture.
import { offered, type Legend, type OverlayName } from "./overlay_kinds";

const NAMES: Partial<Record<OverlayName, string>> = {
  none: "No overlay", amount: "Amount", depth: "Depth (pressure)", head: "Head (surface)", flow: "Flow (arrows)", temperature: "Temperature", steam: "Steam",
  waves: "Waves", awake: "Awake chunks", age: "Age (last change)", bytes: "Bytes per chunk", views: "What others see",
};

export class LegendPanel {
  private readonly select = document.getElementById("overlay") as HTMLSelectElement;
  private offered: OverlayName[] = [];
  private told = "";
  private readonly body = document.getElementById("legend-body")!;

  constructor(choose: (name: OverlayName) => void) {
    this.offer();
    this.select.addEventListener("change", () => {
      this.select.blur(); // keys are for the world
      choose(this.select.value as OverlayName);
    });
  }

  /** `layers`: what the world has. `unmeant`: what cannot be shown as one looks now. */
  show(name: OverlayName, legend: Legend | null, layers: string[], unmeant?: readonly OverlayName[]): void {
    this.offer(layers, unmeant);
    this.select.value = name;
    this.body.hidden = legend === null;
    if (!legend) return;
    const title = document.createElement("p");
    title.textContent = legend.title;
    const parts: HTMLElement[] = [title];
    if (legend.ramp !== undefined) {
      const ramp = document.createElement("div");
      ramp.className = "ramp";
      ramp.style.background = legend.ramp;
      const marks = document.createElement("div");
      marks.className = "marks";
      marks.append(...legend.marks.map((text) => {
        const mark = document.createElement("span");
        mark.textContent = text;
        return mark;
      }));
      parts.push(ramp, marks);
    }
    for (const [colour, text] of legend.swatches) {
      const row = document.createElement("div");
      row.className = "swatch";
      const swatch = document.createElement("i");
      swatch.style.background = colour;
      row.append(swatch, text);
      parts.push(row);
    }
    this.body.replaceChildren(...parts);
  }

  next(name: OverlayName): OverlayName {
    const { options } = this.select;
    for (let i = this.offered.indexOf(name) + 1; ; ++i) {
      const option = options[i % options.length]!;
      if (!option.disabled) return option.value as OverlayName;
    }
  }

  private offer(layers: string[] = [], unmeant: readonly OverlayName[] = []): void {
    const names = offered(layers);
    const told = `${names} ${unmeant}`;
    if (told === this.told) return;
    [this.offered, this.told] = [names, told];
    this.select.replaceChildren(...names.map((name) => {
      const option = new Option(LegendPanel.nameOf(name), name);
      option.disabled = unmeant.includes(name);
      if (option.disabled) option.text += " (not in this view)";
      return option;
    }));
  }

  static nameOf(name: OverlayName): string {
    return NAMES[name] ?? name.replace(":", " ");
  }
}
