// Which chunks of a slice are in the picture, and which of them are looked at anew. What each looks like is
// kept, as it is and as it was a tick ago: between two ticks the picture is between the two.
import type { Camera } from "./camera";
import { chunkKey, clamp, type Vec3 } from "./geometry";
import { Looks, stonesOf } from "./look";
import type { Mirror } from "./mirror";
import { levelOf, viewOf, type Picture, type View } from "./picture";
import { airOf, drawFar, type Frame } from "./raster";
import { Surfaces, type Pieces } from "./surfaces";
import type { WaveLooks } from "./wave_looks";
import { detail, keep, newStamp, newTile, type Tile } from "./tile";

/** Milliseconds of a frame for surfaces and chunks that changed; others of them wait for the next frame. */
const BUDGET = 6;
/** After a tick that took so many milliseconds to read all of them wait for a frame: the next ones have nothing to read. */
const LONG_READING = 3;
/** Milliseconds after which a tick is no longer the continuation of the one before. */
const LONGEST_STEP = 250;
/** Chunks kept, some 40 kB each, while they are off the screen; all that are on it are kept. */
const MOST_TILES = 4096;
/** Below this many milliseconds a tick, each is simply shown. */
const SHORTEST_STEP = 20;

/** What a painter sees of a slice. */
export interface Eyes {
  /** Whether chunks of that layer are seen. */
  sees(z: number): boolean;
  changed(x: number, y: number): void;
  /** The chunks that look different, besides those that changed. */
  settle(): { x: number; y: number }[];
  /** `stones` is asked for where there is rock. */
  paint(x: number, y: number, stones: () => Uint8Array, look: Uint32Array): void;
  headAt(x: number, y: number): number | null;
  piecesOf(x: number, y: number): Pieces | undefined;
}

function eyesOf(mirror: Mirror, slice: number): Eyes {
  const surfaces = new Surfaces(mirror, slice);
  const looks = new Looks(mirror, surfaces, slice);
  return {
    sees: (z) => z === slice >> mirror.sides.logZ,
    changed: (x, y) => surfaces.changed(x, y),
    settle: () => surfaces.settle(),
    paint: (x, y, stones, look) => looks.paint(x, y, stones, look),
    headAt: (x, y) => surfaces.headAt(x, y),
    piecesOf: (x, y) => surfaces.of(x, y),
  };
}

export class Painter {
  private readonly tiles = new Map<number, Tile>();
  private frames = 0;
  private tickTime = 0;
  private step = 0;
  /** Milliseconds since the last frame that reading ticks took. */
  private reading = 0;
  /** Whether what changed had to wait for this frame. */
  private waited = false;
  private fresh = new Set<Tile>();
  /** What moves surfaces; null: they are at rest. */
  waves: WaveLooks | null = null;

  constructor(
    private readonly mirror: Mirror, slice: number, private readonly still: boolean,
    private readonly mostTiles = MOST_TILES, private readonly eyes = eyesOf(mirror, slice),
  ) {}

  /** A tick's chunks changed, at this time; it took `reading` milliseconds to know. */
  ticked(coords: Vec3[], now: number, reading = 0): void {
    this.reading += reading;
    for (const { x, y, z } of coords) {
      if (!this.eyes.sees(z)) continue;
      this.eyes.changed(x, y);
      for (const [dx, dy] of [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]] as const) this.spoil(x + dx, y + dy);
    }
    this.step = now - this.tickTime;
    this.tickTime = now;
    for (const tile of this.fresh) tile.moves = false;
    this.fresh.clear();
  }

  /** A picture of so many pixels; returns whether the next frame will look different. */
  paint(picture: Picture, width: number, height: number, camera: Camera, now: number): boolean {
    const waits = this.reading > LONG_READING && !this.waited;
    const end = waits ? 0 : performance.now() + BUDGET;
    [this.waited, this.reading] = [waits, 0];
    for (const { x, y } of waits ? [] : this.eyes.settle()) {
      for (const dx of [-1, 0, 1]) this.spoil(x + dx, y);
    }
    const { size, sides } = this.mirror;
    const share = this.share(now);
    const view = viewOf(camera, width, height, size, sides, share);
    ++this.frames;
    picture.begin(view, (x, y) => this.tiles.get(chunkKey(x, y, 0)) ?? null);
    const unfinished = this.draw(view, picture, end, now);
    picture.end();
    if (this.tiles.size > this.mostTiles) this.forget();
    return unfinished || waits || this.waves?.moves(now) || (share < 1 && this.fresh.size > 0);
  }

  /** All of the world that was seen so far, as small as it gets; `over` what was painted there already. */
  paintSmall(context: CanvasRenderingContext2D, over = false): void {
    const { width, height } = context.canvas;
    const { sides, size } = this.mirror;
    const image = over ? context.getImageData(0, 0, width, height) : context.createImageData(width, height);
    const frame: Frame = {
      pixels: new Uint32Array(image.data.buffer), width, height, left: 0, top: size.y,
      scale: width / size.x, worldHeight: size.y,
    };
    for (let y = 0; y < height && !over; ++y) {
      frame.pixels.fill(airOf(size.y - y / frame.scale, size.y), y * width, (y + 1) * width);
    }
    const level = levelOf(frame.scale, sides);
    for (const tile of this.tiles.values()) {
      if (tile.stamp === 0) continue;
      const pixels = detail(tile, level, sides, size.y);
      drawFar(frame, pixels, sides, level, tile.x << sides.logX, tile.y << sides.logY);
    }
    context.putImageData(image, 0, 0);
  }

  /** Of the water in the cell, in cells over the world's floor; null: there is none at rest. */
  headAt(x: number, y: number): number | null {
    return this.eyes.headAt(x, y);
  }

  /** Grows whenever the chunk looks different; for pictures that are painted over this one. */
  version(x: number, y: number): number {
    return this.tiles.get(chunkKey(x, y, 0))?.version ?? 0;
  }

  lookOf(x: number, y: number): Uint32Array | undefined {
    return this.tiles.get(chunkKey(x, y, 0))?.look;
  }

  piecesOf(x: number, y: number): Pieces | undefined {
    return this.eyes.piecesOf(x, y);
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

  /** All chunks in view; returns whether some could not be brought up to date in time. */
  private draw({ firstX, lastX, firstY, lastY }: View, picture: Picture, end: number, now: number): boolean {
    let late = false;
    const tiles: Tile[] = [];
    // Of those that were shown before; one at least, or a slow machine would never end, unless all wait.
    let refreshed = end === 0 ? 1 : 0;
    for (let y = firstY; y <= lastY; ++y) {
      for (let x = firstX; x <= lastX; ++x) {
        const tile = this.tile(x, y);
        if (tile.stale) {
          const canWait = tile.stamp !== 0;
          if (canWait && refreshed > 0 && performance.now() > end) late = true;
          else {
            this.refresh(tile);
            if (canWait) ++refreshed;
          }
        }
        this.waves?.raise(tile, now);
        tiles.push(tile);
      }
    }
    // When all are as they are to be seen: surfaces run on into the next ones.
    for (const tile of tiles) picture.tile(tile);
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
    if (!tile) this.tiles.set(key, (tile = newTile(x, y, this.mirror.sides)));
    tile.frame = this.frames;
    return tile;
  }

  private refresh(tile: Tile): void {
    if (tile.stamp !== 0 && !tile.moves) {
      keep(tile);
      tile.moves = true;
      this.fresh.add(tile);
    }
    const { sides, side } = this.mirror;
    this.eyes.paint(tile.x, tile.y, () => (tile.stones ??= stonesOf(sides, tile.x, tile.y, side)), tile.look);
    tile.stamp = newStamp();
    tile.details.made = 0;
    tile.stale = false;
  }
}
