// The colours of what is seen: one place for the painters and the legend. In each palette water of
// every depth and rock have a contrast of three to one with air.
import { ICE_BASE, OUTSIDE, ROCK, THINNEST_ICE, TRAPPED_AIR } from "./mirror";

/** Red, green, blue, 0 to 255. */
export type Colour = readonly [number, number, number];

/** What a palette says; the rest is mixed from it. */
export interface Palette {
  airTop: Colour;
  airBottom: Colour;
  beyond: Colour;
  surface: Colour;
  shallow: Colour;
  deep: Colour;
  /** Rock of middling brightness. */
  stone: Colour;
}

export const PALETTES = {
  dark: {
    airTop: [17, 23, 35], airBottom: [9, 12, 20], beyond: [6, 8, 11], surface: [190, 236, 252],
    shallow: [84, 176, 234], deep: [36, 98, 192], stone: [118, 106, 97],
  },
  light: {
    airTop: [226, 238, 250], airBottom: [242, 247, 252], beyond: [205, 212, 222], surface: [16, 84, 150],
    shallow: [52, 126, 200], deep: [16, 54, 120], stone: [122, 108, 96],
  },
  // Sand, blue and black: apart by value and by yellow against blue, which nearly everybody sees.
  contrast: {
    airTop: [4, 4, 6], airBottom: [0, 0, 0], beyond: [0, 0, 0], surface: [255, 255, 255],
    shallow: [64, 142, 214], deep: [0, 96, 168], stone: [218, 186, 132],
  },
} as const satisfies Record<string, Palette>;
export type PaletteName = keyof typeof PALETTES;

/** Cells below the surface at which water is as dark as it gets. */
export const DEEPEST = 40;
export const SHADES_PER_CELL = 4;

export function blend(a: Colour, b: Colour, share: number): Colour {
  return [
    a[0] + (b[0] - a[0]) * share,
    a[1] + (b[1] - a[1]) * share,
    a[2] + (b[2] - a[2]) * share,
  ];
}

/** An opaque pixel of a canvas (little-endian: alpha, blue, green, red). */
export function pixel(colour: Colour): number {
  return (
    (0xff000000 | (Math.round(colour[2]) << 16) | (Math.round(colour[1]) << 8) |
      Math.round(colour[0])) >>> 0
  );
}

/** By depth in quarters of a cell. */
export const WATER = new Uint32Array(DEEPEST * SHADES_PER_CELL + 1);
/** By height: 0 the world's bottom, 255 its top. */
export const AIR = new Uint32Array(256);
/** By brightness around the stone's, which is 128. */
export const STONES = new Uint32Array(256);
export let SURFACE_PIXEL = 0;
export let BEYOND_PIXEL = 0;
/** Grows with every change of the colours, for those who keep copies of them. */
export let coloursVersion = 0;

/** From now on; what was painted before stays as it is. */
export function usePalette(name: PaletteName): void {
  const { airTop, airBottom, beyond, surface, shallow, deep, stone }: Palette = PALETTES[name];
  for (let i = 0; i < WATER.length; ++i) {
    WATER[i] = pixel(blend(shallow, deep, Math.pow(i / (WATER.length - 1), 0.7)));
  }
  for (let i = 0; i < 256; ++i) {
    const light = i - 128;
    AIR[i] = pixel(blend(airBottom, airTop, i / 255));
    STONES[i] = pixel([byte(stone[0] + light), byte(stone[1] + light * 0.95), byte(stone[2] + light * 0.88)]);
  }
  SURFACE_PIXEL = pixel(surface);
  BEYOND_PIXEL = pixel(beyond);
  ++coloursVersion;
}

function byte(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}

/** Between two pixels; `weight` of 256 is all of the second. */
export function mixPixels(a: number, b: number, weight: number): number {
  const rest = 256 - weight;
  const redBlue = (((a & 0xff00ff) * rest + (b & 0xff00ff) * weight) >>> 8) & 0xff00ff;
  const green = (((a & 0xff00) * rest + (b & 0xff00) * weight) >>> 8) & 0xff00;
  return (0xff000000 | redBlue | green) >>> 0;
}

/** Even noise of a place: 0 to 255. */
export function noise(x: number, y: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return ((h ^ (h >>> 13)) >>> 0) & 0xff;
}

/**
 * The brightness of rock, row by row: broad bands that undulate, with a grain. Of cells that are `side` of the world's each
 * way, from the world's cell (x, y) on.
 */
export function strata(x: number, y: number, columns: number, rows: number, side: number): Uint8Array {
  // A sine of a sum for each cell costs most of it: by each one's sine and cosine it is two products.
  const [sines, cosines] = [Math.sin, Math.cos].map((of) =>
    Float64Array.from({ length: columns }, (_, column) => of(Math.sin((x + column * side) * 0.07) * 2.2) * 6));
  const found = new Uint8Array(columns * rows);
  for (let row = 0, at = 0; row < rows; ++row) {
    const height = y + row * side;
    const broad = 128 + Math.sin(height * 0.11 + 1.7) * 5;
    const [sine, cosine] = [Math.sin(height * 0.35), Math.cos(height * 0.35)];
    for (let column = 0; column < columns; ++column, ++at) {
      const band = sine * cosines![column]! + cosine * sines![column]! + broad;
      found[at] = Math.round(band + (noise(x + column * side, height) - 128) * 0.06);
    }
  }
  return found;
}

export function materialName(cell: number): string {
  if (cell === ROCK) return "rock";
  if (cell === OUTSIDE) return "outside";
  if (cell === TRAPPED_AIR) return "trapped air";
  if (cell <= THINNEST_ICE) return `ice, ${ICE_BASE - cell} units`;
  return cell > 0 ? "water" : "air";
}

usePalette("dark");
