// What is seen of a world from above: of each column the first cell under a height that is not air. Rock is darker
// the deeper it lies, with edges where the ground falls away; water is darker the deeper it is. A height within rock
// or water shows the cut through it.
import type { Eyes } from "./painter";
import { clamp } from "./geometry";
import { IS_BEYOND, IS_ROCK, OPEN_ABOVE, OPEN_BELOW, OPEN_LEFT, OPEN_RIGHT } from "./look";
import { FULL, OUTSIDE, THINNEST_ICE, TRAPPED_AIR, type Mirror } from "./mirror";
import { DEEPEST, SHADES_PER_CELL } from "./palette";
import type { Lies } from "./tools";
import type { Pieces } from "./surfaces";

/** Brightness that rock loses with each cell of depth, and down to the floor: there, too, it is no air. */
const DARKER = 4;
const DARKEST = 62;
const PALE = 250;
/** No column: beside the world, or nothing but air down to its floor. */
const NOTHING = -1;

export const isAir = (cell: number) => cell === 0 || cell === TRAPPED_AIR;

/** The height of the first cell of a column under a height that is not air; NOTHING: there is none. */
export function topOf(mirror: Mirror, slice: number, x: number, y: number): number {
  if (x < 0 || y < 0 || x >= mirror.size.x || y >= mirror.size.y) return NOTHING;
  const { logX, logY, logZ } = mirror.sides;
  for (let z = Math.min(slice, mirror.size.z - 1); z >= 0;) {
    const cells = mirror.chunk(x >> logX, y >> logY, z >> logZ);
    const floor = (z >> logZ) << logZ;
    if (cells) {
      const row = ((y & ((1 << logY) - 1)) << (logZ + logX)) | (x & ((1 << logX) - 1));
      for (; z >= floor; --z) if (!isAir(cells[row + ((z - floor) << logX)]!)) return z;
    }
    z = floor - 1;
  }
  return NOTHING;
}

/** How high a tool works that is used in a column from above, at most at the slice's height; `standing`: at the uppermost
 *  pipe or port there, if there is one. */
export function depthOf(mirror: Mirror, slice: number, { x, y }: { x: number; y: number }, lies: Lies, standing: boolean): number {
  const top = topOf(mirror, slice, x, y);
  if (standing) {
    const { nodes, ports } = mirror.pipes.networks;
    const places = [...nodes.map(({ node }) => node.at), ...ports.map(({ port }) => port.cell)];
    const heights = places.flatMap((at) => (at && at.x === x && at.y === y && at.z <= slice ? [at.z] : []));
    if (heights.length > 0) return Math.max(...heights);
  }
  if (top === NOTHING) return 0;
  const cell = mirror.cell(x, y, top);
  const isOn = lies !== "in" && (cell < 0 || (lies === "over" && cell >= FULL));
  return Math.min(slice, isOn ? top + 1 : top);
}

export class TopLooks implements Eyes {
  /** Of each column of a chunk and those around it, the height of what is seen. */
  private readonly heights: Int32Array;
  private readonly width: number;
  private readonly height: number;

  constructor(private readonly mirror: Mirror, private readonly slice: number) {
    this.width = 1 << mirror.sides.logX;
    this.height = 1 << mirror.sides.logY;
    this.heights = new Int32Array((this.width + 2) * (this.height + 2));
  }

  sees(z: number): boolean {
    return z <= this.slice >> this.mirror.sides.logZ;
  }

  // From above water has no surface line, and no heads are looked for.
  changed(): void {}
  settle(): [] {
    return [];
  }
  headAt(): null {
    return null;
  }
  piecesOf(): Pieces | undefined {
    return undefined;
  }

  paint(chunkX: number, chunkY: number, stones: () => Uint8Array, look: Uint32Array): void {
    const { mirror, width, height, heights } = this;
    const [left, bottom] = [chunkX * width, chunkY * height];
    let bright: Uint8Array | null = null;
    for (let y = -1; y <= height; ++y) {
      for (let x = -1; x <= width; ++x) heights[this.at(x, y)] = topOf(mirror, this.slice, left + x, bottom + y);
    }
    for (let y = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x) {
        const place = y * width + x;
        const top = heights[this.at(x, y)]!;
        const cell = mirror.cell(left + x, bottom + y, Math.max(0, top));
        if (cell === OUTSIDE) look[place] = IS_BEYOND;
        else if (top === NOTHING) look[place] = 0;
        else look[place] = cell > 0 ? this.water(left + x, bottom + y, top) : this.rock(x, y, top, cell <= THINNEST_ICE ? PALE : (bright ??= stones())[place]!);
      }
    }
  }

  private at(x: number, y: number): number {
    return (y + 1) * (this.width + 2) + x + 1;
  }

  private water(x: number, y: number, top: number): number {
    let units = 0;
    for (let z = top; z >= 0 && top - z <= DEEPEST; --z) {
      const cell = this.mirror.cell(x, y, z);
      if (cell <= 0) break;
      units += cell;
    }
    const depth = clamp(units / FULL, 0, DEEPEST);
    const fill = depth >= 1 ? 255 : Math.max(1, Math.round(depth * 255));
    return (Math.round(depth * SHADES_PER_CELL) << 8) | fill;
  }

  private rock(x: number, y: number, top: number, brightness: number): number {
    const light = clamp(Math.round(brightness - (this.slice - top) * Math.min(DARKER, DARKEST / (this.slice + 1))), 0, 255);
    const falls = (dx: number, dy: number) => this.heights[this.at(x + dx, y + dy)]! < top;
    return IS_ROCK | light | (falls(0, 1) ? OPEN_ABOVE : 0) | (falls(0, -1) ? OPEN_BELOW : 0) |
      (falls(-1, 0) ? OPEN_LEFT : 0) | (falls(1, 0) ? OPEN_RIGHT : 0);
  }
}
