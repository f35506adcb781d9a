// What the overlays of chunks (awake, age, bytes) say of one: a colour that lets the picture through, and a few letters.
import { AWAKE_FOR, type Activity } from "./activity";
import { agoText } from "./ago";
import type { OverlayName } from "./overlay_kinds";
import { rampAt } from "./overlay_ramp";
import type { Colour } from "./palette";

/** Of the bytes' ramp, in powers of ten: 10 bytes a second to 100,000. */
const [LEAST_POWER, MOST_POWER] = [1, 5];
const FADE = 3000; // milliseconds
export const AWAKE: Colour = [255, 176, 60];
/** Of the ages' ramp, in powers of ten, from a second on. */
const MOST_AGE = 3;
const STRONG = 0.6;

/** `fades`: it will look different by itself. */
export interface ChunkLook {
  colour: Colour;
  alpha: number;
  text: string;
  fades: boolean;
}

export function isOfChunks(name: OverlayName): boolean {
  return name === "awake" || name === "age" || name === "bytes";
}

function quiet(text: string): ChunkLook {
  return { colour: [140, 165, 200], alpha: 0.18, text, fades: false };
}

export function lookOfChunk(name: OverlayName, activity: Activity, x: number, y: number, z: number, now: number): ChunkLook {
  if (name === "bytes") {
    const bytes = activity.bytesPerSecond(x, y, z, now);
    const text = bytes >= 1000 ? `${(bytes / 1000).toFixed(1)} kB/s` : `${Math.round(bytes)} B/s`;
    if (bytes < 1) return quiet(text);
    return { colour: rampAt((Math.log10(bytes) - LEAST_POWER) / (MOST_POWER - LEAST_POWER)), alpha: STRONG, text, fades: true };
  }
  const since = activity.sinceChange(x, y, z, now);
  if (since === null) return quiet("rests");
  if (name === "age") {
    const age = Math.log10(Math.max(1, since / 1000)) / MOST_AGE;
    return { colour: rampAt(1 - age), alpha: STRONG, text: agoText(since, 1000), fades: true };
  }
  const share = Math.max(0, 1 - Math.max(0, since - AWAKE_FOR) / FADE);
  if (share === 0) return quiet("rests");
  return { colour: AWAKE, alpha: 0.12 + 0.26 * share, text: since < AWAKE_FOR ? "awake" : `${(since / 1000).toFixed(0)} s ago`, fades: true };
}
