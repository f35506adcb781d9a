// Numbers of a layer as something soft over the picture, by WebGL and by the processor alike: a small canvas a chunk, a
// pixel a cell, drawn smoothed.
//
//   +---------+   a cell of the chunks around goes along on each side, so that two canvases
//   |.........|   are smoothed alike where they meet; what is drawn ends with the chunk
//   |.       .|
//   |.........|   between two tellings pixels go over from one to the other
//   +---------+
import type { Camera } from "./camera";
import { chunkKey, chunkOfKey, type Vec3 } from "./geometry";
import type { Mirror } from "./mirror";
import { coloursVersion } from "./palette";

/** Milliseconds for one telling to go over into the next. */
const STEP = 220;
/** From farther away, in pixels a cell, there are many chunks in view: they jump from one telling to the next. */
const LEAST_SCALE = 1;
/** Cells of the chunks around that are known: one is drawn, and looks one farther. */
const MARGIN = 2;

export interface Source {
  /** Whether the layer's chunks at that depth are seen. */
  sees(z: number, slice: number): boolean;
  /** What is seen in each cell of a chunk, row by row from below; null: nothing. NaN: the cell takes no part. */
  read(x: number, y: number, slice: number): Float32Array | null;
  /** Of the cell at that place, among its neighbours: the next row is `stride` on. 0: nothing. */
  pixel(values: Float32Array, at: number, stride: number): number;
  /** Chunks of which something was told. */
  coords(): Vec3[];
}

/** What was told of a chunk, and what was shown then. */
interface Field {
  from: Float32Array;
  to: Float32Array;
  at: number;
  step: number;
  version: number;
}

interface Tile {
  /** Null: nothing is seen. */
  canvas: OffscreenCanvas | null;
  /** Of which numbers, and how far they are. */
  sign: number;
}

export class Sheet {
  private readonly fields = new Map<number, Field>();
  private readonly tiles = new Map<number, Tile>();
  /** Chunks that were told anew. */
  private readonly stale = new Set<number>();
  /** Those with something, and those beside them. */
  private near: Vec3[] | null = null;
  private slice = -1;
  private colours = -1;
  private versions = 0;

  /** `still`: one telling jumps to the next. */
  constructor(private readonly mirror: Mirror, private readonly source: Source, private readonly still: boolean) {}

  told(coords: Vec3[]): void {
    for (const { x, y, z } of coords) if (this.source.sees(z, this.slice)) this.stale.add(chunkKey(x, y, 0));
  }

  /** Returns whether the next frame will look different. */
  paint(context: CanvasRenderingContext2D, camera: Camera, slice: number, now: number): boolean {
    const isNew = slice !== this.slice;
    if (isNew) this.begin(slice);
    if (this.colours !== coloursVersion) this.tiles.clear();
    this.colours = coloursVersion;
    this.take(now, isNew || this.still || camera.scale < LEAST_SCALE ? 0 : STEP);
    if (this.fields.size === 0) return false;
    context.save();
    context.imageSmoothingEnabled = true;
    for (const { x, y } of (this.near ??= this.around())) {
      const place = placeOf(context, camera, this.mirror, x, y);
      if (place.right < 0 || place.left > camera.width || place.bottom < 0 || place.top > camera.height) continue;
      const { canvas } = this.tileOf(x, y, now);
      if (canvas) draw(context, place, canvas);
    }
    context.restore();
    return this.moves(now);
  }

  private begin(slice: number): void {
    this.slice = slice;
    for (const each of [this.fields, this.tiles, this.stale]) each.clear();
    this.near = null;
    this.told(this.source.coords());
  }

  private take(now: number, step: number): void {
    for (const key of this.stale) {
      const { x, y } = chunkOfKey(key);
      const to = this.source.read(x, y, this.slice);
      const held = this.fields.get(key);
      if (!held && !to) continue;
      if (!held) this.near = null;
      const { logX, logY } = this.mirror.sides;
      const count = 1 << (logX + logY);
      const from = held?.from ?? new Float32Array(count);
      if (held) for (let i = 0; i < count; ++i) from[i] = mixed(held, i, shareOf(held, now));
      this.fields.set(key, { from, to: to ?? new Float32Array(count), at: now, step, version: ++this.versions });
    }
    this.stale.clear();
  }

  /** Lets go of what has come to nothing. */
  private moves(now: number): boolean {
    let moves = false;
    for (const [key, field] of this.fields) {
      if (now < field.at + field.step) moves = true;
      else if (field.to.every((value) => !value)) {
        this.fields.delete(key);
        this.near = null;
        const { x, y } = chunkOfKey(key);
        for (const [dx, dy] of AROUND) this.tiles.delete(chunkKey(x + dx, y + dy, 0));
      }
    }
    return moves;
  }

  private around(): Vec3[] {
    const { size, sides } = this.mirror;
    const keys = new Set<number>();
    for (const key of this.fields.keys()) {
      const { x, y } = chunkOfKey(key);
      for (const [dx, dy] of AROUND) {
        const [beside, above] = [x + dx, y + dy];
        const isInside = beside >= 0 && above >= 0 && beside << sides.logX < size.x && above << sides.logY < size.y;
        if (isInside) keys.add(chunkKey(beside, above, 0));
      }
    }
    for (const key of this.tiles.keys()) if (!keys.has(key)) this.tiles.delete(key);
    return [...keys].map(chunkOfKey);
  }

  private tileOf(x: number, y: number, now: number): Tile {
    const key = chunkKey(x, y, 0);
    const fields = AROUND.map(([dx, dy]) => (x + dx < 0 || y + dy < 0 ? undefined : this.fields.get(chunkKey(x + dx, y + dy, 0))));
    const sign = fields.reduce((sum, field) => sum + (field ? 2 * field.version + shareOf(field, now) : 0), 0);
    let tile = this.tiles.get(key);
    if (!tile) this.tiles.set(key, (tile = { canvas: null, sign: -1 }));
    if (tile.sign === sign) return tile;
    tile.sign = sign;
    const { logX, logY } = this.mirror.sides;
    const [width, height] = [(1 << logX) + 2, (1 << logY) + 2];
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    if (!this.fill(pixels, fields, now)) tile.canvas = null;
    else (tile.canvas ??= new OffscreenCanvas(width, height)).getContext("2d")!.putImageData(image, 0, 0);
    return tile;
  }

  /** `fields`: of the chunk and those around it. Returns whether anything is seen. */
  private fill(pixels: Uint32Array, fields: (Field | undefined)[], now: number): boolean {
    const { logX, logY } = this.mirror.sides;
    const [width, height] = [1 << logX, 1 << logY];
    const stride = width + 2 * MARGIN;
    const values = new Float32Array(stride * (height + 2 * MARGIN));
    fields.forEach((field, i) => {
      if (!field) return;
      const share = shareOf(field, now);
      const [dx, dy] = AROUND[i]!;
      const [firstX, lastX] = dx === 0 ? [0, width] : dx < 0 ? [width - MARGIN, width] : [0, MARGIN];
      const [firstY, lastY] = dy === 0 ? [0, height] : dy < 0 ? [height - MARGIN, height] : [0, MARGIN];
      for (let y = firstY; y < lastY; ++y) {
        let to = (y + dy * height + MARGIN) * stride + firstX + dx * width + MARGIN;
        for (let x = firstX; x < lastX; ++x) values[to++] = mixed(field, (y << logX) | x, share);
      }
    });
    let isSeen = false;
    for (let row = 0; row < height + 2; ++row) {
      let at = (height + MARGIN - row) * stride + MARGIN - 1;
      for (let i = row * (width + 2); i < (row + 1) * (width + 2); ++i) {
        const pixel = this.source.pixel(values, at++, stride);
        if (pixel !== 0) isSeen = true;
        pixels[i] = pixel;
      }
    }
    return isSeen;
  }
}

const AROUND: readonly [dx: number, dy: number][] =
  [[0, 0], [-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

function shareOf({ at, step }: Field, now: number): number {
  return now >= at + step ? 1 : (now - at) / step;
}

function mixed({ from, to }: Field, i: number, share: number): number {
  const [before, after] = [from[i]!, to[i]!];
  return before === after || Number.isNaN(before) ? after : before + (after - before) * share;
}

interface Place {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** Of the canvas with its margin. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** On whole pixels of the canvas, so that no seams show, and no farther than the world. */
function placeOf(context: CanvasRenderingContext2D, camera: Camera, { size, sides: { logX, logY } }: Mirror, x: number, y: number): Place {
  const ratio = context.canvas.width / camera.width;
  const whole = (at: number) => Math.round(at * ratio) / ratio;
  const [left, bottom] = [x << logX, y << logY];
  return {
    left: whole(camera.screenX(left)), right: whole(camera.screenX(Math.min(size.x, left + (1 << logX)))),
    top: whole(camera.screenY(Math.min(size.y, bottom + (1 << logY)))), bottom: whole(camera.screenY(bottom)),
    x: camera.screenX(left - 1), y: camera.screenY(bottom + (1 << logY) + 1),
    width: ((1 << logX) + 2) * camera.scale, height: ((1 << logY) + 2) * camera.scale,
  };
}

function draw(context: CanvasRenderingContext2D, place: Place, canvas: OffscreenCanvas): void {
  context.save();
  context.beginPath();
  context.rect(place.left, place.top, place.right - place.left, place.bottom - place.top);
  context.clip();
  context.drawImage(canvas, place.x, place.y, place.width, place.height);
  context.restore();
}
