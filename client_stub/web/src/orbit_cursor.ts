// Where the tool in the hand would work in the orbiting view: the cells of a brush, or the one that is pointed at, as frames
// that lie in the world.
import { cellsUnder } from "./hover";
import type { Lens } from "./lens";
import type { Rect } from "./shapes";
import type { Viewer } from "./viewer";

/** A dark line under a light one is seen on everything. */
const LINES = [["rgba(6, 8, 11, 0.85)", 3.5], ["#ffffff", 1.5]] as const;

export function paintOrbitCursor(context: CanvasRenderingContext2D, { hand, mirror, hover }: Viewer, lens: Lens): void {
  if (!mirror || !hover || (!hand.builds && hand.stamps === null)) return;
  const { z } = hand.reach(hover);
  const path = new Path2D();
  for (const rect of cellsUnder(hand, mirror, hover)) frame(path, rect, z, lens);
  for (const [style, width] of LINES) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.stroke(path);
  }
}

/** Around the bottom and the top of cells, and up at the corners. */
function frame(path: Path2D, { x, y, width, height }: Rect, z: number, lens: Lens): void {
  const corners = [[x, y], [x + width, y], [x + width, y + height], [x, y + height]] as const;
  // A lens knows the middles of cells.
  const spot = (corner: number, over: number) => {
    const [cornerX, cornerY] = corners[corner % 4]!;
    return lens.spot({ x: cornerX - 0.5, y: cornerY - 0.5, z: z + over - 0.5 });
  };
  for (const over of [0, 1]) {
    path.moveTo(...spot(0, over));
    for (let corner = 1; corner <= 4; ++corner) path.lineTo(...spot(corner, over));
  }
  for (let corner = 0; corner < 4; ++corner) {
    path.moveTo(...spot(corner, 0));
    path.lineTo(...spot(corner, 1));
  }
}
