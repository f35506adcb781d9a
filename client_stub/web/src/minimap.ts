// The whole world in a corner, with a frame around what is on the screen. Shown while that is not all; a part of the
// page that is fetched when that first happens.
import type { Camera } from "./camera";
import type { Vec3 } from "./geometry";

/** Pixels of the longer side. */
const LONGEST = 180;
/** Milliseconds between two paintings of the world; the frame moves with every one of the screen. */
const INTERVAL = 500;

export interface MinimapSource {
  readonly camera: Camera;
  readonly mirror: { readonly size: Vec3 } | null;
  paintSmall(context: CanvasRenderingContext2D): void;
  /** The camera was moved. */
  moved(): void;
}

export class Minimap {
  private readonly box = document.getElementById("minimap")!;
  private readonly canvas = this.box.querySelector("canvas")!;
  private readonly frame = this.box.querySelector("span")!;
  private readonly context = this.canvas.getContext("2d")!;
  private source: MinimapSource | null = null;
  private painted = -Infinity;

  constructor() {
    const go = (event: PointerEvent) => {
      const { source } = this;
      if (!source?.mirror || event.buttons === 0) return;
      const { left, top, width, height } = this.canvas.getBoundingClientRect();
      source.camera.centre(((event.clientX - left) / width) * source.mirror.size.x,
        (1 - (event.clientY - top) / height) * source.mirror.size.y, source.mirror.size);
      source.moved();
    };
    this.box.addEventListener("pointerdown", (event) => {
      this.box.setPointerCapture(event.pointerId);
      go(event);
      event.preventDefault();
    });
    this.box.addEventListener("pointermove", go);
  }

  /** Of the picture that was painted just now. */
  show(source: MinimapSource, now: number): void {
    const size = source.mirror?.size;
    if (!size) return;
    const { camera } = source;
    this.box.hidden = camera.seesAll(size) || camera.width < 300 || camera.height < 200;
    if (this.box.hidden) return;
    const ratio = LONGEST / Math.max(size.x, size.y);
    const width = Math.max(8, Math.round(size.x * ratio));
    const height = Math.max(8, Math.round(size.y * ratio));
    if (this.source !== source || this.canvas.width !== width || this.canvas.height !== height) {
      Object.assign(this.canvas, { width, height });
      this.source = source;
      this.painted = -Infinity;
    }
    if (now - this.painted > INTERVAL) {
      this.painted = now;
      source.paintSmall(this.context);
    }
    const within = (value: number, most: number) => Math.max(0, Math.min(most, value));
    const left = within(camera.worldX(0) / size.x, 1);
    const right = within(camera.worldX(camera.width) / size.x, 1);
    const top = within(1 - camera.worldY(0) / size.y, 1);
    const bottom = within(1 - camera.worldY(camera.height) / size.y, 1);
    Object.assign(this.frame.style, {
      left: `${left * width}px`, top: `${top * height}px`,
      width: `${Math.max(4, (right - left) * width)}px`, height: `${Math.max(4, (bottom - top) * height)}px`,
    });
  }
}
