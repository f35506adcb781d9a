// What pouring sends. Water is added to what a cell holds and never replaces it: rock and ice are left alone,
// a cell is filled up to a full one, and where it is full already the water comes to stand on what is there.
import type { Command } from "@commands";
import { FULL, type Mirror } from "./mirror";
import { rectsOf, type Rect } from "./shapes";

export interface Cell {
  x: number;
  y: number;
}

/** More cells than the largest brush has are not poured into one by one where they are empty. */
export const MOST_SINGLE_POURS = 256;

/** Cells above its own that a pour may rise into: as many as the server lets it. */
export const MOST_ABOVE = 64;
/** Of these, so many for water that comes to stand there before the pour does. */
export const SPARE = 16;

/** Pours into a cell and `above` cells above it; water that has come there meanwhile is not in its way. */
export function pourInto(x: number, y: number, z: number, units: number, above = 0): Command {
  return { cmd: "pour", at: [x, y, z], units, above: above + SPARE };
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
export function commandsToFill(mirror: Mirror, cells: readonly Cell[], z: number): Command[] {
  const commands: Command[] = [];
  const empty = cells.length > MOST_SINGLE_POURS ? cells.filter(({ x, y }) => mirror.cell(x, y, z) === 0) : [];
  // Of thousands of pours each waits its turn. Where nothing is, nothing can be replaced.
  for (const { x, y, width, height } of rectsOf(empty)) {
    commands.push({ cmd: "set_cells", from: [x, y, z], size: [width, height, 1], cell: "~" });
  }
  for (const { x, y } of cells) {
    const held = mirror.cell(x, y, z);
    if (empty.length > 0 && held === 0) continue;
    commands.push(pourInto(x, y, z, FULL - held));
  }
  return commands;
}
