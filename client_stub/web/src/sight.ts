// The sides from which a 3D world can be looked at. What turns it is fetched with the first one that is not the
// front (turned.ts).
import type { Fixtures } from "./fixtures";
import type { Box, Vec3 } from "./geometry";
import type { Lens } from "./lens";
import type { TickMessage, WelcomeMessage } from "./messages";
import type { Mirror } from "./mirror";
import type { OverlayName } from "./overlay_kinds";
import type { Painter } from "./painter";
import type { Viewer } from "./viewer";

/** The front shows x and y, slices by z; the side z and y, slices by x; the top x and z, down from a height; the orbit
 *  surfaces in perspective (orbit.ts). */
export const SIGHTS = ["front", "side", "top", "orbit"] as const;
export type SightName = (typeof SIGHTS)[number];

/** Between the world and the page's picture of it, in which x always runs right and y up. */
export interface Sight {
  readonly name: SightName;
  /** The world's axis along which slices are chosen. */
  readonly axis: "x" | "y" | "z";
  /** Why nothing can be built as one looks now; null: it can. */
  readonly whyNotBuild: string | null;
  /** Overlays that cannot be shown as one looks now. */
  readonly unmeant: readonly OverlayName[];
  /** Where on the canvas that is seen which is pointed at; null: where the camera has it. */
  readonly spot: { x: number; y: number } | null;
  /** Where places are seen, if not where the camera has them. */
  readonly lens: Lens | null;
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
