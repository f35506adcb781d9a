// A part of a slice that was copied, and putting it somewhere as one edit that can be taken back: what each
// cell holds, water to the unit, and the pipes that stand in it.
import type { Cell, Command } from "@commands";
import type { Edit, Reversal } from "./history";
import { ICE_BASE, OUTSIDE, ROCK, THINNEST_ICE, TRAPPED_AIR, type Mirror } from "./mirror";
import { commandsToBuild, copyPipes, type PipePlan } from "./pipe_plan";
import { rectsOf, type Rect } from "./shapes";

export interface Region {
  width: number;
  height: number;
  /** Row by row from below, as in the mirror; ice is the water in it. */
  cells: Int32Array;
  pipes: PipePlan;
}

export function copyRegion(mirror: Mirror, { x, y, width, height }: Rect, z: number): Region {
  const cells = new Int32Array(width * height);
  for (let i = 0; i < cells.length; ++i) cells[i] = settable(mirror.cell(x + (i % width), y + Math.floor(i / width), z));
  return { width, height, cells, pipes: copyPipes(mirror.pipes, { x, y, width, height }, z) };
}

/** What there is to see of a region, in words. */
export function describe({ width, height, cells, pipes }: Region): string {
  const count = (test: (cell: number) => boolean) => cells.reduce((sum, cell) => sum + (test(cell) ? 1 : 0), 0);
  const parts: string[] = [];
  const tell = (number: number, what: string) => number > 0 && parts.push(`${number.toLocaleString("en")} ${what}`);
  tell(count((cell) => cell === ROCK), "rock");
  tell(count((cell) => cell > 0), "with water");
  tell(pipes.nodes.length, pipes.nodes.length === 1 ? "pipe" : "pipes");
  return `${width} × ${height} cells: ${parts.join(", ") || "all air"}`;
}

/** Putting a region into a world: the cells that it changes, and its pipes. */
export class Paste implements Edit {
  /** What each cell that is changed held before, and what it is given, by its place in the slice. */
  private readonly before = new Map<number, number>();
  private readonly made = new Map<number, number>();
  private readonly names: string[];
  readonly commands: Command[];
  readonly settled = null;

  /** With the region's left lower cell at (x, y); what lies outside of the world is left out. */
  constructor(
    mirror: Mirror, private readonly region: Region, private readonly x: number, private readonly y: number,
    private readonly z: number,
  ) {
    region.cells.forEach((cell, i) => {
      const [cellX, cellY] = [x + (i % region.width), y + Math.floor(i / region.width)];
      const held = settable(mirror.cell(cellX, cellY, z));
      if (held === OUTSIDE || held === cell) return;
      const key = cellY * mirror.size.x + cellX;
      this.before.set(key, held);
      this.made.set(key, cell);
    });
    const built = commandsToBuild(region.pipes, x, y, z, mirror);
    this.names = built.names;
    this.commands = [...commandsToSet(this.made, mirror.size.x, z), ...built.commands];
  }

  get isEmpty(): boolean {
    return this.commands.length === 0;
  }

  reverse(mirror: Mirror, isSeen: boolean): Reversal {
    const back = new Map<number, number>();
    for (const [key, had] of this.before) {
      const now = mirror.cell(key % mirror.size.x, Math.floor(key / mirror.size.x), this.z);
      // Water moves by itself: only rock that came or went is somebody else's doing.
      if (!isSeen || (now === ROCK) === (this.made.get(key) === ROCK)) back.set(key, had);
    }
    // Pipes first: what they hold spills, into cells that are then given back what they had.
    const { byName } = mirror.pipes.networks;
    const names = isSeen ? this.names.filter((name) => byName.has(name)) : this.names;
    const commands: Command[] = names.map((name) => ({ cmd: "remove_pipe", name }));
    commands.push(...commandsToSet(back, mirror.size.x, this.z));
    return { commands, conflicts: this.before.size - back.size };
  }

  repeat(mirror: Mirror): { commands: Command[]; edit: Edit } {
    const again = new Paste(mirror, this.region, this.x, this.y, this.z);
    return { commands: again.commands, edit: again };
  }
}

/** What a cell can be set to, to be as it is: ice melts. */
function settable(cell: number): number {
  return cell <= THINNEST_ICE ? ICE_BASE - cell : cell;
}

/** Rock before water, so that what is to hold it is there; equal cells by rectangles. */
function commandsToSet(cells: Map<number, number>, worldWidth: number, z: number): Command[] {
  const groups = new Map<number, { x: number; y: number }[]>();
  for (const [key, cell] of cells) {
    const place = { x: key % worldWidth, y: Math.floor(key / worldWidth) };
    const group = groups.get(cell);
    if (group) group.push(place);
    else groups.set(cell, [place]);
  }
  const sorted = [...groups].sort(([a], [b]) => (a === ROCK ? -1 : b === ROCK ? 1 : a - b));
  return sorted.flatMap(([cell, places]) => rectsOf(places).map(({ x, y, width, height }): Command =>
    ({ cmd: "set_cells", from: [x, y, z], size: [width, height, 1], cell: letterOf(cell) })));
}

function letterOf(cell: number): Cell {
  if (cell === ROCK) return "#";
  if (cell === TRAPPED_AIR) return "o";
  return cell > 0 ? { water: cell } : ".";
}
