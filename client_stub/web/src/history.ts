// One's own edits, so that they can be taken back. The world is shared and its water moves: taking back
// is a new edit that gives each cell what it had, as far as nobody else has changed it since.
import type { Command } from "@commands";
import type { Vec3 } from "./geometry";
import { FULL, ROCK, type Mirror } from "./mirror";
import { hasRoom, pourInto, poursInto, poursToFill } from "./pouring";
import { rectsOf, type Rect } from "./shapes";
import type { Material } from "./tools";

/** Edits that are remembered. */
const MOST_EDITS = 200;

/** What can be taken back and made again. */
export interface Edit {
  /** Nothing came of it. */
  readonly isEmpty: boolean;
  /** Comes when it is known what the server did of it; null: it is known, or does not matter. */
  readonly settled: Promise<void> | null;
  /** `isSeen`: whether the mirror shows it already. */
  reverse(mirror: Mirror, isSeen: boolean): Reversal;
  repeat(mirror: Mirror): { commands: Command[]; edit: Edit };
}

/** What one stroke did, cell by cell. */
export class Stroke implements Edit {
  /** What each cell held before, by its number (numberOf). */
  readonly before = new Map<number, number>();
  readonly settled = null;

  /** `fill`: what fills cells up with the water that is poured. */
  constructor(readonly material: Material, readonly z: number, readonly fill = poursToFill) {}

  /** The cells are about to be changed; what they hold now is what they had only the first time.
   *  Those that already are as the stroke makes them are none of its doing. */
  touch(mirror: Mirror, cells: Iterable<Vec3>): void {
    const made = this.material === "rock" ? ROCK : this.material === "water" ? FULL : 0;
    for (const at of cells) {
      const key = numberOf(mirror, at);
      const cell = mirror.cell(at.x, at.y, at.z);
      if (this.material === "take" && cell <= 0) continue;
      if (cell !== made && !this.before.has(key)) this.before.set(key, cell);
    }
  }

  /** The cells that it changed, and what they held before. */
  cells({ size }: Mirror): (Vec3 & { had: number })[] {
    return [...this.before].map(([key, had]) =>
      ({ x: key % size.x, y: Math.floor(key / size.x) % size.y, z: Math.floor(key / (size.x * size.y)), had }));
  }

  get isEmpty(): boolean {
    return this.before.size === 0;
  }

  reverse(mirror: Mirror, isSeen: boolean): Reversal {
    return reversal(this, mirror, isSeen);
  }

  repeat(mirror: Mirror): { commands: Command[]; edit: Edit } {
    return repetition(this, mirror);
  }
}

function numberOf({ size }: Mirror, { x, y, z }: Vec3): number {
  return (z * size.y + y) * size.x + x;
}

export interface Reversal {
  commands: Command[];
  /** Cells that somebody else has changed since. */
  conflicts: number;
}

/** What gives the cells of a stroke back what they had. `isSeen`: whether the mirror shows the stroke
 *  already; else nobody can have changed what it did. */
export function reversal(stroke: Stroke, mirror: Mirror, isSeen: boolean): Reversal {
  const rock: Vec3[] = [];
  const open: Vec3[] = [];
  const pours: Command[] = [];
  let conflicts = 0;
  if (stroke.material === "take") return pouringBack(stroke, mirror);
  for (const { had, ...at } of stroke.cells(mirror)) {
    const holds = mirror.cell(at.x, at.y, at.z);
    const isRock = isSeen ? holds === ROCK : stroke.material === "rock";
    if (isRock !== (stroke.material === "rock")) {
      ++conflicts;
      continue;
    }
    if (had === ROCK) {
      if (!isRock) rock.push(at);
      continue;
    }
    if (isRock || stroke.material === "water") open.push(at);
    if (had > 0 && stroke.material !== "air") pours.push(pourInto(at, had));
    // Where water was taken from open cells, only what is missing comes back.
    const missing = isSeen ? had - holds : had;
    if (stroke.material === "air" && missing > 0) pours.push(pourInto(at, missing));
  }
  // From open cells whatever water is in them now is taken with the rock or the pour.
  return { commands: [...setCells(rock, "#"), ...setCells(open, "."), ...pours], conflicts };
}

/** What was taken comes back to where it was, a column at a time; where other water has flowed in meanwhile, above that.
 *  Water of cells that are none any more counts as changed by others. */
function pouringBack(stroke: Stroke, mirror: Mirror): Reversal {
  const cells = stroke.cells(mirror);
  const open = cells.filter(({ x, y, z }) => mirror.cell(x, y, z) >= 0);
  return { commands: poursInto(open.map(({ had, ...at }) => ({ ...at, units: had })), mirror.up), conflicts: cells.length - open.length };
}

/** What makes the stroke once more. */
function repetition(stroke: Stroke, mirror: Mirror): { commands: Command[]; edit: Edit } {
  const again = new Stroke(stroke.material, stroke.z, stroke.fill);
  const cells = stroke.cells(mirror);
  // Water is poured where there is room for it, as it was the first time.
  const wanted = stroke.material !== "water" ? cells
    : cells.filter((cell) => hasRoom(mirror, cell));
  again.touch(mirror, wanted);
  const commands = stroke.material === "water" ? stroke.fill(mirror, wanted)
    : stroke.material === "take" ? rectsOf(wanted).map((rect) => commandToTake(rect, stroke.z))
    : setCells(wanted, LETTERS[stroke.material]);
  return { commands, edit: again };
}

export const LETTERS = { rock: "#", air: "." } as const;

/** What takes the water of the cells away. */
export function commandToTake({ x, y, width, height }: Rect, z: number): Command {
  return { cmd: "remove_water", from: [x, y, z], size: [width, height, 1] };
}

function setCells(cells: readonly Vec3[], cell: "#" | "."): Command[] {
  // Of more than one slice are strokes of water alone, which rises where one looks from above.
  const slices = [...new Set(cells.map(({ z }) => z))];
  return slices.flatMap((z) => rectsOf(cells.filter((at) => at.z === z)).map(({ x, y, width, height }): Command =>
    ({ cmd: "set_cells", from: [x, y, z], size: [width, height, 1], cell })));
}

/** Edits in the order in which they were made, and those that were taken back. */
export class History {
  private done: Edit[] = [];
  private undone: Edit[] = [];

  add(edit: Edit): void {
    if (edit.isEmpty) return;
    this.done.push(edit);
    this.undone = [];
    if (this.done.length > MOST_EDITS) this.done.shift();
  }

  /** The last edit's; see Edit. */
  get settled(): Promise<void> | null {
    return this.done.at(-1)?.settled ?? null;
  }

  /** Null: there is none. */
  undo(mirror: Mirror, isSeen: boolean): Reversal | null {
    let edit = this.done.pop();
    while (edit?.isEmpty) edit = this.done.pop(); // the server refused it
    if (!edit) return null;
    this.undone.push(edit);
    return edit.reverse(mirror, isSeen);
  }

  redo(mirror: Mirror): Command[] | null {
    const undone = this.undone.pop();
    if (!undone) return null;
    const { commands, edit } = undone.repeat(mirror);
    this.done.push(edit);
    return commands;
  }
}
