// Which cells of two recordings' worlds differ, and marking them in both panes. The two mirrors are
// compared where they show the same tick, chunk by chunk as they change.
import type { Camera } from "./camera";
import { chunkKey, type Vec3 } from "./geometry";
import type { Mirror } from "./mirror";
import type { NodeView, PipeMirror } from "./pipe_mirror";

const MARK = "255, 77, 141";
/** Below this many pixels a cell a chunk's cells are framed together, so that no single one is lost. */
const CELL_SCALE = 0.5;
/** Cells of a chunk that cover fewer pixels than this get a frame, too. */
const EASILY_MISSED = 48;
/** Pixels that a frame measures at least. */
const SMALLEST_FRAME = 9;

/** The differing cells of one chunk in the slice. */
interface Tile {
  count: number;
  /** In cells of the world. */
  fill: Path2D;
  outline: Path2D;
  left: number;
  bottom: number;
  right: number;
  top: number;
}

export class Differences {
  private readonly stale = new Map<number, Vec3>();
  private readonly tiles = new Map<number, Tile>();

  constructor(private readonly a: Mirror, private readonly b: Mirror, private slice: number) {
    this.changed([...a.coords(), ...b.coords()]);
  }

  setSlice(z: number): void {
    if (z === this.slice) return;
    this.slice = z;
    this.tiles.clear();
    this.changed([...this.a.coords(), ...this.b.coords()]);
  }

  /** Chunks of either world. */
  changed(coords: Vec3[]): void {
    for (const coord of coords) {
      this.stale.set(chunkKey(coord.x, coord.y, coord.z), coord);
      // The outline of a neighbour's cells may run along the border.
      for (const [x, y] of [[-1, 0], [1, 0], [0, -1], [0, 1]] as const) {
        const there = { x: coord.x + x, y: coord.y + y, z: coord.z };
        const key = chunkKey(there.x, there.y, there.z);
        if (this.tiles.has(key)) this.stale.set(key, there);
      }
    }
  }

  /** Cells marked, of those that the mirrors hold. */
  get count(): number {
    this.settle();
    let count = 0;
    for (const tile of this.tiles.values()) count += tile.count;
    return count;
  }

  paint(context: CanvasRenderingContext2D, camera: Camera, pixelRatio: number): void {
    this.settle();
    context.save();
    for (const tile of this.tiles.values()) {
      const left = camera.screenX(tile.left);
      const right = camera.screenX(tile.right + 1);
      const top = camera.screenY(tile.top + 1);
      const bottom = camera.screenY(tile.bottom);
      if (right < 0 || bottom < 0 || left > camera.width || top > camera.height) continue;
      const cells = camera.scale >= CELL_SCALE;
      if (cells) this.paintCells(context, camera, pixelRatio, tile);
      context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
      const missed = tile.count * camera.scale ** 2 < EASILY_MISSED && camera.scale < 4;
      if (!cells || missed) frame(context, left, top, right, bottom);
    }
    this.paintNodes(context, camera);
    context.restore();
  }

  private paintCells(
    context: CanvasRenderingContext2D, camera: Camera, pixelRatio: number, tile: Tile,
  ): void {
    const scale = camera.scale * pixelRatio;
    context.setTransform(scale, 0, 0, -scale,
      camera.screenX(0) * pixelRatio, camera.screenY(0) * pixelRatio);
    context.fillStyle = `rgba(${MARK}, 0.3)`;
    context.fill(tile.fill);
    context.lineCap = "square";
    context.strokeStyle = `rgba(${MARK}, 0.95)`;
    context.lineWidth = (camera.scale < 6 ? Math.min(1, camera.scale) : 1.5) / camera.scale;
    context.stroke(tile.outline);
  }

  /** Rings around nodes of pipe networks that are not alike. */
  private paintNodes(context: CanvasRenderingContext2D, camera: Camera): void {
    if (this.a.tick !== this.b.tick) return;
    const { a, b } = this;
    context.strokeStyle = `rgba(${MARK}, 0.95)`;
    context.lineWidth = 2;
    context.setLineDash([5, 3]);
    const ring = ({ node }: NodeView) => {
      if (!node.at || node.at.z !== this.slice) return;
      const radius = Math.max(6, camera.scale * 0.85);
      context.beginPath();
      context.arc(camera.screenX(node.at.x + 0.5), camera.screenY(node.at.y + 0.5), radius, 0, 7);
      context.stroke();
    };
    for (const view of a.pipes.networks.nodes) if (differs(view, b.pipes)) ring(view);
    for (const view of b.pipes.networks.nodes) {
      if (!a.pipes.networks.byName.has(view.node.name)) ring(view);
    }
  }

  private settle(): void {
    if (this.a.tick !== this.b.tick) return; // one of the two is on its way
    for (const [key, coord] of this.stale) {
      const tile = this.look(coord);
      if (tile) this.tiles.set(key, tile);
      else this.tiles.delete(key);
    }
    this.stale.clear();
  }

  private differ(x: number, y: number): boolean {
    return this.a.cell(x, y, this.slice) !== this.b.cell(x, y, this.slice);
  }

  private look(coord: Vec3): Tile | null {
    const { logX, logY, logZ } = this.a.sides;
    if (coord.z !== this.slice >> logZ) return null;
    const width = 1 << logX;
    const height = 1 << logY;
    const firstX = coord.x << logX;
    const firstY = coord.y << logY;
    // Which cells differ, with a border of one cell around the chunk's own: outlines look there.
    const stride = width + 2;
    const bits = new Uint8Array(stride * (height + 2));
    const inA = this.a.chunk(coord.x, coord.y, coord.z);
    const inB = this.b.chunk(coord.x, coord.y, coord.z);
    let count = 0;
    for (let y = 0; y < height; ++y) {
      const row = ((y << logZ) | (this.slice & ((1 << logZ) - 1))) << logX;
      for (let x = 0; x < width; ++x) {
        if ((inA ? inA[row + x] : 0) === (inB ? inB[row + x] : 0)) continue;
        bits[(y + 1) * stride + x + 1] = 1;
        ++count;
      }
    }
    if (count === 0) return null;
    for (let x = 0; x < width; ++x) {
      bits[x + 1] = Number(this.differ(firstX + x, firstY - 1));
      bits[(height + 1) * stride + x + 1] = Number(this.differ(firstX + x, firstY + height));
    }
    for (let y = 0; y < height; ++y) {
      bits[(y + 1) * stride] = Number(this.differ(firstX - 1, firstY + y));
      bits[(y + 1) * stride + width + 1] = Number(this.differ(firstX + width, firstY + y));
    }
    return drawn(bits, width, height, firstX, firstY, count);
  }
}

/** The cells of `bits` as paths: long runs are one piece, because a frame may have many of them. */
function drawn(
  bits: Uint8Array, width: number, height: number, firstX: number, firstY: number, count: number,
): Tile {
  const stride = width + 2;
  const tile: Tile = {
    count, fill: new Path2D(), outline: new Path2D(),
    left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity,
  };
  const bit = (x: number, y: number) => bits[(y + 1) * stride + x + 1] === 1;
  /** f(from, to) for each run of `length` places at which `is` holds. */
  const runs = (length: number, is: (i: number) => boolean, f: (from: number, to: number) => void) => {
    for (let i = 0; i < length; ++i) {
      if (!is(i)) continue;
      const from = i;
      while (i < length && is(i)) ++i;
      f(from, i);
    }
  };
  const line = (x1: number, y1: number, x2: number, y2: number) => {
    tile.outline.moveTo(firstX + x1, firstY + y1);
    tile.outline.lineTo(firstX + x2, firstY + y2);
  };
  for (let y = 0; y < height; ++y) {
    runs(width, (x) => bit(x, y), (from, to) => {
      tile.fill.rect(firstX + from, firstY + y, to - from, 1);
      tile.left = Math.min(tile.left, firstX + from);
      tile.right = Math.max(tile.right, firstX + to - 1);
      tile.bottom = Math.min(tile.bottom, firstY + y);
      tile.top = Math.max(tile.top, firstY + y);
    });
    for (const side of [-1, 1]) {
      const edge = side < 0 ? y : y + 1;
      runs(width, (x) => bit(x, y) && !bit(x, y + side), (from, to) => line(from, edge, to, edge));
    }
  }
  for (let x = 0; x < width; ++x) {
    for (const side of [-1, 1]) {
      const edge = side < 0 ? x : x + 1;
      runs(height, (y) => bit(x, y) && !bit(x + side, y), (from, to) => line(edge, from, edge, to));
    }
  }
  return tile;
}

function differs(view: NodeView, others: PipeMirror): boolean {
  const other = others.networks.byName.get(view.node.name);
  if (!other) return true;
  const { node } = view;
  return view.amount !== other.amount || node.kind !== other.node.kind ||
    node.open !== other.node.open || node.rate !== other.node.rate ||
    node.capacity !== other.node.capacity;
}

function frame(
  context: CanvasRenderingContext2D, left: number, top: number, right: number, bottom: number,
): void {
  const grow = (low: number, high: number): [number, number] => {
    const missing = Math.max(4, SMALLEST_FRAME - (high - low)) / 2;
    return [low - missing, high - low + 2 * missing];
  };
  const [x, width] = grow(left, right);
  const [y, height] = grow(top, bottom);
  context.fillStyle = `rgba(${MARK}, 0.18)`;
  context.strokeStyle = `rgba(${MARK}, 0.95)`;
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(x, y, width, height, 3);
  context.fill();
  context.stroke();
}
