// What pouring sends. Water is added to what a cell holds and never replaces it: rock and ice are left alone,
// a cell is filled up to a full one, and where it is full already the water comes to stand on what is there.
import type { Command, Place, PourWithAbove } from "@commands";
import type { Vec3 } from "./geometry";
import { FULL, type Mirror } from "./mirror";
import type { Rect } from "./shapes";

/** Cells above its own that a pour may rise into: as many as the server lets it. */
export const MOST_ABOVE = 64;
/** Of these, so many for water that comes to stand there before the pour does. */
export const SPARE = 16;

/** Where up is in the picture. */
type Up = Mirror["up"];

/** Pours into a cell and `above` cells above it; water that has come there meanwhile is not in its way. */
export function pourInto({ x, y, z }: Vec3, units: number, above = 0): PourWithAbove {
  return { cmd: "pour", at: [x, y, z], units, above: above + SPARE };
}

/** Gives each cell its units: a pour for as many cells on top of each other as one rises through. Not a box of full
 *  cells: that would take from those that hold more by the time it comes. Nor one poured at rest: that is refused as a
 *  whole when water has come into it meanwhile. */
export function poursInto(cells: readonly (Vec3 & { units: number })[], up: Up): PourWithAbove[] {
  const pours: PourWithAbove[] = [];
  const across = up === "y" ? "z" : "y";
  for (const { units, ...cell } of [...cells].sort((a, b) => a.x - b.x || a[across] - b[across] || a[up] - b[up])) {
    const last = pours.at(-1);
    if (last && last.above < MOST_ABOVE && String(placeAbove(last, rowsOf(last), up)) === String([cell.x, cell.y, cell.z])) {
      last.units += units;
      ++last.above;
    } else {
      pours.push(pourInto(cell, units));
    }
  }
  return pours;
}

/** The cells that a command of this file pours into. */
export function placesPoured(command: Command, up: Up): Place[] {
  if (command.cmd !== "pour") return [];
  return Array.from({ length: rowsOf(command as PourWithAbove) }, (_, i) => placeAbove(command, i, up));
}

function placeAbove({ at: [x, y, z] }: { at: Place }, cells: number, up: Up): Place {
  return up === "y" ? [x, y + cells, z] : [x, y, z + cells];
}

function rowsOf({ above }: PourWithAbove): number {
  return above - SPARE + 1;
}

export function hasRoom(mirror: Mirror, { x, y, z }: Vec3): boolean {
  const cell = mirror.cell(x, y, z);
  return cell >= 0 && cell < FULL;
}

/** The cells that a brush over `rect` pours into. A column that is full within it gets one cell's worth
 *  where its water ends above. `pours`: cells that are being poured into already. */
export function poursAt(mirror: Mirror, rect: Rect, z: number, pours: (cell: Vec3) => boolean): Vec3[] {
  const cells: Vec3[] = [];
  for (const column of columnsOf(rect, z, mirror.up)) {
    let top: Vec3 | null = null; // the highest cell of the column that is full
    let takes = false;
    for (const cell of column) {
      if (mirror.cell(cell.x, cell.y, cell.z) < 0) continue;
      if (pours(cell)) takes = true;
      else if (hasRoom(mirror, cell)) cells.push(cell), (takes = true);
      else top = cell;
    }
    if (takes || top === null) continue;
    const over = { ...top };
    do ++over[mirror.up]; while (mirror.cell(over.x, over.y, over.z) >= FULL);
    if (hasRoom(mirror, over) && !pours(over)) cells.push(over);
  }
  return cells;
}

/** The cells of a part of a slice that stand over each other, from below. */
function columnsOf({ x, y, width, height }: Rect, z: number, up: Up): Vec3[][] {
  const count = up === "y" ? width : width * height;
  return Array.from({ length: count }, (_, i) => Array.from({ length: up === "y" ? height : 1 },
    (_, over) => ({ x: x + (i % width), y: y + Math.floor(i / width) + over, z })));
}

/** Fills the cells, which have room, up. */
export function poursToFill(mirror: Mirror, cells: readonly Vec3[]): PourWithAbove[] {
  return poursInto(cells.map((cell) => ({ ...cell, units: FULL - mirror.cell(cell.x, cell.y, cell.z) })), mirror.up);
}
