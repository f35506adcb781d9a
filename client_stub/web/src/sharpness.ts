// How many pixels a frame has: fewer while frames take too long, or come too seldom, all of them at rest.

/** Milliseconds that a frame may take before the next ones get fewer pixels. */
const SLOW_FRAME = 18;
/** Milliseconds from frame to frame, on the average, from which on some are missed that a screen of 60 could have shown: the
 *  browser puts frames together while the next one is painted, and both need a processor. */
const LATE = 17.3;
/** Milliseconds of a frame that are worth saving then. */
const DEAR = 8;
/** A picture keeps at least so many pixels then: a small one would be seen to be made of blocks. */
const FEWEST_PIXELS = 400_000;
const COARSEST = 3;
/** Of what the last frames took, the share that the newest counts for. */
const NEWEST = 0.1;

export class Sharpness {
  /** Screen pixels each way that a pixel of the picture stands for; and of the one that is on the screen. */
  coarse = 1;
  private shown = 1;
  /** Milliseconds of a frame, and from one to the next, of late. */
  private cost = 0;
  private interval = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  /** Before a picture is painted: the canvas is empty then. */
  setPixels(): void {
    this.shown = this.coarse;
    const ratio = (window.devicePixelRatio || 1) / this.coarse;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.canvas.style.imageRendering = this.coarse > 1 ? "pixelated" : "";
  }

  /** The next picture may have other pixels: only then, as the canvas would be empty on the screen until it is painted. */
  fit(): void {
    if (this.shown !== this.coarse) this.setPixels();
  }

  /** After a frame that took so long, and came so long after the one before; returns whether the next one has other pixels. */
  pace(milliseconds: number, interval: number): boolean {
    this.cost += (milliseconds - this.cost) * NEWEST;
    this.interval += (interval - this.interval) * NEWEST;
    return this.set(this.wanted);
  }

  private get wanted(): number {
    const { coarse, cost, interval } = this;
    if (cost > SLOW_FRAME && coarse === 1) return 2;
    if (coarse > 1 && interval > LATE && cost > DEAR) return Math.min(this.coarsest, coarse + 1);
    // What it would take with the pixels of the next finer one, which are more by the square.
    const finer = cost * (coarse / (coarse - 1)) ** 2;
    return coarse > 1 && finer < (coarse === 2 ? SLOW_FRAME / 1.5 : DEAR) ? coarse - 1 : coarse;
  }

  /** All of the picture is another one: where it is coarse anyway it is as coarse as it gets, until it can be finer. */
  hurry(): void {
    if (this.coarse > 1) this.set(this.coarsest);
  }

  private get coarsest(): number {
    const { width, height } = this.canvas;
    const pixels = width * height * this.coarse ** 2;
    return pixels >= FEWEST_PIXELS * COARSEST ** 2 ? COARSEST : 2;
  }

  set(coarse: number): boolean {
    if (coarse === this.coarse) return false;
    this.coarse = coarse;
    this.cost = DEAR;
    this.interval = 0;
    return true;
  }
}
