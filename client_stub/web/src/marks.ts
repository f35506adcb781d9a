// What lies over the picture of the cells: layers, overlays, what stands in the world, differences, cursors.
import { paintCursor } from "./hover";
import { Late } from "./late";
import type { Viewer } from "./viewer";

export class Marks {
  private readonly fittings = new Late("What stands in the world", () => import("./fittings"), () => this.viewer.repaint());

  constructor(private readonly viewer: Viewer) {}

  /** Returns whether the next frame will look different. */
  paint(context: CanvasRenderingContext2D, now: number): boolean {
    const { viewer } = this;
    const { camera, canvas, sight, slice, hover } = viewer;
    const mirror = viewer.mirror!;
    const ratio = canvas.width / camera.width;
    context.setTransform(ratio, 0, 0, canvas.height / camera.height, 0, 0);
    if (sight?.paintCursor) { // in perspective nothing else is where it would be
      const moves = this.paintFittings(context, now);
      sight.paintCursor(context, viewer);
      return moves;
    }
    let moves = viewer.layers?.marks.paint(context, camera, slice, viewer.overlay, now) ?? false;
    const { far } = viewer;
    if (far?.shown ? far.paintLayers(context, now) : viewer.overlays?.paint(context, camera, slice, viewer.painter!, now)) moves = true;
    context.strokeStyle = "rgba(140, 165, 200, 0.28)";
    context.lineWidth = 1;
    context.strokeRect(
      Math.round(camera.screenX(0)) - 0.5, Math.round(camera.screenY(mirror.size.y)) - 0.5,
      Math.round(mirror.size.x * camera.scale) + 1, Math.round(mirror.size.y * camera.scale) + 1);
    if (this.paintFittings(context, now)) moves = true;
    viewer.differences?.paint(context, camera, ratio);
    if (hover) paintCursor(context, camera, viewer.hand, mirror, { ...hover, z: slice }, viewer.keys.shown);
    viewer.people?.paint(context, camera, slice);
    return moves;
  }

  private paintFittings(context: CanvasRenderingContext2D, now: number): boolean {
    const { fixtures, camera, sight, slice, hover, hand: { pipes } } = this.viewer;
    const mirror = this.viewer.mirror!;
    const { sources, drains, heaters, open } = fixtures;
    if (sources.length + drains.length + heaters.length + open.size + mirror.pipes.sectionCount === 0) return false;
    this.fittings.want();
    const from = pipes.rubberFrom();
    const flat = sight?.name === "orbit" ? null : camera;
    const lens = flat ?? sight!.lens;
    if (!lens) return false;
    const scene = { camera: lens, sees: (z: number) => !flat || this.viewer.sees(z), chosen: pipes.chosen,
      rubber: from && hover ? { from, to: { z: slice, ...hover } } : null };
    return this.fittings.part?.paintFittings(context, mirror, fixtures, flat, scene, now / 1000) ?? false;
  }
}
