// Which cells of two recordings' worlds differ, and marking them in both panes. The two mirrors are
// compared where they show the same tick, chunk by chunk as they change.
import type { Camera } from "./camera";
import { chunkKey, type Vec3 } from "./geometry";
import type { Mirror } from "./mirror";
import type { NodeView, PipeMirror } from "./pipe_mirror";

const MARK = "255, 77, 141";
/** Below this many pixels a cell a chunk's cells are framed together, so that no single one is lost. */
const CELL_SCALE = 2;
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
      if (camera.scale >= CELL_SCALE) this.paintCells(context, camera, pixelRatio, tile);
      else frame(context, left, top, right, bottom);
    }
    context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
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
    context.lineWidth = Math.min(0.3, (camera.scale < 6 ? 1 : 1.5) / camera.scale);
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
    const tile: Tile = {
      count: 0, fill: new Path2D(), outline: new Path2D(),
      left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity,
    };
    const firstX = coord.x << logX;
    const firstY = coord.y << logY;
    for (let y = firstY; y < firstY + (1 << logY); ++y) {
      for (let x = firstX; x < firstX + (1 << logX); ++x) {
        if (!this.differ(x, y)) continue;
        ++tile.count;
        tile.left = Math.min(tile.left, x);
        tile.right = Math.max(tile.right, x);
        tile.bottom = Math.min(tile.bottom, y);
        tile.top = Math.max(tile.top, y);
        tile.fill.rect(x, y, 1, 1);
        const edge = (beside: boolean, x1: number, y1: number, x2: number, y2: number) => {
          if (beside) return;
          tile.outline.moveTo(x1, y1);
          tile.outline.lineTo(x2, y2);
        };
        edge(this.differ(x - 1, y), x, y, x, y + 1);
        edge(this.differ(x + 1, y), x + 1, y, x + 1, y + 1);
        edge(this.differ(x, y - 1), x, y, x + 1, y);
        edge(this.differ(x, y + 1), x, y + 1, x + 1, y + 1);
      }
    }
    return tile.count > 0 ? tile : null;
  }
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
