// What pouring sends. Water is added to what a cell holds and never replaces it: rock and ice are left alone,
// a cell is filled up to a full one, and where it is full already the water comes to stand on what is there.
import type { Command, Place, PourWithAbove } from "@commands";
import { FULL, type Mirror } from "./mirror";
import type { Rect } from "./shapes";

export interface Cell {
  x: number;
  y: number;
}

/** Cells above its own that a pour may rise into: as many as the server lets it. */
export const MOST_ABOVE = 64;
/** Of these, so many for water that comes to stand there before the pour does. */
export const SPARE = 16;

/** Pours into a cell and `above` cells above it; water that has come there meanwhile is not in its way. */
export function pourInto(x: number, y: number, z: number, units: number, above = 0): PourWithAbove {
  return { cmd: "pour", at: [x, y, z], units, above: above + SPARE };
}

/** Gives each cell its units: a pour for as many cells on top of each other as one rises through. Not a box of full
 *  cells: that would take from those that hold more by the time it comes. Nor one poured at rest: that is refused as a
 *  whole when water has come into it meanwhile. */
export function poursInto(cells: readonly (Cell & { units: number })[], z: number): PourWithAbove[] {
  const pours: PourWithAbove[] = [];
  for (const { x, y, units } of [...cells].sort((a, b) => a.x - b.x || a.y - b.y)) {
    const last = pours.at(-1);
    if (last && last.at[0] === x && last.at[1] + rowsOf(last) === y && last.above < MOST_ABOVE) {
      last.units += units;
      ++last.above;
    } else {
      pours.push(pourInto(x, y, z, units));
    }
  }
  return pours;
}

/** The cells that a command of this file pours into. */
export function placesPoured(command: Command): Place[] {
  if (command.cmd !== "pour") return [];
  const [x, y, z] = command.at;
  return Array.from({ length: rowsOf(command as PourWithAbove) }, (_, i) => [x, y + i, z]);
}

function rowsOf({ above }: PourWithAbove): number {
  return above - SPARE + 1;
}

export function hasRoom(mirror: Mirror, { x, y }: Cell, z: number): boolean {
  const cell = mirror.cell(x, y, z);
  return cell >= 0 && cell < FULL;
}

/** The cells that a brush over `rect` pours into. A column that is full within it gets one cell's worth
 *  where its water ends above. `pours`: cells that are being poured into already. */
export function poursAt(mirror: Mirror, rect: Rect, z: number, pours: (cell: Cell) => boolean): Cell[] {
  const cells: Cell[] = [];
  for (let x = rect.x; x < rect.x + rect.width; ++x) {
    let top: number | null = null; // the highest cell of the column that is full
    let takes = false;
    for (let y = rect.y; y < rect.y + rect.height; ++y) {
      if (mirror.cell(x, y, z) < 0) continue;
      if (pours({ x, y })) takes = true;
      else if (hasRoom(mirror, { x, y }, z)) cells.push({ x, y }), (takes = true);
      else top = y;
    }
    if (takes || top === null) continue;
    let y = top + 1;
    while (mirror.cell(x, y, z) >= FULL) ++y;
    if (hasRoom(mirror, { x, y }, z) && !pours({ x, y })) cells.push({ x, y });
  }
  return cells;
}

/** Fills the cells, which have room, up. */
export function poursToFill(mirror: Mirror, cells: readonly Cell[], z: number): PourWithAbove[] {
  return poursInto(cells.map(({ x, y }) => ({ x, y, units: FULL - mirror.cell(x, y, z) })), z);
}
