// How many pixels a frame has: fewer while frames take too long, all of them at rest.

/** Milliseconds that a frame may take before the next ones get fewer pixels. */
const SLOW_FRAME = 18;

export class Sharpness {
  /** Screen pixels each way that a pixel of the picture stands for. */
  coarse = 1;
  /** Milliseconds of a frame, of late. */
  private cost = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  setPixels(): void {
    const ratio = (window.devicePixelRatio || 1) / this.coarse;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.canvas.style.imageRendering = this.coarse > 1 ? "pixelated" : "";
  }

  /** After a frame that took so long; returns whether the canvas is another one now. */
  pace(milliseconds: number): boolean {
    this.cost = this.cost * 0.9 + milliseconds * 0.1;
    const wanted = this.cost > SLOW_FRAME ? Math.min(2, this.coarse * 2)
      : this.cost < SLOW_FRAME / 6 ? 1 : this.coarse;
    return this.set(wanted);
  }

  set(coarse: number): boolean {
    if (coarse === this.coarse) return false;
    this.coarse = coarse;
    this.cost = SLOW_FRAME / 2;
    this.setPixels();
    return true;
  }
}
