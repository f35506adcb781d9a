// What people put into a world beside its cells, over the picture of those: springs, drains, heaters, open edges, pipes.
// Fetched with the first of them.
import type { Camera } from "./camera";
import { paintEdges, paintFixtures } from "./fixture_painter";
import type { Fixtures } from "./fixtures";
import type { Mirror } from "./mirror";
import { PipePainter, type PipeScene } from "./pipe_painter";

/** `flat`: the picture is one of a slice, with the world's edges. Returns whether the next frame will look different. */
export function paintFittings(
  context: CanvasRenderingContext2D, { size, pipes }: Mirror, fixtures: Fixtures, flat: Camera | null, scene: PipeScene, seconds: number,
): boolean {
  context.save();
  context.lineJoin = "round";
  if (flat) paintEdges(context, flat, size, fixtures.open);
  paintFixtures(context, scene.camera, scene.sees, fixtures);
  context.restore();
  return new PipePainter(pipes).paint(context, scene, seconds);
}
