// What lies under a place in the picture: which subject it is, the line that tells of it, and its frame.
import type { Camera } from "./camera";
import { describeFixture } from "./fixtures";
import type { Vec3 } from "./geometry";
import type { Hand } from "./hand";
import { FULL, type Mirror } from "./mirror";
import { materialName } from "./palette";
import { cellText, nodeRadius, type NodeView, type PortView } from "./pipe_mirror";
import type { Rect } from "./shapes";
import { fixtureAt, isUnder, subjectOf, uppermost, type Known, type Subject } from "./subjects";

/** The node whose picture covers the cell, or a port in it. */
export function pipeAt({ mirror, sees }: Known, at: Vec3): NodeView | PortView | null {
  const { networks } = mirror.pipes;
  const there = networks.byCell.get(cellText(at))?.[0];
  if (there) return there;
  const covers = (place: Vec3 | null, reach: number) => place !== null && sees(place.z, at.z) &&
    Math.abs(place.x - at.x) <= reach && Math.abs(place.y - at.y) <= reach;
  return uppermost(networks.nodes.filter((view) => covers(view.node.at, nodeRadius(view) - 0.3)), (view) => view.node.at!) ??
    uppermost(networks.ports.filter(({ port }) => covers(port.cell, 0)), ({ port }) => port.cell);
}

/** Pipes first, then springs and drains, then the cell itself. */
export function subjectAt(known: Known, at: Vec3): Subject | null {
  if (!known.mirror.inside(at.x, at.y, at.z)) return null;
  const pipe = pipeAt(known, at);
  return pipe ? subjectOf(pipe) : fixtureAt(known, at) ?? { kind: "cell", at };
}

/** One line on the cell; `other` is what the second recording has there. From above what stands over it, under the height
 *  `from`, is told of, too. */
export function hoverLine(known: Known, { x, y, z }: Vec3, other: number | undefined, from = z): string {
  const { mirror, fixtures } = known;
  if (!mirror.inside(x, y, z)) return "outside the world";
  const cell = mirror.cell(x, y, z);
  const real = mirror.real({ x, y, z });
  const place = mirror.size.z === 1 ? `${x}, ${y}` : `${real.x}, ${real.y}, ${real.z}`;
  const amount = cell > 0 ? `${unitsText(cell)} (${Math.round((cell * 100) / FULL)} %)` : "";
  const differs = other === undefined || other === cell ? "" : ` ≠ ${materialName(other)}${unitsText(other)}`;
  const head = known.headAt(x, y);
  const deep = head === null ? "" : ` · surface at ${head.toFixed(1)}, ${Math.max(0, head - y - 0.5).toFixed(1)} deep`;
  return `[${place}] ${materialName(cell)}${amount}${deep}${known.layers?.text({ x, y, z }) ?? ""}${differs}${describeFixture(fixtures, (at) => isUnder(known, at, { x, y, z: from }))}`;
}

function unitsText(cell: number): string {
  return cell > 0 ? ` ${cell.toLocaleString("en")} units` : "";
}

/** The cells that a tool in the hand would touch, and what a line or a box that is being dragged covers. */
export function cellsUnder({ brush, stamp, stamps }: Hand, mirror: Mirror, at: { x: number; y: number }): Rect[] {
  if (stamps !== null) return stamp.areas(mirror, at, stamps === "paste");
  if (!brush.edits) return [{ ...at, width: 1, height: 1 }];
  return [...brush.preview(mirror, at), ...brush.areas(mirror, at.x, at.y)];
}

/** The cells that the tool would touch; `keyed`: it is moved by keys, and must be found at once. */
export function paintCursor(
  context: CanvasRenderingContext2D, camera: Camera, { brush, stamp, stamps }: Hand, mirror: Mirror, at: Vec3, keyed: boolean,
): void {
  if (stamps !== null) stamp.paint(context, camera, mirror, at, stamps === "paste");
  if (!mirror.inside(at.x, at.y, at.z)) return;
  for (const { x, y, width, height } of brush.preview(mirror, at)) {
    context.fillStyle = "rgba(255, 255, 255, 0.28)";
    context.fillRect(camera.screenX(x), camera.screenY(y + height), width * camera.scale, height * camera.scale);
  }
  const areas = brush.edits ? brush.areas(mirror, at.x, at.y) : [{ ...at, width: 1, height: 1 }];
  const area = boundsOf(areas);
  if (!brush.edits && !keyed && camera.scale < 4) return;
  const least = keyed ? 8 : 2;
  const width = Math.max(least, Math.round(area.width * camera.scale) - 1);
  const height = Math.max(least, Math.round(area.height * camera.scale) - 1);
  const left = Math.round(camera.screenX(area.x + area.width / 2) - (width + 1) / 2) + 0.5;
  const top = Math.round(camera.screenY(area.y + area.height / 2) - (height + 1) / 2) + 0.5;
  const frame = (style: string, lineWidth: number, out: number) => {
    context.strokeStyle = style;
    context.lineWidth = lineWidth;
    context.strokeRect(left - out, top - out, width + 2 * out, height + 2 * out);
  };
  if (keyed) {
    frame("rgba(6, 8, 11, 0.9)", 6, 3);
    frame("#ffd666", 2.5, 3);
  }
  if (!brush.edits) return frame("rgba(255, 255, 255, 0.5)", 1, 0);
  // On a dark line, so that it is seen on everything.
  if (areas.length > 1) {
    for (const [style, line] of [["rgba(6, 8, 11, 0.8)", 3], ["#ffffff", 1]] as const) {
      context.strokeStyle = style;
      context.lineWidth = line;
      context.stroke(outlineOf(areas, camera));
    }
    return;
  }
  frame("rgba(6, 8, 11, 0.8)", 3, 0);
  frame("#ffffff", 1, 0);
}

function boundsOf(rects: Rect[]): Rect {
  const x = Math.min(...rects.map((rect) => rect.x));
  const y = Math.min(...rects.map((rect) => rect.y));
  return { x, y, width: Math.max(...rects.map((rect) => rect.x + rect.width)) - x,
    height: Math.max(...rects.map((rect) => rect.y + rect.height)) - y };
}

/** Around rectangles that stand one on the other, from below: up along their right sides, down along the left. */
function outlineOf(rects: Rect[], camera: Camera): Path2D {
  const path = new Path2D();
  const to = (x: number, y: number) => path.lineTo(Math.round(camera.screenX(x)) - 0.5, Math.round(camera.screenY(y)) - 0.5);
  for (const { x, y, width, height } of rects) to(x + width, y), to(x + width, y + height);
  for (const { x, y, height } of [...rects].reverse()) to(x, y + height), to(x, y);
  path.closePath();
  return path;
}
