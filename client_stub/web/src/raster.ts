// Paints looks into pixels: one frame of a canvas, whatever the size of the world. The costs of a frame
// are those of its pixels, not of the cells in motion.
//
// Far away (under NEAR pixels a cell) each cell is a pixel of its chunk's picture, or several cells are
// (levels of detail, each half of the one before); a frame picks from them. Near, cells are painted one
// by one, so that a part-filled cell has a level and rock a grain.
import { CHUNK_CELLS, type ChunkSides } from "./geometry";
import {
  FALLS, IS_BEYOND, IS_ROCK, isSurface, OPEN_ABOVE, OPEN_BELOW, OPEN_LEFT, OPEN_RIGHT, SURFACE,
} from "./look";
import {
  AIR, BEYOND_PIXEL, mixPixels, noise, SHADES_PER_CELL, STONES, SURFACE_PIXEL, WATER,
} from "./palette";

/** From here on, in pixels a cell, cells have an inside. */
export const NEAR = 3;

/** A window of pixels and where it lies in the world. */
export interface Frame {
  pixels: Uint32Array;
  width: number;
  height: number;
  /** World position of the window's left upper corner, in cells. */
  left: number;
  top: number;
  /** Pixels a cell. */
  scale: number;
  /** Cells, for the air's height. */
  worldHeight: number;
}

/** Brightness of rock within a cell, for every place of a repeating pattern. */
export const GRAIN_SIDE = 64;
export const GRAIN = Int8Array.from({ length: GRAIN_SIDE * GRAIN_SIDE }, (_, i) => {
  const x = i % GRAIN_SIDE;
  const y = Math.floor(i / GRAIN_SIDE);
  return ((noise(x >> 1, y >> 1) + noise(x >> 3, y >> 2)) >> 1) * 0.14 - 18;
});
/** Of rock before its grain: no grain of ice, the palest, is brighter than there are colours. */
export const BRIGHTEST = 255 - GRAIN.reduce((most, grain) => Math.max(most, grain), 0);
/** Grains to a cell's side. */
export const FINE = 8;

/** A cell's colour from far. */
export function farPixel(look: number, air: number): number {
  const fill = look & 255;
  if (look & IS_ROCK) return STONES[Math.min(255, fill + (look & OPEN_ABOVE ? 16 : 0))]!;
  if (look & IS_BEYOND) return BEYOND_PIXEL;
  if (fill === 0) return air;
  const water = WATER[(look >> 8) & 255]!;
  return fill === 255 ? water : mixPixels(air, water, 64 + ((fill * 192) >> 8));
}

export function airOf(y: number, worldHeight: number): number {
  return AIR[Math.max(0, Math.min(255, Math.floor((y * 255) / worldHeight)))]!;
}

/** A chunk's cells as pixels, row by row from below. */
export function paintFar(
  look: Uint32Array, sides: ChunkSides, floor: number, worldHeight: number, pixels: Uint32Array,
): void {
  for (let row = 0; row < 1 << sides.logY; ++row) {
    const air = airOf(floor + row, worldHeight);
    for (let i = row << sides.logX; i < (row + 1) << sides.logX; ++i) pixels[i] = farPixel(look[i]!, air);
  }
}

/** Each two by two pixels become one. */
export function halve(pixels: Uint32Array, width: number, height: number, half: Uint32Array): void {
  for (let y = 0, to = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2, ++to) {
      const at = y * width + x;
      half[to] = mixPixels(mixPixels(pixels[at]!, pixels[at + 1]!, 128),
        mixPixels(pixels[at + width]!, pixels[at + width + 1]!, 128), 128);
    }
  }
}

/** Picks a chunk's pixels, one of which covers `step` cells each way, into the frame. */
export function drawFar(
  frame: Frame, pixels: Uint32Array, sides: ChunkSides, level: number, left: number, bottom: number,
): void {
  const width = 1 << (sides.logX - level);
  const height = 1 << (sides.logY - level);
  const step = 1 / (frame.scale * (1 << level)); // of the chunk's pixels for each of the frame's
  const [x0, x1] = span(left, 1 << sides.logX, frame.left, frame.scale, frame.width);
  const [y0, y1] = span(frame.top - bottom - (1 << sides.logY), 1 << sides.logY, 0, frame.scale, frame.height);
  const originX = (frame.left - left) / (1 << level);
  const originY = (frame.top - bottom) / (1 << level);
  for (let y = y0; y < y1; ++y) {
    const row = Math.min(height - 1, Math.max(0, Math.floor(originY - (y + 0.5) * step))) * width;
    let at = originX + (x0 + 0.5) * step;
    let to = y * frame.width + x0;
    for (let x = x0; x < x1; ++x, at += step) frame.pixels[to++] = pixels[row + Math.min(width - 1, at | 0)]!;
  }
}

/** The frame's pixels whose middles lie in the span of cells. */
export function span(
  from: number, length: number, origin: number, scale: number, limit: number,
): [number, number] {
  const first = Math.ceil((from - origin) * scale - 0.5);
  const last = Math.ceil((from + length - origin) * scale - 0.5);
  return [Math.max(0, Math.min(limit, first)), Math.max(0, Math.min(limit, last))];
}

/** What is seen in the chunk so many to the right and up, for surfaces that go on there, and strands that come from there.
 *  The chunk below is painted before this one. */
export type Around = (right: number, up: number) => Uint32Array | null | undefined;

/** Where the columns of the chunk that is painted begin, in the frame's pixels. */
const EDGES = new Int32Array(CHUNK_CELLS + 1);

/** Paints a chunk cell by cell into the frame. */
export function drawNear(
  frame: Frame, look: Uint32Array, around: Around, sides: ChunkSides, left: number, bottom: number,
): void {
  const width = 1 << sides.logX;
  for (let column = 0; column <= width; ++column) {
    EDGES[column] = span(left + column, 0, frame.left, frame.scale, frame.width)[0];
  }
  let first = 0;
  while (first < width && EDGES[first + 1]! <= 0) ++first;
  for (let row = 0; row < 1 << sides.logY; ++row) {
    const y = bottom + row;
    const [y0, y1] = span(frame.top - y - 1, 1, 0, frame.scale, frame.height);
    if (y0 < y1) drawRow(frame, look, { width, first, row, left, y, y0, y1 });
  }
  drawSurfaces(frame, look, around, sides, left, bottom);
}

/** Surfaces, over all else: they run on from cell to cell, and half a cell into those above and below. */
export function drawSurfaces(
  frame: Frame, look: Uint32Array, around: Around, sides: ChunkSides, left: number, bottom: number,
): void {
  const width = 1 << sides.logX;
  const seen = seenIn(look, around, sides);
  // What comes up from the chunk below was painted over.
  for (let row = -1; row < 1 << sides.logY; ++row) {
    const y = bottom + row;
    const [y0, y1] = span(frame.top - y - 1, 1, 0, frame.scale, frame.height);
    if (y0 >= y1) continue;
    const air = airOf(y, frame.worldHeight);
    for (let column = 0; column < width; ++column) {
      if (!isSurface(seen(column, row))) continue;
      const [x0, x1] = span(left + column, 1, frame.left, frame.scale, frame.width);
      if (x0 < x1) drawSurface(frame, { x0, x1, y0, y1 }, seen, column, row, left + column, y, air);
    }
  }
}

interface Row {
  /** Cells of the chunk. */
  width: number;
  /** The first one that is in the frame. */
  first: number;
  row: number;
  left: number;
  y: number;
  y0: number;
  y1: number;
}

function drawRow(frame: Frame, look: Uint32Array, place: Row): void {
  const { width, left, y } = place;
  const start = place.row * width;
  const air = airOf(y, frame.worldHeight);
  const area: Area = { x0: 0, x1: 0, y0: place.y0, y1: place.y1 };
  for (let column = place.first; column < width; ) {
    const seen = look[start + column]!;
    let end = column + 1;
    if (!(seen & (FALLS | SURFACE | IS_ROCK))) while (end < width && look[start + end] === seen) ++end;
    area.x0 = EDGES[column]!;
    area.x1 = EDGES[end]!;
    if (area.x0 >= frame.width) return;
    if (area.x0 === area.x1 || isSurface(seen)) void 0; // less than a pixel; drawn when all else is
    else if (seen & IS_ROCK) drawRock(frame, area, seen, left + column, y);
    else if (seen & FALLS) drawFall(frame, area, seen & 255, air);
    else if (seen & IS_BEYOND) fillArea(frame, area, BEYOND_PIXEL);
    else if ((seen & 255) === 0) fillArea(frame, area, air);
    else drawWater(frame, area, seen, y, air);
    column = end;
  }
}

interface Area {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

function fillArea(frame: Frame, area: Area, colour: number): void {
  for (let y = area.y0; y < area.y1; ++y) {
    frame.pixels.fill(colour, y * frame.width + area.x0, y * frame.width + area.x1);
  }
}

/** Water within: darker towards the cell's floor, so that depth has no steps. */
function drawWater(frame: Frame, area: Area, seen: number, y: number, air: number): void {
  const shade = (seen >> 8) & 255;
  const fill = seen & 255;
  for (let row = area.y0; row < area.y1; ++row) {
    const down = y + 1 - (frame.top - (row + 0.5) / frame.scale);
    const deep = Math.min(WATER.length - 1, Math.max(0, Math.round(shade + (down - 0.5) * SHADES_PER_CELL)));
    const colour = fill === 255 ? WATER[deep]! : mixPixels(air, WATER[deep]!, 64 + ((fill * 192) >> 8));
    frame.pixels.fill(colour, row * frame.width + area.x0, row * frame.width + area.x1);
  }
}

/** What is seen of a cell of the chunk or beside it. */
type Seen = (column: number, row: number) => number;

function seenIn(look: Uint32Array, around: Around, { logX, logY }: ChunkSides): Seen {
  return (column, row) => {
    const right = column >> logX;
    const up = row >> logY;
    const page = right || up ? around(right, up) : look;
    return page?.[((row - (up << logY)) << logX) + column - (right << logX)] ?? IS_BEYOND;
  };
}

/** How high the surface stands at the border to a neighbour, of 510: halfway between their levels, which may be in
 *  two rows. Both cells find the same place there. What does not tell is as high as here. */
function borderOf(seen: Seen, column: number, row: number, here: number): number {
  const neighbour = seen(column, row);
  if (neighbour & (IS_ROCK | IS_BEYOND | FALLS)) return 2 * here;
  if (isSurface(neighbour)) return here + (neighbour & 255);
  const beside = seen(column, neighbour === 0 ? row - 1 : row + 1);
  if (isSurface(beside)) return here + (beside & 255) + (neighbour === 0 ? -255 : 255);
  if (neighbour !== 0) return 510; // high above
  // Air over ground: the surface comes down to that. Air over air: it ends here.
  return beside === 0 || beside & FALLS ? 2 * here : 0;
}

/** A surface that runs on into the neighbours', with a line on it, over air above and water below the cell, too; a strand
 *  that falls on it goes on down to it. (x, y) is the cell's place in the world. */
function drawSurface(
  frame: Frame, area: Area, seen: Seen, column: number, row: number, x: number, y: number, air: number,
): void {
  const { pixels, scale } = frame;
  const own = seen(column, row);
  const here = own & 255;
  const low = borderOf(seen, column - 1, row, here) / 510;
  const high = borderOf(seen, column + 1, row, here) / 510;
  const middle = here / 255;
  const water = WATER[(own >> 8) & 255]!;
  const line = Math.max(1, scale * 0.12);
  const over = seen(column, row + 1);
  const under = seen(column, row - 1);
  const strand = over & FALLS ? strandOf(area, over & 255, air) : null;
  const beyond = Math.ceil(scale / 2 + line) + 1;
  const from = over === 0 ? Math.max(0, area.y0 - beyond) : area.y0;
  const to = row < 0 ? area.y0 : under !== 0 && under >>> 16 === 0 ? Math.min(frame.height, area.y1 + beyond) : area.y1;
  for (let pixel = area.x0; pixel < area.x1; ++pixel) {
    const behind = strand ? strand(pixel) : air;
    const along = frame.left + (pixel + 0.5) / scale - x;
    const level = along < 0.5 ? low + (middle - low) * along * 2 : middle + (high - middle) * (along * 2 - 1);
    const surface = (frame.top - y - level) * scale; // of the frame's rows, its place
    for (let down = from; down < to; ++down) {
      const deep = down + 1 - surface;
      if (deep <= 0 && down < area.y0) continue;
      if (deep >= line + 1 && down >= area.y1) break;
      const at = down * frame.width + pixel;
      let colour = down < area.y1 ? water : pixels[at]!;
      if (deep <= 0) colour = behind;
      else if (deep < 1) colour = mixPixels(behind, SURFACE_PIXEL, (deep * 256) | 0);
      else if (deep < line) colour = SURFACE_PIXEL;
      else if (deep < line + 1) colour = mixPixels(SURFACE_PIXEL, colour, ((deep - line) * 256) | 0);
      pixels[at] = colour;
    }
  }
}

/** A strand as wide as there is water, faint at its edges: the colour of a column of pixels. */
function strandOf(area: Area, fill: number, air: number): (column: number) => number {
  const width = area.x1 - area.x0;
  const wide = Math.max(1, (width * fill) / 255);
  const first = area.x0 + (width - wide) / 2;
  const core = mixPixels(air, WATER[0]!, 150 + ((fill * 90) >> 8));
  return (column) => {
    const inside = Math.min(column + 1, first + wide) - Math.max(column, first);
    return inside <= 0 ? air : mixPixels(air, core, Math.min(256, (inside * 256) | 0));
  };
}

function drawFall(frame: Frame, area: Area, fill: number, air: number): void {
  const strand = strandOf(area, fill, air);
  for (let column = area.x0; column < area.x1; ++column) {
    const colour = strand(column);
    for (let y = area.y0; y < area.y1; ++y) frame.pixels[y * frame.width + column] = colour;
  }
}

function drawRock(frame: Frame, area: Area, seen: number, x: number, y: number): void {
  const { pixels, scale } = frame;
  const { x0, x1, y0, y1 } = area;
  const base = seen & 255;
  const edge = Math.max(1, Math.round(scale / FINE));
  const step = FINE / scale;
  const originX = (x * FINE) & (GRAIN_SIDE - 1);
  const firstFine = (frame.left + (x0 + 0.5) / scale - x) * FINE;
  let before = -1; // what the row above was painted from
  for (let row = y0; row < y1; ++row) {
    const fineY = Math.floor((frame.top - (row + 0.5) / scale) * FINE) & (GRAIN_SIDE - 1);
    let light = base;
    if (seen & OPEN_ABOVE && row < y0 + edge) light += 40;
    else if (seen & OPEN_BELOW && row >= y1 - edge) light -= 40;
    light = Math.min(light, BRIGHTEST);
    const to = row * frame.width;
    const source = fineY * 1024 + light;
    if (source === before) {
      pixels.copyWithin(to + x0, to - frame.width + x0, to - frame.width + x1);
      continue;
    }
    before = source;
    const grains = fineY * GRAIN_SIDE;
    let fine = firstFine;
    for (let column = x0; column < x1; ++column, fine += step) {
      pixels[to + column] = STONES[light + GRAIN[grains + ((originX + (fine | 0)) & (GRAIN_SIDE - 1))]!]!;
    }
    for (let i = 0; i < edge && x0 + i < x1; ++i) {
      if (seen & OPEN_LEFT) pixels[to + x0 + i] = STONES[light - 60]!;
      if (seen & OPEN_RIGHT) pixels[to + x1 - 1 - i] = STONES[light - 60]!;
    }
  }
}
