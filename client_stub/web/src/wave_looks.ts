// Surfaces as waves move them: what is seen of a chunk (look.ts) is changed before it is painted, so that WebGL and
// the processor draw the same, and run on from column to column as they do at rest.
//
//     at rest   a crest   a trough
//               ~~~~~~              the cell of the surface, and what it passed on its way, up to the ceiling
//     ~~~~~~~~  ######              or down to the bed
//     ########  ######    ~~~~~~
import { waveOf } from "./layer_values";
import type { Layers } from "./layers";
import { IS_BEYOND, IS_ROCK, SURFACE } from "./look";
import { FULL, OUTSIDE, type Mirror } from "./mirror";
import { DEEPEST, SHADES_PER_CELL } from "./palette";

/** Cells that a wave is high at the most, and a part of one. */
const REACH = 5;
/** Cells below the surface in which depths go over into those of the water at rest. */
const FADING = 8;

export class WaveLooks {
  constructor(private readonly mirror: Mirror, private readonly layers: Layers, private readonly slice: number) {}

  /** `look`: the chunk's, with water at rest. */
  raise(chunkX: number, chunkY: number, look: Uint32Array): void {
    const { logX, logY, logZ } = this.mirror.sides;
    const [width, height] = [1 << logX, 1 << logY];
    const base = chunkY << logY;
    const layer = (this.slice & ((1 << logZ) - 1)) << logX;
    // Of surfaces that lie in chunks above and below, too, as far as they reach into this one.
    const [first, last] = [base - REACH, base + height + REACH + FADING];
    for (let y = first >> logY; y <= last >> logY; ++y) {
      const told = y < 0 ? undefined : this.layers.chunk("waves", chunkX, y, this.slice >> logZ);
      if (!told) continue;
      for (let row = Math.max(0, first - (y << logY)); row < Math.min(height, last - (y << logY)); ++row) {
        const from = (row << (logX + logZ)) + layer;
        for (let column = 0; column < width; ++column) {
          const wave = waveOf(told[from + column]!);
          if (wave) this.raiseColumn(look, column, (chunkX << logX) + column, (y << logY) + row, base, wave);
        }
      }
    }
  }

  /** The surface that lies in the cell at (x, y). */
  private raiseColumn(look: Uint32Array, column: number, x: number, y: number, base: number, wave: number): void {
    const { logX, logY } = this.mirror.sides;
    const units = this.mirror.cell(x, y, this.slice);
    if (units <= 0) return; // it has changed since
    const rest = y + Math.min(1, units / FULL);
    const level = this.kept(x, y, rest + wave);
    const top = Math.ceil(Math.max(rest, level)) - 1;
    const bottom = Math.min(y, Math.floor(level)); // a full cell has its surface over it
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

  /** Between the bed and the ceiling. */
  private kept(x: number, y: number, level: number): number {
    const isOpen = (at: number) => {
      const cell = this.mirror.cell(x, at, this.slice);
      return cell >= 0 && cell !== OUTSIDE;
    };
    let high = y + 1;
    while (high < level && isOpen(high)) ++high;
    let low = y;
    while (low > level && isOpen(low - 1)) --low;
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
