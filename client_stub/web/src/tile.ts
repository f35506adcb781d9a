// A chunk of the slice as the painters keep it: what is seen of its cells, now and a tick ago, and its
// levels of detail.
import { halve, paintFar } from "./raster";
import type { ChunkSides } from "./geometry";

/** Levels of detail as pixels, the cells themselves first; the first `made` of them are right. */
interface Details {
  levels: Uint32Array[];
  made: number;
}

export interface Tile {
  /** Of the chunk. */
  x: number;
  y: number;
  look: Uint32Array;
  /** How bright rock is in each cell; null until some is seen. */
  stones: Uint8Array | null;
  /** A tick ago; empty until the chunk first changed. */
  before: Uint32Array;
  /** Whether `before` is that, and not older. */
  moves: boolean;
  /** Of `look`, and of `before`. */
  details: Details;
  detailsBefore: Details;
  stale: boolean;
  /** Grows whenever it became stale. */
  version: number;
  /** Another number for every look that any tile ever had, so that copies know whose they are; 0: none yet. */
  stamp: number;
  /** Likewise of `before`. */
  beforeStamp: number;
  /** The frame that it was last in. */
  frame: number;
  /** Between what was seen and what is; and the stamp of the frame that it is for. */
  mixed?: Uint32Array;
  mixedStamp?: number;
}

let stamps = 0;

/** A number that no look had before. */
export function newStamp(): number {
  return ++stamps;
}

export function newTile(x: number, y: number, { logX, logY }: ChunkSides): Tile {
  return { x, y, look: new Uint32Array(1 << (logX + logY)), stones: null, before: new Uint32Array(0), moves: false,
    details: { levels: [], made: 0 }, detailsBefore: { levels: [], made: 0 }, stale: true, version: 1, stamp: 0, beforeStamp: 0, frame: 0 };
}

/** What is seen now is about to become what was seen before. */
export function keep(tile: Tile): void {
  if (tile.before.length === 0) tile.before = tile.look.slice();
  else tile.before.set(tile.look);
  tile.beforeStamp = tile.stamp;
  // Its levels of detail go along; those of long ago are painted over.
  [tile.details, tile.detailsBefore] = [tile.detailsBefore, tile.details];
  tile.details.made = 0;
}

/** The tile as pixels, one of which stands for `2 ** level` cells each way; made when it is asked for. */
export function detail(tile: Tile, level: number, sides: ChunkSides, worldHeight: number): Uint32Array {
  return detailOf(tile.look, tile.details, tile.y, level, sides, worldHeight);
}

/** The same of what was seen a tick ago. */
export function detailBefore(tile: Tile, level: number, sides: ChunkSides, worldHeight: number): Uint32Array {
  return detailOf(tile.before, tile.detailsBefore, tile.y, level, sides, worldHeight);
}

function detailOf(
  look: Uint32Array, details: Details, chunkY: number, level: number, { logX, logY, logZ }: ChunkSides, worldHeight: number,
): Uint32Array {
  for (; details.made <= level; ++details.made) {
    const { made, levels } = details;
    const pixels = (levels[made] ??= new Uint32Array(look.length >> (2 * made)));
    if (made === 0) paintFar(look, { logX, logY, logZ }, chunkY << logY, worldHeight, pixels);
    else halve(levels[made - 1]!, 1 << (logX - made + 1), 1 << (logY - made + 1), pixels);
  }
  return details.levels[level]!;
}
