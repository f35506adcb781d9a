// The picture as a 2D canvas's pixels, painted by the processor.
import { CHUNK_CELLS } from "./geometry";
import { mixLooks } from "./look";
import { BEYOND_PIXEL, mixPixels } from "./palette";
import type { Picture, View } from "./picture";
import { drawFar, drawNear, drawSurfaces, NEAR, paintFar, type Frame } from "./raster";
import { detail, detailBefore, newStamp, type Tile } from "./tile";

export class CanvasPicture implements Picture {
  private image: ImageData | null = null;
  private frame: Frame | null = null;
  private view: View | null = null;
  private beside: (x: number, y: number) => Tile | null = () => null;
  private readonly mixedFar = new Uint32Array(CHUNK_CELLS);
  private stamp = 0;

  constructor(private readonly context: CanvasRenderingContext2D) {}

  begin(view: View, beside: (x: number, y: number) => Tile | null): void {
    const { width, height, left, top, scale, size } = view;
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = this.context.createImageData(Math.max(1, width), Math.max(1, height));
    }
    this.stamp = newStamp();
    this.view = view;
    this.beside = beside;
    const pixels = new Uint32Array(this.image.data.buffer);
    this.frame = { pixels, width, height, left, top, scale, worldHeight: size.y };
    const isInside = left >= 0 && top <= size.y && left + width / scale <= size.x && top - height / scale >= 0;
    if (!isInside) pixels.fill(BEYOND_PIXEL);
  }

  tile(tile: Tile): void {
    const { sides, size, scale, share, level } = this.view!;
    const frame = this.frame!;
    const left = tile.x << sides.logX;
    const floor = tile.y << sides.logY;
    const moves = share < 1 && tile.moves;
    if (level > 0) {
      let pixels = detail(tile, level, sides, size.y);
      if (moves) pixels = mixAll(detailBefore(tile, level, sides, size.y), pixels, share, this.mixedFar);
      return drawFar(frame, pixels, sides, level, left, floor);
    }
    const look = this.lookOf(tile)!;
    const around = (right: number, up: number) => this.lookOf(this.beside(tile.x + right, tile.y + up));
    if (scale >= NEAR) return drawNear(frame, look, around, sides, left, floor);
    if (moves) paintFar(look, sides, floor, size.y, this.mixedFar);
    drawFar(frame, moves ? this.mixedFar : detail(tile, 0, sides, size.y), sides, 0, left, floor);
    drawSurfaces(frame, look, around, sides, left, floor);
  }

  /** What is seen of it at this time. */
  private lookOf(tile: Tile | null): Uint32Array | undefined {
    const { sides, share } = this.view!;
    if (share === 1 || !tile?.moves) return tile?.look;
    const mixed = (tile.mixed ??= tile.look.slice());
    if (tile.mixedStamp === this.stamp) return mixed;
    tile.mixedStamp = this.stamp;
    const chunks = [0, 1, -1].map((up) => this.beside(tile.x, tile.y + up));
    const before = chunks.map((each) => (each?.moves ? each.before : each?.look));
    mixLooks(before, chunks.map((each) => each?.look), 1 << sides.logX, share, mixed);
    return mixed;
  }

  end(): void {
    this.context.putImageData(this.image!, 0, 0);
  }
}

/** Between what was seen (`share` 0) and what is. */
function mixAll(before: Uint32Array, now: Uint32Array, share: number, mixed: Uint32Array): Uint32Array {
  const weight = Math.round(share * 256);
  for (let i = 0; i < now.length; ++i) mixed[i] = before[i] === now[i] ? now[i]! : mixPixels(before[i]!, now[i]!, weight);
  return mixed;
}
