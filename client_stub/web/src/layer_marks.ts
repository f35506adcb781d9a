// What is drawn over the picture of what a world has beside its cells, whatever the overlay: foam, steam, waves from above,
// and what happens for a moment.
import type { Camera } from "./camera";
import type { Vec3 } from "./geometry";
import type { LayerName, Layers } from "./layers";
import type { Mirror } from "./mirror";
import { Particles } from "./particles";
import { Froth, Haze, Slopes } from "./sheet_sources";
import { Sheet } from "./sheets";
import type { SightName } from "./sight";

/** Kinds of tracers that are white on water. */
const FOAMS = ["foam", "whitecaps"];

export class LayerMarks {
  private readonly sheets: [LayerName, Sheet][] = [];
  private readonly particles: Particles | null = null;

  /** `still`: nothing moves by itself. */
  constructor(mirror: Mirror, layers: Layers, sight: SightName, still: boolean) {
    if (sight === "orbit") return; // in perspective nothing is where these would be
    const above = sight === "top";
    mirror.welcome.layers.forEach((name, i) => {
      if (!FOAMS.includes(mirror.welcome.tracerKinds[i]!) || !layers.has(name)) return;
      this.sheets.push([name, new Sheet(mirror, new Froth(mirror, layers, name, above), still)]);
    });
    if (above && layers.has("waves")) this.sheets.push(["waves", new Sheet(mirror, new Slopes(mirror, layers), still)]);
    if (layers.has("steam")) this.sheets.push(["steam", new Sheet(mirror, new Haze(mirror, layers, above), still)]);
    if (layers.has("events") && !still) this.particles = new Particles(mirror, layers, above);
  }

  /** Whether it is to be asked for, to be drawn here. */
  needs(name: LayerName): boolean {
    return name === "events" ? this.particles !== null : this.sheets.some(([layer]) => layer === name);
  }

  told(changed: Map<LayerName, Vec3[]>, tick: number, now: number): void {
    for (const [name, sheet] of this.sheets) {
      sheet.told(changed.get(name) ?? []);
      if (name !== "steam") sheet.told(changed.get("waves") ?? []); // foam goes with them
    }
    this.particles?.told(changed.get("events") ?? [], tick, now);
  }

  /** `overlay`: what shows the same in another way. Returns whether the next frame will look different. */
  paint(context: CanvasRenderingContext2D, camera: Camera, slice: number, overlay: string, now: number): boolean {
    let moves = false;
    for (const [name, sheet] of this.sheets) {
      if (name !== overlay && sheet.paint(context, camera, slice, now)) moves = true;
    }
    return (this.particles?.paint(context, camera, slice, now) ?? false) || moves;
  }
}
