// Pictures of a quantity over the picture of the world: of cells (amount, depth, head, flow, layers) or of chunks (awake,
// age, bytes). What a chunk's cells look like is kept until the chunk looks different. The orbiting view has the same
// colours, of what is seen from above, one for each of its columns.
import type { Activity } from "./activity";
import type { Camera } from "./camera";
import { AWAKE, isOfChunks, lookOfChunk, type ChunkLook } from "./chunk_overlay";
import { chunkKey } from "./geometry";
import { FULL, type Mirror } from "./mirror";
import { LayerShades, type Extent } from "./layer_overlay";
import { LEGEND, paintArrows } from "./flow_arrows";
import type { Layers } from "./layers";
import { eachColumn, type Area as ColumnArea } from "./orbit_columns";
import { isOfLayer, type Legend, type OverlayName } from "./overlay_kinds";
import { DEPTHS, RAMP_CSS, shadeAt, SMALLEST_SPAN, spanOf, YOUNG_FIRST_CSS } from "./overlay_ramp";
import { pixel } from "./palette";
import type { Pieces } from "./surfaces";
import { amountOf, standingOf } from "./top_overlay";
import type { WaveLooks } from "./wave_looks";

/** What the overlays need of the painter. */
export interface Painted {
  /** Grows whenever the chunk looks different. */
  version(x: number, y: number): number;
  piecesOf(x: number, y: number): Pieces | undefined;
  /** What is seen of the chunk, with waves; null: none are drawn. */
  lookOf(x: number, y: number): Uint32Array | undefined;
  headAt(x: number, y: number): number | null;
  readonly waves: WaveLooks | null;
}

const MOST_TILES = 4096;
/** Milliseconds of a frame for chunks that look different; the others follow in the next ones. */
const BUDGET = 5;
/** A chunk that is wider on the screen has its number written in it, in pixels. */
const TEXT_WIDTH = 54;

interface Tile {
  canvas: OffscreenCanvas;
  image: ImageData;
  version: number;
  /** Of the scale that it was painted with. */
  scale: number;
  /** What its numbers lie between. */
  extent: Extent;
}

/** What is still to come: of chunks that look different, and by itself. */
interface Outlook {
  late: boolean;
  fades: boolean;
}

export class Overlay {
  private name: OverlayName = "none";
  private tiles = new Map<number, Tile>();
  private depth = DEPTHS[2]!;
  private span = SMALLEST_SPAN;
  /** Of the frame that is painted: whether some chunks are to follow, and what their numbers lie between. */
  private late = false;
  private seen: Extent = { least: Infinity, most: -Infinity };
  /** How often depths or heads were given other colours. */
  private rescaled = 0;
  /** Of the overlays that show a layer. */
  private shades: LayerShades | null = null;

  constructor(
    private readonly mirror: Mirror, private readonly activity: Activity,
    /** Null: they are not there yet. `above`: one looks down from a height. */
    private readonly layers: () => Layers | null, private readonly above: boolean,
    private readonly legendChanged: (legend: Legend | null) => void,
  ) {}

  /** The same of coarse cells. */
  coarse(mirror: Mirror, layers: Layers): Overlay {
    const overlay = new Overlay(mirror, this.activity, () => layers, false, this.legendChanged);
    overlay.set(this.name);
    return overlay;
  }

  set(name: OverlayName): void {
    this.name = name;
    this.shades = null;
    this.reset();
  }

  /** Another slice, or another painter, whose versions begin anew. */
  reset(): void {
    this.tiles.clear();
  }

  get legend(): Legend | null {
    switch (this.name) {
      case "none": return null;
      case "amount": return { title: "Water in a cell", marks: ["little", "full", "twice"], ramp: RAMP_CSS, swatches: [] };
      case "depth":
        return { title: `Depth ${this.above ? "at the bed" : "under the surface"}, in cells`, marks: ["0", String(this.depth / 2), String(this.depth)],
          ramp: RAMP_CSS, swatches: [] };
      case "head": {
        const { from, size } = this.span;
        return { title: "Surface over the world's floor, in cells", marks: [from, from + size / 2, from + size].map(String), ramp: RAMP_CSS, swatches: [] };
      }
      case "flow": return LEGEND;
      case "age":
        return { title: "Last change of a chunk", marks: ["1 s ago", "30 s", "17 min"], ramp: YOUNG_FIRST_CSS,
          swatches: [["rgba(140, 165, 200, 0.25)", "none since it came into view"]] };
      case "views":
        return { title: "What others see: a frame in the colour of each", marks: [], swatches: [] };
      case "awake":
        return { title: "Chunks", marks: [], swatches: [[`rgba(${AWAKE.join()}, 0.6)`, "changed just now"],
          ["rgba(140, 165, 200, 0.25)", "at rest"], ["transparent", "all air, or out of view"]] };
      case "bytes":
        return { title: "Bytes a second for a chunk", marks: ["10", "100", "1 k", "10 k", "100 k"], ramp: RAMP_CSS, swatches: [] };
      default: return this.shades?.legend ?? null;
    }
  }

  /** Returns whether the next frame will look different. */
  paint(context: CanvasRenderingContext2D, camera: Camera, slice: number, painted: Painted, now: number): boolean {
    if (!this.isShown) return false;
    if (this.name === "flow") {
      const cell = (x: number, y: number): number => this.mirror.cell(x, y, slice);
      paintArrows(context, camera, { cell, headAt: (x, y) => painted.headAt(x, y) });
      return false;
    }
    context.fillStyle = `rgba(${this.veil.join()})`;
    context.fillRect(0, 0, camera.width, camera.height);
    const { size, sides } = this.mirror;
    const firstX = Math.max(0, Math.floor(camera.worldX(0)) >> sides.logX);
    const lastX = Math.min(size.x - 1, Math.floor(camera.worldX(camera.width))) >> sides.logX;
    const firstY = Math.max(0, Math.floor(camera.worldY(camera.height)) >> sides.logY);
    const lastY = Math.min(size.y - 1, Math.floor(camera.worldY(0))) >> sides.logY;
    const area = { firstX, lastX, firstY, lastY };
    if (isOfChunks(this.name)) return this.paintChunks(context, camera, slice, area, now);
    return this.paintCells(context, camera, slice, area, painted, now);
  }

  private paintCells(
    context: CanvasRenderingContext2D, camera: Camera, slice: number, area: Area, painted: Painted, now: number,
  ): boolean {
    const { sides } = this.mirror;
    const tileOf = this.beginTiles(slice, painted, now);
    context.imageSmoothingEnabled = camera.scale < 1;
    for (let y = area.firstY; y <= area.lastY; ++y) {
      for (let x = area.firstX; x <= area.lastX; ++x) {
        if (!this.hasCells(x, y, slice >> sides.logZ)) continue;
        const tile = tileOf(x, y);
        const { left, top, width, height } = placeOf(camera, sides, x, y);
        context.drawImage(tile.canvas, left, top, width, height);
      }
    }
    return this.endTiles();
  }

  /** Of what gives chunks' pictures for one frame, as they are now. */
  private beginTiles(slice: number, painted: Painted, now: number): (x: number, y: number) => Tile {
    const end = performance.now() + BUDGET;
    [this.late, this.seen] = [false, { least: Infinity, most: -Infinity }];
    this.takeLayer();
    return (x, y) => {
      const key = chunkKey(x, y, 0);
      let tile = this.tiles.get(key);
      const version = this.shades?.version(x, y, painted, now) ?? painted.version(x, y);
      if (!tile || tile.version !== version || tile.scale !== this.scale) {
        // A chunk that was never painted is, at once: a hole would be a lie.
        if (tile && performance.now() > end) this.late = true;
        else this.tiles.set(key, (tile = this.paintTile(tile, x, y, slice, painted, version, now)));
      }
      this.seen.least = Math.min(this.seen.least, tile.extent.least);
      this.seen.most = Math.max(this.seen.most, tile.extent.most);
      return tile;
    };
  }

  /** Returns whether the next frame will look different. */
  private endTiles(): boolean {
    if (this.tiles.size > MOST_TILES) this.reset();
    return this.rescale(this.seen) || this.late;
  }

  /** Whether it colours anything: what others see is drawn by people.ts. */
  get isShown(): boolean {
    return this.name !== "none" && this.name !== "views";
  }

  /** What lies over all that has no colour of its own: red, green, blue, and its alpha. */
  get veil(): readonly [number, number, number, number] {
    return document.documentElement.dataset["palette"] === "light" ? [255, 255, 255, 0.5] : [6, 8, 11, 0.5];
  }

  /** Whether rock has the colour of its column, too, and not only water and ice. */
  get coversRock(): boolean {
    return isOfChunks(this.name) || this.name === "steam";
  }

  /** The colours of the orbiting view's columns, pixels in [y][x]; 0 where there is none. */
  tint(area: ColumnArea, columns: Float32Array, painted: Painted, now: number, out: Uint32Array): Outlook {
    out.fill(0);
    if (isOfChunks(this.name)) return { late: false, fades: this.tintByChunk(area, columns, now, out) };
    const { logX, logY } = this.mirror.sides;
    const tileOf = this.beginTiles(this.mirror.size.z - 1, painted, now);
    let [chunkX, chunkY] = [NaN, NaN];
    let pixels = out; // of the chunk that has the column
    eachColumn(area, columns, (i, x, y) => {
      if (x >> logX !== chunkX || y >> logY !== chunkY) {
        [chunkX, chunkY] = [x >> logX, y >> logY];
        pixels = new Uint32Array(tileOf(chunkX, chunkY).image.data.buffer);
      }
      const row = (1 << logY) - 1 - (y & ((1 << logY) - 1));
      out[i] = pixels[(row << logX) | (x & ((1 << logX) - 1))]!;
    });
    return { late: this.endTiles(), fades: false };
  }

  /** Each by the chunk in which the uppermost thing is that is seen of it. */
  private tintByChunk(area: ColumnArea, columns: Float32Array, now: number, out: Uint32Array): boolean {
    const { logX, logY, logZ } = this.mirror.sides;
    const looks = new Map<number, ChunkLook>();
    let fades = false;
    eachColumn(area, columns, (i, x, y, top) => {
      const [chunkX, chunkY, chunkZ] = [x >> logX, y >> logY, Math.max(0, Math.ceil(top) - 1) >> logZ];
      const key = chunkKey(chunkX, chunkY, chunkZ);
      let look = looks.get(key);
      if (!look) looks.set(key, (look = lookOfChunk(this.name, this.activity, chunkX, chunkY, chunkZ, now)));
      fades ||= look.fades;
      out[i] = ((pixel(look.colour) & 0xffffff) | (Math.round(look.alpha * 255) << 24)) >>> 0;
    });
    return fades;
  }

  /** Whether there may be something to show: air alone is not kept, but steam is in it, and from above one looks down. */
  private hasCells(x: number, y: number, z: number): boolean {
    return this.above || this.mirror.chunk(x, y, z) !== undefined ||
      (this.shades !== null && this.layers()?.chunk(this.shades.name, x, y, z) !== undefined);
  }

  /** The layer that is to be shown, as soon as there is one. */
  private takeLayer(): void {
    const layers = this.layers();
    if (this.shades || !layers?.has(this.name)) return;
    this.shades = new LayerShades(this.mirror, layers, this.name, this.above);
    this.legendChanged(this.legend);
  }

  private get scale(): number {
    return this.shades?.scale ?? this.rescaled;
  }

  /** The scale suits what is in view; it shrinks only when it is far too large, so that it does not flicker. */
  private rescale(seen: Extent): boolean {
    if (this.shades) {
      if (!this.shades.rescale(seen)) return false;
      this.legendChanged(this.legend);
      return true;
    }
    if (!(this.name === "depth" ? this.rescaleDepths(seen) : this.name === "head" && this.rescaleHeads(seen))) return false;
    ++this.rescaled;
    this.legendChanged(this.legend);
    return true;
  }

  private rescaleDepths(seen: Extent): boolean {
    const deepest = Math.max(0, seen.most);
    const fits = DEPTHS.find((depth) => depth >= deepest) ?? DEPTHS.at(-1)!;
    if (fits === this.depth || (fits < this.depth && deepest > this.depth * 0.3)) return false;
    this.depth = fits;
    return true;
  }

  private rescaleHeads(seen: Extent): boolean {
    const before = this.span;
    this.span = spanOf(seen, before);
    return this.span !== before;
  }

  private paintTile(
    held: Tile | undefined, x: number, y: number, slice: number, painted: Painted, version: number, now: number,
  ): Tile {
    const { logX, logY } = this.mirror.sides;
    const [width, height] = [1 << logX, 1 << logY];
    const tile: Tile = held ?? { canvas: new OffscreenCanvas(width, height), image: new ImageData(width, height), version, scale: 0, extent: { least: 0, most: 0 } };
    const pixels = new Uint32Array(tile.image.data.buffer);
    pixels.fill(0);
    tile.extent = { least: Infinity, most: -Infinity };
    if (this.shades) tile.extent = this.shades.paint(pixels, x, y, slice, painted, now);
    else if (isOfLayer(this.name)) void 0; // it is still to come
    else if (this.above) tile.extent = this.fromAbove(pixels, x, y, slice);
    else if (this.name === "amount") this.amounts(pixels, x, y, slice);
    else tile.extent = this.surfaces(pixels, painted.piecesOf(x, y), y);
    tile.canvas.getContext("2d")!.putImageData(tile.image, 0, 0);
    tile.version = version;
    tile.scale = this.scale;
    return tile;
  }

  private amounts(pixels: Uint32Array, x: number, y: number, slice: number): void {
    const { logX, logY, logZ } = this.mirror.sides;
    const cells = this.mirror.chunk(x, y, slice >> logZ)!;
    const layer = (slice & ((1 << logZ) - 1)) << logX;
    for (let row = 0; row < 1 << logY; ++row) {
      const from = (row << (logX + logZ)) + layer;
      const to = ((1 << logY) - 1 - row) << logX;
      for (let column = 0; column < 1 << logX; ++column) {
        const cell = cells[from + column]!;
        if (cell > 0) pixels[to + column] = shadeAt(cell / FULL / 2);
      }
    }
  }

  /** Of each column one number; returns what they lie between. */
  private fromAbove(pixels: Uint32Array, chunkX: number, chunkY: number, slice: number): Extent {
    const { mirror, name, depth, span } = this;
    const { logX, logY } = mirror.sides;
    const extent = { least: Infinity, most: -Infinity };
    for (let place = 0; place < 1 << (logX + logY); ++place) {
      const [x, y] = [(chunkX << logX) + (place & ((1 << logX) - 1)), (chunkY << logY) + (1 << logY) - 1 - (place >> logX)];
      const value = name === "amount" ? amountOf(mirror, slice, x, y) : standingOf(mirror, slice, x, y)?.[name === "head" ? "head" : "depth"] ?? null;
      if (value === null) continue;
      extent.least = Math.min(extent.least, value);
      extent.most = Math.max(extent.most, value);
      pixels[place] = shadeAt(name === "amount" ? value / FULL / 2 : name === "head" ? (value - span.from) / span.size : value / depth);
    }
    return extent;
  }

  /** Depths under the surface, or its heads; returns what they lie between. */
  private surfaces(pixels: Uint32Array, pieces: Pieces | undefined, y: number): Extent {
    const extent = { least: Infinity, most: -Infinity };
    if (!pieces) return extent;
    const { logX, logY } = this.mirror.sides;
    const { depth, span, name } = this;
    for (let column = 0; column < 1 << logX; ++column) {
      for (let i = pieces.first[column]!; i < pieces.first[column + 1]!; ++i) {
        const head = pieces.head[i]!;
        for (let row = pieces.low[i]!; row <= pieces.high[i]!; ++row) {
          const value = name === "head" ? head : Math.max(0, head - (y << logY) - row - 0.5);
          extent.least = Math.min(extent.least, value);
          extent.most = Math.max(extent.most, value);
          pixels[(((1 << logY) - 1 - row) << logX) | column] = shadeAt(name === "head" ? (value - span.from) / span.size : value / depth);
        }
      }
    }
    return extent;
  }

  private paintChunks(
    context: CanvasRenderingContext2D, camera: Camera, slice: number, area: Area, now: number,
  ): boolean {
    const { sides, size } = this.mirror;
    const z = slice >> sides.logZ;
    let fades = false;
    context.lineWidth = 1;
    context.textAlign = "center";
    context.font = "11px ui-sans-serif, system-ui, sans-serif";
    for (let y = area.firstY; y <= area.lastY; ++y) {
      for (let x = area.firstX; x <= area.lastX; ++x) {
        if (!this.mirror.chunk(x, y, z)) continue;
        const { left, top, width, height } = placeOf(camera, sides, x, y, size);
        const { colour, alpha, text, fades: will } = lookOfChunk(this.name, this.activity, x, y, z, now);
        fades ||= will;
        context.fillStyle = `rgba(${colour.map(Math.round).join()}, ${alpha})`;
        context.fillRect(left, top, width, height);
        context.strokeStyle = "rgba(140, 165, 200, 0.35)";
        context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
        if (width >= TEXT_WIDTH && height >= 20) label(context, text, left + width / 2, top + height / 2 + 4);
      }
    }
    return fades;
  }
}

interface Area {
  firstX: number;
  lastX: number;
  firstY: number;
  lastY: number;
}

/** White on black, so that it is read on every colour. */
function label(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  const wide = context.measureText(text).width + 10;
  context.fillStyle = "rgba(6, 8, 11, 0.72)";
  context.fillRect(x - wide / 2, y - 12, wide, 16);
  context.fillStyle = "#ffffff";
  context.fillText(text, x, y);
}

/** On whole pixels, so that no seams show; `size`: no farther than the world. */
function placeOf(
  camera: Camera, sides: { logX: number; logY: number }, x: number, y: number, size = { x: Infinity, y: Infinity },
) {
  const left = Math.round(camera.screenX(x << sides.logX));
  const right = Math.round(camera.screenX(Math.min(size.x, (x + 1) << sides.logX)));
  const top = Math.round(camera.screenY(Math.min(size.y, (y + 1) << sides.logY)));
  const bottom = Math.round(camera.screenY(y << sides.logY));
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}
