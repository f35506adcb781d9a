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

/** The rock of a column without any, nor water that stands; or of one that is not known. Nothing is drawn there. */
export const VOID = -65536;
const EMPTY = [VOID, NONE, NONE, NONE];

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
  /** Grows with each change of its cells. */
  version: number;
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

/** All columns of which something is seen: their places in the list and in the world, and how high they reach. */
export function eachColumn(
  { x, y, width, height, step }: Area, columns: Float32Array, see: (i: number, x: number, y: number, top: number) => void,
): void {
  for (let i = 0; i < width * height; ++i) {
    const [rock, water, fallTop] = [columns[i * PARTS]!, columns[i * PARTS + 1]!, columns[i * PARTS + 2]!];
    const top = Math.max(rock === VOID ? NONE : heightOf(rock), water, fallTop);
    if (top !== NONE) see(i, x + (i % width) * step, y + Math.floor(i / width) * step, top);
  }
}

export class OrbitColumns {
  private readonly stacks = new Map<number, Stack>();
  /** Grows with each change of what was shown. */
  private changes = 0;
  /** The stack of an area that is looked at next. */
  private turn = 0;

  constructor(private readonly mirror: Mirror, private readonly layers: () => Layers | null) {}

  changed(coords: Vec3[]): void {
    for (const { x, y } of coords) {
      const stack = this.stacks.get(chunkKey(x, y, 0));
      if (!stack) continue;
      stack.stale = true;
      ++stack.version;
    }
    ++this.changes;
  }

  /** Another number whenever the same area may look different. */
  get version(): number {
    return this.changes;
  }

  /** Of the stack of a chunk alone, and of its cells. */
  versionOf(chunkX: number, chunkY: number): number {
    return this.stacks.get(chunkKey(chunkX, chunkY, 0))?.version ?? 0;
  }

  /** The area's columns, PARTS numbers each, [y][x]. Stacks of chunks that changed are looked at anew until `end`; returns
   *  whether some are left. */
  read(area: Area, end: number, out: Float32Array): boolean {
    const late = this.refresh(area, end);
    const { x, y, width, height, step } = area;
    const { logX } = this.mirror.sides;
    for (let j = 0, to = 0; j < height; ++j) {
      const cellY = y + j * step;
      for (let i = 0, chunkX = -1, columns: Float32Array | undefined; i < width; ++i, to += PARTS) {
        const cellX = x + i * step;
        if (cellX >> logX !== chunkX) columns = this.columnsAt((chunkX = cellX >> logX) << logX, cellY);
        this.copy(columns, cellX, cellY, out, to);
      }
    }
    return late;
  }

  /** A column as it was seen last; returns whether it was seen at all. */
  known(x: number, y: number, out: Float32Array): boolean {
    const columns = this.columnsAt(x, y);
    this.copy(columns, x, y, out, 0);
    return columns !== undefined;
  }

  private columnsAt(x: number, y: number): Float32Array | undefined {
    const { logX, logY } = this.mirror.sides;
    return this.stacks.get(chunkKey(x >> logX, y >> logY, 0))?.columns;
  }

  private copy(columns: Float32Array | undefined, x: number, y: number, out: Float32Array, to: number): void {
    const { logX, logY } = this.mirror.sides;
    const from = (((y & ((1 << logY) - 1)) << logX) | (x & ((1 << logX) - 1))) * PARTS;
    for (let part = 0; part < PARTS; ++part) out[to + part] = columns ? columns[from + part]! : EMPTY[part]!;
  }

  /** Of the stacks that changed those first that had no turn the last time: where all change in every tick, all are seen. */
  private refresh({ x, y, width, height, step }: Area, end: number): boolean {
    const { logX, logY } = this.mirror.sides;
    const [left, low] = [x >> logX, y >> logY];
    const across = ((x + (width - 1) * step) >> logX) - left + 1;
    const count = across * (((y + (height - 1) * step) >> logY) - low + 1);
    const first = this.turn % count;
    let done = 0; // one at least, or a slow machine would never end
    for (let i = 0; i < count; ++i) {
      const place = (first + i) % count;
      const [chunkX, chunkY] = [left + (place % across), low + Math.floor(place / across)];
      const key = chunkKey(chunkX, chunkY, 0);
      const held = this.stacks.get(key);
      if (held && !this.isStale(held, chunkX, chunkY)) continue;
      if (done > 0 && performance.now() > end) {
        this.turn = place;
        return true;
      }
      this.rebuild(key, chunkX, chunkY, held);
      ++done;
    }
    return false;
  }

  private rebuild(key: number, x: number, y: number, held: Stack | undefined): void {
    const { logX, logY } = this.mirror.sides;
    const stack = held ?? { columns: new Float32Array(PARTS << (logX + logY)), stale: false, waves: 0, version: 1 };
    this.look(x, y, stack.columns);
    stack.stale = false;
    stack.waves = this.layers()?.version(x, y) ?? 0;
    this.stacks.set(key, stack);
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
        const [rock, water] = [columns[to]!, columns[to + 1]!];
        if (waving && rock < 0 && rock !== VOID) columns[to] = this.shaped(waving, x, y, heightOf(rock));
        if (!waving || water <= 0) continue;
        const wave = waving.waveAt({ x, y, z: Math.ceil(water) - 1 }) ?? 0;
        columns[to + 1] = Math.max(water + wave, heightOf(columns[to]!));
      }
    }
  }

  /** Ice, with the wave that it froze. */
  private shaped(waving: Layers, x: number, y: number, top: number): number {
    return iceAt(Math.max(0, top + (waving.waveAt({ x, y, z: top - 1 }) ?? 0)));
  }

  private column(x: number, y: number, columns: Float32Array, to: number): void {
    const { mirror } = this;
    const { logX, logY, logZ } = mirror.sides;
    columns.set(EMPTY, to);
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
    if (run === NONE) return;
    // It stands on the world's floor.
    columns[to] = 0;
    columns[to + 1] = run;
  }
}
