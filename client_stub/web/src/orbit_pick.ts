// Which of the orbiting view's columns a place on the screen shows: a line from the eye goes from column to column until it
// meets the side or the top of one.
import { heightOf, NONE, PARTS, VOID } from "./orbit_columns";

/** Of a column: what is missed by rounding alone is met. */
const NEARLY = 1e-6;

type Place = readonly [x: number, y: number, z: number];

/** A line in columns and cells: x to the right and y behind by columns, z up by cells. */
export interface Line {
  from: Place;
  /** Of a length that does not matter. */
  along: Place;
}

/** A column by its place, and how high in it, in cells over the world's floor: the line meets its side there, or its top. */
export interface Met {
  x: number;
  y: number;
  height: number;
}

/** The first that the line meets; null: none. Below `base` nothing is drawn. `columns`: PARTS numbers each, [y][x]. */
export function meet({ from, along }: Line, columns: Float32Array, width: number, height: number, base: number): Met | null {
  const size = [width, height] as const;
  let begin = 0; // so many times `along`
  for (const axis of [0, 1] as const) begin = Math.max(begin, Math.min(-from[axis] / along[axis], (size[axis] - from[axis]) / along[axis]));
  if (!Number.isFinite(begin)) return null; // beside them all, or along an edge
  const at = [0, 0];
  for (const axis of [0, 1] as const) {
    const place = from[axis] + along[axis] * begin;
    if (place < -NEARLY || place > size[axis] + NEARLY) return null;
    at[axis] = Math.max(0, Math.min(size[axis] - 1, Math.floor(place)));
  }
  for (let [x, y] = at as [number, number]; x >= 0 && y >= 0 && x < width && y < height;) {
    const [leavesX, leavesY] = [leaves(from[0], along[0], x), leaves(from[1], along[1], y)];
    const end = Math.min(leavesX, leavesY);
    const met = meetColumn(columns, (y * width + x) * PARTS, from[2] + along[2] * begin, from[2] + along[2] * end, base);
    if (met !== null) return { x, y, height: met };
    if (end === Infinity) return null;
    if (leavesX === end) x += Math.sign(along[0]);
    else y += Math.sign(along[1]);
    begin = end;
  }
  return null;
}

/** Where a line that is in a column passes its side, on one axis. */
function leaves(from: number, along: number, column: number): number {
  return along === 0 ? Infinity : (column + (along > 0 ? 1 : 0) - from) / along;
}

/** Of one that is entered at one height and left at another. */
function meetColumn(columns: Float32Array, at: number, enters: number, leaves: number, base: number): number | null {
  const [rock, water, fallTop, fallBottom] = columns.subarray(at, at + PARTS);
  const stands = rock === VOID ? NONE : Math.max(heightOf(rock!), water!);
  for (const [low, top] of [[fallBottom!, fallTop!], [base, stands]] as const) {
    if (top === NONE || Math.max(enters, leaves) < low || Math.min(enters, leaves) > top) continue;
    return Math.min(top, Math.max(low, enters));
  }
  return null;
}
