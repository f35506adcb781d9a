// What paints tiles onto the screen: a canvas's pixels one by one (canvas_picture.ts), or WebGL
// (gl_picture.ts). Both show the same.
import type { Camera } from "./camera";
import { clamp, type ChunkSides, type Vec3 } from "./geometry";
import type { Tile } from "./tile";

/** A window of pixels, where it lies in the world, and the tiles in it. */
export interface View {
  width: number;
  height: number;
  /** World position of the window's left upper corner, in cells. */
  left: number;
  top: number;
  /** Pixels a cell. */
  scale: number;
  /** Level of detail: a pixel of a tile stands for `2 ** level` cells each way. */
  level: number;
  size: Vec3;
  sides: ChunkSides;
  /** Chunks, the last ones included. */
  firstX: number;
  lastX: number;
  firstY: number;
  lastY: number;
  /** How far the time is from the tick before (0) to the newest one (1). */
  share: number;
}

/** One frame: begin, each tile, end. */
export interface Picture {
  /** `beside`: what is kept of a chunk, null where nothing is. */
  begin(view: View, beside: (x: number, y: number) => Tile | null): void;
  tile(tile: Tile): void;
  end(): void;
}

export function viewOf(
  camera: Camera, width: number, height: number, size: Vec3, sides: ChunkSides, share: number,
): View {
  const scale = (camera.scale * width) / camera.width;
  const [left, top] = [camera.worldX(0), camera.worldY(0)];
  const [right, bottom] = [left + width / scale, top - height / scale];
  return {
    width, height, left, top, scale, size, sides, share,
    level: levelOf(scale, sides),
    firstX: Math.max(0, Math.floor(left) >> sides.logX),
    lastX: Math.min(size.x - 1, Math.floor(right)) >> sides.logX,
    firstY: Math.max(0, Math.floor(bottom) >> sides.logY),
    lastY: Math.min(size.y - 1, Math.floor(top)) >> sides.logY,
  };
}

/** The first level whose pixels are no smaller than the screen's. */
export function levelOf(scale: number, { logX, logY }: ChunkSides): number {
  return clamp(Math.ceil(Math.log2(1 / scale)), 0, Math.min(logX, logY));
}
