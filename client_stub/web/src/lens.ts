// Where what stands in the world is seen: in a slice as the camera has it, in orbit in perspective (orbit_lens.ts).
import type { Vec3 } from "./geometry";

/** Where places of the world are seen, in CSS pixels. */
export interface Lens {
  readonly width: number;
  readonly height: number;
  /** Pixels a cell; in perspective in the middle of the picture. */
  readonly scale: number;
  /** Of a cell's middle. */
  spot(at: Vec3): [x: number, y: number];
  /** Whether something stands before it: it is drawn faintly. */
  hides?(at: Vec3): boolean;
}

/** How much of what is hidden is seen. */
const FAINT = 0.4;

/** What is painted from now on stands in these cells. */
export function fade(context: CanvasRenderingContext2D, lens: Lens, ...cells: Vec3[]): void {
  context.globalAlpha = lens.hides && cells.every((cell) => lens.hides!(cell)) ? FAINT : 1;
}
