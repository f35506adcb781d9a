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
    // Rock at a border is lit by what lies above it.
    const above = this.tiles.get(chunkKey(coord.x, coord.y + 1, 0));
    if (above) above.stale = true;
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
    for (let column = 0; column < width; ++column) {
      const x = (chunkX << logX) + column;
      const topY = ((chunkY + 1) << logY) - 1;
      let depth = this.depthAbove(x, topY);
      for (let row = 0; row < height; ++row) {
        const y = topY - row;
        const cell = this.mirror.cell(x, y, this.slice);
        if (tile.detail === 1) {
          pixels[row * width + column] = this.farPixel(cell, x, y, depth);
        } else {
          this.paintCell(pixels, tile.canvas.width, column * DETAIL, row * DETAIL, cell, x, y, depth);
        }
        depth = cell > 0 ? depth + 1 : 0;
      }
    }
    context.putImageData(image, 0, 0);
  }

  /** How many cells of water stand on the cell, up to where it makes no difference. */
  private depthAbove(x: number, y: number): number {
    let depth = 0;
    while (depth < DEEPEST && this.mirror.cell(x, y + depth + 1, this.slice) > 0) ++depth;
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
