// Springs, drains, heaters and open edges: asked for beside the stream of ticks, since they seldom change.
import type { Camera } from "./camera";
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
const SOURCE = "#8ff0c0";
const DRAIN = "#ffb86b";
const HEATER = "#ff8f70";
const COOLER = "#8cc8ff";
const DARK = "rgba(6, 8, 11, 0.85)";

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

/** The spring, drain or heater in the cell, as text. */
export function describeFixture({ sources, drains, heaters }: Fixtures, x: number, y: number, z: number): string {
  const here = ({ at }: Spring) => at.x === x && at.y === y && at.z === z;
  const source = sources.find(here);
  const drain = drains.find(here);
  const heater = heaters.find(here);
  return (source ? ` · spring, ${source.rate.toLocaleString("en")} a tick` : "") +
    (drain ? ` · drain, ${drain.rate.toLocaleString("en")} a tick` : "") +
    (heater ? ` · ${heater.rate > 0 ? "heater" : "cooler"}, ${Math.abs(heater.rate).toLocaleString("en")} of energy a tick` : "");
}

export function paintFixtures(
  context: CanvasRenderingContext2D, camera: Camera, size: Vec3, slice: number, fixtures: Fixtures,
): void {
  context.save();
  context.lineJoin = "round";
  paintEdges(context, camera, size, fixtures.open);
  for (const { at } of fixtures.sources) if (at.z === slice) marker(context, camera, at, SOURCE, "spring");
  for (const { at } of fixtures.drains) if (at.z === slice) marker(context, camera, at, DRAIN, "drain");
  for (const { at, rate } of fixtures.heaters) {
    if (at.z === slice) marker(context, camera, at, rate > 0 ? HEATER : COOLER, rate > 0 ? "heater" : "cooler");
  }
  context.restore();
}

/** A drop in a ring for a spring, a funnel in a square for a drain, a plus or a minus in a square on its tip for
 *  what heats or cools: told apart without their colours. */
function marker(
  context: CanvasRenderingContext2D, camera: Camera, at: Vec3, colour: string, kind: "spring" | "drain" | "heater" | "cooler",
): void {
  const x = camera.screenX(at.x + 0.5);
  const y = camera.screenY(at.y + 0.5);
  const half = Math.max(5, Math.min(11, camera.scale * 0.5));
  if (x < -half || y < -half || x > camera.width + half || y > camera.height + half) return;
  const closed = (...points: [number, number][]) => {
    context.beginPath();
    for (const [dx, dy] of points) context.lineTo(x + dx, y + dy);
    context.closePath();
  };
  const tip = half * 1.25;
  if (kind === "spring") {
    context.beginPath();
    context.arc(x, y, half, 0, 2 * Math.PI);
  } else if (kind === "drain") closed([-half, -half], [half, -half], [half, half], [-half, half]);
  else closed([0, -tip], [tip, 0], [0, tip], [-tip, 0]);
  context.fillStyle = DARK;
  context.fill();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  context.fillStyle = colour;
  const inner = half * 0.62;
  if (kind === "spring") {
    context.beginPath();
    context.moveTo(x, y - inner);
    context.quadraticCurveTo(x + inner, y + inner * 0.3, x, y + inner);
    context.quadraticCurveTo(x - inner, y + inner * 0.3, x, y - inner);
  } else if (kind === "drain") closed([-inner, -inner * 0.7], [inner, -inner * 0.7], [0, inner]);
  else context.fillRect(x - inner, y - 1, 2 * inner, 2);
  if (kind === "heater") context.fillRect(x - 1, y - inner, 2, 2 * inner);
  else if (kind !== "cooler") context.fill();
}

/** A dashed line along each side, with arrows that lead out. */
function paintEdges(
  context: CanvasRenderingContext2D, camera: Camera, size: Vec3, open: Set<string>,
): void {
  const left = camera.screenX(0);
  const right = camera.screenX(size.x);
  const top = camera.screenY(size.y);
  const bottom = camera.screenY(0);
  const sides: [string, number, number, number, number, number, number][] = [
    ["left", left, top, left, bottom, -1, 0], ["right", right, top, right, bottom, 1, 0],
    ["top", left, top, right, top, 0, -1], ["bottom", left, bottom, right, bottom, 0, 1],
  ];
  for (const [side, x1, y1, x2, y2, outX, outY] of sides) {
    if (!open.has(side)) continue;
    const line = (style: string, width: number) => {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
    };
    line(DARK, 5);
    context.setLineDash([8, 6]);
    line(DRAIN, 2.5);
    context.setLineDash([]);
    const length = Math.hypot(x2 - x1, y2 - y1);
    const count = Math.max(1, Math.min(40, Math.floor(length / 120)));
    for (let i = 0; i < count; ++i) {
      const share = (i + 0.5) / count;
      // Just inside, so that a fitted world's are on the screen.
      arrow(context, x1 + (x2 - x1) * share - outX * 5, y1 + (y2 - y1) * share - outY * 5, outX, outY);
    }
  }
}

function arrow(context: CanvasRenderingContext2D, x: number, y: number, outX: number, outY: number): void {
  const size = 5;
  context.beginPath();
  context.moveTo(x + outX * size, y + outY * size);
  context.lineTo(x - outX * size + outY * size, y - outY * size + outX * size);
  context.lineTo(x - outX * size - outY * size, y - outY * size - outX * size);
  context.closePath();
  context.fillStyle = DRAIN;
  context.strokeStyle = DARK;
  context.lineWidth = 1;
  context.fill();
  context.stroke();
}
