// The tools that change cells. A stroke becomes commands; the picture changes when the server says that
// the world has.
import type { Command } from "@commands";
import type { CommandQueue } from "./command_queue";
import type { Vec3 } from "./geometry";
import { commandToTake, History, LETTERS, reversal, Stroke } from "./history";
import { ROCK, type Mirror } from "./mirror";
import { hasRoom, placesPoured, poursAt, poursToFill } from "./pouring";
import { boxOf, dabsAt, flood, MOST_FILLED, rectsOf, stepsBetween, type Rect, type Shape } from "./shapes";
import { does, type Tool } from "./tools";

interface Place {
  x: number;
  y: number;
}

export class Brush {
  tool: Tool = "pan";
  shape: Shape = "brush";
  /** Cells along one side. */
  size = 3;
  /** Without corners. */
  round = false;
  /** What fills cells up: with plain water, or with what was chosen. */
  pours = poursToFill;
  readonly history = new History();
  /** The last undo or redo that waits; null: none does. */
  private turn: Promise<void> | null = null;
  /** Cells whose pour has no answer yet: what they will hold is not known. */
  private readonly pouring = new Set<string>();
  private stroke: Stroke | null = null;
  private start: Place | null = null;
  private last: Place | null = null;

  constructor(
    private readonly queue: CommandQueue,
    private readonly warn: (text: string) => void,
  ) {}

  /** Whether a stroke is under way. */
  get strokes(): boolean {
    return this.stroke !== null;
  }

  /** Whether the tool changes cells. */
  get edits(): boolean {
    return does(this.tool, "cells");
  }

  /** The cells that the tool would touch at this cell, cut to the world. */
  areas(mirror: Mirror, x: number, y: number): Rect[] {
    const size = this.shape === "box" || this.shape === "fill" ? 1 : this.size;
    return dabsAt(mirror, size, x, y, this.round);
  }

  /** What a line or a box that is being dragged will cover. */
  preview(mirror: Mirror, to: Place): Rect[] {
    if (!this.start || !this.stroke) return [];
    if (this.shape === "box") return [boxOf(mirror, this.start, to)];
    if (this.shape !== "line") return [];
    return [this.start, ...stepsBetween(this.start, to, this.size)].flatMap(({ x, y }) => this.areas(mirror, x, y));
  }

  /** `digs`: whatever the tool is. */
  begin(mirror: Mirror, x: number, y: number, z: number, digs = false): void {
    if (!this.queue.ready) return this.warn("Not connected: nothing was changed");
    const material = digs ? "air" : this.tool;
    if (!does(material, "cells")) return;
    this.stroke = new Stroke(material, z, this.pours);
    this.start = this.last = { x, y };
    if (this.shape === "brush") this.dab(mirror, x, y);
    if (this.shape === "fill") this.fill(mirror, x, y);
  }

  /** To the cell, leaving out none on the way. */
  move(mirror: Mirror, x: number, y: number): void {
    const from = this.last;
    if (!from || !this.stroke || (from.x === x && from.y === y)) return;
    if (this.shape === "brush") {
      for (const place of stepsBetween(from, { x, y }, this.size)) this.dab(mirror, place.x, place.y);
    }
    this.last = { x, y };
  }

  /** Water keeps pouring, or being taken, while the button is held. */
  hold(mirror: Mirror): void {
    const flows = this.stroke?.material === "water" || this.stroke?.material === "take";
    if (!this.last || this.shape !== "brush" || !flows || !this.queue.sentAll) return;
    this.dab(mirror, this.last.x, this.last.y);
  }

  end(mirror: Mirror): void {
    const { stroke, start, last } = this;
    if (stroke && start && last) {
      for (const rect of this.preview(mirror, last)) this.apply(mirror, rect);
      this.history.add(stroke);
    }
    this.stroke = this.start = this.last = null;
  }

  /** The stroke was not meant: what waits is never sent, what was sent is taken back. */
  cancel(mirror: Mirror | null): void {
    const { stroke } = this;
    this.stroke = this.start = this.last = null;
    this.queue.forgetUnsent(this);
    if (!stroke || !mirror || stroke.before.size === 0 || this.shape === "line" || this.shape === "box") return;
    this.send(mirror, reversal(stroke, mirror, false).commands);
  }

  undo(mirror: Mirror): void {
    this.inTurn(() => this.undoNow(mirror));
  }

  redo(mirror: Mirror): void {
    this.inTurn(() => this.redoNow(mirror));
  }

  /** At once, or where the last edit is not settled yet, then; what is asked for meanwhile comes after it. */
  private inTurn(act: () => void): void {
    const before = this.turn ?? this.history.settled;
    if (!before) return act();
    const turn = before.then(() => {
      if (this.turn === turn) this.turn = null;
      act();
    });
    this.turn = turn;
  }

  private undoNow(mirror: Mirror): void {
    if (!this.queue.ready) return this.warn("Not connected: nothing was undone");
    const done = this.history.undo(mirror, this.queue.isSeenAt(mirror.tick));
    if (!done) return this.warn("There is nothing of yours to undo");
    if (done.conflicts > 0) {
      const cells = done.conflicts === 1 ? "one cell was" : `${done.conflicts.toLocaleString("en")} cells were`;
      this.warn(`Undone, but ${cells} changed by others meanwhile and left as they are`);
    }
    this.send(mirror, done.commands);
  }

  private redoNow(mirror: Mirror): void {
    if (!this.queue.ready) return this.warn("Not connected: nothing was redone");
    const commands = this.history.redo(mirror);
    if (!commands) return this.warn("There is nothing to redo");
    this.send(mirror, commands);
  }

  /** The tool that would make what the cell holds. */
  pick(cell: number): Tool {
    return cell === ROCK ? "rock" : cell > 0 ? "water" : "air";
  }

  /** The connection is lost, or a new one: the stroke ends where it is. */
  reset(): void {
    this.stroke = this.start = this.last = null;
  }

  private dab(mirror: Mirror, x: number, y: number): void {
    for (const rect of this.areas(mirror, x, y)) this.apply(mirror, rect);
  }

  private fill(mirror: Mirror, x: number, y: number): void {
    // Water fills a basin up to where it was clicked; from above that is what a slice is.
    const { material, z } = this.stroke!;
    const ceiling = material === "water" && mirror.up === "y" ? y : mirror.size.y;
    const wet = (cell: number) => cell > 0;
    const cells = flood(mirror, x, y, z, ceiling, material === "take" ? wet : undefined);
    if (!cells) {
      return this.warn(`More than ${MOST_FILLED.toLocaleString("en")} cells hang together here: nothing was filled`);
    }
    for (const rect of rectsOf(cells)) this.apply(mirror, rect);
  }

  private apply(mirror: Mirror, rect: Rect): void {
    if (rect.width <= 0 || rect.height <= 0) return;
    const { material, z } = this.stroke!;
    if (material === "water") return this.pour(mirror, rect, z);
    const { x, y, width, height } = rect;
    const cells = cellsOf(rect, z);
    // Where nothing is, nothing is taken: a brush that is held costs the server nothing then.
    if (material === "take" && !cells.some((cell) => mirror.cell(cell.x, cell.y, z) > 0)) return;
    if (!this.hasPlaceFor(1)) return;
    this.stroke!.touch(mirror, cells);
    if (material === "take") return this.send(mirror, [commandToTake(rect, z)]);
    this.send(mirror, [{ cmd: "set_cells", from: [x, y, z], size: [width, height, 1], cell: LETTERS[material] }]);
  }

  private pour(mirror: Mirror, rect: Rect, z: number): void {
    const pours = (at: Vec3) => this.pouring.has(`${at.x},${at.y},${at.z}`);
    // A brush raises the water that it is held into; a box and a fill end where they end.
    const cells = this.shape === "brush" || this.shape === "line" ? poursAt(mirror, rect, z, pours)
      : cellsOf(rect, z).filter((cell) => hasRoom(mirror, cell) && !pours(cell));
    const commands = this.stroke!.fill(mirror, cells);
    if (!this.hasPlaceFor(commands.length)) return;
    this.stroke!.touch(mirror, cells);
    this.send(mirror, commands);
  }

  private hasPlaceFor(commands: number): boolean {
    if (commands <= this.queue.room) return true;
    this.warn("The stroke is faster than the server: its end is left out");
    return false;
  }

  private send({ up }: Mirror, commands: Command[]): void {
    for (const command of commands) {
      const cells = placesPoured(command, up).map(String);
      const isTaken = this.queue.send(command, this, () => cells.forEach((cell) => this.pouring.delete(cell)));
      if (isTaken) cells.forEach((cell) => this.pouring.add(cell));
    }
  }
}

function cellsOf({ x, y, width, height }: Rect, z: number): Vec3[] {
  return Array.from({ length: width * height }, (_, i) => ({ x: x + (i % width), y: y + Math.floor(i / width), z }));
}
