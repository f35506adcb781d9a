// A chunk of the slice as the painters keep it: what is seen of its cells, now and a tick ago, and its
// levels of detail.
import { halve, paintFar } from "./raster";
import type { ChunkSides } from "./geometry";

export interface Tile {
  /** Of the chunk. */
  x: number;
  y: number;
  look: Uint32Array;
  stones: Uint8Array;
  /** A tick ago; empty until the chunk first changed. */
  before: Uint32Array;
  /** Whether `before` is that, and not older. */
  moves: boolean;
  /** Levels of detail of `look` as pixels, the cells themselves first; the first `made` of them are of this look. */
  levels: Uint32Array[];
  made: number;
  stale: boolean;
  /** Grows whenever it became stale. */
  version: number;
  /** Another number for every look that any tile ever had, so that copies know whose they are; 0: none yet. */
  stamp: number;
  /** Likewise of `before`. */
  beforeStamp: number;
  /** The frame that it was last in. */
  frame: number;
}

let stamps = 0;

/** A number that no look had before. */
export function newStamp(): number {
  return ++stamps;
}

export function newTile(x: number, y: number, stones: Uint8Array): Tile {
  return { x, y, look: new Uint32Array(stones.length), stones, before: new Uint32Array(0), moves: false,
    levels: [], made: 0, stale: true, version: 1, stamp: 0, beforeStamp: 0, frame: 0 };
}

/** The tile as pixels, one of which stands for `2 ** level` cells each way; made when it is asked for. */
export function detail(tile: Tile, level: number, sides: ChunkSides, worldHeight: number): Uint32Array {
  const { logX, logY } = sides;
  for (; tile.made <= level; ++tile.made) {
    const { made } = tile;
    const pixels = (tile.levels[made] ??= new Uint32Array(tile.look.length >> (2 * made)));
    if (made === 0) paintFar(tile.look, sides, tile.y << logY, worldHeight, pixels);
    else halve(tile.levels[made - 1]!, 1 << (logX - made + 1), 1 << (logY - made + 1), pixels);
  }
  return tile.levels[level]!;
}
