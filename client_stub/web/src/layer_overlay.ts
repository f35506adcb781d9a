// What the overlays "temperature", "steam" and "waves", and those of tracers, paint: the numbers of a layer (layers.ts) as pixels, a cell each, and
// the scale that suits those in view.
//
//   from the front and the side: temperature, steam, or tracer, of each cell of the slice; a wave colours all water under its surface,
//   up to where that is drawn
//   from above: of each column the first thing under the height, as one sees it; nothing where that is rock; of steam all
//   that is over it
import type { Painted } from "./overlay";
import { degreesOf, shareOf, steamOf, tracerOf } from "./layer_values";
import type { LayerName, Layers, Shown } from "./layers";
import { FALLS, IS_BEYOND, IS_ROCK, SURFACE } from "./look";
import { OUTSIDE, ROCK, THINNEST_ICE, type Mirror } from "./mirror";
import type { Legend } from "./overlay_kinds";
import { blend, pixel, type Colour } from "./palette";
import { hasAir } from "./sheet_sources";
import { isAir } from "./top_looks";

// In each a colour is lighter or darker than the next, and the two sides of a middle are blue and yellow of some kind: so
// nearly everybody tells them apart (web_colours_test.mjs).
/** From cold to warm: blue, nearly white, red, each step lighter or darker than the one before. */
const WARMTH: Colour[] = [[38, 62, 148], [70, 122, 190], [146, 194, 222], [244, 240, 226], [248, 186, 128], [226, 104, 68], [160, 14, 40]];
/** From troughs to crests: purple, nearly white, orange. */
const SWELL: Colour[] = [[88, 38, 140], [140, 108, 190], [196, 186, 222], [242, 240, 240], [246, 194, 112], [232, 136, 36], [160, 78, 4]];
/** From little to much: pale yellow to dark violet, darker with every step. */
const DYE: Colour[] = [[252, 244, 190], [250, 196, 120], [240, 130, 100], [196, 66, 116], [122, 22, 112], [44, 2, 66]];
/** Likewise of steam, from nearly white to dark green. */
const VAPOUR: Colour[] = [[250, 252, 248], [158, 212, 226], [92, 166, 190], [36, 120, 148], [4, 76, 104], [0, 32, 54]];
/** Units in a unit of water, or of a full cell's water, at the end of the ramp. */
const SHARES = [0.0625, 0.25, 0.5, 1, 4, 16];
/** Degrees from one mark of the ramp to the next; the smallest is taken with which what is in view has few parts. */
const STEPS = [1, 2, 5, 10, 25, 50, 100];
const [FEWEST_PARTS, MOST_PARTS] = [2, 5];
/** Cells from the surface at rest to an end of the ramp. */
const REACHES = [0.25, 0.5, 1, 2, 4];
/** A ramp is kept until what is in view takes less of it than this share. */
const ROOMY = 0.35;
const SHADES = 256;
const ICE: Colour = [255, 255, 255];
/** How much of a cell of ice is white, in every other one. */
const FROST = 0.62;

function rampAt(ramp: Colour[], share: number): Colour {
  const at = Math.max(0, Math.min(1, share)) * (ramp.length - 1);
  const i = Math.min(ramp.length - 2, Math.floor(at));
  return blend(ramp[i]!, ramp[i + 1]!, at - i);
}

function pixelsOf(ramp: Colour[], white = 0): Uint32Array {
  return Uint32Array.from({ length: SHADES }, (_, i) => pixel(blend(rampAt(ramp, i / (SHADES - 1)), ICE, white)));
}

const css = (colour: Colour) => `rgb(${colour.map(Math.round).join()})`;
const frosted = (colour: Colour) => blend(colour, ICE, FROST);

/** Whose least and greatest number are met. */
export interface Extent {
  least: number;
  most: number;
}

export class LayerShades {
  private low: number;
  private span: number;
  private step = STEPS[2]!;
  private readonly ramp: Colour[];
  private readonly shades: Uint32Array;
  private readonly frost: Uint32Array;

  /** `above`: one looks down from a height. */
  constructor(private readonly mirror: Mirror, private readonly layers: Layers, readonly name: Exclude<LayerName, "events">, private readonly above: boolean) {
    this.ramp = name === "temperature" ? WARMTH : name === "waves" ? SWELL : name === "steam" ? VAPOUR : DYE;
    this.shades = pixelsOf(this.ramp);
    this.frost = pixelsOf(this.ramp, FROST);
    [this.low, this.span] = name === "temperature" ? [0, 4 * this.step] : name === "waves" ? [-REACHES[1]!, 2 * REACHES[1]!] : [0, 1];
  }

  /** Of the scale, for tiles that were painted with it. */
  get scale(): number {
    return this.low * 1000 + this.span;
  }

  get legend(): Legend {
    const ramp = `linear-gradient(90deg, ${this.ramp.map(css).join(", ")})`;
    if (this.name === "temperature") {
      const marks = Array.from({ length: this.span / this.step + 1 }, (_, i) => String(this.low + i * this.step));
      const stripes = this.ramp.slice(1, 3).flatMap((colour, i) => [`${css(colour)} ${i * 6}px ${i * 6 + 3}px`, `${css(frosted(colour))} ${i * 6 + 3}px ${i * 6 + 6}px`]);
      return { title: "Temperature, °C", marks, ramp, swatches: [[`repeating-linear-gradient(45deg, ${stripes.join()})`, "ice"]] };
    }
    if (this.name !== "waves") {
      const most = this.span === SHARES.at(-1) ? `${this.span} or more` : String(this.span);
      const title = this.name === "steam" ? "Steam, of a full cell’s water" : `“${tracerOf(this.name)}” in a unit of water`;
      return { title, marks: ["0", String(this.span / 2), most], ramp, swatches: [] };
    }
    const reach = this.span / 2;
    return { title: "Waves, in cells", marks: [`−${reach}`, "at rest", `+${reach}`], ramp, swatches: [] };
  }

  /** Grows whenever the chunk may look different. */
  version(x: number, y: number, painted: Painted, now: number): number {
    let version = painted.version(x, y) + this.layers.version(x, y);
    if (this.name !== "waves" || this.above) return version;
    // Water is coloured by what is at its surface, which may lie in a chunk above.
    const { size, sides } = this.mirror;
    for (let up = y + 1; up << sides.logY < size.y; ++up) version += painted.version(x, up) + this.layers.version(x, up);
    // Waves that are on their way look different in every frame.
    return version + (painted.waves?.phase(now) ?? 0);
  }

  /** Returns what the numbers lie between. */
  paint(pixels: Uint32Array, x: number, y: number, slice: number, painted: Painted, now: number): Extent {
    const extent: Extent = { least: Infinity, most: -Infinity };
    if (this.above) this.paintTop(pixels, x, y, slice, extent);
    else if (this.name !== "waves") this.paintCells(pixels, x, y, slice, extent);
    else {
      this.paintWaves(pixels, x, y, slice, extent, painted.waves?.shown(now));
      const look = painted.waves && painted.lookOf(x, y);
      if (look) this.fitToLook(pixels, look);
    }
    return extent;
  }

  /** Takes the scale that suits what is in view; returns whether it is another one. It shrinks only when it is far too
   *  large, so that it does not flicker. */
  rescale({ least, most }: Extent): boolean {
    if (least > most) return false;
    const [low, span, step] = this.name === "temperature" ? warmthScale(least, most)
      : this.name === "waves" ? waveScale(Math.max(-least, most)) : shareScale(most);
    const suits = least >= this.low && most <= this.low + this.span;
    if (suits && (span === this.span || most - least > ROOMY * this.span)) return false;
    if (low === this.low && span === this.span) return false;
    [this.low, this.span, this.step] = [low, span, step];
    return true;
  }

  private paintCells(pixels: Uint32Array, x: number, y: number, slice: number, extent: Extent): void {
    const { logX, logY, logZ } = this.mirror.sides;
    const told = this.layers.chunk(this.name, x, y, slice >> logZ);
    const valueOf = this.name === "temperature" ? degreesOf : shareOf;
    const cells = this.mirror.chunk(x, y, slice >> logZ);
    if (!told) return;
    const layer = (slice & ((1 << logZ) - 1)) << logX;
    for (let row = 0; row < 1 << logY; ++row) {
      const from = (row << (logX + logZ)) + layer;
      for (let column = 0; column < 1 << logX; ++column) {
        const value = valueOf(told[from + column]!);
        // Water that has gone since it was told has none.
        if (value !== null) this.put(pixels, column, row, value, cells?.[from + column] ?? 0, extent);
      }
    }
  }

  private paintWaves(pixels: Uint32Array, x: number, y: number, slice: number, extent: Extent, shown?: Shown): void {
    const { logX, logY, logZ } = this.mirror.sides;
    const told = this.layers.chunk("waves", x, y, slice >> logZ);
    const cells = this.mirror.chunk(x, y, slice >> logZ);
    if (!cells) return;
    const layer = (slice & ((1 << logZ) - 1)) << logX;
    for (let column = 0; column < 1 << logX; ++column) {
      let wave: number | null = null;
      let isWet = false;
      for (let row = (1 << logY) - 1; row >= 0; --row) {
        const place = (row << (logX + logZ)) + layer + column;
        const at = { x: (x << logX) + column, y: (y << logY) + row, z: slice };
        // What falls on water hangs together with it, and has no wave of its own.
        if (told?.[place] || (!isWet && cells[place]! > 0)) wave = this.layers.waveAt(at, shown);
        isWet = cells[place]! > 0;
        if (isWet && wave !== null) this.put(pixels, column, row, wave, cells[place]!, extent);
      }
    }
  }

  /** Colours go up to the surface that is drawn, and no farther. */
  private fitToLook(pixels: Uint32Array, look: Uint32Array): void {
    const { logX, logY } = this.mirror.sides;
    for (let column = 0; column < 1 << logX; ++column) {
      let colour = 0;
      for (let row = 0; row < 1 << logY; ++row) {
        const place = (((1 << logY) - 1 - row) << logX) | column;
        const seen = look[(row << logX) | column]!;
        if (seen & (IS_ROCK | IS_BEYOND | FALLS) || (seen & 255) === 0) {
          // Water above it, if any, has a colour of its own.
          if (!(seen & FALLS)) pixels[place] = 0;
          colour = 0;
          continue;
        }
        colour = pixels[place] || colour;
        // The cell of the surface is covered as far as water goes in it.
        pixels[place] = seen & SURFACE ? ((colour & 0xffffff) | ((colour && seen & 255) << 24)) >>> 0 : colour;
      }
    }
  }

  /** y is what lies behind, and slices are heights. */
  private paintTop(pixels: Uint32Array, x: number, y: number, slice: number, extent: Extent): void {
    const { mirror, layers } = this;
    const { logX, logY } = mirror.sides;
    for (let row = 0; row < 1 << logY; ++row) {
      for (let column = 0; column < 1 << logX; ++column) {
        const at = { x: (x << logX) + column, y: (y << logY) + row, z: slice };
        let cell = mirror.cell(at.x, at.y, at.z);
        let steam = 0;
        const note = () => (steam += this.name === "steam" && hasAir(cell) ? layers.steamAt(at) ?? 0 : 0);
        for (note(); at.z > 0 && isAir(cell); note()) cell = mirror.cell(at.x, at.y, --at.z);
        if (steam > 0) this.put(pixels, column, row, steam, 0, extent);
        const value = this.name === "steam" ? null : this.name === "temperature" ? layers.temperatureAt(at)
          : this.name === "waves" ? layers.waveAt(at) : layers.shareAt(this.name, at);
        if (value !== null) this.put(pixels, column, row, value, cell, extent);
      }
    }
  }

  private put(pixels: Uint32Array, column: number, row: number, value: number, cell: number, extent: Extent): void {
    // Water that has come since it was told is no steam, and air holds nothing else.
    if (this.name === "steam" ? !hasAir(cell) : isAir(cell) || cell === ROCK || cell === OUTSIDE) return;
    extent.least = Math.min(extent.least, value);
    extent.most = Math.max(extent.most, value);
    const { logX, logY } = this.mirror.sides;
    const shade = Math.max(0, Math.min(SHADES - 1, Math.round(((value - this.low) / this.span) * (SHADES - 1))));
    // Ice: every other cell is paler.
    const shades = cell <= THINNEST_ICE && (column + row) % 2 === 0 ? this.frost : this.shades;
    pixels[(((1 << logY) - 1 - row) << logX) | column] = shades[shade]!;
  }
}

/** The first degree, the number of degrees of the ramp, and those between two marks. */
function warmthScale(least: number, most: number): [low: number, span: number, step: number] {
  const scales = STEPS.map((step): [number, number, number] => {
    const low = Math.floor(least / step) * step;
    return [low, Math.max(FEWEST_PARTS, Math.ceil((most - low) / step)) * step, step];
  });
  return scales.find(([, span, step]) => span <= MOST_PARTS * step) ?? scales.at(-1)!;
}

function shareScale(most: number): [low: number, span: number, step: number] {
  const span = SHARES.find((each) => each >= most) ?? SHARES.at(-1)!;
  return [0, span, span / 2];
}

function waveScale(highest: number): [low: number, span: number, step: number] {
  const reach = REACHES.find((each) => each >= highest) ?? REACHES.at(-1)!;
  return [-reach, 2 * reach, reach];
}
