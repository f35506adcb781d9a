// Arrows over water: where heads drive it, and down where it falls. As client_stub/flow.cpp has it: the drive is the
// difference between the heads to both sides, in cells of head a cell. What moves upright within a body is not told,
// for all of a column has one head.
import type { Camera } from "./camera";
import type { Legend } from "./overlay_kinds";

/** What the arrows are worked out from, in one slice. */
export interface Waters {
  cell(x: number, y: number): number;
  /** Of the surface over the water in the cell, in cells over the world's floor; null: it holds none, or it falls. */
  headAt(x: number, y: number): number | null;
}

export interface Drive {
  right: number;
  up: number;
}

/** Less than this is rest: bodies come to rest with heads that differ by a little. */
export const LEAST_DRIVE = 1 / 64;
/** CSS pixels from one arrow to the next. */
const SPACING = 30;
/** Cells that an arrow stands for are looked at in so many places each way. */
const SAMPLES = 3;
const SHORTEST = 9; // CSS pixels
const LONGEST = 24;
const HEAD = 5;

export const LEGEND: Legend = { title: "Where heads drive water, and where it falls: the longer, the stronger", marks: [], swatches: [] };

/** Of the water on one side of a cell; null: none can pass there. */
function headBeside(waters: Waters, x: number, y: number): number | null {
  // Into air, and over what falls, water spills from the cell's floor on.
  return waters.cell(x, y) < 0 ? null : (waters.headAt(x, y) ?? y);
}

/** Null: the cell holds no water. */
export function driveAt(waters: Waters, x: number, y: number): Drive | null {
  if (waters.cell(x, y) <= 0) return null;
  const own = waters.headAt(x, y);
  if (own === null) return { right: 0, up: -1 };
  const [left, right] = [headBeside(waters, x - 1, y), headBeside(waters, x + 1, y)];
  const sides = left !== null && right !== null ? 2 : 1;
  return { right: ((left ?? own) - (right ?? own)) / sides, up: 0 };
}

/** The mean of the water in a square of cells, of some of them where it is large, and where the middle of that water
 *  is; null: there is none, or it rests. */
export function driveIn(waters: Waters, left: number, bottom: number, side: number): (Drive & { x: number; y: number }) | null {
  const step = Math.ceil(side / SAMPLES);
  const sum = { right: 0, up: 0, x: 0, y: 0 };
  let wet = 0;
  for (let y = bottom; y < bottom + side; y += step) {
    for (let x = left; x < left + side; x += step) {
      const drive = driveAt(waters, x, y);
      if (!drive) continue;
      sum.right += drive.right;
      sum.up += drive.up;
      sum.x += x + 0.5;
      sum.y += y + 0.5;
      ++wet;
    }
  }
  const strength = Math.hypot(sum.right, sum.up) / wet;
  return strength >= LEAST_DRIVE ? { right: sum.right / wet, up: sum.up / wet, x: sum.x / wet, y: sum.y / wet } : null;
}

/** From 0 at the least drive to 1 where water falls, by powers. */
export function shareOf({ right, up }: Drive): number {
  return Math.min(1, Math.max(0, 1 - Math.log(Math.hypot(right, up)) / Math.log(LEAST_DRIVE)));
}

/** One for each square of the picture, in the middle of its water. Squares are of the world, so that arrows go with it. */
export function paintArrows(context: CanvasRenderingContext2D, camera: Camera, waters: Waters): void {
  const side = Math.max(1, Math.ceil(SPACING / camera.scale));
  const path = new Path2D();
  const first = (at: number): number => Math.floor(at / side) * side;
  for (let y = first(camera.worldY(camera.height)); y < camera.worldY(0); y += side) {
    for (let x = first(camera.worldX(0)); x < camera.worldX(camera.width); x += side) {
      const drive = driveIn(waters, x, y, side);
      if (drive) addArrow(path, camera.screenX(drive.x), camera.screenY(drive.y), drive);
    }
  }
  context.lineCap = context.lineJoin = "round";
  // White on black, so that they are read on every colour.
  for (const [width, colour] of [[4, "rgba(6, 8, 11, 0.8)"], [1.75, "#ffffff"]] as const) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke(path);
  }
}

function addArrow(path: Path2D, x: number, y: number, drive: Drive): void {
  const length = SHORTEST + (LONGEST - SHORTEST) * shareOf(drive);
  const strength = Math.hypot(drive.right, drive.up);
  const [right, down] = [drive.right / strength, -drive.up / strength];
  const [tipX, tipY] = [x + (right * length) / 2, y + (down * length) / 2];
  path.moveTo(x - (right * length) / 2, y - (down * length) / 2);
  path.lineTo(tipX, tipY);
  path.moveTo(tipX - HEAD * (right + down * 0.7), tipY - HEAD * (down - right * 0.7));
  path.lineTo(tipX, tipY);
  path.lineTo(tipX - HEAD * (right - down * 0.7), tipY - HEAD * (down + right * 0.7));
}
