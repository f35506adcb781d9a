// Paints springs, drains, heaters and open edges over the picture of the cells.
import type { Camera } from "./camera";
import type { Fixtures } from "./fixtures";
import type { Vec3 } from "./geometry";
import { fade, type Lens } from "./lens";
import { stroke } from "./pipe_painter";

const SOURCE = "#8ff0c0";
const DRAIN = "#ffb86b";
const HEATER = "#ff8f70";
const COOLER = "#8cc8ff";
const DARK = "rgba(6, 8, 11, 0.85)";

/** What stands at depths that are seen. */
export function paintFixtures(
  context: CanvasRenderingContext2D, camera: Lens, sees: (z: number) => boolean, fixtures: Fixtures,
): void {
  for (const { at } of fixtures.sources) if (sees(at.z)) marker(context, camera, at, SOURCE, "spring");
  for (const { at } of fixtures.drains) if (sees(at.z)) marker(context, camera, at, DRAIN, "drain");
  for (const { at, rate } of fixtures.heaters) {
    if (sees(at.z)) marker(context, camera, at, rate > 0 ? HEATER : COOLER, rate > 0 ? "heater" : "cooler");
  }
}

/** A drop in a ring for a spring, a funnel in a square for a drain, a plus or a minus in a square on its tip for
 *  what heats or cools: told apart without their colours. */
function marker(
  context: CanvasRenderingContext2D, camera: Lens, at: Vec3, colour: string, kind: "spring" | "drain" | "heater" | "cooler",
): void {
  const [x, y] = camera.spot(at);
  fade(context, camera, at);
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
export function paintEdges(
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
    stroke(context, x1, y1, x2, y2, 5, DARK);
    context.setLineDash([8, 6]);
    stroke(context, x1, y1, x2, y2, 2.5, DRAIN);
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
