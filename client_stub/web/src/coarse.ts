// What a level of detail is to whoever looks at a world from afar: its size, what a message tells of it, and the mirror
// and camera with which a painter paints its coarse cells as it paints cells.
import { LayerChanges } from "@wire/layer-changes";
import type { Camera } from "./camera";
import { clamp, type Vec3 } from "./geometry";
import { readChanges, type TickMessage, type WelcomeMessage } from "./messages";
import { Mirror } from "./mirror";
import { changesInside } from "./told_changes";

/** Pixels of the screen a coarse cell: the coarsest level is asked for that has no larger ones, and kept up to the second. */
const FINE_ENOUGH = 0.7;
const TOO_COARSE = 1;

/** The level for a scale in pixels of the screen a cell, of so many, where `before` is in use. */
export function levelFor(scale: number, levels: number, before: number): number {
  const level = clamp(Math.floor(Math.log2(FINE_ENOUGH / scale)), 0, levels);
  return before > level && scale * 2 ** before <= TOO_COARSE ? before : level;
}

/** Of the world's coarse cells; of the cells at level 0. */
export function coarseMirror(welcome: WelcomeMessage, level: number): Mirror {
  const side = 2 ** level;
  const { x, y, z } = welcome.size;
  return new Mirror({ ...welcome, size: { x: Math.ceil(x / side), y: Math.ceil(y / side), z: Math.ceil(z / side) } }, side);
}

/** What the message tells of levels of detail: they come as layers behind those that have names. */
export function coarseChanges({ wire }: TickMessage, { layers, levelsOfDetail }: WelcomeMessage): { level: number; changes: LayerChanges }[] {
  return Array.from({ length: wire.layersLength() }, (_, i) => wire.layers(i, new LayerChanges())!)
    .map((changes) => ({ level: changes.layer() - layers.length + 1, changes }))
    .filter(({ level }) => level >= 1 && level <= levelsOfDetail);
}

/** Takes them in; returns the chunks that changed and those to be asked for again, and as which layer. Throws where they cannot be read. */
export function takeCoarse(mirror: Mirror, changes: LayerChanges): { changed: Vec3[]; resyncs: Vec3[]; layer: number } {
  return { ...mirror.take(changesInside(mirror, readChanges(changes))), layer: changes.layer() + 1 };
}

/** Has `camera` show in coarse cells what `of` shows in cells. */
export function lookCoarsely(camera: Camera, { x, y, scale, width, height }: Camera, level: number): void {
  const side = 2 ** level;
  Object.assign(camera, { x: x / side, y: y / side, scale: scale * side, width, height });
}
