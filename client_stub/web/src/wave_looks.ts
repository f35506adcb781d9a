// Surfaces as waves move them: what is seen of a chunk (look.ts) is changed before it is painted, so that WebGL and
// the processor draw the same, and run on from column to column as they do at rest.
//
//     at rest   a crest   a trough
//               ~~~~~~              the cell of the surface, and what it passed on its way, up to the ceiling
//     ~~~~~~~~  ######              or down to the bed
//     ########  ######    ~~~~~~
//
// Waves are told some times a second: between two tellings they go over from one to the other, by their heights. Two
// pictures that are mixed cell by cell, as painters do it between two ticks, would show two surfaces.
import { chunkKey, type Vec3 } from "./geometry";
import { waveOf } from "./layer_values";
import type { Layers, Shown } from "./layers";
import { IS_BEYOND, IS_ROCK, PALE, SURFACE } from "./look";
import { FULL, OUTSIDE, THINNEST_ICE, type Mirror } from "./mirror";
import { DEEPEST, SHADES_PER_CELL } from "./palette";
import { newStamp, type Tile } from "./tile";

/** Cells below the surface in which depths go over into those of the water at rest. With the four that a wave is
 *  high they are less than the side of a chunk: it reaches into the next one, and no farther. */
const FADING = 8;
/** Milliseconds between two tellings that belong together, as in a world that goes slowly; and for one to go over into
 *  the other: what was told is not to be seen much later. */
const LONGEST_GAP = 1000;
const LONGEST_STEP = 400;

/** A surface in a chunk: its cell, and its height a telling ago and as it was told last. */
interface Wave {
  column: number;
  row: number;
  from: number;
  to: number;
}

/** Of one chunk. */
interface Swell {
  waves: Wave[];
  /** When it was told, and how long it takes to be so. */
  at: number;
  step: number;
  /** Another one for each telling. */
  version: number;
}

/** What was painted of a tile. */
interface Painted {
  /** The tile's, with water at rest; and its stamp then, or after it was changed here. */
  rest: Uint32Array;
  stamp: number;
  /** Which waves it has, and how far they are. */
  sign: number;
}

export class WaveLooks {
  private readonly swells = new Map<number, Swell>();
  private readonly painted = new WeakMap<Tile, Painted>();
  private versions = 0;
  private movesUntil = 0;

  /** `still`: waves jump from one telling to the next. */
  constructor(
    private readonly mirror: Mirror, private readonly layers: Layers, private readonly slice: number, private readonly still: boolean,
  ) {}

  /** Waves were told anew in these chunks. */
  told(coords: Vec3[], now: number): void {
    for (const { x, y, z } of coords) {
      if (z !== this.slice >> this.mirror.sides.logZ) continue;
      const key = chunkKey(x, y, 0);
      const held = this.swells.get(key);
      if (!held) continue;
      const gap = now - held.at;
      const step = this.still || gap > LONGEST_GAP ? 0 : Math.min(gap, LONGEST_STEP);
      this.swells.set(key, { waves: this.read(x, y, held, now), at: now, step, version: ++this.versions });
      this.movesUntil = Math.max(this.movesUntil, now + step);
    }
  }

  /** Whether the next frame shows them elsewhere. */
  moves(now: number): boolean {
    return now < this.movesUntil;
  }

  /** Grows while waves are on their way. */
  phase(now: number): number {
    return Math.min(now, this.movesUntil);
  }

  /** The heights that are drawn. */
  shown(now: number): Shown {
    const { logX, logY } = this.mirror.sides;
    const chunks = new Map<number, Map<number, number>>();
    return (x, y) => {
      const key = chunkKey(x >> logX, y >> logY, 0);
      let heights = chunks.get(key);
      if (!heights) chunks.set(key, (heights = this.heightsOf(this.swell(x >> logX, y >> logY, now), now)));
      return heights.get(((y & ((1 << logY) - 1)) << logX) | (x & ((1 << logX) - 1)));
    };
  }

  /** Brings a tile's look, which may just have been painted with water at rest, to where waves are now. */
  raise(tile: Tile, now: number): void {
    const swells = [-1, 0, 1].map((up) => this.swell(tile.x, tile.y + up, now));
    const sign = swells.reduce((sum, swell) => sum + 2 * swell.version + shareOf(swell, now), 0);
    let painted = this.painted.get(tile);
    if (!painted && swells.every(({ waves }) => waves.length === 0)) return;
    if (!painted) this.painted.set(tile, (painted = { rest: tile.look.slice(), stamp: tile.stamp, sign: -1 }));
    const isFresh = painted.stamp !== tile.stamp;
    if (!isFresh && painted.sign === sign) return;
    if (isFresh) painted.rest.set(tile.look);
    else tile.look.set(painted.rest);
    const { logX, logY } = this.mirror.sides;
    swells.forEach((swell, i) => {
      const share = shareOf(swell, now);
      for (const { column, row, from, to } of swell.waves) {
        const y = ((tile.y + i - 1) << logY) + row;
        this.raiseColumn(tile.look, column, (tile.x << logX) + column, y, tile.y << logY, from + (to - from) * share);
      }
    });
    tile.moves = false; // from what it was a tick ago
    tile.details.made = 0;
    painted.stamp = tile.stamp = newStamp();
    painted.sign = sign;
  }

  private swell(x: number, y: number, now: number): Swell {
    const key = chunkKey(x, y, 0);
    let swell = y < 0 ? NONE : this.swells.get(key);
    if (!swell) this.swells.set(key, (swell = { waves: this.read(x, y, null, now), at: now, step: 0, version: ++this.versions }));
    return swell;
  }

  /** By the place of their cells in the chunk. */
  private heightsOf(swell: Swell | null, now: number): Map<number, number> {
    const share = swell ? shareOf(swell, now) : 1;
    return new Map(swell?.waves.map(({ column, row, from, to }) => [(row << this.mirror.sides.logX) | column, from + (to - from) * share]));
  }

  private read(x: number, y: number, before: Swell | null, now: number): Wave[] {
    const { logX, logY, logZ } = this.mirror.sides;
    const told = this.layers.chunk("waves", x, y, this.slice >> logZ);
    const heights = this.heightsOf(before, now);
    const waves: Wave[] = [];
    const layer = (this.slice & ((1 << logZ) - 1)) << logX;
    const stride = 1 << (logX + logZ);
    for (let row = 0; row < 1 << logY; ++row) {
      for (let column = 0; column < 1 << logX; ++column) {
        const place = (row << logX) | column;
        const at = (row << (logX + logZ)) + layer + column;
        const number = told?.[at] ?? 0;
        // What was a wave comes to rest, unless the surface lies in another cell now.
        const moved = told?.[at - stride] || told?.[at + stride];
        if (number === 0 && (moved || !heights.get(place))) continue;
        const to = waveOf(number) ?? 0;
        // Water that rose or fell may have its surface in another cell now.
        const from = before ? heights.get(place) ?? heights.get(place - (1 << logX)) ?? heights.get(place + (1 << logX)) ?? 0 : to;
        waves.push({ column, row, from, to });
      }
    }
    return waves;
  }

  /** The surface that lies in the cell at (x, y). */
  private raiseColumn(look: Uint32Array, column: number, x: number, y: number, base: number, wave: number): void {
    const { logX, logY } = this.mirror.sides;
    const units = this.mirror.cell(x, y, this.slice);
    if (units <= THINNEST_ICE && wave !== 0) this.raiseIce(look, column, x, y, base, wave);
    if (units <= 0 || wave === 0) return; // or it has changed since
    const rest = y + Math.min(1, units / FULL);
    const level = this.kept(x, y, rest + wave);
    const top = Math.ceil(Math.max(rest, level)) - 1;
    const bottom = Math.min(y, Math.ceil(level) - 1); // a full cell has its surface over it
    for (let row = Math.min(top - base, (1 << logY) - 1); row >= 0; --row) {
      const under = bottom - base - row;
      if (under > FADING) return;
      const place = (row << logX) | column;
      const seen = look[place]!;
      if (seen & (IS_ROCK | IS_BEYOND)) {
        if (under > 0) return;
        continue;
      }
      const depth = level - base - row - 0.5;
      if (under <= 0) look[place] = moved(depth + 0.5, depth);
      else look[place] = (seen & ~0xff00) | (shadeOf(((seen >> 8) & 255) / SHADES_PER_CELL + (level - rest) * (1 - under / (FADING + 1))) << 8);
    }
  }

  /** The shape that ice keeps, from its cell's top. There is no look of ice that fills a part of its cell: that part is
   *  drawn as water at its surface, which is as pale. */
  private raiseIce(look: Uint32Array, column: number, x: number, y: number, base: number, wave: number): void {
    const { logX, logY } = this.mirror.sides;
    const level = this.kept(x, y, y + 1 + wave);
    const top = Math.min(Math.ceil(Math.max(y + 1, level)) - base, 1 << logY);
    for (let row = Math.max(Math.floor(Math.min(y + 1, level)) - base, 0); row < top; ++row) {
      const fill = level - base - row;
      look[(row << logX) | column] = fill >= 1 ? IS_ROCK | PALE : moved(fill, 0);
    }
  }

  /** Between the bed and the ceiling. */
  private kept(x: number, y: number, level: number): number {
    const cell = (at: number) => this.mirror.cell(x, at, this.slice);
    const isOpen = (at: number) => cell(at) >= 0 && cell(at) !== OUTSIDE;
    let high = y + 1;
    while (high < level && isOpen(high)) ++high;
    let low = y;
    while (low > level && (isOpen(low - 1) || cell(low - 1) <= THINNEST_ICE)) --low;
    return Math.max(low, Math.min(high, level));
  }
}

/** A cell whose floor lies so deep under the surface; its middle at `depth`. */
function moved(deep: number, depth: number): number {
  if (deep <= 0) return 0;
  const shade = shadeOf(depth) << 8;
  return deep > 1 ? shade | 255 : shade | SURFACE | Math.max(1, Math.round(deep * 255));
}

function shadeOf(depth: number): number {
  return Math.round(Math.max(0, Math.min(DEEPEST, depth)) * SHADES_PER_CELL);
}

const NONE: Swell = { waves: [], at: 0, step: 0, version: 0 };

/** 0: as it was a telling ago, 1: as it was told last. */
function shareOf({ at, step }: Swell, now: number): number {
  return now >= at + step ? 1 : (now - at) / step;
}
