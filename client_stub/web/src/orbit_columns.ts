// What the orbiting view shows of a world: of each column the rock, the water that stands on it, and water that falls
// above both. Axes are those of the picture from above: x, y behind it, z up.
//
//      ░░   fallTop
//      ░░   fallBottom
//
//      ~~   water: the surface of what stands on rock
//      ##   rock: the first rock or ice from above, below all that
//
// Caves and what lies under an overhang are not seen from outside, and not kept.
import { chunkKey, type Vec3 } from "./geometry";
import type { Layers } from "./layers";
import { FULL, THINNEST_ICE, TRAPPED_AIR, type Mirror } from "./mirror";

/** Numbers of a column: rock, water, fallTop, fallBottom, in cells over the world's floor. */
export const PARTS = 4;
/** Of a column without water, or without water that falls. */
export const NONE = -1;

/** The height of rock as it is kept: below zero where it is ice. */
export function iceAt(height: number): number {
  return -1 - height;
}
export function heightOf(rock: number): number {
  return rock < 0 ? -1 - rock : rock;
}

interface Stack {
  columns: Float32Array;
  stale: boolean;
  /** Which waves it has. */
  waves: number;
}

/** A rectangle of columns, every `step`th of them. */
export interface Area {
  x: number;
  y: number;
  /** Columns to either side. */
  width: number;
  height: number;
  step: number;
}

export class OrbitColumns {
  private readonly stacks = new Map<number, Stack>();
  /** Grows with each change of what was shown. */
  private changes = 0;

  constructor(private readonly mirror: Mirror, private readonly layers: () => Layers | null) {}

  changed(coords: Vec3[]): void {
    for (const { x, y } of coords) {
      const stack = this.stacks.get(chunkKey(x, y, 0));
      if (stack) stack.stale = true;
    }
    ++this.changes;
  }

  /** Another number whenever the same area may look different. */
  get version(): number {
    return this.changes;
  }

  /** The area's columns, PARTS numbers each, [y][x]. Stacks of chunks that changed are looked at anew until `end`; returns
   *  whether some are left. */
  read({ x, y, width, height, step }: Area, end: number, out: Float32Array): boolean {
    const { logX, logY } = this.mirror.sides;
    let late = false;
    const fresh = new Map<number, Stack | null>();
    const stackAt = (chunkX: number, chunkY: number): Stack | null => {
      const key = chunkKey(chunkX, chunkY, 0);
      let stack = fresh.get(key);
      if (stack === undefined) {
        stack = this.stack(key, chunkX, chunkY, fresh.size === 0 || performance.now() < end);
        late ||= stack === null || this.isStale(stack, chunkX, chunkY);
        fresh.set(key, stack);
      }
      return stack;
    };
    for (let j = 0; j < height; ++j) {
      const cellY = y + j * step;
      for (let i = 0; i < width; ++i) {
        const cellX = x + i * step;
        const stack = stackAt(cellX >> logX, cellY >> logY);
        const to = (j * width + i) * PARTS;
        if (!stack) {
          out.set([0, NONE, NONE, NONE], to);
          continue;
        }
        const from = (((cellY & ((1 << logY) - 1)) << logX) | (cellX & ((1 << logX) - 1))) * PARTS;
        for (let part = 0; part < PARTS; ++part) out[to + part] = stack.columns[from + part]!;
      }
    }
    return late;
  }

  /** Null: there is no time for one that was not seen before. */
  private stack(key: number, x: number, y: number, hasTime: boolean): Stack | null {
    const held = this.stacks.get(key);
    if (held && !(hasTime && this.isStale(held, x, y))) return held;
    if (!hasTime) return null;
    const { logX, logY } = this.mirror.sides;
    const stack = held ?? { columns: new Float32Array(PARTS << (logX + logY)), stale: false, waves: 0 };
    this.look(x, y, stack.columns);
    stack.stale = false;
    stack.waves = this.layers()?.version(x, y) ?? 0;
    this.stacks.set(key, stack);
    return stack;
  }

  private isStale({ stale, waves }: Stack, x: number, y: number): boolean {
    return stale || waves !== (this.layers()?.version(x, y) ?? 0);
  }

  private look(chunkX: number, chunkY: number, columns: Float32Array): void {
    const { logX, logY } = this.mirror.sides;
    const layers = this.layers();
    const waving = layers?.has("waves") ? layers : null;
    for (let row = 0, to = 0; row < 1 << logY; ++row) {
      for (let column = 0; column < 1 << logX; ++column, to += PARTS) {
        const [x, y] = [(chunkX << logX) + column, (chunkY << logY) + row];
        this.column(x, y, columns, to);
        const water = columns[to + 1]!;
        if (!waving || water <= 0) continue;
        const wave = waving.waveAt({ x, y, z: Math.ceil(water) - 1 }) ?? 0;
        columns[to + 1] = Math.max(water + wave, heightOf(columns[to]!));
      }
    }
  }

  private column(x: number, y: number, columns: Float32Array, to: number): void {
    const { mirror } = this;
    const { logX, logY, logZ } = mirror.sides;
    columns.set([0, NONE, NONE, NONE], to);
    let run = NONE; // the surface of the water that is being passed
    const fallen = (bottom: number) => {
      if (run !== NONE && columns[to + 2] === NONE) [columns[to + 2], columns[to + 3]] = [run, bottom];
      run = NONE;
    };
    for (let chunkZ = (mirror.size.z - 1) >> logZ; chunkZ >= 0; --chunkZ) {
      const cells = mirror.chunk(x >> logX, y >> logY, chunkZ);
      const floor = chunkZ << logZ;
      if (!cells) {
        fallen(floor + (1 << logZ));
        continue;
      }
      const row = ((y & ((1 << logY) - 1)) << (logZ + logX)) | (x & ((1 << logX) - 1));
      for (let z = Math.min(floor + (1 << logZ), mirror.size.z) - 1; z >= floor; --z) {
        const cell = cells[row + ((z - floor) << logX)]!;
        if (cell > 0) {
          if (run === NONE) run = z + Math.min(1, cell / FULL);
        } else if (cell === 0 || cell === TRAPPED_AIR) {
          fallen(z + 1);
        } else {
          columns[to] = cell <= THINNEST_ICE ? iceAt(z + 1) : z + 1;
          columns[to + 1] = run;
          return;
        }
      }
    }
    columns[to + 1] = run; // it stands on the world's floor
  }
}
