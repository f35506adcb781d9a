// What the numbers of the layers mean (protocol/layers.h), and how they are told.

/** 1/256 degree, as commands and fixtures have them. */
export const DEGREE = 256;
/** Temperatures come in quarters of a degree, 1 for the coldest. */
const [IN_DEGREE, COLDEST, HOTTEST] = [4, -100, 200];
/** Heights of waves come in parts of a cell, up to four cells either way. */
const IN_CELL = 64;
export const HIGHEST_WAVE = 4;
/** Degrees; null: the cell has no temperature, or none that there can be. */
export function degreesOf(told: number): number | null {
  const degrees = (told - 1) / IN_DEGREE + COLDEST;
  return told > 0 && degrees <= HOTTEST ? degrees : null;
}

/** Cells above the surface at rest; null: there can be no such wave. */
export function waveOf(told: number): number | null {
  const cells = told === 0 ? 0 : (told - 1) / IN_CELL - HIGHEST_WAVE;
  return told >= 0 && Math.abs(cells) <= HIGHEST_WAVE ? cells : null;
}

/** Shares of tracers come in parts of a unit in a unit of water, 0 for none. */
const [IN_SHARE, MOST_SHARE] = [64, 16];
/** Units of a tracer in a unit of water; null: the cell holds none, or there can be no such share. */
export function shareOf(told: number): number | null {
  return told > 0 && told <= IN_SHARE * MOST_SHARE ? told / IN_SHARE : null;
}

/** Steam in parts of a full cell's water, likewise. */
export const steamOf = shareOf;

export function steamText(cells: number): string {
  return `${cells.toLocaleString("en", { maximumFractionDigits: 2 })}${cells === MOST_SHARE ? " or more" : ""} of a full cell’s water`;
}

/** Something that happened for a moment. */
export interface Event {
  kind: (typeof KINDS)[number];
  /** 1 to STRONGEST. */
  strength: number;
  tick: number;
}
/** Thrown from a crest; boiling under the surface; where falling water lands. */
const KINDS = ["droplet", "bubble", "spray"] as const;
export const STRONGEST = 63;
/** An event says when it was up to multiples of so many ticks. */
export const EVENT_TICKS = 64;
/** `tick`: now, or soon after it was told. Null: there is no such event. */
export function eventOf(told: number, tick: number): Event | null {
  const [kind, strength, at] = [KINDS[(told - 1) & 3], ((told - 1) >> 2) & STRONGEST, (told - 1) >> 8];
  if (told <= 0 || !kind || strength === 0 || at >= EVENT_TICKS) return null;
  return { kind, strength, tick: tick - ((tick - at + EVENT_TICKS) % EVENT_TICKS) };
}

/** What a tracer is called, of its layer's name. */
export function tracerOf(layer: string): string {
  return layer.slice(layer.indexOf(":") + 1);
}

export function shareText(share: number): string {
  return `${share.toLocaleString("en", { maximumFractionDigits: 2 })}${share === MOST_SHARE ? " or more" : ""} a unit of water`;
}

export function degreesText(degrees: number): string {
  return `${degrees.toLocaleString("en", { maximumFractionDigits: 2 })} °C`;
}

export function waveText(cells: number): string {
  if (cells === 0) return "none";
  return `${Math.abs(cells).toLocaleString("en", { maximumFractionDigits: 2 })} cells ${cells > 0 ? "high" : "deep"}`;
}
