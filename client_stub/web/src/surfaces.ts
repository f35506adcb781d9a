// How deep each cell of water lies under the surface that it is connected with.
//
// Settled water of a slice is cut into pieces: upright runs within one chunk. Pieces on top of each
// other are one stem; stems side by side whose cells touch are linked:
//
//     air   roof#####          stem a: its own surface is its head
//     ~a~  |  b  |  c  ~~~     stem b: under a roof; its head is that of the surfaces it is linked with
//     ~a~~~~~~b~~~~~~~~c~~     stem c: as a
//
// A column's own water above a cell does not tell its depth: under an overhang there is none, and each
// column of a pool in motion has another. What falls belongs to no piece.
import { CHUNK_CELLS, chunkKey } from "./geometry";
import { FULL, type Mirror } from "./mirror";

/** From here on a cell bears what stands on it. */
const SETTLED = FULL * 0.9;
/** Sweeps over all links: each carries a head as far as a passage keeps one direction. */
const SWEEPS = 6;
/** Sweeps that draw out a step between the heads at the two ends of a tunnel. */
const SMOOTHINGS = 6;

export class Pieces {
  /** Of each column, the index of its first piece; one more at the end. Pieces of a column rise. */
  readonly first: Uint16Array;
  readonly low: Uint16Array;
  readonly high: Uint16Array;
  /** Height of the water's top over the chunk's floor, in cells. */
  readonly top: Float32Array;
  /** Whether there is no room above it, so that it has no surface of its own. */
  readonly roofed: Uint8Array;
  /** Height of the surface over the world's floor, in cells. */
  readonly head: Float32Array;
  readonly stem: Int32Array;

  constructor(scratch: Scratch, columns: number, readonly base: number) {
    const { count } = scratch;
    this.first = scratch.first.slice(0, columns + 1);
    this.low = scratch.low.slice(0, count);
    this.high = scratch.high.slice(0, count);
    this.top = scratch.top.slice(0, count);
    this.roofed = scratch.roofed.slice(0, count);
    this.head = new Float32Array(count);
    this.stem = new Int32Array(count);
  }

  get count(): number {
    return this.low.length;
  }
}

/** Where a chunk's pieces are gathered before their number is known. */
class Scratch {
  readonly first = new Uint16Array(CHUNK_CELLS + 1);
  readonly low = new Uint16Array(CHUNK_CELLS);
  readonly high = new Uint16Array(CHUNK_CELLS);
  readonly top = new Float32Array(CHUNK_CELLS);
  readonly roofed = new Uint8Array(CHUNK_CELLS);
  count = 0;
}

interface Place {
  x: number;
  y: number;
}

export class Surfaces {
  private readonly pieces = new Map<number, Pieces>();
  private readonly stale = new Map<number, Place>();
  private readonly scratch = new Scratch();
  private readonly stems = new Stems();

  constructor(private readonly mirror: Mirror, private readonly slice: number) {
    for (const { x, y, z } of mirror.coords()) if (z === slice >> mirror.sides.logZ) this.changed(x, y);
  }

  /** The chunk, or whether it is held at all. What stands on it may fall now. */
  changed(x: number, y: number): void {
    this.stale.set(chunkKey(x, y, 0), { x, y });
    const above = chunkKey(x, y + 1, 0);
    if (this.pieces.has(above)) this.stale.set(above, { x, y: y + 1 });
    const below = chunkKey(x, y - 1, 0);
    if (y > 0 && this.pieces.has(below)) this.stale.set(below, { x, y: y - 1 });
  }

  of(x: number, y: number): Pieces | undefined {
    return this.pieces.get(chunkKey(x, y, 0));
  }

  /** Height of the surface over the water in the cell; null: it holds none, or it falls. */
  headAt(x: number, y: number): number | null {
    const { logX, logY } = this.mirror.sides;
    const pieces = this.of(x >> logX, y >> logY);
    const column = x & ((1 << logX) - 1);
    const row = y & ((1 << logY) - 1);
    if (!pieces) return null;
    for (let i = pieces.first[column]!; i < pieces.first[column + 1]!; ++i) {
      if (pieces.low[i]! <= row && row <= pieces.high[i]!) return pieces.head[i]!;
    }
    return null;
  }

  /** Takes in what changed; returns the chunks in which a depth may be another one. */
  settle(): Place[] {
    if (this.stale.size === 0) return [];
    const before = new Map<number, Pieces>();
    for (const [key, { x, y }] of this.stale) {
      const held = this.pieces.get(key);
      if (held) before.set(key, held);
      const made = this.cut(x, y);
      if (made) this.pieces.set(key, made);
      else this.pieces.delete(key);
    }
    this.stale.clear();
    return this.weigh(before);
  }

  private cut(chunkX: number, chunkY: number): Pieces | null {
    const { logX, logY, logZ } = this.mirror.sides;
    const cells = this.mirror.chunk(chunkX, chunkY, this.slice >> logZ);
    if (!cells) return null;
    const width = 1 << logX;
    const height = 1 << logY;
    const stride = 1 << (logX + logZ);
    const floor = chunkY << logY;
    const layer = (this.slice & ((1 << logZ) - 1)) << logX;
    const { scratch } = this;
    let count = 0;
    for (let x = 0; x < width; ++x) {
      scratch.first[x] = count;
      let below = this.mirror.cell((chunkX << logX) + x, floor - 1, this.slice);
      for (let y = 0, at = layer + x; y < height; ) {
        let cell = cells[at]!;
        if (cell <= 0 || (cell < SETTLED && below >= 0 && below < SETTLED)) {
          below = cell;
          ++y;
          at += stride;
          continue;
        }
        scratch.low[count] = y;
        while (cell >= SETTLED && ++y < height) cell = cells[(at += stride)]!;
        // A part-filled cell on top is the surface, whatever lies over it.
        const partial = y < height && cell > 0;
        scratch.top[count] = partial ? y + cell / FULL : y;
        scratch.high[count] = partial ? y : y - 1;
        const above = y < height ? cell : this.mirror.cell((chunkX << logX) + x, floor + height, this.slice);
        scratch.roofed[count++] = !partial && above < 0 ? 1 : 0;
        if (partial) {
          ++y;
          at += stride;
        }
        below = cell;
      }
    }
    if (count === 0) return null;
    scratch.first[width] = scratch.count = count;
    return new Pieces(scratch, width, floor);
  }

  /** Heads of all pieces; returns the chunks whose heads are not those of `before`. */
  private weigh(before: Map<number, Pieces>): Place[] {
    const places = [...this.pieces.keys()].map((key) => ({ x: key % 65536, y: Math.floor(key / 65536) }));
    places.sort((a, b) => b.y - a.y); // stems are followed downwards
    const { stems } = this;
    stems.clear();
    for (const { x, y } of places) this.stack(x, y);
    places.sort((a, b) => a.x - b.x || a.y - b.y); // links are swept from side to side
    for (const { x, y } of places) this.link(x, y);
    stems.spread();
    const changed: Place[] = [];
    for (const place of places) {
      const pieces = this.of(place.x, place.y)!;
      let differs = before.has(chunkKey(place.x, place.y, 0));
      for (let i = 0; i < pieces.count; ++i) {
        const head = stems.heads[pieces.stem[i]!]!;
        if (Math.abs(pieces.head[i]! - head) < 0.2) continue; // too little to be seen
        pieces.head[i] = head;
        differs = true;
      }
      if (differs) changed.push(place);
    }
    return changed;
  }

  private stack(x: number, y: number): void {
    const { stems } = this;
    const pieces = this.of(x, y)!;
    const above = this.of(x, y + 1);
    const height = 1 << this.mirror.sides.logY;
    for (let column = 0; column + 1 < pieces.first.length; ++column) {
      for (let i = pieces.first[column]!; i < pieces.first[column + 1]!; ++i) {
        const next = above?.first[column];
        if (pieces.top[i] === height && above && next! < above.first[column + 1]! && above.low[next!] === 0) {
          pieces.stem[i] = above.stem[next!]!;
        } else {
          pieces.stem[i] = stems.add(pieces.base + pieces.top[i]!, pieces.roofed[i] === 1);
        }
      }
    }
  }

  /** Pairs of stems whose pieces touch in this chunk, and over its right side. */
  private link(x: number, y: number): void {
    const pieces = this.of(x, y)!;
    const right = this.of(x + 1, y);
    const columns = pieces.first.length - 1;
    for (let column = 0; column < columns; ++column) {
      const other = column + 1 < columns ? pieces : right;
      if (!other) continue;
      const beside = (column + 1) % columns;
      let a = pieces.first[column]!;
      let b = other.first[beside]!;
      while (a < pieces.first[column + 1]! && b < other.first[beside + 1]!) {
        if (pieces.low[a]! <= other.high[b]! && other.low[b]! <= pieces.high[a]!) {
          this.stems.link(pieces.stem[a]!, other.stem[b]!);
        }
        if (pieces.high[a]! < other.high[b]!) ++a;
        else ++b;
      }
    }
  }
}

/** Stems and their links: as many as there are columns of water, so in arrays that are kept. */
class Stems {
  /** NaN: under a roof, and not known yet. */
  heads = new Float32Array(1024);
  private tops = new Float32Array(1024);
  private roofed = new Uint8Array(1024);
  private count = 0;
  /** Pairs of which at least one is under a roof: nobody else looks at another one's head. */
  private links = new Int32Array(2048);
  private ends = 0;

  clear(): void {
    this.count = this.ends = 0;
  }

  add(top: number, roofed: boolean): number {
    if (this.count === this.heads.length) {
      this.heads = grown(this.heads, new Float32Array(2 * this.count));
      this.tops = grown(this.tops, new Float32Array(2 * this.count));
      this.roofed = grown(this.roofed, new Uint8Array(2 * this.count));
    }
    this.heads[this.count] = roofed ? NaN : top;
    this.tops[this.count] = top;
    this.roofed[this.count] = roofed ? 1 : 0;
    return this.count++;
  }

  link(a: number, b: number): void {
    if (!this.roofed[a] && !this.roofed[b]) return;
    if (this.ends === this.links.length) this.links = grown(this.links, new Int32Array(2 * this.ends));
    this.links[this.ends++] = a;
    this.links[this.ends++] = b;
  }

  /** Stems without a surface get the heads of those that they are linked with. */
  spread(): void {
    if (this.ends === 0 && !this.roofed.subarray(0, this.count).includes(1)) return;
    for (let i = 0; i < SWEEPS && this.sweep((a, b) => this.carry(a, b)); ++i);
    for (let i = 0; i < SMOOTHINGS; ++i) this.smooth();
    // A full chamber without any surface: its highest place counts as one.
    const sealed = new Uint8Array(this.count);
    for (let i = 0; i < this.count; ++i) {
      if (!Number.isNaN(this.heads[i]!)) continue;
      sealed[i] = 1;
      this.heads[i] = this.tops[i]!;
    }
    if (!sealed.includes(1)) return;
    const raise = (a: number, b: number): boolean => {
      if (!sealed[a] || !sealed[b] || this.heads[a] === this.heads[b]) return false;
      this.heads[a] = this.heads[b] = Math.max(this.heads[a]!, this.heads[b]!);
      return true;
    };
    for (let i = 0; i < SWEEPS && this.sweep(raise); ++i);
  }

  private sweep(visit: (a: number, b: number) => boolean): boolean {
    const { links, ends } = this;
    let any = false;
    for (let i = 0; i < ends; i += 2) any = visit(links[i]!, links[i + 1]!) || any;
    for (let i = ends - 2; i >= 0; i -= 2) any = visit(links[i]!, links[i + 1]!) || any;
    return any;
  }

  private carry(a: number, b: number): boolean {
    const knowsA = !Number.isNaN(this.heads[a]!);
    if (knowsA === !Number.isNaN(this.heads[b]!)) return false;
    if (knowsA) this.heads[b] = this.heads[a]!;
    else this.heads[a] = this.heads[b]!;
    return true;
  }

  /** Each stem under a roof towards the mean of those beside it. */
  private smooth(): void {
    const { heads, links } = this;
    const sums = new Float32Array(this.count);
    const counts = new Uint16Array(this.count);
    for (let i = 0; i < this.ends; i += 2) {
      const a = links[i]!;
      const b = links[i + 1]!;
      if (Number.isNaN(heads[a]!) || Number.isNaN(heads[b]!)) continue;
      sums[a]! += heads[b]!;
      sums[b]! += heads[a]!;
      ++counts[a]!;
      ++counts[b]!;
    }
    for (let i = 0; i < this.count; ++i) {
      if (this.roofed[i] && counts[i]! > 0) heads[i] = (heads[i]! + sums[i]! / counts[i]!) / 2;
    }
  }
}

function grown<T extends Float32Array | Int32Array | Uint8Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
