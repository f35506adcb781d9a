// The sides from which a 3D world can be looked at. What turns it is fetched with the first one that is not the
// front (turned.ts).
import type { Fixtures } from "./fixtures";
import type { Box, Vec3 } from "./geometry";
import type { Lens } from "./lens";
import type { TickMessage, WelcomeMessage } from "./messages";
import type { Mirror } from "./mirror";
import type { OverlayName } from "./overlay_kinds";
import type { Painter } from "./painter";
import type { Lies } from "./tools";
import type { Viewer } from "./viewer";

/** The front shows x and y, slices by z; the side z and y, slices by x; the top x and z, down from a height; the orbit
 *  surfaces in perspective (orbit.ts). */
export const SIGHTS = ["front", "side", "top", "orbit"] as const;
export type SightName = (typeof SIGHTS)[number];

/** A cell of a slice, or of the picture wherever it lies. */
export interface Cell {
  x: number;
  y: number;
  z?: number;
}

/** Between the world and the page's picture of it, in which x always runs right and y up. */
export interface Sight {
  readonly name: SightName;
  /** The world's axis along which slices are chosen. */
  readonly axis: "x" | "y" | "z";
  /** Overlays that cannot be shown as one looks now. */
  readonly unmeant: readonly OverlayName[];
  /** Where on the canvas that is seen which is pointed at; null: where the camera has it. */
  readonly spot: { x: number; y: number } | null;
  /** Where places are seen, if not where the camera has them. */
  readonly lens: Lens | null;
  /** The slice in which a tool works that is used in a column of the picture. `cell.z`: what was pointed at lies there. `standing`: the tool
   *  means pipes, where there are any. */
  depth(mirror: Mirror, slice: number, cell: Cell, lies: Lies, standing: boolean): number;
  /** The cell that is seen at a place of the canvas, in a slice if that is given; null: none. Left out: the camera knows. */
  cellAt?(x: number, y: number, plane: number | null, standing: boolean): Vec3 | null;
  /** A move over the screen as the camera has it. Left out: it is the same. */
  across?(dx: number, dy: number): [number, number];
  /** Where the tool in the hand would work. Left out: as in every slice. */
  paintCursor?(context: CanvasRenderingContext2D, viewer: Viewer): void;
  /** Whether what stands at that depth is seen in the slice. */
  sees(z: number, slice: number): boolean;
  /** Of the world in the picture, or of the picture in the world: two axes are swapped. */
  turn(v: Vec3): Vec3;
  box(box: Box): Box;
  welcome(message: WelcomeMessage): WelcomeMessage;
  tick(message: TickMessage): TickMessage;
  command<C extends object>(command: C): C;
  fixtures(fixtures: Fixtures): Fixtures;
  mirror(welcome: WelcomeMessage): Mirror;
  painter(mirror: Mirror, slice: number, still: boolean): Painter;
  /** A viewer begins, or ends, to look like this. */
  attach(viewer: Viewer): void;
  detach(): void;
}
