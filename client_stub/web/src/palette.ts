// The colours of cells: one place for the painter and the legend.
import { FULL, OUTSIDE, ROCK } from "./mirror";

/** Red, green, blue, 0 to 255. */
export type Colour = readonly [number, number, number];

export const AIR_TOP: Colour = [24, 32, 46];
export const AIR_BOTTOM: Colour = [15, 20, 30];
export const BEYOND: Colour = [8, 10, 14];

const SURFACE: Colour = [126, 212, 240];
const SHALLOW: Colour = [58, 155, 214];
const DEEP: Colour = [14, 48, 104];
const PRESSED: Colour = [66, 40, 130];
/** Cells below the surface at which water is as dark as it gets. */
export const DEEPEST = 40;

function blend(a: Colour, b: Colour, share: number): Colour {
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

/** Indexed by depth in quarters of a cell, then by pressure in eighths of what counts as strong. */
const WATER: number[][] = [];
const PRESSURE_STEPS = 8;
const STEPS_PER_CELL = 4;
for (let depth = 0; depth <= DEEPEST * STEPS_PER_CELL; ++depth) {
  const base = blend(SHALLOW, DEEP, Math.pow(depth / (DEEPEST * STEPS_PER_CELL), 0.7));
  const row: number[] = [];
  for (let step = 0; step <= PRESSURE_STEPS; ++step) {
    row.push(pixel(blend(base, PRESSED, (step / PRESSURE_STEPS) * 0.45)));
  }
  WATER.push(row);
}
export const SURFACE_PIXEL = pixel(SURFACE);
export const BEYOND_PIXEL = pixel(BEYOND);

/** `depth`: cells of water above. Pressure is what a cell holds above full: at its depth the
 *  hydrostatic model gives a hundredth of a cell for each cell of depth. */
export function waterPixel(units: number, depth: number): number {
  const excess = units - FULL;
  const step = excess <= 0 ? 0 : Math.min(PRESSURE_STEPS, Math.floor((excess * 16) / FULL));
  return WATER[Math.round(Math.min(depth, DEEPEST) * STEPS_PER_CELL)]![step]!;
}

/** A few drops in an otherwise empty cell, seen from far away. */
export function mixWater(units: number, air: number): number {
  const share = Math.min(1, 0.25 + (0.75 * units) / FULL);
  const water = WATER[0]![0]!;
  let mixed = 0xff000000;
  for (const shift of [0, 8, 16]) {
    const a = (air >> shift) & 0xff;
    const w = (water >> shift) & 0xff;
    mixed |= Math.round(a + (w - a) * share) << shift;
  }
  return mixed >>> 0;
}

/** Even noise of a place: 0 to 255. */
export function noise(x: number, y: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return ((h ^ (h >>> 13)) >>> 0) & 0xff;
}

/** Rock in strata: broad bands that undulate, with a grain. `light` brightens the edge that faces
 *  open cells above, darkens it below. */
export function rockPixel(x: number, y: number, grain: number, light: number): number {
  const band = Math.sin(y * 0.35 + Math.sin(x * 0.07) * 2.2) * 6 + Math.sin(y * 0.11 + 1.7) * 5;
  const value = band + (grain - 128) * 0.09 + light;
  return pixel([clampByte(84 + value), clampByte(76 + value * 0.95), clampByte(72 + value * 0.85)]);
}

function clampByte(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}

const AIR: number[] = [];
for (let i = 0; i <= 255; ++i) AIR.push(pixel(blend(AIR_BOTTOM, AIR_TOP, i / 255)));
/** `height`: 0 the world's bottom, 1 its top. */
export function airPixel(height: number): number {
  return AIR[Math.round(height * 255)]!;
}

export function materialName(cell: number): string {
  if (cell === ROCK) return "rock";
  if (cell === OUTSIDE) return "outside";
  return cell > 0 ? "water" : "air";
}
