// Positions and boxes in cells (y up), and how a world is cut into chunks.

export interface Vec3 {
  x: number;
  y: number;
  z: number;
}

export interface Box {
  from: Vec3;
  size: Vec3;
}

/** Cells of one chunk, whatever its shape. */
export const CHUNK_CELLS = 4096;

/** Logarithms (base two) of a chunk's sides; they sum to 12. */
export interface ChunkSides {
  logX: number;
  logY: number;
  logZ: number;
}

export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}

/** Chunk coordinates are below 2^16 on each axis, so that a key is an exact number. */
export function chunkKey(x: number, y: number, z: number): number {
  return (z * 65536 + y) * 65536 + x;
}

export function chunkOfKey(key: number): Vec3 {
  return { x: key % 65536, y: Math.floor(key / 65536) % 65536, z: Math.floor(key / 65536 ** 2) };
}
