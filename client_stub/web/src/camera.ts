// Which part of a slice is on the screen. World x runs right, y up; screen y runs down.
import { clamp, type Vec3 } from "./geometry";

/** Of one key press or click. */
export const ZOOM_STEP = 1.25;
const SMALLEST_SCALE = 1 / 64;
const LARGEST_SCALE = 48;
/** Screen pixels that fit() leaves free, so that the world's border is seen. */
const MARGIN = 6;

export class Camera {
  /** The cell position at the middle of the screen. */
  x = 0;
  y = 0;
  /** CSS pixels a cell. */
  scale = 8;
  width = 1;
  height = 1;
  /** Whether the whole world is what was asked for last: a window of another size then shows it, too. */
  fitted = false;
  /** Whether it shows what somebody chose, or the whole world. */
  placed = false;

  resize(width: number, height: number, size: Vec3 | null): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    if (this.fitted && size) this.fit(size);
  }

  /** The whole world, as large as it goes. */
  fit(size: Vec3): void {
    const scale = Math.min((this.width - 2 * MARGIN) / size.x, (this.height - 2 * MARGIN) / size.y);
    this.scale = clamp(scale, SMALLEST_SCALE, LARGEST_SCALE);
    this.x = size.x / 2;
    this.y = size.y / 2;
    this.fitted = this.placed = true;
  }

  /** Whether all of the world is on the screen. */
  seesAll({ x, y }: Vec3): boolean {
    return x * this.scale <= this.width + 1 && y * this.scale <= this.height + 1;
  }

  screenX(x: number): number {
    return (x - this.x) * this.scale + this.width / 2;
  }
  screenY(y: number): number {
    return (this.y - y) * this.scale + this.height / 2;
  }
  spot({ x, y }: { x: number; y: number }): [number, number] {
    return [this.screenX(x + 0.5), this.screenY(y + 0.5)];
  }
  worldX(screenX: number): number {
    return (screenX - this.width / 2) / this.scale + this.x;
  }
  worldY(screenY: number): number {
    return this.y - (screenY - this.height / 2) / this.scale;
  }

  pan(screenX: number, screenY: number, size: Vec3): void {
    this.fitted = false;
    this.x = clamp(this.x - screenX / this.scale, 0, size.x);
    this.y = clamp(this.y + screenY / this.scale, 0, size.y);
  }

  centre(x: number, y: number, size: Vec3): void {
    this.fitted = false;
    this.x = clamp(x, 0, size.x);
    this.y = clamp(y, 0, size.y);
  }

  /** A place that a link names. */
  show(x: number, y: number, scale: number, size: Vec3): void {
    this.scale = clamp(scale, SMALLEST_SCALE, LARGEST_SCALE);
    this.placed = true;
    this.centre(x, y, size);
  }

  /** Keeps what lies under the pointer where it is. */
  zoom(factor: number, screenX: number, screenY: number, size: Vec3): void {
    this.fitted = false;
    const x = this.worldX(screenX);
    const y = this.worldY(screenY);
    this.scale = clamp(this.scale * factor, SMALLEST_SCALE, LARGEST_SCALE);
    this.x = clamp(x - (screenX - this.width / 2) / this.scale, 0, size.x);
    this.y = clamp(y + (screenY - this.height / 2) / this.scale, 0, size.y);
  }
}
