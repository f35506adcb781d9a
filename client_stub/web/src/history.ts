// One's own edits, so that they can be taken back. The world is shared and its water moves: taking back
// is a new edit that gives each cell what it had, as far as nobody else has changed it since.
import type { Command } from "@commands";
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
  /** What each cell held before, by its place in the slice. */
  readonly before = new Map<number, number>();
  readonly settled = null;

  /** `fill`: what fills cells up with the water that is poured. */
  constructor(readonly material: Material, readonly z: number, readonly fill = poursToFill) {}

  /** The cells are about to be changed; what they hold now is what they had only the first time.
   *  Those that already are as the stroke makes them are none of its doing. */
  touch(mirror: Mirror, cells: Iterable<{ x: number; y: number }>): void {
    const made = this.material === "rock" ? ROCK : this.material === "water" ? FULL : 0;
    for (const { x, y } of cells) {
      const key = y * mirror.size.x + x;
      const cell = mirror.cell(x, y, this.z);
      if (this.material === "take" && cell <= 0) continue;
      if (cell !== made && !this.before.has(key)) this.before.set(key, cell);
    }
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

export interface Reversal {
  commands: Command[];
  /** Cells that somebody else has changed since. */
  conflicts: number;
}

/** What gives the cells of a stroke back what they had. `isSeen`: whether the mirror shows the stroke
 *  already; else nobody can have changed what it did. */
export function reversal(stroke: Stroke, mirror: Mirror, isSeen: boolean): Reversal {
  const rock: { x: number; y: number }[] = [];
  const open: { x: number; y: number }[] = [];
  const pours: Command[] = [];
  let conflicts = 0;
  if (stroke.material === "take") return pouringBack(stroke, mirror);
  for (const [key, had] of stroke.before) {
    const x = key % mirror.size.x;
    const y = Math.floor(key / mirror.size.x);
    const isRock = isSeen ? mirror.cell(x, y, stroke.z) === ROCK : stroke.material === "rock";
    if (isRock !== (stroke.material === "rock")) {
      ++conflicts;
      continue;
    }
    if (had === ROCK) {
      if (!isRock) rock.push({ x, y });
      continue;
    }
    if (isRock || stroke.material === "water") open.push({ x, y });
    if (had > 0 && stroke.material !== "air") pours.push(pourInto(x, y, stroke.z, had));
    // Where water was taken from open cells, only what is missing comes back.
    const missing = isSeen ? had - mirror.cell(x, y, stroke.z) : had;
    if (stroke.material === "air" && missing > 0) {
      pours.push(pourInto(x, y, stroke.z, missing));
    }
  }
  // From open cells whatever water is in them now is taken with the rock or the pour.
  return { commands: [...setCells(rock, "#", stroke.z), ...setCells(open, ".", stroke.z), ...pours], conflicts };
}

/** What was taken comes back to where it was, a column at a time; where other water has flowed in meanwhile, above that.
 *  Water of cells that are none any more counts as changed by others. */
function pouringBack({ before, z }: Stroke, mirror: Mirror): Reversal {
  const { x: width } = mirror.size;
  const cells = [...before].map(([key, units]) => ({ x: key % width, y: Math.floor(key / width), units }));
  const open = cells.filter(({ x, y }) => mirror.cell(x, y, z) >= 0);
  return { commands: poursInto(open, z), conflicts: cells.length - open.length };
}

/** What makes the stroke once more. */
function repetition(stroke: Stroke, mirror: Mirror): { commands: Command[]; edit: Edit } {
  const again = new Stroke(stroke.material, stroke.z, stroke.fill);
  const cells = [...stroke.before.keys()].map((key) =>
    ({ x: key % mirror.size.x, y: Math.floor(key / mirror.size.x) }));
  // Water is poured where there is room for it, as it was the first time.
  const wanted = stroke.material !== "water" ? cells
    : cells.filter((cell) => hasRoom(mirror, cell, stroke.z));
  again.touch(mirror, wanted);
  const commands = stroke.material === "water" ? stroke.fill(mirror, wanted, stroke.z)
    : stroke.material === "take" ? rectsOf(wanted).map((rect) => commandToTake(rect, stroke.z))
    : setCells(wanted, LETTERS[stroke.material], stroke.z);
  return { commands, edit: again };
}

export const LETTERS = { rock: "#", air: "." } as const;

/** What takes the water of the cells away. */
export function commandToTake({ x, y, width, height }: Rect, z: number): Command {
  return { cmd: "remove_water", from: [x, y, z], size: [width, height, 1] };
}

function setCells(cells: { x: number; y: number }[], cell: "#" | ".", z: number): Command[] {
  return rectsOf(cells).map(({ x, y, width, height }) =>
    ({ cmd: "set_cells", from: [x, y, z], size: [width, height, 1], cell }));
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
