// Which cells a tool means: pure geometry on a slice. Rectangles, since a command takes a box.
import type { Mirror } from "./mirror";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Shape = "brush" | "line" | "box" | "fill";

/** Cells that one fill may take; the server has limits of its own. */
export const MOST_FILLED = 40_000;

/** A square of `size` cells about the cell, cut to the world. */
export function dabAt(mirror: Mirror, size: number, x: number, y: number): Rect {
  const before = Math.floor((size - 1) / 2);
  return cut(mirror, x - before, y - before, x - before + size, y - before + size);
}

/** The cells of a brush about the cell as few rectangles, from below; a round one has no corners. */
export function dabsAt(mirror: Mirror, size: number, x: number, y: number, round: boolean): Rect[] {
  if (!round || size < 3) return [dabAt(mirror, size, x, y)];
  const middle = (size - 1) / 2;
  const [left, bottom] = [x - Math.floor(middle), y - Math.floor(middle)];
  // A little less than half of the size: else a brush of three cells would be a square.
  const reach = (size / 2 - 0.1) ** 2;
  const rects: Rect[] = [];
  for (let row = 0, end = 0; row < size; row = end) {
    const inset = (at: number) => Math.ceil(middle - Math.sqrt(reach - (at - middle) ** 2));
    for (end = row + 1; end < size && inset(end) === inset(row);) ++end;
    const first = inset(row);
    const rect = cut(mirror, left + first, bottom + row, left + size - first, bottom + end);
    if (rect.width > 0 && rect.height > 0) rects.push(rect);
  }
  return rects;
}

/** Both ends, and all between, in any order. */
export function boxOf(mirror: Mirror, from: { x: number; y: number }, to: { x: number; y: number }): Rect {
  return cut(mirror, Math.min(from.x, to.x), Math.min(from.y, to.y),
    Math.max(from.x, to.x) + 1, Math.max(from.y, to.y) + 1);
}

function cut(mirror: Mirror, left: number, bottom: number, right: number, top: number): Rect {
  const within = (value: number, most: number) => Math.max(0, Math.min(most, value));
  const [x, y] = [within(left, mirror.size.x), within(bottom, mirror.size.y)];
  return { x, y, width: within(right, mirror.size.x) - x, height: within(top, mirror.size.y) - y };
}

/** The places of dabs from one cell to another, so close that a brush of `size` leaves out none. */
export function stepsBetween(
  from: { x: number; y: number }, to: { x: number; y: number }, size: number,
): { x: number; y: number }[] {
  const steps = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y));
  const stride = Math.max(1, Math.floor(size / 2));
  const places: { x: number; y: number }[] = [];
  for (let step = Math.min(stride, steps); step < steps; step += stride) {
    const share = step / steps;
    places.push({ x: Math.round(from.x + (to.x - from.x) * share), y: Math.round(from.y + (to.y - from.y) * share) });
  }
  places.push(to);
  return places;
}

/** What a fill takes for one kind of cell: rock or not. */
const isOpen = (cell: number): boolean => cell >= 0;

/** Cells connected with the cell, all of its kind; `ceiling`: none higher than this. Null: there are more of
 *  them than a fill may take. */
export function flood(
  mirror: Mirror, x: number, y: number, z: number, ceiling: number, kind = isOpen,
): { x: number; y: number }[] | null {
  if (!mirror.inside(x, y, z)) return [];
  const own = kind(mirror.cell(x, y, z));
  const { size } = mirror;
  const seen = new Set<number>([y * size.x + x]);
  const cells = [{ x, y }];
  for (let next = 0; next < cells.length; ++next) {
    if (cells.length > MOST_FILLED) return null;
    const { x: cellX, y: cellY } = cells[next]!;
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) {
      const [nearX, nearY] = [cellX + dx, cellY + dy];
      if (!mirror.inside(nearX, nearY, z) || nearY > ceiling) continue;
      const key = nearY * size.x + nearX;
      if (seen.has(key) || kind(mirror.cell(nearX, nearY, z)) !== own) continue;
      seen.add(key);
      cells.push({ x: nearX, y: nearY });
    }
  }
  return cells;
}

/** The cells as few rectangles: runs of a row, and equal runs of rows on top of each other. */
export function rectsOf(cells: Iterable<{ x: number; y: number }>): Rect[] {
  const rows = new Map<number, number[]>();
  for (const { x, y } of cells) {
    const row = rows.get(y);
    if (row) row.push(x);
    else rows.set(y, [x]);
  }
  const done: Rect[] = [];
  let open = new Map<string, Rect>();
  let before = NaN;
  for (const y of [...rows.keys()].sort((a, b) => a - b)) {
    const row = rows.get(y)!.sort((a, b) => a - b);
    const grown = new Map<string, Rect>();
    for (let i = 0; i < row.length; ) {
      let end = i + 1;
      while (end < row.length && row[end]! <= row[end - 1]! + 1) ++end;
      const x = row[i]!;
      const width = row[end - 1]! - x + 1;
      const key = `${x},${width}`;
      const below = before === y - 1 ? open.get(key) : undefined;
      if (below) ++below.height;
      const rect = below ?? { x, y, width, height: 1 };
      if (!below) done.push(rect);
      grown.set(key, rect);
      i = end;
    }
    open = grown;
    before = y;
  }
  return done;
}
