// When a viewer's picture is painted: once a frame while something changes, with fewer pixels while that takes
// too long, and sharp again at rest.
import { Sharpness } from "./sharpness";

/** Milliseconds without a change after which the picture is sharp again. */
const REST = 300;

export class Frames {
  readonly sharpness: Sharpness;
  /** The picture is not what it should be. */
  needed = true;
  private last = 0;
  /** When the frame before this one was begun; NaN: nothing was painted in it. */
  private begun = NaN;
  private frame = 0;

  /** `waits`: the picture has to wait for somebody. `byPixels`: whether fewer pixels make a frame cost less. */
  constructor(canvas: HTMLCanvasElement, paint: () => void, waits: () => boolean, byPixels: () => boolean) {
    this.sharpness = new Sharpness(canvas);
    const next = () => {
      this.frame = requestAnimationFrame(next);
      const now = performance.now();
      // A picture that did not change all the time may be late, and nothing is missed.
      const interval = now - this.begun || 0;
      this.begun = NaN;
      if (!this.needed && now - this.last > REST && this.sharpness.set(1)) this.needed = true;
      if (!this.needed || waits()) return;
      this.begun = now;
      paint();
      this.last = performance.now();
      if (byPixels() ? this.sharpness.pace(this.last - now, interval) : this.sharpness.set(1)) this.needed = true;
    };
    this.frame = requestAnimationFrame(next);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
  }
}

/** Two panes are painted at the same tick; one that is late is waited for this long, in milliseconds. */
const PEER_PATIENCE = 150;

export class PeerWait {
  private since = 0;

  /** Whether the peer's picture of this tick is still on its way. */
  waits(tick: number | undefined, peerTick: number | undefined): boolean {
    if (tick === undefined || peerTick === undefined || peerTick === tick) {
      this.since = 0;
      return false;
    }
    const now = performance.now();
    if (this.since === 0) this.since = now;
    return now - this.since < PEER_PATIENCE;
  }
}
