// The choice of an overlay, and what its colours mean, in a corner of the picture.
import { OVERLAYS, type Legend, type OverlayName } from "./overlay_kinds";

const NAMES: Record<OverlayName, string> = {
  none: "No overlay", amount: "Amount", depth: "Depth (pressure)", awake: "Awake chunks", bytes: "Bytes per chunk",
};

export class LegendPanel {
  private readonly select = document.getElementById("overlay") as HTMLSelectElement;
  private readonly body = document.getElementById("legend-body")!;

  constructor(choose: (name: OverlayName) => void) {
    this.select.append(...OVERLAYS.map((name) => new Option(NAMES[name], name)));
    this.select.addEventListener("change", () => {
      this.select.blur(); // keys are for the world
      choose(this.select.value as OverlayName);
    });
  }

  show(name: OverlayName, legend: Legend | null): void {
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

  static next(name: OverlayName): OverlayName {
    return OVERLAYS[(OVERLAYS.indexOf(name) + 1) % OVERLAYS.length]!;
  }

  static nameOf(name: OverlayName): string {
    return NAMES[name];
  }
}
