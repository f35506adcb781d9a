// Springs, drains, heaters and open edges: asked for beside the stream of ticks, since they seldom change.
import type { Vec3 } from "./geometry";

export interface Spring {
  at: Vec3;
  /** Units a tick; of a heater units of energy, below zero where it cools. */
  rate: number;
  /** Of springs that have one: level units up to which it gives, and its water's temperature, in 1/256 degree. */
  head?: number | undefined;
  temperature?: number | undefined;
  /** Of springs whose water holds any: units of tracers in 4,096 units of water. */
  tracer?: Record<string, number> | undefined;
}

export interface Fixtures {
  sources: Spring[];
  drains: Spring[];
  heaters: Spring[];
  /** Whether the world has heat. */
  heat: boolean;
  /** Whether its time stands, and how many times as fast as its own it goes. */
  paused: boolean;
  speed: number;
  /** Sides over which water leaves the world. */
  open: Set<string>;
}

export const NO_FIXTURES: Fixtures = { sources: [], drains: [], heaters: [], heat: false, paused: false, speed: 1, open: new Set() };
interface Answer {
  edges: Record<string, "wall" | "open">;
  sources: Row[];
  drains: Row[];
  heaters: Row[];
  heads: Row[];
  temperatures: Row[];
  /** Older servers do not tell. */
  tracers?: Row<Record<string, number>>[];
  heat: boolean;
  paused: boolean;
  speed: number;
}
type Row<T = number> = [x: number, y: number, z: number, value: T];

/** Null: the server does not know, or is away. */
export async function fetchFixtures(world: string, query: string): Promise<Fixtures | null> {
  try {
    const response = await fetch(`/worlds/${encodeURIComponent(world)}/fixtures${query}`);
    if (!response.ok) return null;
    const { edges, sources, drains, heaters, heads, temperatures, tracers, heat, paused, speed } = (await response.json()) as Answer;
    const springs = (list: Row[]): Spring[] => list.map(([x, y, z, rate]) => ({ at: { x, y, z }, rate }));
    const byPlace = <T>(list: Row<T>[]) => new Map(list.map(([x, y, z, value]) => [`${x},${y},${z}`, value]));
    const [headOf, temperatureOf, tracerOf] = [byPlace(heads), byPlace(temperatures), byPlace(tracers ?? [])];
    const open = Object.keys(edges).filter((side) => edges[side] === "open");
    return {
      sources: springs(sources).map((spring) => {
        const place = `${spring.at.x},${spring.at.y},${spring.at.z}`;
        return { ...spring, head: headOf.get(place), temperature: temperatureOf.get(place), tracer: tracerOf.get(place) };
      }),
      drains: springs(drains), heaters: springs(heaters), heat, paused, speed, open: new Set(open),
    };
  } catch {
    return null;
  }
}

/** The spring, drain or heater that is seen there, as text. */
export function describeFixture({ sources, drains, heaters }: Fixtures, isThere: (at: Vec3) => boolean): string {
  const here = ({ at }: Spring) => isThere(at);
  const source = sources.find(here);
  const drain = drains.find(here);
  const heater = heaters.find(here);
  return (source ? ` · spring, ${source.rate.toLocaleString("en")} a tick` : "") +
    (drain ? ` · drain, ${drain.rate.toLocaleString("en")} a tick` : "") +
    (heater ? ` · ${heater.rate > 0 ? "heater" : "cooler"}, ${Math.abs(heater.rate).toLocaleString("en")} of energy a tick` : "");
}
