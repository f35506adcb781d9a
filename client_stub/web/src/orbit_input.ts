// What pointers and keys do to the orbiting view. They are taken before the page's own tools get them, unless such a tool is
// in the hand: then a stroke is the tool's, and Space, Shift or the middle button turn and move.
import type { Camera } from "./camera";
import type { Hand } from "./hand";
import { strokeOf, takesKey } from "./input";
import type { OrbitCamera } from "./orbit_camera";

/** The viewer that is turned. */
export interface Turnable {
  readonly hand: Hand;
  readonly canvas: HTMLCanvasElement;
  readonly camera: Camera;
  /** The timeline has the arrows. */
  readonly replays: boolean;
  repaint(): void;
  pan(dx: number, dy: number): void;
  zoom(factor: number): void;
}

/** Radians of a pixel, and of a key. */
const PER_PIXEL = 0.008;
const [PER_KEY, PER_LONG_KEY] = [Math.PI / 36, Math.PI / 8];
const MOVE_STEP = 64; // screen pixels
const ARROWS: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};

interface Pointer {
  x: number;
  y: number;
}

export class OrbitInput {
  private readonly pointers = new Map<number, Pointer>();
  /** Pointers whose stroke is a tool's. */
  private readonly strokes = new Set<number>();
  private readonly ends = new AbortController();

  /** `used`: it was turned by hand. `point`: a pointer is over a place of the canvas, or, null, busy. */
  constructor(
    private readonly viewer: Turnable, private readonly orbit: OrbitCamera, private readonly used: () => void,
    private readonly point: (at: Pointer | null) => void,
  ) {
    const pane = viewer.canvas.parentElement!;
    const listen = <K extends keyof HTMLElementEventMap>(
      type: K, act: (event: HTMLElementEventMap[K]) => void, isTools: (event: HTMLElementEventMap[K]) => boolean = () => false,
    ) => pane.addEventListener(type, (event) => {
      if (event.target !== viewer.canvas || isTools(event)) return;
      event.stopPropagation();
      act(event);
    }, { capture: true, passive: false, signal: this.ends.signal });
    listen("pointerdown", (event) => this.down(event), (event) => this.begins(event));
    listen("pointermove", (event) => this.move(event), ({ pointerId }) => this.strokes.has(pointerId));
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      listen(type, (event) => this.pointers.delete(event.pointerId), ({ pointerId }) => this.strokes.delete(pointerId));
    }
    listen("wheel", (event) => {
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      viewer.zoom(Math.exp(-event.deltaY * unit * 0.0016));
      event.preventDefault();
    });
    window.addEventListener("keydown", (event) => this.key(event), { capture: true, signal: this.ends.signal });
  }

  stop(): void {
    this.ends.abort();
  }

  /** Whether a stroke of the tool begins; a second finger ends it as everywhere, and zooms. */
  private begins({ pointerId, button, shiftKey }: PointerEvent): boolean {
    const isTools = this.strokes.size > 0 ||
      (this.pointers.size === 0 && !shiftKey && strokeOf(this.viewer, button) !== "pan");
    if (isTools) this.strokes.add(pointerId);
    return isTools;
  }

  private down(event: PointerEvent): void {
    const { canvas } = this.viewer;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    this.point(null);
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    event.preventDefault();
  }

  /** One turns; with Shift or another button it moves, and two fingers move and zoom. */
  private move(event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return event.pointerType === "touch" ? undefined : this.point({ x: event.offsetX, y: event.offsetY });
    const [dx, dy] = [event.offsetX - pointer.x, event.offsetY - pointer.y];
    const other = [...this.pointers.values()].find((each) => each !== pointer);
    const apart = () => Math.max(1, other ? Math.hypot(pointer.x - other.x, pointer.y - other.y) : 1);
    const before = apart();
    Object.assign(pointer, { x: event.offsetX, y: event.offsetY });
    if (other) {
      this.viewer.zoom(apart() / before);
      this.across(dx / 2, dy / 2);
    } else if (event.shiftKey || event.buttons > 1) this.across(dx, dy);
    else this.turn(-dx * PER_PIXEL, dy * PER_PIXEL);
  }

  private turn(yaw: number, pitch: number): void {
    this.orbit.turn(yaw, pitch);
    this.viewer.repaint();
    this.used();
  }

  private across(dx: number, dy: number): void {
    this.viewer.pan(dx, dy);
  }

  private key(event: KeyboardEvent): void {
    const arrow = ARROWS[event.key];
    const long = event.ctrlKey || event.metaKey;
    if (!arrow || event.altKey || document.querySelector("dialog[open]") || takesKey(event)) return;
    if (this.viewer.replays && !long) return;
    const [x, y] = arrow;
    const step = long ? PER_LONG_KEY : PER_KEY;
    if (event.shiftKey) this.across(-x * MOVE_STEP, y * MOVE_STEP);
    else this.turn(x * step, y * step);
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
