// Paints a slice of the world into a canvas, pixel by pixel. What each chunk looks like is kept, as it
// is and as it was a tick ago: between two ticks the picture is between the two.
import type { Camera } from "./camera";
import { chunkKey, clamp, type Vec3 } from "./geometry";
import { Looks, mixLooks, stonesOf } from "./look";
import type { Mirror } from "./mirror";
import { BEYOND_PIXEL } from "./palette";
import { airOf, drawFar, drawNear, halve, NEAR, paintFar, type Frame } from "./raster";
import { Surfaces, type Pieces } from "./surfaces";

/** Milliseconds of a frame for chunks that changed; others of them wait for the next frame. */
const BUDGET = 6;
/** Milliseconds after which a tick is no longer the continuation of the one before. */
const LONGEST_STEP = 250;
/** Chunks kept, some 40 kB each, while they are off the screen; all that are on it are kept. */
const MOST_TILES = 4096;
/** Below this many milliseconds a tick, each is simply shown. */
const SHORTEST_STEP = 20;

interface Tile {
  x: number;
  y: number;
  look: Uint32Array;
  stones: Uint8Array;
  /** A tick ago; empty until the chunk first changed. */
  before: Uint32Array;
  /** Whether `before` is that, and not older. */
  moves: boolean;
  /** Levels of detail of `look`, the cells themselves first; made when they are asked for. */
  levels: Uint32Array[];
  stale: boolean;
  /** Grows whenever it became stale. */
  version: number;
  /** The frame that it was last in. */
  frame: number;
}

export class Painter {
  private readonly tiles = new Map<number, Tile>();
  private readonly surfaces: Surfaces;
  private readonly looks: Looks;
  private readonly mixed: Uint32Array;
  private readonly mixedFar: Uint32Array;
  private image: ImageData | null = null;
  private frames = 0;
  private tickTime = 0;
  private step = 0;
  private fresh = new Set<Tile>();

  constructor(
    private readonly mirror: Mirror, private readonly slice: number, private readonly still: boolean,
    private readonly mostTiles = MOST_TILES,
  ) {
    const { logX, logY } = mirror.sides;
    this.surfaces = new Surfaces(mirror, slice);
    this.looks = new Looks(mirror, this.surfaces, slice);
    this.mixed = new Uint32Array(1 << (logX + logY));
    this.mixedFar = new Uint32Array(1 << (logX + logY));
  }

  /** A tick's chunks changed, at this time. */
  ticked(coords: Vec3[], now: number): void {
    const { logZ } = this.mirror.sides;
    for (const { x, y, z } of coords) {
      if (z !== this.slice >> logZ) continue;
      this.surfaces.changed(x, y);
      for (const [dx, dy] of [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]] as const) this.spoil(x + dx, y + dy);
    }
    this.step = now - this.tickTime;
    this.tickTime = now;
    for (const tile of this.fresh) tile.moves = false;
    this.fresh.clear();
  }

  /** Returns whether the next frame will look different. */
  paint(context: CanvasRenderingContext2D, camera: Camera, now: number): boolean {
    const { canvas } = context;
    if (!this.image || this.image.width !== canvas.width || this.image.height !== canvas.height) {
      this.image = context.createImageData(Math.max(1, canvas.width), Math.max(1, canvas.height));
    }
    const scale = (camera.scale * canvas.width) / camera.width;
    const frame: Frame = {
      pixels: new Uint32Array(this.image.data.buffer), width: canvas.width, height: canvas.height,
      left: camera.worldX(0), top: camera.worldY(0), scale, worldHeight: this.mirror.size.y,
    };
    for (const { x, y } of this.surfaces.settle()) {
      for (const dx of [-1, 0, 1]) this.spoil(x + dx, y);
    }
    const share = this.share(now);
    ++this.frames;
    const unfinished = this.draw(frame, share);
    if (this.tiles.size > this.mostTiles) this.forget();
    context.putImageData(this.image, 0, 0);
    return unfinished || (share < 1 && this.fresh.size > 0);
  }

  /** All of the world that was seen so far, as small as it gets. */
  paintSmall(context: CanvasRenderingContext2D): void {
    const { width, height } = context.canvas;
    const { sides, size } = this.mirror;
    const image = context.createImageData(width, height);
    const frame: Frame = {
      pixels: new Uint32Array(image.data.buffer), width, height, left: 0, top: size.y,
      scale: width / size.x, worldHeight: size.y,
    };
    for (let y = 0; y < height; ++y) {
      frame.pixels.fill(airOf(size.y - y / frame.scale, size.y), y * width, (y + 1) * width);
    }
    const level = clamp(Math.ceil(Math.log2(1 / frame.scale)), 0, Math.min(sides.logX, sides.logY));
    for (const tile of this.tiles.values()) {
      if (tile.levels.length === 0) continue;
      drawFar(frame, this.detail(tile, level), sides, level, tile.x << sides.logX, tile.y << sides.logY);
    }
    context.putImageData(image, 0, 0);
  }

  /** Of the water in the cell, in cells over the world's floor; null: there is none at rest. */
  headAt(x: number, y: number): number | null {
    return this.surfaces.headAt(x, y);
  }

  /** Grows whenever the chunk looks different; for pictures that are painted over this one. */
  version(x: number, y: number): number {
    return this.tiles.get(chunkKey(x, y, 0))?.version ?? 0;
  }

  piecesOf(x: number, y: number): Pieces | undefined {
    return this.surfaces.of(x, y);
  }

  private share(now: number): number {
    if (this.still || this.step < SHORTEST_STEP || this.step > LONGEST_STEP) return 1;
    return clamp((now - this.tickTime) / this.step, 0, 1);
  }

  private spoil(x: number, y: number): void {
    const tile = this.tiles.get(chunkKey(x, y, 0));
    if (!tile) return;
    tile.stale = true;
    ++tile.version;
  }

  /** All chunks in the frame; returns whether some could not be brought up to date in time. */
  private draw(frame: Frame, share: number): boolean {
    const { size, sides } = this.mirror;
    const right = frame.left + frame.width / frame.scale;
    const bottom = frame.top - frame.height / frame.scale;
    if (frame.left < 0 || bottom < 0 || right > size.x || frame.top > size.y) frame.pixels.fill(BEYOND_PIXEL);
    const firstX = Math.max(0, Math.floor(frame.left) >> sides.logX);
    const lastX = Math.min(size.x - 1, Math.floor(right)) >> sides.logX;
    const firstY = Math.max(0, Math.floor(bottom) >> sides.logY);
    const lastY = Math.min(size.y - 1, Math.floor(frame.top)) >> sides.logY;
    const level = clamp(Math.ceil(Math.log2(1 / frame.scale)), 0, Math.min(sides.logX, sides.logY));
    const end = performance.now() + BUDGET;
    let late = false;
    let refreshed = 0; // of those that were shown before; one at least, or a slow machine would never end
    for (let y = firstY; y <= lastY; ++y) {
      for (let x = firstX; x <= lastX; ++x) {
        const tile = this.tile(x, y);
        if (tile.stale) {
          const canWait = tile.levels.length > 0;
          if (canWait && refreshed > 0 && performance.now() > end) late = true;
          else {
            this.refresh(tile);
            if (canWait) ++refreshed;
          }
        }
        this.drawTile(frame, tile, level, share);
      }
    }
    return late;
  }

  /** Chunks that are not on the screen, those first that were not for longest. */
  private forget(): void {
    const away = [...this.tiles].filter(([, tile]) => tile.frame !== this.frames);
    away.sort(([, a], [, b]) => a.frame - b.frame);
    // A quarter more than has to go, so that not every frame of a pan has to look.
    const surplus = this.tiles.size - Math.floor(this.mostTiles * 0.75);
    for (const [key, tile] of away.slice(0, surplus)) {
      this.tiles.delete(key);
      this.fresh.delete(tile);
    }
  }

  private tile(x: number, y: number): Tile {
    const key = chunkKey(x, y, 0);
    let tile = this.tiles.get(key);
    if (!tile) {
      const stones = stonesOf(this.mirror.sides, x, y);
      tile = { x, y, look: new Uint32Array(stones.length), stones, before: new Uint32Array(0), moves: false,
        levels: [], stale: true, version: 1, frame: 0 };
      this.tiles.set(key, tile);
    }
    tile.frame = this.frames;
    return tile;
  }

  private refresh(tile: Tile): void {
    if (tile.levels.length > 0 && !tile.moves) {
      if (tile.before.length === 0) tile.before = tile.look.slice();
      else tile.before.set(tile.look);
      tile.moves = true;
      this.fresh.add(tile);
    }
    this.looks.paint(tile.x, tile.y, tile.stones, tile.look);
    const { sides, size } = this.mirror;
    const pixels = tile.levels[0] ?? new Uint32Array(tile.look.length);
    paintFar(tile.look, sides, tile.y << sides.logY, size.y, pixels);
    tile.levels = [pixels];
    tile.stale = false;
  }

  private drawTile(frame: Frame, tile: Tile, level: number, share: number): void {
    const { sides, size } = this.mirror;
    const left = tile.x << sides.logX;
    const floor = tile.y << sides.logY;
    let look = tile.look;
    const moves = share < 1 && tile.moves && level === 0;
    if (moves) mixLooks(tile.before, tile.look, share, (look = this.mixed));
    if (frame.scale >= NEAR) {
      const beside = (x: number) => this.tiles.get(chunkKey(x, tile.y, 0))?.look ?? null;
      drawNear(frame, look, { left: beside(tile.x - 1), right: beside(tile.x + 1) }, sides, left, floor);
    } else if (moves) {
      paintFar(look, sides, floor, size.y, this.mixedFar);
      drawFar(frame, this.mixedFar, sides, 0, left, floor);
    } else {
      drawFar(frame, this.detail(tile, level), sides, level, left, floor);
    }
  }

  private detail(tile: Tile, level: number): Uint32Array {
    const { logX, logY } = this.mirror.sides;
    for (let have = tile.levels.length; have <= level; ++have) {
      const width = 1 << (logX - have + 1);
      const height = 1 << (logY - have + 1);
      const half = new Uint32Array((width * height) / 4);
      halve(tile.levels[have - 1]!, width, height, half);
      tile.levels.push(half);
    }
    return tile.levels[level]!;
  }
}
