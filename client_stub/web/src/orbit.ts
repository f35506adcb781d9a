// The orbiting view of a 3D world: its surfaces in perspective, turned by dragging. To the page it is one more side of
// the world (sight.ts): what comes in is turned as for the picture from above, and another painter draws it.
import type { Fixtures } from "./fixtures";
import type { Box, Vec3 } from "./geometry";
import type { KeyCursor } from "./key_cursor";
import type { Layers } from "./layers";
import type { Lens } from "./lens";
import type { Mirror } from "./mirror";
import { nearestStanding } from "./nearest";
import { OrbitCamera } from "./orbit_camera";
import { OrbitInput, type Turnable } from "./orbit_input";
import { OrbitPainter } from "./orbit_painter";
import type { Overlay } from "./overlay";
import type { OverlayName } from "./overlay_kinds";
import type { Painter } from "./painter";
import type { WelcomeMessage } from "./messages";
import { paintOrbitCursor } from "./orbit_cursor";
import type { Cell } from "./sight";
import type { Lies } from "./tools";
import { Turned } from "./turned";
import type { Viewer } from "./viewer";

const HINT = "Drag or arrow keys turn, Shift moves, wheel, + and - zoom; a tool is used where you point, Space and a drag turn then";
const TOUCH_HINT = "One finger turns, two move and zoom; one uses a tool that you choose";
const WITHOUT_GL = "Turning the world needs WebGL2, which this browser does not have or does not let the page use. " +
  "The front, the side and the top show the same world.";

/** Pixels of the page from what is drawn of a pipe, port, spring, drain or heater, within which it is meant. */
const REACH = 9;

interface Turning extends Turnable {
  readonly mirror: Mirror | null;
  readonly fixtures: Fixtures;
  readonly layers: Layers | null;
  readonly overlays: Overlay | null;
  readonly keys: KeyCursor;
  hover: Cell | null;
  readonly pointing: { show(): void };
}

export class Orbit extends Turned {
  /** What others see is a frame on the screen, and in perspective none; arrows are of a slice. */
  override readonly unmeant: readonly OverlayName[] = ["flow", "views"];
  private readonly camera = new OrbitCamera();
  private readonly hint = document.createElement("p");
  private viewer: Turning | null = null;
  private input: OrbitInput | null = null;
  private height = 1;
  private picture: OrbitPainter | null = null;
  override spot: { x: number; y: number } | null = null;

  override get lens(): Lens | null {
    return this.picture?.lens ?? null;
  }

  constructor() {
    super("orbit");
    this.hint.id = "orbit-hint";
    this.hint.className = "panel";
    this.hint.textContent = window.matchMedia("(pointer: coarse)").matches ? TOUCH_HINT : HINT;
  }

  override welcome(message: WelcomeMessage): WelcomeMessage {
    this.height = message.size.y;
    return super.welcome(message);
  }

  /** All heights: nothing is cut. */
  override box({ from, size }: Box): Box {
    return super.box({ from: { ...from, z: 0 }, size: { ...size, z: this.height } });
  }

  override painter(mirror: Mirror, _slice: number, still: boolean): Painter {
    return this.picture = new OrbitPainter(mirror, still, this.camera, {
      layers: () => this.viewer?.layers ?? null,
      overlay: () => this.viewer?.overlays ?? null,
      repaint: () => this.viewer?.repaint(),
      withoutGl: () => {
        this.hint.textContent = WITHOUT_GL;
        this.hint.classList.add("all"); // there is nothing else to see
        this.hint.hidden = false;
      },
    });
  }

  override attach(viewer: Turning): void {
    this.viewer = viewer;
    this.input = new OrbitInput(viewer, this.camera, () => (this.hint.hidden = this.hint.textContent !== WITHOUT_GL),
      (at) => this.point(viewer, at));
    viewer.canvas.after(this.hint);
    viewer.canvas.setAttribute("aria-describedby", this.hint.id);
    document.body.classList.add("orbiting");
  }

  /** What is seen there is told of, as under the pointer elsewhere. */
  private point(viewer: Turning, at: { x: number; y: number } | null): void {
    viewer.keys.hide();
    viewer.hover = at && this.cellAt(at.x, at.y, null, !viewer.hand.builds || viewer.hand.meansStanding);
    this.spot = at;
    viewer.pointing.show();
    if (viewer.hand.builds) viewer.repaint(); // the tool's cursor is elsewhere
  }

  cellAt(x: number, y: number, plane: number | null, standing: boolean): Vec3 | null {
    const { viewer, picture } = this;
    if (!viewer || !picture) return null;
    const { width, height } = viewer.camera;
    const place = [(2 * x) / width - 1, 1 - (2 * y) / height, width / height] as const;
    this.spot = { x, y };
    if (standing) return this.near(viewer, { x, y }) ?? picture.pick(...place);
    if (plane === null) return picture.pick(...place);
    const at = picture.reach(...place);
    return at && { ...at, z: plane };
  }

  /** What is met on its side is meant itself; on top there is room over all of its column. */
  override depth(mirror: Mirror, _slice: number, cell: Cell, lies: Lies, standing: boolean): number {
    return lies === "in" && cell.z !== undefined ? cell.z : super.depth(mirror, mirror.size.z - 1, cell, lies, standing);
  }

  across(dx: number, dy: number): [number, number] {
    return this.camera.across(dx, dy);
  }

  paintCursor(context: CanvasRenderingContext2D, viewer: Viewer): void {
    if (this.lens) paintOrbitCursor(context, viewer, this.lens);
  }

  /** The place of what stands in the world and is drawn there; null: nothing is. */
  private near({ mirror, fixtures }: Turning, at: { x: number; y: number }): Vec3 | null {
    const lens = this.picture?.lens;
    if (!mirror || !lens) return null;
    return nearestStanding({ mirror, fixtures }, REACH, (place) => {
      const [x, y] = lens.spot(place);
      const distance = Math.hypot(x - at.x, y - at.y);
      return distance < REACH && lens.isBehind(place) ? Infinity : distance;
    })?.at ?? null;
  }

  override detach(): void {
    this.input?.stop();
    this.hint.remove();
    this.viewer?.canvas.setAttribute("aria-describedby", "keys-hint");
    document.body.classList.remove("orbiting");
  }
}

export const seenFrom = () => new Orbit();
