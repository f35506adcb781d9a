// The ramp of colours of overlays that show no layer, and the steps of its scales.
import type { Extent } from "./layer_overlay";
import { blend, pixel, type Colour } from "./palette";

/** From little to much: brighter with every step, and from blue to yellow, which nearly everybody sees. */
const RAMP: Colour[] = [[78, 70, 152], [58, 110, 172], [33, 152, 148], [104, 201, 98], [250, 230, 60]];
const SHADES = 256;
const PIXELS = Uint32Array.from({ length: SHADES }, (_, i) => pixel(rampAt(i / (SHADES - 1))));
/** Depth of the deepest cells of the scale, in cells; the smallest that suits what is in view is taken. */
export const DEPTHS = [2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** Cells from the lowest to the highest colour of heads; the smallest that suits what is in view is taken. */
const SPANS = [1, 2, ...DEPTHS.slice(1), 2000, 5000, 10000, 20000, 50000];

export function rampAt(share: number): Colour {
  const at = Math.max(0, Math.min(1, share)) * (RAMP.length - 1);
  const i = Math.min(RAMP.length - 2, Math.floor(at));
  return blend(RAMP[i]!, RAMP[i + 1]!, at - i);
}

export function shadeAt(share: number): number {
  return PIXELS[Math.max(0, Math.min(SHADES - 1, Math.round(share * (SHADES - 1))))]!;
}

function gradient(colours: Colour[]): string {
  return `linear-gradient(90deg, ${colours.map((colour) => `rgb(${colour.join()})`).join(", ")})`;
}

export const RAMP_CSS = gradient(RAMP);
export const YOUNG_FIRST_CSS = gradient([...RAMP].reverse());

/** Heights over the world's floor: where the colours of heads begin, and how far they go. */
export interface Span {
  from: number;
  size: number;
}

export const SMALLEST_SPAN: Span = { from: 0, size: SPANS[0]! };

/** A span of round numbers that holds all that is seen; `now` for as long as it does, and is not far too large. */
export function spanOf(seen: Extent, now: Span): Span {
  if (!(seen.most >= seen.least)) return now;
  const holds = seen.least >= now.from && seen.most <= now.from + now.size;
  if (holds && (now.size === SPANS[0] || seen.most - seen.least > now.size * 0.2)) return now;
  for (const size of SPANS) {
    const from = Math.floor(seen.least / (size / 2)) * (size / 2);
    if (seen.most <= from + size || size === SPANS.at(-1)) return { from, size };
  }
  return now;
}
