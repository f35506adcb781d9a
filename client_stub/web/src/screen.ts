// Where a pane's picture is painted. The page's canvas has the marks, the cursor and the pipes on it; the
// world is painted beneath them by WebGL, on a canvas of its own, or else into the same one.
//
// WebGL's part is fetched after the first picture of a tick: water is to be seen before it is there. It is given back
// where the graphics card forgets what it held (a laptop that sleeps), and taken up anew after a while.
import { CanvasPicture } from "./canvas_picture";
import type { GlPicture } from "./gl_picture";
import { missing } from "./late";
import type { Picture, View } from "./picture";
import type { Tile } from "./tile";

/** Milliseconds after which a card that forgot everything, or gave nothing, is tried again. */
const PATIENCE = 2000;
/** How often in a row a card that gives nothing is tried: one that just woke up may refuse at first. */
const TRIES = 5;

/** "?draw=canvas" or "?draw=webgl" in the address: whatever the page thinks better. */
type Way = "canvas" | "webgl" | null;

function wayOf(search: string): Way {
  const asked = new URLSearchParams(search).get("draw");
  return asked === "canvas" || asked === "webgl" ? asked : null;
}

export class Screen implements Picture {
  readonly context: CanvasRenderingContext2D;
  private readonly plain: CanvasPicture;
  private readonly way = wayOf(location.search);
  private beneath: HTMLCanvasElement | null = null;
  private gl: GlPicture | null = null;
  /** When WebGL is looked for; Infinity: not before there is a picture, or never again. */
  private due = Infinity;
  private tries = TRIES;
  isPictured = false;
  private current: Picture;

  private constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d")!;
    this.current = this.plain = new CanvasPicture(this.context);
  }

  private static readonly all = new WeakMap<HTMLCanvasElement, Screen>();

  /** One for each canvas of the page: a browser gives out few WebGL contexts. */
  static of(canvas: HTMLCanvasElement): Screen {
    let screen = Screen.all.get(canvas);
    if (!screen) Screen.all.set(canvas, (screen = new Screen(canvas)));
    return screen;
  }

  /** Whether WebGL paints the world. */
  get byGl(): boolean {
    return this.current !== this.plain;
  }

  begin(view: View, beside: (x: number, y: number) => Tile | null): void {
    if (this.gl?.lost) this.dropGl();
    this.current = this.gl?.takes(view) ? this.gl : this.plain;
    if (this.beneath) this.beneath.hidden = !this.byGl;
    if (this.byGl) {
      this.context.setTransform(1, 0, 0, 1, 0, 0);
      this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    }
    this.current.begin(view, beside);
  }

  tile(tile: Tile): void {
    this.current.tile(tile);
  }

  end(): void {
    this.current.end();
    if (!this.gl && performance.now() >= this.due) void this.lookForGl();
  }

  /** Something of a world is on the screen now. */
  pictured(): void {
    if (this.isPictured) return;
    this.isPictured = true;
    performance.mark("first-picture"); // for those who measure
    if (this.way !== "canvas") this.due = 0;
  }

  /** Nothing is to be seen. */
  clear(): void {
    this.canvas.width = this.canvas.width; // empties it
    if (this.beneath) this.beneath.hidden = true;
  }

  /** What is on the screen as one canvas, in the moment after it was painted. */
  flatten(): void {
    if (!this.byGl) return;
    this.context.save();
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.globalCompositeOperation = "destination-over";
    this.context.drawImage(this.beneath!, 0, 0);
    this.context.restore();
  }

  private async lookForGl(): Promise<void> {
    this.due = Infinity;
    const part = await import("./gl_picture").catch(() => null);
    if (!part) return missing("Drawing by the graphics card");
    try {
      const beneath = document.createElement("canvas");
      beneath.className = "beneath";
      beneath.setAttribute("aria-hidden", "true");
      this.gl = part.GlPicture.open(beneath, this.way === "webgl");
      if (!this.gl) return;
      this.tries = TRIES;
      beneath.hidden = true;
      this.canvas.before(beneath);
      this.beneath = beneath;
    } catch (error) {
      if (--this.tries > 0) this.due = performance.now() + PATIENCE;
      else console.warn("Without WebGL:", error);
    }
  }

  private dropGl(): void {
    this.beneath?.remove();
    this.beneath = this.gl = null;
    this.due = performance.now() + PATIENCE;
  }
}
