// Springs, drains and open edges: asked for beside the stream of ticks, since they seldom change.
import type { Camera } from "./camera";
import type { Vec3 } from "./geometry";

export interface Spring {
  at: Vec3;
  /** Units a tick. */
  rate: number;
}

export interface Fixtures {
  sources: Spring[];
  drains: Spring[];
  /** Sides over which water leaves the world. */
  open: Set<string>;
}

export const NO_FIXTURES: Fixtures = { sources: [], drains: [], open: new Set() };
const SOURCE = "#8ff0c0";
const DRAIN = "#ffb86b";
const DARK = "rgba(6, 8, 11, 0.85)";

interface Answer {
  edges: Record<string, "wall" | "open">;
  sources: [number, number, number, number][];
  drains: [number, number, number, number][];
}

/** Null: the server does not know, or is away. */
export async function fetchFixtures(world: string): Promise<Fixtures | null> {
  try {
    const response = await fetch(`/worlds/${encodeURIComponent(world)}/fixtures`);
    if (!response.ok) return null;
    const { edges, sources, drains } = (await response.json()) as Answer;
    const springs = (list: Answer["sources"]) => list.map(([x, y, z, rate]) => ({ at: { x, y, z }, rate }));
    const open = Object.keys(edges).filter((side) => edges[side] === "open");
    return { sources: springs(sources), drains: springs(drains), open: new Set(open) };
  } catch {
    return null;
  }
}

/** The spring or drain in the cell, as text. */
export function describeFixture({ sources, drains }: Fixtures, x: number, y: number, z: number): string {
  const here = ({ at }: Spring) => at.x === x && at.y === y && at.z === z;
  const source = sources.find(here);
  const drain = drains.find(here);
  return (source ? ` · spring, ${source.rate.toLocaleString("en")} a tick` : "") +
    (drain ? ` · drain, ${drain.rate.toLocaleString("en")} a tick` : "");
}

export function paintFixtures(
  context: CanvasRenderingContext2D, camera: Camera, size: Vec3, slice: number, fixtures: Fixtures,
): void {
  context.save();
  context.lineJoin = "round";
  paintEdges(context, camera, size, fixtures.open);
  for (const { at } of fixtures.sources) if (at.z === slice) marker(context, camera, at, SOURCE, 1);
  for (const { at } of fixtures.drains) if (at.z === slice) marker(context, camera, at, DRAIN, -1);
  context.restore();
}

/** A drop in a ring for a spring, a funnel in a square for a drain: told apart without their colours. */
function marker(
  context: CanvasRenderingContext2D, camera: Camera, at: Vec3, colour: string, kind: 1 | -1,
): void {
  const x = camera.screenX(at.x + 0.5);
  const y = camera.screenY(at.y + 0.5);
  const half = Math.max(5, Math.min(11, camera.scale * 0.5));
  if (x < -half || y < -half || x > camera.width + half || y > camera.height + half) return;
  context.beginPath();
  if (kind === 1) context.arc(x, y, half, 0, 2 * Math.PI);
  else context.rect(x - half, y - half, 2 * half, 2 * half);
  context.fillStyle = DARK;
  context.fill();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  const inner = half * 0.62;
  context.beginPath();
  if (kind === 1) {
    context.moveTo(x, y - inner);
    context.quadraticCurveTo(x + inner, y + inner * 0.3, x, y + inner);
    context.quadraticCurveTo(x - inner, y + inner * 0.3, x, y - inner);
  } else {
    context.moveTo(x - inner, y - inner * 0.7);
    context.lineTo(x + inner, y - inner * 0.7);
    context.lineTo(x, y + inner);
    context.closePath();
  }
  context.fillStyle = colour;
  context.fill();
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
