// The colours of what is seen: one place for the painters and the legend. Luminances are a ladder: air
// is darkest, the deepest water has three times its contrast, shallow water is brightest.
import { OUTSIDE, ROCK } from "./mirror";

/** Red, green, blue, 0 to 255. */
export type Colour = readonly [number, number, number];

export const AIR_TOP: Colour = [17, 23, 35];
export const AIR_BOTTOM: Colour = [9, 12, 20];
export const BEYOND: Colour = [6, 8, 11];

export const SURFACE: Colour = [190, 236, 252];
export const SHALLOW: Colour = [84, 176, 234];
export const DEEP: Colour = [36, 98, 192];
/** Rock of middling brightness. */
export const STONE: Colour = [118, 106, 97];
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
export const WATER = Uint32Array.from({ length: DEEPEST * SHADES_PER_CELL + 1 }, (_, depth) =>
  pixel(blend(SHALLOW, DEEP, Math.pow(depth / (DEEPEST * SHADES_PER_CELL), 0.7))));
export const SURFACE_PIXEL = pixel(SURFACE);
export const BEYOND_PIXEL = pixel(BEYOND);
/** By height: 0 the world's bottom, 255 its top. */
export const AIR = Uint32Array.from({ length: 256 }, (_, i) => pixel(blend(AIR_BOTTOM, AIR_TOP, i / 255)));
/** By brightness around STONE's, which is 128. */
export const STONES = Uint32Array.from({ length: 256 }, (_, i) => {
  const light = i - 128;
  return pixel([byte(STONE[0] + light), byte(STONE[1] + light * 0.95), byte(STONE[2] + light * 0.88)]);
});

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

/** The brightness of rock: broad bands that undulate, with a grain. */
export function stratum(x: number, y: number, grain: number): number {
  const band = Math.sin(y * 0.35 + Math.sin(x * 0.07) * 2.2) * 6 + Math.sin(y * 0.11 + 1.7) * 5;
  return Math.round(128 + band + (grain - 128) * 0.06);
}

export function materialName(cell: number): string {
  if (cell === ROCK) return "rock";
  if (cell === OUTSIDE) return "outside";
  return cell > 0 ? "water" : "air";
}
