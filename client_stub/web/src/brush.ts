// The tools that change the world. A stroke becomes commands; the picture changes when the server
// says that the world has.
import type { Connection } from "./connection";
import { clamp } from "./geometry";
import type { Mirror } from "./mirror";

export type Tool = "pan" | "rock" | "air" | "water";

/** Commands that may wait for their results: a longer stroke waits with them. */
const MAX_UNANSWERED = 256;
const MAX_QUEUED = 4096;

export class Brush {
  tool: Tool = "pan";
  /** Cells along one side. */
  size = 3;
  private queue: object[] = [];
  private readonly unanswered = new Set<number>();
  private last: { x: number; y: number } | null = null;
  private digs = false;

  constructor(private readonly connection: Connection) {}

  /** The cells that the tool would touch at this cell, cut to the world. */
  area(mirror: Mirror, x: number, y: number): { x: number; y: number; width: number; height: number } {
    const before = Math.floor((this.size - 1) / 2);
    const left = clamp(x - before, 0, mirror.size.x);
    const bottom = clamp(y - before, 0, mirror.size.y);
    const right = clamp(x - before + this.size, 0, mirror.size.x);
    const top = clamp(y - before + this.size, 0, mirror.size.y);
    return { x: left, y: bottom, width: right - left, height: top - bottom };
  }

  /** `digs`: whatever the tool is. */
  begin(mirror: Mirror, x: number, y: number, z: number, digs = false): void {
    this.last = { x, y };
    this.digs = digs;
    this.dab(mirror, x, y, z);
  }

  /** To the cell, leaving out none on the way. */
  move(mirror: Mirror, x: number, y: number, z: number): void {
    const from = this.last;
    if (!from || (from.x === x && from.y === y)) return;
    const steps = Math.max(Math.abs(x - from.x), Math.abs(y - from.y));
    const stride = Math.max(1, Math.floor(this.size / 2));
    for (let step = Math.min(stride, steps); step <= steps; step += stride) {
      const share = step / steps;
      this.dab(mirror, Math.round(from.x + (x - from.x) * share),
        Math.round(from.y + (y - from.y) * share), z);
    }
    this.dab(mirror, x, y, z);
    this.last = { x, y };
  }

  /** Water keeps pouring while the button is held. */
  hold(mirror: Mirror, z: number): void {
    if (this.last && !this.digs && this.tool === "water" && this.queue.length === 0) {
      this.dab(mirror, this.last.x, this.last.y, z);
    }
  }

  end(): void {
    this.last = null;
  }

  /** The stroke was not meant: what waits is never sent. */
  cancel(): void {
    this.queue = [];
    this.last = null;
  }

  answered(seq: number): void {
    this.unanswered.delete(seq);
    this.flush();
  }

  /** The connection is a new one: what was sent on the old one is not repeated. */
  reset(): void {
    this.queue = [];
    this.unanswered.clear();
    this.last = null;
  }

  private dab(mirror: Mirror, x: number, y: number, z: number): void {
    const area = this.area(mirror, x, y);
    if (area.width <= 0 || area.height <= 0 || this.tool === "pan") return;
    if (this.tool === "water" && !this.digs) {
      this.pour(mirror, area, z);
    } else {
      const cell = this.tool === "rock" && !this.digs ? "#" : ".";
      this.add([area.x, area.y, z], [area.width, area.height, 1], cell);
    }
    this.flush();
  }

  /** Fills the open cells only: water does not wash rock away. */
  private pour(mirror: Mirror, area: { x: number; y: number; width: number; height: number }, z: number): void {
    for (let y = area.y; y < area.y + area.height; ++y) {
      let start = -1;
      for (let x = area.x; x <= area.x + area.width; ++x) {
        const open = x < area.x + area.width && mirror.cell(x, y, z) >= 0;
        if (open && start < 0) start = x;
        if (open || start < 0) continue;
        this.add([start, y, z], [x - start, 1, 1], "~");
        start = -1;
      }
    }
  }

  private add(from: number[], size: number[], cell: string): void {
    if (this.queue.length < MAX_QUEUED) this.queue.push({ cmd: "set_cells", from, size, cell });
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
