// Paints a slice of the world. Each chunk of the slice is a tile, an image that is painted again
// only when the chunk (or the water above it) changed; a frame puts tiles side by side.
//
// Far away a cell is one pixel of its tile; near, DETAIL x DETAIL of them, so that a part-filled cell
// has a level and rock a grain.
import type { Camera } from "./camera";
import { chunkKey, type Vec3 } from "./geometry";
import { FULL, ROCK, type Mirror } from "./mirror";
import {
  airPixel, BEYOND_PIXEL, DEEPEST, mixWater, noise, rockPixel, SURFACE_PIXEL, waterPixel,
} from "./palette";

const DETAIL = 8;
const DETAIL_FROM_SCALE = 4;
/** A cell of water looks at most this much deeper than its open neighbours: a thin fall through a
 *  lake is not an abyss. */
const DEPTH_SLOPE = 3;
/** Columns beside a tile that its depths depend on. */
const MARGIN = 8;
/** Tiles kept while they are off the screen. */
const MAX_TILES = 400;

interface Tile {
  canvas: HTMLCanvasElement;
  detail: number;
  stale: boolean;
}

export class Painter {
  private readonly tiles = new Map<number, Tile>();
  private slice = 0;

  constructor(private readonly mirror: Mirror) {}

  setSlice(z: number): void {
    if (z !== this.slice) this.tiles.clear();
    this.slice = z;
  }

  /** The chunk changed: its tile is stale, and those below, whose water may lie deeper now. */
  changed(coord: Vec3): void {
    const { logY, logZ } = this.mirror.sides;
    if (coord.z !== this.slice >> logZ) return;
    const below = Math.ceil(DEEPEST / (1 << logY));
    for (let y = coord.y; y >= coord.y - below; --y) {
      const tile = this.tiles.get(chunkKey(coord.x, y, 0));
      if (tile) tile.stale = true;
    }
    // Rock at a border is lit by what lies beside it, and depths blend over it.
    for (const [x, y] of [[coord.x, coord.y + 1], [coord.x - 1, coord.y], [coord.x + 1, coord.y]]) {
      const tile = this.tiles.get(chunkKey(x!, y!, 0));
      if (tile) tile.stale = true;
    }
  }

  paint(context: CanvasRenderingContext2D, camera: Camera, pixelRatio: number): void {
    const { size, sides } = this.mirror;
    const detail = camera.scale >= DETAIL_FROM_SCALE ? DETAIL : 1;
    const width = 1 << sides.logX;
    const height = 1 << sides.logY;
    const firstX = Math.max(0, Math.floor(camera.worldX(0) / width));
    const lastX = Math.min(Math.ceil(size.x / width) - 1, Math.floor(camera.worldX(camera.width) / width));
    const firstY = Math.max(0, Math.floor(camera.worldY(camera.height) / height));
    const lastY = Math.min(Math.ceil(size.y / height) - 1, Math.floor(camera.worldY(0) / height));
    context.imageSmoothingEnabled = camera.scale * pixelRatio < detail;
    context.imageSmoothingQuality = "medium";
    // Tiles meet on whole device pixels, or their seams would show.
    const snap = (value: number) => Math.round(value * pixelRatio) / pixelRatio;
    for (let y = lastY; y >= firstY; --y) {
      for (let x = firstX; x <= lastX; ++x) {
        const tile = this.tile(x, y, detail);
        const left = snap(camera.screenX(x * width));
        const right = snap(camera.screenX((x + 1) * width));
        const top = snap(camera.screenY((y + 1) * height));
        const bottom = snap(camera.screenY(y * height));
        context.drawImage(tile.canvas, left, top, right - left, bottom - top);
      }
    }
    this.forgetSome();
  }

  private tile(x: number, y: number, detail: number): Tile {
    const key = chunkKey(x, y, 0);
    let tile = this.tiles.get(key);
    if (tile && tile.detail === detail && !tile.stale) return tile;
    if (!tile || tile.detail !== detail) {
      const canvas = document.createElement("canvas");
      canvas.width = (1 << this.mirror.sides.logX) * detail;
      canvas.height = (1 << this.mirror.sides.logY) * detail;
      tile = { canvas, detail, stale: true };
      this.tiles.delete(key); // put last: the map is in the order of use
      this.tiles.set(key, tile);
    }
    this.paintTile(x, y, tile);
    tile.stale = false;
    return tile;
  }

  private forgetSome(): void {
    for (const key of this.tiles.keys()) {
      if (this.tiles.size <= MAX_TILES) return;
      this.tiles.delete(key);
    }
  }

  private paintTile(chunkX: number, chunkY: number, tile: Tile): void {
    const { logX, logY } = this.mirror.sides;
    const width = 1 << logX;
    const height = 1 << logY;
    const context = tile.canvas.getContext("2d")!;
    const image = context.createImageData(tile.canvas.width, tile.canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const left = (chunkX << logX) - MARGIN;
    const topY = ((chunkY + 1) << logY) - 1;
    const columns = width + 2 * MARGIN;
    const depths = new Float32Array(columns); // of water above the row's cells
    for (let i = 0; i < columns; ++i) depths[i] = this.depthAbove(left + i, topY);
    const cells = new Int32Array(columns);
    for (let row = 0; row < height; ++row) {
      const y = topY - row;
      for (let i = 0; i < columns; ++i) cells[i] = this.mirror.cell(left + i, y, this.slice);
      soften(cells, depths);
      for (let column = 0; column < width; ++column) {
        const i = column + MARGIN;
        const x = left + i;
        if (tile.detail === 1) {
          pixels[row * width + column] = this.farPixel(cells[i]!, x, y, depths[i]!);
        } else {
          this.paintCell(pixels, tile.canvas.width, column * DETAIL, row * DETAIL, cells[i]!, x, y,
            depths[i]!);
        }
      }
      for (let i = 0; i < columns; ++i) {
        depths[i] = cells[i]! > 0 ? depths[i]! + Math.min(1, cells[i]! / FULL) : 0;
      }
    }
    context.putImageData(image, 0, 0);
  }

  /** Cells of water that stand on the cell, up to where it makes no difference. */
  private depthAbove(x: number, y: number): number {
    let depth = 0;
    for (let above = y + 1; above <= y + DEEPEST; ++above) {
      const cell = this.mirror.cell(x, above, this.slice);
      if (cell <= 0) break;
      depth += Math.min(1, cell / FULL);
    }
    return depth;
  }

  private farPixel(cell: number, x: number, y: number, depth: number): number {
    if (cell === ROCK) return rockPixel(x, y, noise(x, y), this.rockLight(x, y));
    if (cell < 0) return BEYOND_PIXEL;
    const air = airPixel(y / this.mirror.size.y);
    if (cell === 0) return air;
    return cell >= FULL || depth > 0 ? waterPixel(cell, depth) : mixWater(cell, air);
  }

  private rockLight(x: number, y: number): number {
    return this.mirror.cell(x, y + 1, this.slice) >= 0 ? 14 : 0;
  }

  private paintCell(
    pixels: Uint32Array, stride: number, left: number, top: number,
    cell: number, x: number, y: number, depth: number,
  ): void {
    if (cell === ROCK) return this.paintRock(pixels, stride, left, top, x, y);
    const air = cell < 0 ? BEYOND_PIXEL : airPixel(y / this.mirror.size.y);
    if (cell > 0 && this.falls(cell, x, y)) {
      return this.paintFall(pixels, stride, left, top, cell, air);
    }
    // Water under water fills its cell: a hair of air inside a body would only flicker.
    const full = depth > 0 || cell >= FULL;
    const level = cell <= 0 ? 0 : full ? DETAIL : Math.max(1, Math.round((cell * DETAIL) / FULL));
    const water = waterPixel(cell, depth);
    for (let row = 0; row < DETAIL; ++row) {
      const fromBottom = DETAIL - 1 - row;
      let colour = fromBottom < level ? water : air;
      if (depth === 0 && level > 0 && fromBottom === level - 1) colour = SURFACE_PIXEL;
      const start = (top + row) * stride + left;
      pixels.fill(colour, start, start + DETAIL);
    }
  }

  /** Whether the water is on its way: less than a full cell over one that would take it. */
  private falls(cell: number, x: number, y: number): boolean {
    const below = this.mirror.cell(x, y - 1, this.slice);
    return cell < FULL && below >= 0 && below < FULL * 0.9;
  }

  /** A strand as wide as there is water, faint at its edges. */
  private paintFall(
    pixels: Uint32Array, stride: number, left: number, top: number, cell: number, air: number,
  ): void {
    const width = Math.max(2, Math.round((cell * DETAIL) / FULL));
    const first = (DETAIL - width) >> 1;
    const core = mixWater(FULL * 0.7, air);
    const edge = mixWater(FULL * 0.2, air);
    for (let row = 0; row < DETAIL; ++row) {
      const start = (top + row) * stride + left;
      pixels.fill(air, start, start + DETAIL);
      pixels.fill(core, start + first, start + first + width);
      pixels[start + first] = edge;
      pixels[start + first + width - 1] = edge;
    }
  }

  private paintRock(
    pixels: Uint32Array, stride: number, left: number, top: number, x: number, y: number,
  ): void {
    const z = this.slice;
    const openAbove = this.mirror.cell(x, y + 1, z) >= 0;
    const openBelow = this.mirror.cell(x, y - 1, z) >= 0;
    const openLeft = this.mirror.cell(x - 1, y, z) >= 0;
    const openRight = this.mirror.cell(x + 1, y, z) >= 0;
    const last = DETAIL - 1;
    for (let row = 0; row < DETAIL; ++row) {
      for (let column = 0; column < DETAIL; ++column) {
        let light = 0;
        if (openAbove && row === 0) light = 34;
        else if (openAbove && row === 1) light = 14;
        else if (openBelow && row === last) light = -22;
        else if ((openLeft && column === 0) || (openRight && column === last)) light = -10;
        // Stones of two by two pixels, laid over the strata.
        const fineX = x * DETAIL + column;
        const fineY = y * DETAIL + last - row;
        const grain = (noise(fineX >> 1, fineY >> 1) + noise(fineX >> 3, fineY >> 2)) >> 1;
        pixels[(top + row) * stride + left + column] =
          rockPixel(fineX / DETAIL, fineY / DETAIL, grain, light);
      }
    }
  }
}

function soften(cells: Int32Array, depths: Float32Array): void {
  const last = cells.length - 1;
  for (let i = 1; i <= last; ++i) {
    if (cells[i - 1]! >= 0) depths[i] = Math.min(depths[i]!, depths[i - 1]! + DEPTH_SLOPE);
  }
  for (let i = last - 1; i >= 0; --i) {
    if (cells[i + 1]! >= 0) depths[i] = Math.min(depths[i]!, depths[i + 1]! + DEPTH_SLOPE);
  }
}
