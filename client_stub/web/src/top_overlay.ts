// What the overlays of amounts, depths and heads tell of a column as one looks down on it: of the uppermost water that is
// seen, or, of depths and heads, that stands. A depth is that at the bed: at the surface it would be none.
import { FULL, type Mirror } from "./mirror";
import { isAir, topOf } from "./top_looks";

/** Null: rock or ice comes first, or nothing at all. */
export function amountOf(mirror: Mirror, slice: number, x: number, y: number): number | null {
  const cell = mirror.cell(x, y, topOf(mirror, slice, x, y));
  return cell > 0 ? cell : null;
}

export interface Standing {
  /** In cells over the world's floor. */
  head: number;
  /** In cells, down to what it stands on. */
  depth: number;
}

/** Null: none stands in view; or the height cuts through it, and its surface is not seen. */
export function standingOf(mirror: Mirror, slice: number, x: number, y: number): Standing | null {
  for (let top = topOf(mirror, slice, x, y); top >= 0;) {
    const cell = mirror.cell(x, y, top);
    if (cell <= 0 || mirror.cell(x, y, top + 1) > 0) return null;
    let bottom = top;
    while (mirror.cell(x, y, bottom - 1) > 0) --bottom;
    if (!isAir(mirror.cell(x, y, bottom - 1))) {
      const head = top + Math.min(1, cell / FULL);
      return { head, depth: head - bottom };
    }
    top = topOf(mirror, bottom - 1, x, y); // that one falls
  }
  return null;
}
