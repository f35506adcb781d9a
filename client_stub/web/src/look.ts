// What is to be seen of each cell, as one number: the painters' common ground.
//
//   bits 0-7    fill: of water, 255 is a full cell; of rock, the brightness of its stratum
//   bits 8-15   shade: depth below the connected surface, in quarters of a cell, up to DEEPEST
//   bits 16-23  flags
import { clamp, type ChunkSides } from "./geometry";
import { FULL, OUTSIDE, ROCK, THINNEST_ICE, TRAPPED_AIR, type Mirror } from "./mirror";
import { DEEPEST, SHADES_PER_CELL, strata } from "./palette";
import type { Pieces, Surfaces } from "./surfaces";

export const IS_ROCK = 1 << 16;
/** Water on its way down, drawn as a strand. */
export const FALLS = 2 << 16;
/** Water whose surface lies in this cell: its fill is a height, and its line is drawn. */
export const SURFACE = 4 << 16;
/** Which sides of rock are open. */
export const OPEN_ABOVE = 8 << 16;
export const OPEN_BELOW = 16 << 16;
export const OPEN_LEFT = 32 << 16;
export const OPEN_RIGHT = 64 << 16;
/** No cell of the world. */
export const IS_BEYOND = 128 << 16;

/** Whether the surface of settled water lies in that cell. */
export function isSurface(look: number): boolean {
  return (look & (IS_ROCK | IS_BEYOND | FALLS | SURFACE)) === SURFACE;
}

/** A cell of water looks at most this much deeper than its open neighbours: a fall of full cells
 *  through a lake is no abyss, and water beside air is lit from there. */
const DEPTH_SLOPE = 3;
/** From this fill on a cell bears what stands on it, as in surfaces.ts. */
const SETTLED_FILL = Math.floor(0.9 * 255);
/** Ice is drawn as the palest of rock. */
export const PALE = 250;
/** Columns beside a chunk that its depths depend on. */
const MARGIN = Math.ceil(DEEPEST / DEPTH_SLOPE);

export class Looks {
  private readonly columns: number;
  /** The chunk's cells and those around it, row by row from the one below. */
  private readonly cells: Int32Array;
  private readonly depths: Float32Array;
  /** Of each column: its pieces in this row of chunks, the one that is met next, and the lowest. */
  private readonly pieces: (Pieces | null)[] = [];
  private readonly next: Int32Array;
  private readonly last: Int32Array;
  private readonly sides: ChunkSides;

  constructor(
    private readonly mirror: Mirror, private readonly surfaces: Surfaces, private readonly slice: number,
  ) {
    this.sides = mirror.sides;
    this.columns = (1 << this.sides.logX) + 2 * MARGIN;
    this.cells = new Int32Array(this.columns * ((1 << this.sides.logY) + 2));
    this.depths = new Float32Array(this.columns);
    this.next = new Int32Array(this.columns);
    this.last = new Int32Array(this.columns);
  }

  /** Of the chunk's cells, row by row from below; most chunks have no rock, and do without its stones. */
  paint(chunkX: number, chunkY: number, stones: () => Uint8Array, look: Uint32Array): void {
    let bright: Uint8Array | null = null;
    const { logX, logY } = this.sides;
    this.gather(chunkX, chunkY);
    this.walk(chunkX, chunkY);
    const above = this.surfaces.of(chunkX, chunkY + 1);
    for (let row = (1 << logY) - 1; row >= 0; --row) {
      this.measure((chunkY << logY) + row, row);
      for (let column = 0; column < 1 << logX; ++column) {
        const at = (row + 1) * this.columns + column + MARGIN;
        const units = this.cells[at]!;
        const place = (row << logX) | column;
        if (units === 0 || units === TRAPPED_AIR) look[place] = 0;
        else if (units === ROCK) look[place] = this.rock(at, (bright ??= stones())[place]!);
        else if (units <= THINNEST_ICE) look[place] = this.rock(at, PALE);
        else look[place] = units === OUTSIDE ? IS_BEYOND : this.water(at, units, column, row, above);
      }
    }
  }

  /** Cells by rows that lie in one piece each, since a look-up by place for each would cost most. */
  private gather(chunkX: number, chunkY: number): void {
    const { mirror, sides, cells, columns, slice } = this;
    const { logX, logY, logZ } = sides;
    const { size } = mirror;
    const width = 1 << logX;
    const height = 1 << logY;
    const firstX = (chunkX << logX) - MARGIN;
    const layer = (slice & ((1 << logZ) - 1)) << logX;
    cells.fill(OUTSIDE);
    for (let cx = Math.max(0, firstX >> logX); cx << logX < Math.min(size.x, firstX + columns); ++cx) {
      const from = Math.max(firstX, cx << logX);
      const to = Math.min(firstX + columns, (cx + 1) << logX, size.x);
      for (let row = -1; row <= height; ++row) {
        const y = (chunkY << logY) + row;
        if (y < 0 || y >= size.y) continue;
        const held = mirror.chunk(cx, y >> logY, slice >> logZ);
        const at = (row + 1) * columns + from - firstX;
        if (!held) cells.fill(0, at, at + to - from);
        else {
          const start = ((y & (height - 1)) << (logZ + logX)) + layer + (from & (width - 1));
          for (let i = 0; i < to - from; ++i) cells[at + i] = held[start + i]!;
        }
      }
    }
  }

  /** For each column with its margin, its pieces; the rows come down along them. */
  private walk(chunkX: number, chunkY: number): void {
    const width = 1 << this.sides.logX;
    for (let i = 0; i < this.columns; ++i) {
      const x = i - MARGIN;
      const chunk = chunkX + Math.floor(x / width);
      const column = ((x % width) + width) % width;
      const pieces = (chunk >= 0 && this.surfaces.of(chunk, chunkY)) || null;
      this.pieces[i] = pieces;
      this.next[i] = pieces ? pieces.first[column + 1]! - 1 : -1;
      this.last[i] = pieces ? pieces.first[column]! : 0;
    }
  }

  /** Depths of one row, in cells of the world, -1 where no piece is: what the heads say, and no abysses. */
  private measure(y: number, row: number): void {
    const { depths, cells, columns, pieces, next, last } = this;
    const { side } = this.mirror;
    const slope = DEPTH_SLOPE * side;
    const start = (row + 1) * columns;
    let deepest = -1;
    for (let i = 0; i < columns; ++i) {
      depths[i] = -1;
      const own = pieces[i];
      if (!own) continue;
      let at = next[i]!;
      const end = last[i]!;
      while (at >= end && own.low[at]! > row) --at;
      next[i] = at;
      if (at < end || own.high[at]! < row) continue;
      const depth = depths[i] = clamp((own.head[at]! - y - 0.5) * side, 0, DEEPEST);
      if (depth > deepest) deepest = depth;
    }
    if (deepest <= slope) return;
    for (let i = 1; i < columns; ++i) {
      const most = Math.max(0, depths[i - 1]!) + slope;
      if (depths[i]! > most && cells[start + i - 1]! >= 0) depths[i] = most;
    }
    for (let i = columns - 2; i >= 0; --i) {
      const most = Math.max(0, depths[i + 1]!) + slope;
      if (depths[i]! > most && cells[start + i + 1]! >= 0) depths[i] = most;
    }
  }

  private water(at: number, units: number, column: number, row: number, above: Pieces | undefined): number {
    const fill = units >= FULL ? 255 : Math.max(1, Math.round((units * 255) / FULL));
    const i = column + MARGIN;
    const depth = this.depths[i]!;
    if (depth < 0) return FALLS | fill;
    const shade = Math.round(depth * SHADES_PER_CELL) << 8;
    const own = this.pieces[i]!;
    // Full water under a roof has no surface there; water with a gap over it has.
    const isFull = fill >= SETTLED_FILL;
    if (own.high[this.next[i]!] !== row || (isFull && this.cells[at + this.columns]! < 0)) return shade | 255;
    // A piece that ends with the chunk may go on in the one above.
    const goesOn = row === (1 << this.sides.logY) - 1 && above !== undefined &&
      above.first[column]! < above.first[column + 1]! && above.low[above.first[column]!] === 0;
    return shade | (goesOn ? 255 : SURFACE | fill);
  }

  private rock(at: number, brightness: number): number {
    const { cells, columns } = this;
    let look = IS_ROCK | brightness;
    if (cells[at + columns]! >= 0) look |= OPEN_ABOVE;
    if (cells[at - columns]! >= 0) look |= OPEN_BELOW;
    if (cells[at - 1]! >= 0) look |= OPEN_LEFT;
    if (cells[at + 1]! >= 0) look |= OPEN_RIGHT;
    return look;
  }
}

/** How bright rock would be in each of the chunk's cells, which are so many of the world's each way. */
export function stonesOf(sides: ChunkSides, chunkX: number, chunkY: number, side = 1): Uint8Array {
  const { logX, logY } = sides;
  return strata((chunkX << logX) * side, (chunkY << logY) * side, 1 << logX, 1 << logY, side);
}

/** What is seen of a chunk, of the one above it, and of the one below; not at hand where it is not known. */
export type Stack = (Uint32Array | undefined)[];

/** How high the surface of a cell's column lies over the cell's floor, of 255, if that is in this row of `width` cells or
 *  the next one up or down. NaN where nothing tells. */
function heightOf([look, above, below]: Stack, at: number, width: number): number {
  const seen = look![at]!;
  if (isSurface(seen)) return seen & 255;
  if (seen >>> 16 !== 0) return NaN;
  const next = at + (seen === 0 ? -width : width);
  const beside = (next < 0 ? below?.[below.length + next] : look![next] ?? above?.[next - look!.length]) ?? 0;
  return isSurface(beside) ? (beside & 255) + (seen === 0 ? -255 : 255) : NaN;
}

/** What is shown between two ticks: `share` 0 is the tick before, 1 the newest one. Of rows of `width` cells. */
export function mixLooks(before: Stack, now: Stack, width: number, share: number, mixed: Uint32Array): void {
  const weight = Math.round(share * 256);
  for (let i = 0; i < mixed.length; ++i) {
    const a = before[0]![i]!;
    const b = now[0]![i]!;
    // What becomes rock, or was some, changes at once: half a rock is none.
    if (a === b || (a | b) & (IS_ROCK | IS_BEYOND)) {
      mixed[i] = b;
      continue;
    }
    let fill = ((a & 255) * (256 - weight) + (b & 255) * weight) >> 8;
    let flags = ((b & 255) === 0 ? a : b) & (FALLS | SURFACE);
    if ((a | b) & SURFACE) {
      const height = heightOf(before, i, width) * (256 - weight) + heightOf(now, i, width) * weight;
      // A surface that goes on into another row is in one of both. Else a cell that fills up, or empties, has it in it
      // until it is full.
      if (height === height) {
        fill = clamp(height >> 8, 0, 255);
        flags = height >> 8 > 255 ? 0 : SURFACE;
      } else if (fill < 255) flags = SURFACE;
    }
    const shade = (a & 255) === 0 ? (b >> 8) & 255 : (b & 255) === 0 ? (a >> 8) & 255
      : (((a >> 8) & 255) * (256 - weight) + ((b >> 8) & 255) * weight) >> 8;
    mixed[i] = fill === 0 ? 0 : flags | (shade << 8) | fill;
  }
}
