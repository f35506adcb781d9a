// The world's cursor for those who use keys: arrows move it, Enter or Space applies the tool where it
// stands, and what it comes to is said aloud. Tools that reach from one cell to another take two presses.
import type { Viewer } from "./viewer";

/** Milliseconds of rest before a place is said: a held arrow is not a hundred announcements. */
const PATIENCE = 250;
/** Pixels that the cursor keeps from the picture's edge. */
const MARGIN = 48;
/** Pipe tools that go from one cell to another. */
const REACHING = ["pipe", "link", "unlink", "port"];

export class KeyCursor {
  /** Whether keys, and not the pointer, moved it last. */
  shown = false;
  private began = false;
  private timer: number | undefined;

  constructor(private readonly viewer: Viewer, private readonly announce: (text: string) => void) {}

  move(dx: number, dy: number): void {
    const { viewer } = this;
    const { mirror, camera } = viewer;
    if (!mirror) return;
    const first = viewer.hover === null;
    const from = viewer.hover ?? { x: Math.floor(camera.x), y: Math.floor(camera.y) };
    const within = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));
    const step = first ? 0 : 1; // the first press only shows where it is
    const to = { x: within(from.x + dx * step, mirror.size.x), y: within(from.y + dy * step, mirror.size.y) };
    viewer.hover = to;
    this.shown = true;
    if (this.began) {
      if (viewer.hand.pipes.tool !== null) viewer.hand.pipes.move(mirror.pipes, viewer.hand.reach(to));
      else if (viewer.hand.stamps === null) viewer.hand.brush.move(mirror, to.x, to.y);
    }
    this.follow();
    viewer.moved();
    this.sayLater();
  }

  /** Applies the tool, or ends what the press before began. */
  apply(): void {
    const { viewer } = this;
    const { mirror, hover } = viewer;
    const { brush, pipes } = viewer.hand;
    if (!mirror) return;
    if (!hover || !this.shown) return this.move(0, 0);
    if (!viewer.hand.isFree && !viewer.hand.hasCells) return;
    const at = this.began ? viewer.hand.reach(hover) : viewer.hand.begin(hover);
    const { x, y, z } = mirror.real(at);
    const place = mirror.size.z === 1 ? `${x}, ${y}` : `${x}, ${y}, ${z}`;
    if (pipes.tool !== null) {
      if (this.began) pipes.end(mirror.pipes, at);
      else pipes.begin(mirror.pipes, at);
      const reaches = REACHING.includes(pipes.tool) && !this.began;
      if (!reaches && !this.began) pipes.end(mirror.pipes, at);
      this.say(reaches ? `${pipes.tool} begins at ${place}; go on and press Enter again` : `${pipes.tool} at ${place}`);
      this.began = reaches;
    } else if (viewer.hand.stamps !== null) {
      this.stamp(viewer.hand.stamps, place);
    } else if (viewer.hand.places !== null) {
      viewer.hand.beginPlacing(hover);
      viewer.hand.placer?.end();
      this.say(`${viewer.hand.places} at ${place}`);
    } else if (brush.edits) {
      const reaches = (brush.shape === "line" || brush.shape === "box") && !this.began;
      if (!this.began) brush.begin(mirror, at.x, at.y, at.z);
      if (!reaches) brush.end(mirror);
      this.began = reaches;
      this.say(reaches ? `${brush.shape} begins at ${place}; go on and press Enter again` : `${brush.tool} at ${place}`);
    } else {
      viewer.pointing.clicked(hover);
    }
    if (!this.began) viewer.hand.release();
    viewer.moved();
  }

  /** A box that is copied takes two presses, a paste one. */
  private stamp(does: "copy" | "paste", place: string): void {
    const { hand, hover } = this.viewer;
    const begins = does === "copy" && !this.began;
    this.began = begins;
    if (begins) hand.beginStamp(hover!);
    else hand.endStamp(hover!);
    if (begins) this.say(`copy begins at ${place}; go on and press Enter again`);
    else if (does === "paste") this.say(`paste at ${place}`);
  }

  /** The pointer is used again, or another tool is taken up. */
  cancel(): void {
    if (this.began) {
      this.viewer.hand.brush.cancel(this.viewer.mirror);
      this.viewer.hand.release();
    }
    this.began = false;
  }

  hide(): void {
    this.cancel();
    this.shown = false;
  }

  private follow(): void {
    const { camera, mirror, hover } = this.viewer;
    const x = camera.screenX(hover!.x + 0.5);
    const y = camera.screenY(hover!.y + 0.5);
    const out = (at: number, size: number) => {
      const margin = Math.min(MARGIN, size / 4);
      return at < margin ? margin - at : at > size - margin ? size - margin - at : 0;
    };
    // A world that is shown as a whole is not moved.
    const { fitted } = camera;
    if (fitted) return;
    const [dx, dy] = [out(x, camera.width), out(y, camera.height)];
    if (dx !== 0 || dy !== 0) camera.pan(dx, dy, mirror!.size);
  }

  private sayLater(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.announce(this.viewer.pointing.text()), PATIENCE);
  }

  private say(text: string): void {
    window.clearTimeout(this.timer);
    this.announce(text);
  }
}
