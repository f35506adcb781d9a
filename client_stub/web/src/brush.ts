// The tools that change cells. A stroke becomes commands; the picture changes when the server says that
// the world has.
import type { Connection } from "./connection";
import { History, LETTERS, reversal, Stroke, type Material } from "./history";
import { ROCK, type Mirror } from "./mirror";
import { boxOf, dabAt, flood, MOST_FILLED, rectsOf, stepsBetween, type Rect, type Shape } from "./shapes";

export type Tool = "pan" | "inspect" | Material;

/** Commands that may wait for their results: a longer stroke waits with them. */
const MAX_UNANSWERED = 256;
const MAX_QUEUED = 8192;

interface Place {
  x: number;
  y: number;
}

export class Brush {
  tool: Tool = "pan";
  shape: Shape = "brush";
  /** Cells along one side. */
  size = 3;
  private readonly history = new History();
  private queue: object[] = [];
  private readonly unanswered = new Set<number>();
  private stroke: Stroke | null = null;
  private start: Place | null = null;
  private last: Place | null = null;

  constructor(
    private readonly connection: Pick<Connection, "command" | "ready">,
    private readonly warn: (text: string) => void,
  ) {}

  /** Whether the tool changes cells. */
  get edits(): boolean {
    return this.tool !== "pan" && this.tool !== "inspect";
  }

  /** The cells that the tool would touch at this cell, cut to the world. */
  area(mirror: Mirror, x: number, y: number): Rect {
    const size = this.shape === "box" || this.shape === "fill" ? 1 : this.size;
    return dabAt(mirror, size, x, y);
  }

  /** What a line or a box that is being dragged will cover. */
  preview(mirror: Mirror, to: Place): Rect[] {
    if (!this.start || !this.stroke) return [];
    if (this.shape === "box") return [boxOf(mirror, this.start, to)];
    if (this.shape !== "line") return [];
    return [this.start, ...stepsBetween(this.start, to, this.size)].map(({ x, y }) => this.area(mirror, x, y));
  }

  /** `digs`: whatever the tool is. */
  begin(mirror: Mirror, x: number, y: number, z: number, digs = false): void {
    if (!this.connection.ready) return this.warn("Not connected: nothing was changed");
    if (!this.edits && !digs) return;
    this.stroke = new Stroke(digs ? "air" : (this.tool as Material), z);
    this.start = this.last = { x, y };
    if (this.shape === "brush") this.dab(mirror, x, y);
    if (this.shape === "fill") this.fill(mirror, x, y);
    this.flush();
  }

  /** To the cell, leaving out none on the way. */
  move(mirror: Mirror, x: number, y: number): void {
    const from = this.last;
    if (!from || !this.stroke || (from.x === x && from.y === y)) return;
    if (this.shape === "brush") {
      for (const place of stepsBetween(from, { x, y }, this.size)) this.dab(mirror, place.x, place.y);
    }
    this.last = { x, y };
    this.flush();
  }

  /** Water keeps pouring while the button is held. */
  hold(mirror: Mirror): void {
    if (!this.last || this.shape !== "brush" || this.stroke?.material !== "water" || this.queue.length > 0) return;
    this.dab(mirror, this.last.x, this.last.y);
    this.flush();
  }

  end(mirror: Mirror): void {
    const { stroke, start, last } = this;
    if (stroke && start && last) {
      for (const rect of this.preview(mirror, last)) this.apply(mirror, rect);
      this.history.add(stroke);
    }
    this.stroke = this.start = this.last = null;
    this.flush();
  }

  /** The stroke was not meant: what waits is never sent, what was sent is taken back. */
  cancel(mirror: Mirror | null): void {
    const { stroke } = this;
    this.stroke = this.start = this.last = null;
    this.queue = [];
    if (!stroke || !mirror || stroke.before.size === 0 || this.shape === "line" || this.shape === "box") return;
    this.send(reversal(stroke, mirror, false).commands);
  }

  get canUndo(): boolean {
    return this.history.canUndo;
  }

  get canRedo(): boolean {
    return this.history.canRedo;
  }

  undo(mirror: Mirror): void {
    if (!this.connection.ready) return this.warn("Not connected: nothing was undone");
    const done = this.history.undo(mirror, this.unanswered.size === 0 && this.queue.length === 0);
    if (!done) return this.warn("There is nothing of yours to undo");
    if (done.conflicts > 0) {
      const cells = done.conflicts === 1 ? "one cell was" : `${done.conflicts.toLocaleString("en")} cells were`;
      this.warn(`Undone, but ${cells} changed by others meanwhile and left as they are`);
    }
    this.send(done.commands);
  }

  redo(mirror: Mirror): void {
    if (!this.connection.ready) return this.warn("Not connected: nothing was redone");
    const commands = this.history.redo(mirror);
    if (!commands) return this.warn("There is nothing to redo");
    this.send(commands);
  }

  /** The tool that would make what the cell holds. */
  pick(cell: number): Tool {
    return cell === ROCK ? "rock" : cell > 0 ? "water" : "air";
  }

  answered(seq: number): void {
    this.unanswered.delete(seq);
    this.flush();
  }

  /** The connection is lost: what was sent on it is asked for on the next one (recovery.ts). */
  reset(): void {
    const unsent = this.queue.length;
    const unknown = this.unanswered.size;
    this.queue = [];
    this.unanswered.clear();
    this.stroke = this.start = this.last = null;
    const parts: string[] = [];
    if (unsent > 0) parts.push(`${edits(unsent)} not sent`);
    if (unknown > 0) parts.push(`${edits(unknown)} on ${unknown === 1 ? "its" : "their"} way; the server will be asked`);
    if (parts.length > 0) this.warn(`The connection was lost: ${parts.join(", ")}`);
  }

  private dab(mirror: Mirror, x: number, y: number): void {
    this.apply(mirror, this.area(mirror, x, y));
  }

  private fill(mirror: Mirror, x: number, y: number): void {
    // Water fills a basin up to where it was clicked.
    const ceiling = this.stroke!.material === "water" ? y : mirror.size.y;
    const cells = flood(mirror, x, y, this.stroke!.z, ceiling);
    if (!cells) {
      return this.warn(`More than ${MOST_FILLED.toLocaleString("en")} cells hang together here: nothing was filled`);
    }
    for (const rect of rectsOf(cells)) this.apply(mirror, rect);
  }

  private apply(mirror: Mirror, rect: Rect): void {
    if (rect.width <= 0 || rect.height <= 0) return;
    const { material, z } = this.stroke!;
    const cells: Place[] = [];
    for (let y = rect.y; y < rect.y + rect.height; ++y) {
      for (let x = rect.x; x < rect.x + rect.width; ++x) {
        // Water does not wash rock away.
        if (material !== "water" || mirror.cell(x, y, z) >= 0) cells.push({ x, y });
      }
    }
    this.stroke!.touch(mirror, cells);
    const rects = material === "water" ? rectsOf(cells) : [rect];
    for (const { x, y, width, height } of rects) {
      if (this.queue.length >= MAX_QUEUED) return this.warn("The stroke is faster than the server: its end is left out");
      this.queue.push({ cmd: "set_cells", from: [x, y, z], size: [width, height, 1], cell: LETTERS[material] });
    }
  }

  private send(commands: object[]): void {
    this.queue.push(...commands);
    this.flush();
  }

  private flush(): void {
    while (this.queue.length > 0 && this.unanswered.size < MAX_UNANSWERED) {
      const seq = this.connection.command(this.queue[0]!);
      if (seq === 0) return this.reset();
      this.queue.shift();
      this.unanswered.add(seq);
    }
  }
}

function edits(count: number): string {
  return count === 1 ? "one edit was" : `${count} edits were`;
}
