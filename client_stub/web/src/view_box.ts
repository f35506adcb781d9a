// Which part of the world the page asks the server for, and shows first.
import type { Camera } from "./camera";
import { clamp, type Box } from "./geometry";
import type { Mirror } from "./mirror";

/** What is on the screen and a chunk around it, in whole chunks: small moves change nothing. */
export function viewBox({ size, sides }: Mirror, camera: Camera, slice: number): Box {
  const snap = (low: number, high: number, log: number, limit: number): [number, number] => {
    const from = clamp(((Math.floor(low) >> log) - 1) << log, 0, limit - 1);
    const to = clamp(((Math.floor(high) >> log) + 2) << log, from + 1, limit);
    return [from, to - from];
  };
  const [x, width] = snap(camera.worldX(0), camera.worldX(camera.width), sides.logX, size.x);
  const [y, height] = snap(camera.worldY(camera.height), camera.worldY(0), sides.logY, size.y);
  const z = (slice >> sides.logZ) << sides.logZ;
  const depth = Math.min(1 << sides.logZ, size.z - z);
  return { from: { x, y, z }, size: { x: width, y: height, z: depth } };
}

/** Where one looks first. */
export function middleSlice(depth: number): number {
  return Math.floor((depth - 1) / 2);
}
