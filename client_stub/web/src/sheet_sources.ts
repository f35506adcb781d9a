// What the sheets over the picture show (sheets.ts): steam as a white haze in air, foam as white on water, and from above
// waves, which have no surface line there, as light and shade on their slopes.
import type { Vec3 } from "./geometry";
import { shareOf, steamOf, waveOf } from "./layer_values";
import type { LayerName, Layers } from "./layers";
import { FULL, TRAPPED_AIR, type Mirror } from "./mirror";
import { AIR } from "./palette";
import type { Source } from "./sheets";

/** Of a full cell's water; more steam looks no thicker. */
const THICK = 1;
/** How much thicker the first of it looks than the last: what rises from boiling water is a twentieth of a cell's. */
const STEEP = 6;
/** What is behind the thickest haze is still seen a little. */
const THICKEST = 0.9;
/** Nearly white; before an air that is nearly white itself a grey. */
const [WHITE, GREY] = [0xf7f1eb, 0x9c8878];
/** Shade of a slope of one in one, and the most. */
const [STEEPNESS, DARKEST] = [0.7, 0.38];

/** Foam of as many units as there are of water hides it; the first of it shows more than the last. */
const [FOAM, FOAM_STEEP] = [0.95, 2];

const isAir = (cell: number) => cell === 0 || cell === TRAPPED_AIR;
/** Steam is wherever water leaves room for air: over a surface, and where it rains, too. */
export const hasAir = (cell: number) => cell === TRAPPED_AIR || (cell >= 0 && cell < FULL);

export class Haze implements Source {
  /** `above`: one looks down from a height, through the steam of each column. */
  constructor(private readonly mirror: Mirror, private readonly layers: Layers, private readonly above: boolean) {}

  sees(z: number, slice: number): boolean {
    const seen = slice >> this.mirror.sides.logZ;
    return this.above ? z <= seen : z === seen;
  }

  coords(): Vec3[] {
    return this.layers.coords("steam");
  }

  read(x: number, y: number, slice: number): Float32Array | null {
    const { logX, logY, logZ } = this.mirror.sides;
    const values = new Float32Array(1 << (logX + logY));
    const isOpen = new Uint8Array(values.length).fill(1);
    let open = values.length;
    let isSeen = false;
    for (let z = slice; open > 0 && z >= (this.above ? 0 : slice); --z) {
      const told = this.layers.chunk("steam", x, y, z >> logZ);
      const cells = this.mirror.chunk(x, y, z >> logZ);
      if (!told && !cells) {
        z = (z >> logZ) << logZ; // nothing but air
        continue;
      }
      const layer = (z & ((1 << logZ) - 1)) << logX;
      for (let place = 0; place < values.length; ++place) {
        const at = ((place >> logX) << (logX + logZ)) | layer | (place & ((1 << logX) - 1));
        if (isOpen[place] === 0) continue;
        const cell = cells?.[at] ?? 0;
        if (!isAir(cell)) {
          isOpen[place] = 0;
          --open;
        }
        // Water that has come since it was told is no steam.
        if (!this.above && !hasAir(cell)) values[place] = NaN;
        else if (told && told[at]! > 0 && hasAir(cell)) {
          values[place]! += steamOf(told[at]!) ?? 0;
          isSeen = true;
        }
      }
    }
    return isSeen ? values : null;
  }

  pixel(values: Float32Array, at: number, stride: number): number {
    if (Number.isNaN(values[at]!)) return 0;
    const rest = (1 - Math.min(THICK, blurred(values, at, stride)) / THICK) ** STEEP;
    const alpha = Math.round(255 * THICKEST * (1 - rest));
    return alpha === 0 ? 0 : ((alpha << 24) | ((AIR[128]! & 255) > 128 ? GREY : WHITE)) >>> 0;
  }
}

/** A cell and those around it, as far as they have air. */
function blurred(values: Float32Array, at: number, stride: number): number {
  let [sum, weights] = [0, 0];
  for (let dy = -1; dy <= 1; ++dy) {
    for (let dx = -1; dx <= 1; ++dx) {
      const value = values[at + dy * stride + dx]!;
      if (Number.isNaN(value)) continue;
      const weight = (2 - Math.abs(dx)) * (2 - Math.abs(dy));
      sum += weight * value;
      weights += weight;
    }
  }
  return sum / weights;
}

export class Froth implements Source {
  /** `above`: one looks down from a height, on the uppermost water of each column. */
  constructor(
    private readonly mirror: Mirror, private readonly layers: Layers, private readonly name: LayerName, private readonly above: boolean,
  ) {}

  sees(z: number, slice: number): boolean {
    const seen = slice >> this.mirror.sides.logZ;
    return this.above ? z <= seen : z === seen;
  }

  coords(): Vec3[] {
    return this.layers.coords(this.name);
  }

  /** Units of foam in a unit of water. */
  read(x: number, y: number, slice: number): Float32Array | null {
    const { logX, logY, logZ } = this.mirror.sides;
    const values = new Float32Array(1 << (logX + logY));
    const isOpen = new Uint8Array(values.length).fill(1);
    let isSeen = false;
    for (let z = slice; z >= (this.above ? 0 : slice); --z) {
      const cells = this.mirror.chunk(x, y, z >> logZ);
      if (!cells) {
        z = (z >> logZ) << logZ; // nothing but air
        continue;
      }
      const told = this.layers.chunk(this.name, x, y, z >> logZ);
      const layer = (z & ((1 << logZ) - 1)) << logX;
      for (let place = 0; place < values.length; ++place) {
        const at = ((place >> logX) << (logX + logZ)) | layer | (place & ((1 << logX) - 1));
        if (isOpen[place] === 0 || isAir(cells[at]!)) continue;
        isOpen[place] = 0;
        const share = (cells[at]! > 0 && told && shareOf(told[at]!)) || 0;
        if (share === 0) continue;
        isSeen = true;
        const shown = this.above ? place : this.raised(place, (x << logX) | (place & ((1 << logX) - 1)), y << logY, z);
        values[shown] = Math.max(values[shown]!, share);
      }
    }
    return isSeen ? values : null;
  }

  /** Where a cell's foam is drawn: at the surface it goes with the wave, as far as the chunk reaches. */
  private raised(place: number, x: number, bottom: number, z: number): number {
    const { logX, logY } = this.mirror.sides;
    const y = bottom + (place >> logX);
    if (this.mirror.cell(x, y + 1, z) > 0) return place;
    const level = Math.min(1, this.mirror.cell(x, y, z) / FULL) + (this.layers.waveAt({ x, y, z }) ?? 0);
    const row = Math.max(0, Math.min((1 << logY) - 1, (place >> logX) + Math.round(level) - 1));
    return (row << logX) | (place & ((1 << logX) - 1));
  }

  pixel(values: Float32Array, at: number): number {
    const alpha = Math.round(255 * FOAM * (1 - (1 - Math.min(1, values[at]!)) ** FOAM_STEEP));
    return alpha === 0 ? 0 : ((alpha << 24) | 0xffffff) >>> 0;
  }
}

export class Slopes implements Source {
  constructor(private readonly mirror: Mirror, private readonly layers: Layers) {}

  sees(z: number, slice: number): boolean {
    return z <= slice >> this.mirror.sides.logZ;
  }

  coords(): Vec3[] {
    return this.layers.coords("waves");
  }

  /** Heights of the surfaces that are seen; none where no water is. */
  read(x: number, y: number, slice: number): Float32Array | null {
    const { logX, logY, logZ } = this.mirror.sides;
    const values = new Float32Array(1 << (logX + logY)).fill(NaN);
    const isOpen = new Uint8Array(values.length).fill(1);
    let open = values.length;
    let isSeen = false;
    for (let z = slice; open > 0 && z >= 0; --z) {
      const cells = this.mirror.chunk(x, y, z >> logZ);
      if (!cells) {
        z = (z >> logZ) << logZ;
        continue;
      }
      const told = this.layers.chunk("waves", x, y, z >> logZ);
      const layer = (z & ((1 << logZ) - 1)) << logX;
      for (let place = 0; place < values.length; ++place) {
        const at = ((place >> logX) << (logX + logZ)) | layer | (place & ((1 << logX) - 1));
        if (isOpen[place] === 0 || isAir(cells[at]!)) continue;
        isOpen[place] = 0;
        --open;
        if (cells[at]! < 0) continue;
        values[place] = waveOf(told?.[at] ?? 0) ?? 0;
        if (values[place] !== 0) isSeen = true;
      }
    }
    return isSeen ? values : null;
  }

  /** The light comes from the left and from behind. */
  pixel(values: Float32Array, at: number, stride: number): number {
    const own = values[at]!;
    if (Number.isNaN(own)) return 0;
    const height = (place: number) => (Number.isNaN(values[place]!) ? own : values[place]!);
    const slope = (height(at + 1) - height(at - 1) + height(at - stride) - height(at + stride)) / 2;
    const alpha = Math.round(255 * Math.min(DARKEST, Math.abs(slope) * STEEPNESS));
    return alpha === 0 ? 0 : ((alpha << 24) | (slope > 0 ? 0xffffff : 0x401c06)) >>> 0;
  }
}
