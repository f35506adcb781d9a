// What pointers mean: one gesture for each set of pointers that are down together.
//
//   nothing ── a mouse's button ─────────────────────────► stroke ── up ──► nothing
//   nothing ── a finger ──► waiting ── moved, or held ───► stroke      (a tap: stroke and end at once)
//   waiting, stroke ── a second finger ──► pinch: the stroke is taken back, the picture is zoomed
//   pinch ── all fingers up ──► nothing                                (no stroke begins before that)
//
// A finger waits, because the first one of two always lands alone, and what it did would have to be
// taken back. No DOM in here: input.ts feeds events, tests feed numbers.

export type StrokeKind = "pan" | "brush" | "pipe" | "stamp" | "place";

export interface GestureTarget {
  /** What a single pointer with this button does now. */
  kindOf(button: number): StrokeKind;
  begin(kind: StrokeKind, x: number, y: number, button: number): void;
  move(kind: StrokeKind, x: number, y: number): void;
  /** `clicked`: the pointer hardly moved. */
  end(kind: StrokeKind, x: number, y: number, clicked: boolean): void;
  /** What the stroke did so far was not meant. */
  cancel(kind: StrokeKind): void;
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
}

/** Pixels that a finger may tremble. */
export const SLOP = 6;
/** Milliseconds after which a resting finger means what it does alone. */
export const HOLD = 160;
const CLICK = 4; // pixels

interface Pointer {
  x: number;
  y: number;
}

type State =
  | { name: "nothing" }
  | { name: "waiting"; id: number; kind: StrokeKind; startX: number; startY: number }
  | { name: "stroke"; id: number; kind: StrokeKind; travelled: number }
  | { name: "pinch" };

export class Gestures {
  private readonly pointers = new Map<number, Pointer>();
  private state: State = { name: "nothing" };
  private timer: unknown = undefined;

  constructor(
    private readonly target: GestureTarget,
    private readonly later: (f: () => void, milliseconds: number) => unknown =
      (f, milliseconds) => setTimeout(f, milliseconds),
    private readonly never: (timer: unknown) => void = (timer) => clearTimeout(timer as number),
  ) {}

  get panning(): boolean {
    return (this.state.name === "stroke" && this.state.kind === "pan") || this.state.name === "pinch";
  }

  down(id: number, x: number, y: number, touch: boolean, button: number): void {
    this.pointers.set(id, { x, y });
    if (this.pointers.size > 1) return this.pinch();
    if (this.state.name !== "nothing") return;
    const kind = this.target.kindOf(button);
    if (!touch || kind === "pan") return this.stroke(id, kind, x, y, button);
    this.state = { name: "waiting", id, kind, startX: x, startY: y };
    this.timer = this.later(() => this.meant(), HOLD);
  }

  move(id: number, x: number, y: number): void {
    const pointer = this.pointers.get(id);
    if (!pointer) return;
    if (this.state.name === "pinch") return this.spread(id, x, y);
    const dx = x - pointer.x;
    const dy = y - pointer.y;
    const { state } = this;
    if (state.name === "waiting") {
      if (Math.hypot(x - state.startX, y - state.startY) <= SLOP) return;
      this.meant();
    }
    Object.assign(pointer, { x, y });
    if (this.state.name !== "stroke" || this.state.id !== id) return;
    this.state.travelled += Math.abs(dx) + Math.abs(dy);
    if (this.state.kind === "pan") this.target.pan(dx, dy);
    else this.target.move(this.state.kind, x, y);
  }

  up(id: number, x: number, y: number): void {
    if (!this.pointers.has(id)) return;
    if (this.state.name === "waiting" && this.state.id === id) this.meant();
    this.pointers.delete(id);
    const { state } = this;
    if (state.name === "stroke" && state.id === id) {
      this.state = { name: "nothing" };
      this.target.end(state.kind, x, y, state.travelled < CLICK);
    }
    if (this.pointers.size === 0) this.state = { name: "nothing" };
  }

  /** The system took the pointer away. */
  cancel(id: number): void {
    if (!this.pointers.delete(id)) return;
    this.drop();
    if (this.pointers.size === 0) this.state = { name: "nothing" };
  }

  /** Escape, or another world: pointers that are still down mean nothing any more. */
  reset(): void {
    this.drop();
    if (this.pointers.size > 0) this.state = { name: "pinch" };
  }

  private drop(): void {
    this.never(this.timer);
    const { state } = this;
    if (state.name === "pinch") return;
    this.state = { name: "nothing" };
    if (state.name === "stroke") this.target.cancel(state.kind);
  }

  /** The finger that waited means a stroke. */
  private meant(): void {
    this.never(this.timer);
    if (this.state.name !== "waiting") return;
    const { id, kind, startX, startY } = this.state;
    this.stroke(id, kind, startX, startY, 0);
  }

  private stroke(id: number, kind: StrokeKind, x: number, y: number, button: number): void {
    this.state = { name: "stroke", id, kind, travelled: 0 };
    this.target.begin(kind, x, y, button);
  }

  private pinch(): void {
    this.drop();
    this.state = { name: "pinch" };
  }

  /** Two fingers carry the picture: what lay under each stays there. Others than the first two rest. */
  private spread(id: number, x: number, y: number): void {
    const [first, second] = [...this.pointers.values()];
    const pointer = this.pointers.get(id)!;
    if (!first || !second || (pointer !== first && pointer !== second)) {
      return void Object.assign(pointer, { x, y });
    }
    const middle = (): [number, number] => [(first.x + second.x) / 2, (first.y + second.y) / 2];
    const apart = () => Math.max(1, Math.hypot(first.x - second.x, first.y - second.y));
    const [beforeX, beforeY] = middle();
    const before = apart();
    Object.assign(pointer, { x, y });
    const [middleX, middleY] = middle();
    this.target.pan(middleX - beforeX, middleY - beforeY);
    this.target.zoom(apart() / before, middleX, middleY);
  }
}
