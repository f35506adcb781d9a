// Pictures of a quantity over the picture of the world: of cells (amount, depth, head, flow, layers) or of chunks (awake,
// age, bytes). What a chunk's cells look like is kept until the chunk looks different.
import { AWAKE_FOR, type Activity } from "./activity";
import { agoText } from "./ago";
import type { Camera } from "./camera";
import { chunkKey } from "./geometry";
import { FULL, type Mirror } from "./mirror";
import { LayerShades, type Extent } from "./layer_overlay";
import { LEGEND, LEGEND_FROM_ABOVE, paintArrows } from "./flow_arrows";
import type { Layers } from "./layers";
import type { Legend, OverlayName } from "./overlay_kinds";
import { blend, pixel, type Colour } from "./palette";
import type { Pieces } from "./surfaces";
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

/** From little to much: brighter with every step, and from blue to yellow, which nearly everybody sees. */
const RAMP: Colour[] = [[78, 70, 152], [58, 110, 172], [33, 152, 148], [104, 201, 98], [250, 230, 60]];
const SHADES = 256;
const PIXELS = Uint32Array.from({ length: SHADES }, (_, i) => pixel(rampAt(i / (SHADES - 1))));
/** Depth of the deepest cells of the scale, in cells; the smallest that suits what is in view is taken. */
const DEPTHS = [2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** Cells from the lowest to the highest colour of heads; the smallest that suits what is in view is taken. */
const SPANS = [1, 2, ...DEPTHS.slice(1), 2000, 5000, 10000, 20000, 50000];
/** Of the bytes' ramp, in powers of ten: 10 bytes a second to 100,000. */
const [LEAST_POWER, MOST_POWER] = [1, 5];
const FADE = 3000; // milliseconds
const MOST_TILES = 4096;
/** Milliseconds of a frame for chunks that look different; the others follow in the next ones. */
const BUDGET = 5;
const AWAKE: Colour = [255, 176, 60];
/** Of the ages' ramp, in powers of ten, from a second on. */
const MOST_AGE = 3;
/** A chunk that is wider on the screen has its number written in it, in pixels. */
const TEXT_WIDTH = 54;

function rampAt(share: number): Colour {
  const at = Math.max(0, Math.min(1, share)) * (RAMP.length - 1);
  const i = Math.min(RAMP.length - 2, Math.floor(at));
  return blend(RAMP[i]!, RAMP[i + 1]!, at - i);
}

function shadeAt(share: number): number {
  return PIXELS[Math.max(0, Math.min(SHADES - 1, Math.round(share * (SHADES - 1))))]!;
}

function gradient(colours: Colour[]): string {
  return `linear-gradient(90deg, ${colours.map((colour) => `rgb(${colour.join()})`).join(", ")})`;
}

const RAMP_CSS = gradient(RAMP);
const YOUNG_FIRST_CSS = gradient([...RAMP].reverse());

/** Heights over the world's floor: where the colours of heads begin, and how far they go. */
export interface Span {
  from: number;
  size: number;
}

/** A span of round numbers that holds all that is seen; `now` for as long as it does, and is not far too large. */
export function spanOf(seen: Extent, now: Span): Span {
  if (!(seen.most >= seen.least)) return now;
  const holds = seen.least >= now.from && seen.most <= now.from + now.size;
  if (holds && (now.size === SPANS[0] || seen.most - seen.least > now.size * 0.2)) return now;
  for (const size of SPANS) {
    const from = Math.floor(seen.least / (size / 2)) * (size / 2);
    if (seen.most <= from + size || size === SPANS.at(-1)) return { from, size };
  }
  return now;
}

interface Tile {
  canvas: OffscreenCanvas;
  image: ImageData;
  version: number;
  /** Of the scale that it was painted with. */
  scale: number;
  /** What its numbers lie between. */
  extent: Extent;
}

export class Overlay {
  private name: OverlayName = "none";
  private tiles = new Map<number, Tile>();
  private depth = DEPTHS[2]!;
  private span: Span = { from: 0, size: SPANS[0]! };
  /** How often depths or heads were given other colours. */
  private rescaled = 0;
  /** Of the overlays that show a layer. */
  private shades: LayerShades | null = null;

  constructor(
    private readonly mirror: Mirror, private readonly activity: Activity,
    /** Null: they are not there yet. `above`: one looks down from a height. */
    private readonly layers: () => Layers | null, private readonly above: boolean,
    private readonly legendChanged: () => void,
  ) {}

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
        return { title: "Depth under the surface, in cells", marks: ["0", String(this.depth / 2), String(this.depth)], ramp: RAMP_CSS, swatches: [] };
      case "head": {
        const { from, size } = this.span;
        return { title: "Surface over the world's floor, in cells", marks: [from, from + size / 2, from + size].map(String), ramp: RAMP_CSS, swatches: [] };
      }
      case "flow": return this.above ? LEGEND_FROM_ABOVE : LEGEND;
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
    if (this.name === "none" || this.name === "views") return false; // people.ts draws those
    if (this.name === "flow") {
      const cell = (x: number, y: number): number => this.mirror.cell(x, y, slice);
      if (!this.above) paintArrows(context, camera, { cell, headAt: (x, y) => painted.headAt(x, y) });
      return false;
    }
    const light = document.documentElement.dataset["palette"] === "light";
    context.fillStyle = light ? "rgba(255, 255, 255, 0.5)" : "rgba(6, 8, 11, 0.5)";
    context.fillRect(0, 0, camera.width, camera.height);
    const { size, sides } = this.mirror;
    const firstX = Math.max(0, Math.floor(camera.worldX(0)) >> sides.logX);
    const lastX = Math.min(size.x - 1, Math.floor(camera.worldX(camera.width))) >> sides.logX;
    const firstY = Math.max(0, Math.floor(camera.worldY(camera.height)) >> sides.logY);
    const lastY = Math.min(size.y - 1, Math.floor(camera.worldY(0))) >> sides.logY;
    const area = { firstX, lastX, firstY, lastY };
    if (["awake", "age", "bytes"].includes(this.name)) return this.paintChunks(context, camera, slice, area, now);
    return this.paintCells(context, camera, slice, area, painted, now);
  }

  private paintCells(
    context: CanvasRenderingContext2D, camera: Camera, slice: number, area: Area, painted: Painted, now: number,
  ): boolean {
    const { sides } = this.mirror;
    const end = performance.now() + BUDGET;
    let late = false;
    const seen: Extent = { least: Infinity, most: -Infinity };
    this.takeLayer();
    context.imageSmoothingEnabled = camera.scale < 1;
    for (let y = area.firstY; y <= area.lastY; ++y) {
      for (let x = area.firstX; x <= area.lastX; ++x) {
        if (!this.hasCells(x, y, slice >> sides.logZ)) continue;
        const key = chunkKey(x, y, 0);
        let tile = this.tiles.get(key);
        const version = this.shades?.version(x, y, painted, now) ?? painted.version(x, y);
        if (!tile || tile.version !== version || tile.scale !== this.scale) {
          // A chunk that was never painted is, at once: a hole would be a lie.
          if (tile && performance.now() > end) late = true;
          else this.tiles.set(key, (tile = this.paintTile(tile, x, y, slice, painted, version, now)));
        }
        seen.least = Math.min(seen.least, tile.extent.least);
        seen.most = Math.max(seen.most, tile.extent.most);
        const { left, top, width, height } = placeOf(camera, sides, x, y);
        context.drawImage(tile.canvas, left, top, width, height);
      }
    }
    if (this.tiles.size > MOST_TILES) this.reset();
    return this.rescale(seen) || late;
  }

  /** Whether there may be something to show: air alone is not kept, but steam is in it, and from above one looks down. */
  private hasCells(x: number, y: number, z: number): boolean {
    return (this.above && this.shades !== null) || this.mirror.chunk(x, y, z) !== undefined ||
      (this.shades !== null && this.layers()?.chunk(this.shades.name, x, y, z) !== undefined);
  }

  /** The layer that is to be shown, as soon as there is one. */
  private takeLayer(): void {
    const layers = this.layers();
    if (this.shades || !layers?.has(this.name)) return;
    this.shades = new LayerShades(this.mirror, layers, this.name, this.above);
    this.legendChanged();
  }

  private get scale(): number {
    return this.shades?.scale ?? this.rescaled;
  }

  /** The scale suits what is in view; it shrinks only when it is far too large, so that it does not flicker. */
  private rescale(seen: Extent): boolean {
    if (this.shades) {
      if (!this.shades.rescale(seen)) return false;
      this.legendChanged();
      return true;
    }
    if (!(this.name === "depth" ? this.rescaleDepths(seen) : this.name === "head" && this.rescaleHeads(seen))) return false;
    ++this.rescaled;
    this.legendChanged();
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
        const { colour, text, fades: will } = this.lookOfChunk(x, y, z, now);
        fades ||= will;
        context.fillStyle = colour;
        context.fillRect(left, top, width, height);
        context.strokeStyle = "rgba(140, 165, 200, 0.35)";
        context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
        if (width >= TEXT_WIDTH && height >= 20) label(context, text, left + width / 2, top + height / 2 + 4);
      }
    }
    return fades;
  }

  /** `fades`: it will look different by itself. */
  private lookOfChunk(x: number, y: number, z: number, now: number): { colour: string; text: string; fades: boolean } {
    const quiet = "rgba(140, 165, 200, 0.18)";
    if (this.name === "bytes") {
      const bytes = this.activity.bytesPerSecond(x, y, z, now);
      const text = bytes >= 1000 ? `${(bytes / 1000).toFixed(1)} kB/s` : `${Math.round(bytes)} B/s`;
      if (bytes < 1) return { colour: quiet, text, fades: false };
      return { colour: strong((Math.log10(bytes) - LEAST_POWER) / (MOST_POWER - LEAST_POWER)), text, fades: true };
    }
    const since = this.activity.sinceChange(x, y, z, now);
    if (since === null) return { colour: quiet, text: "rests", fades: false };
    if (this.name === "age") {
      const age = Math.log10(Math.max(1, since / 1000)) / MOST_AGE;
      return { colour: strong(1 - age), text: agoText(since, 1000), fades: true };
    }
    const share = Math.max(0, 1 - Math.max(0, since - AWAKE_FOR) / FADE);
    if (share === 0) return { colour: quiet, text: "rests", fades: false };
    const colour = `rgba(${AWAKE.join()}, ${(0.12 + 0.26 * share).toFixed(3)})`;
    return { colour, text: since < AWAKE_FOR ? "awake" : `${(since / 1000).toFixed(0)} s ago`, fades: true };
  }
}

/** A colour of the ramp that lets the picture through. */
function strong(share: number): string {
  return `rgba(${rampAt(share).map(Math.round).join()}, 0.6)`;
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
