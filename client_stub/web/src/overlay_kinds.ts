// Which quantities can lie over the picture. What paints them is fetched with the first one that is chosen
// (overlay.ts).

export const OVERLAYS = ["none", "amount", "depth", "head", "flow", "temperature", "steam", "waves", "awake", "age", "bytes", "views"] as const;
const TRACER = "tracer:";
export type OverlayName = (typeof OVERLAYS)[number] | `${typeof TRACER}${string}`;

/** Whether it shows a layer. */
export function isOfLayer(name: OverlayName): boolean {
  return ["temperature", "steam", "waves"].includes(name) || name.startsWith(TRACER);
}

/** Whether a world with these layers has something to show there. */
export function isOffered(name: OverlayName, layers: string[]): boolean {
  return !isOfLayer(name) || layers.includes(name);
}

/** All that a world with these layers has to show. */
export function offered(layers: string[]): OverlayName[] {
  const tracers = layers.filter((name) => name.startsWith(TRACER)) as OverlayName[];
  return [...OVERLAYS.filter((name) => isOffered(name, layers)), ...tracers];
}

export interface Legend {
  title: string;
  /** Marks along the ramp, evenly apart; none: the swatches are all. */
  marks: string[];
  /** The ramp's colours, from little to much, as a background of a style sheet. */
  ramp?: string;
  swatches: [colour: string, text: string][];
}
