// The picture as WebGL programs: what raster.ts does for each pixel of a canvas, in the same words, so that
// both show the same.
//
// Looks lie in a texture that wraps around: the cell (x, y) is the texel (x mod width, y mod height). The
// texture is larger than what is on the screen, so that no two cells of it meet in one texel, and a pan
// only writes the chunks that come in. Positions are whole cells and a rest, since a float has too few
// digits for a pixel of a world with a million cells to a side.
import { FALLS, IS_BEYOND, IS_ROCK, OPEN_ABOVE, OPEN_BELOW, OPEN_LEFT, OPEN_RIGHT, SURFACE } from "./look";
import { DEEPEST, SHADES_PER_CELL } from "./palette";
import { BRIGHTEST, FINE, GRAIN_SIDE, NEAR } from "./raster";

export const VERTEX = `#version 300 es
void main() {
  // One triangle that is larger than the window.
  gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}`;

const COMMON = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp isampler2D;
uniform ivec2 uOrigin;     // the cell in the window's left upper corner
uniform vec2 uShift;       // where in it the corner is
uniform ivec2 uSize;       // of the world, in cells
uniform float uScale;      // pixels a cell
uniform float uRows;       // pixels of the window
uniform vec3 uBeyond;
out vec4 colour;

ivec2 pixelOf() { return ivec2(gl_FragCoord.x, uRows - gl_FragCoord.y); }
vec2 placeOf(ivec2 pixel) {
  vec2 middle = (vec2(pixel) + 0.5) / uScale;
  return vec2(uShift.x + middle.x, uShift.y - middle.y);
}
uniform usampler2D uMoves;   // a texel a chunk: whether what was before is that of the last tick
uniform ivec2 uSides;        // of a chunk, as logarithms
uniform uint uWeight;        // of the newest tick, of 256
bool moves(ivec2 cell) {
  return uWeight != 256u && texelFetch(uMoves, (cell >> uSides) % textureSize(uMoves, 0), 0).r != 0u;
}
bool beyond(ivec2 cell) { return any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, uSize)); }
`;

/** Several cells are a pixel. */
export const FAR_FRAGMENT = `${COMMON}
uniform sampler2D uNow;
uniform sampler2D uBefore;
uniform int uLevel;
void main() {
  ivec2 cell = uOrigin + ivec2(floor(placeOf(pixelOf())));
  if (beyond(cell)) { colour = vec4(uBeyond, 1.0); return; }
  ivec2 texel = (cell >> uLevel) % textureSize(uNow, 0);
  colour = texelFetch(uNow, texel, 0);
  if (moves(cell)) colour = mix(texelFetch(uBefore, (cell >> uLevel) % textureSize(uBefore, 0), 0), colour, float(uWeight) / 256.0);
}`;

const LOOKS = `
uniform usampler2D uNow;
uniform usampler2D uBefore;
uniform ivec4 uHeld;         // cells that the textures hold: first, and one behind the last
uniform sampler2D uColours;  // rows: water by depth, air by height, rock by brightness
uniform isampler2D uGrain;
uniform vec3 uSurface;

const uint FALLS = ${FALLS}u, SURFACE = ${SURFACE}u, ROCK = ${IS_ROCK}u, BEYOND = ${IS_BEYOND}u;
const uint ABOVE = ${OPEN_ABOVE}u, BELOW = ${OPEN_BELOW}u, LEFT = ${OPEN_LEFT}u, RIGHT = ${OPEN_RIGHT}u;

bool isSurface(uint seen) { return (seen & (FALLS | SURFACE | ROCK | BEYOND)) == SURFACE; }
const int UNKNOWN = 0x10000;
bool held(ivec2 cell) { return all(greaterThanEqual(cell, uHeld.xy)) && all(lessThan(cell, uHeld.zw)); }
uint nowAt(ivec2 cell) { return texelFetch(uNow, cell % textureSize(uNow, 0), 0).r; }
uint beforeAt(ivec2 cell) { return texelFetch(uBefore, cell % textureSize(uBefore, 0), 0).r; }
/** As in look.ts. */
int heightOf(bool before, uint seen, ivec2 cell) {
  if (isSurface(seen)) return int(seen & 255u);
  ivec2 beside = cell + ivec2(0, seen == 0u ? -1 : 1);
  if ((seen >> 16) != 0u || !held(beside)) return UNKNOWN;
  uint other = before && moves(beside) ? beforeAt(beside) : nowAt(beside);
  return isSurface(other) ? int(other & 255u) + (seen == 0u ? -255 : 255) : UNKNOWN;
}
uint mixed(uint a, uint b, ivec2 cell) {
  if (a == b || ((a | b) & (ROCK | BEYOND)) != 0u) return b;
  uint rest = 256u - uWeight;
  uint fill = ((a & 255u) * rest + (b & 255u) * uWeight) >> 8;
  uint flags = ((b & 255u) == 0u ? a : b) & (FALLS | SURFACE);
  if (((a | b) & SURFACE) != 0u) {
    int low = heightOf(true, a, cell), high = heightOf(false, b, cell);
    int height = (low * int(rest) + high * int(uWeight)) >> 8;
    if (low != UNKNOWN && high != UNKNOWN) {
      fill = uint(clamp(height, 0, 255));
      flags = height > 255 ? 0u : SURFACE;
    } else if (fill < 255u) flags = SURFACE;
  }
  if (fill == 0u) return 0u;
  uint deepA = (a >> 8) & 255u, deepB = (b >> 8) & 255u;
  uint deep = (a & 255u) == 0u ? deepB : (b & 255u) == 0u ? deepA : (deepA * rest + deepB * uWeight) >> 8;
  return flags | (deep << 8) | fill;
}
uint lookAt(ivec2 cell) {
  if (!held(cell)) return BEYOND;
  uint now = nowAt(cell);
  return moves(cell) ? mixed(beforeAt(cell), now, cell) : now;
}
vec3 waterAt(int deep) { return texelFetch(uColours, ivec2(clamp(deep, 0, ${DEEPEST * SHADES_PER_CELL}), 0), 0).rgb; }
int shadeOf(uint seen) { return int(seen >> 8) & 255; }
vec3 stoneAt(int light) { return texelFetch(uColours, ivec2(clamp(light, 0, 255), 2), 0).rgb; }
vec3 airAt(int y) {
  return texelFetch(uColours, ivec2(clamp(int(float(y) * 255.0 / float(uSize.y)), 0, 255), 1), 0).rgb;
}
vec3 dim(vec3 air, vec3 water, int fill) {
  return fill == 255 ? water : mix(air, water, float(64 + ((fill * 192) >> 8)) / 256.0);
}
`;

const INSIDE = `
/** The pixels of a cell: first column and row, and those behind the last. */
ivec4 pixelsOf(ivec2 cell) {
  vec2 low = vec2(cell - uOrigin) - uShift;
  return ivec4(ceil(vec4(low.x, -low.y - 1.0, low.x + 1.0, -low.y) * uScale - 0.5));
}
vec3 rock(uint seen, ivec2 cell, ivec2 pixel, vec2 inside) {
  ivec4 area = pixelsOf(cell);
  int base = int(seen & 255u);
  int edge = max(1, int(floor(uScale / ${FINE}.0 + 0.5)));
  int light = base;
  if ((seen & ABOVE) != 0u && pixel.y < area.y + edge) light += 40;
  else if ((seen & BELOW) != 0u && pixel.y >= area.w - edge) light -= 40;
  light = min(light, ${BRIGHTEST});
  if ((seen & LEFT) != 0u && pixel.x < area.x + edge) return stoneAt(light - 60);
  if ((seen & RIGHT) != 0u && pixel.x >= area.z - edge) return stoneAt(light - 60);
  ivec2 grain = (cell * ${FINE} + ivec2(floor(inside * ${FINE}.0))) & ${GRAIN_SIDE - 1};
  return stoneAt(light + texelFetch(uGrain, grain, 0).r);
}
vec3 fall(uint seen, ivec2 cell, ivec2 pixel, vec3 air) {
  ivec4 area = pixelsOf(cell);
  float fill = float(seen & 255u);
  float width = float(area.z - area.x);
  float wide = max(1.0, width * fill / 255.0);
  float first = float(area.x) + (width - wide) / 2.0;
  float column = float(pixel.x);
  float covered = min(column + 1.0, first + wide) - max(column, first);
  vec3 core = mix(air, waterAt(0), float(150u + (((seen & 255u) * 90u) >> 8)) / 256.0);
  return mix(air, core, clamp(covered, 0.0, 1.0));
}
/** How high the surface stands at the border to the cell beside, of 510, as in raster.ts. */
int borderOf(ivec2 beside, int here) {
  uint seen = lookAt(beside);
  if ((seen & (ROCK | BEYOND | FALLS)) != 0u) return 2 * here;
  if ((seen & SURFACE) != 0u) return here + int(seen & 255u);
  uint next = lookAt(beside + ivec2(0, seen == 0u ? -1 : 1));
  if (isSurface(next)) return here + int(next & 255u) + (seen == 0u ? -255 : 255);
  if (seen != 0u) return 510;
  return next == 0u || (next & FALLS) != 0u ? 2 * here : 0;
}
/** The level in that part of the cell's width, in cells over its floor. */
float levelIn(uint seen, ivec2 cell, float along) {
  int here = int(seen & 255u);
  float low = float(borderOf(cell - ivec2(1, 0), here)) / 510.0;
  float high = float(borderOf(cell + ivec2(1, 0), here)) / 510.0;
  float middle = float(here) / 255.0;
  return along < 0.5 ? mix(low, middle, along * 2.0) : mix(middle, high, along * 2.0 - 1.0);
}
`;

/** A cell is a pixel or more: with an inside from NEAR on. */
export const NEAR_FRAGMENT = `${COMMON}${LOOKS}${INSIDE}
/** Without what a surface changes. */
vec3 farColour(uint seen, vec3 air) {
  int fill = int(seen & 255u);
  if ((seen & ROCK) != 0u) return stoneAt(fill + ((seen & ABOVE) != 0u ? 16 : 0));
  if (fill == 0) return air;
  return dim(air, waterAt(shadeOf(seen)), isSurface(seen) ? 255 : fill);
}
vec3 nearColour(uint seen, ivec2 cell, ivec2 pixel, vec2 inside, vec3 air) {
  if ((seen & ROCK) != 0u) return rock(seen, cell, pixel, inside);
  if ((seen & FALLS) != 0u) return fall(seen, cell, pixel, air);
  if ((seen & 255u) == 0u || isSurface(seen)) return farColour(seen, air);
  float deep = float(shadeOf(seen)) + (0.5 - inside.y) * ${SHADES_PER_CELL}.0;
  return dim(air, waterAt(int(floor(deep + 0.5))), int(seen & 255u));
}
/** With the surface that lies in the cell, or that comes into it from the one above or below. */
vec3 surfaced(vec3 base, uint seen, ivec2 cell, ivec2 pixel, vec2 inside, vec3 air) {
  float line = max(1.0, uScale * 0.12);
  bool own = isSurface(seen);
  bool isAir = seen == 0u;
  float reach = 0.5 * uScale + line + 1.0;
  if (!own && ((seen >> 16) != 0u || (isAir ? inside.y : 1.0 - inside.y) * uScale > reach)) return base;
  ivec2 beside = cell + ivec2(0, isAir ? -1 : 1);
  uint other = lookAt(beside);
  if (!own && !isSurface(other)) return base;
  float level = levelIn(own ? seen : other, own ? cell : beside, inside.x) + float(own ? 0 : isAir ? -1 : 1);
  float under = (level - inside.y) * uScale + 0.5;
  if (under < 1.0) {
    vec3 behind = own && (other & FALLS) != 0u ? fall(other, cell, pixel, air) : air;
    return mix(behind, uSurface, max(under, 0.0));
  }
  return mix(uSurface, isAir ? waterAt(shadeOf(other)) : base, clamp(under - line, 0.0, 1.0));
}
void main() {
  ivec2 pixel = pixelOf();
  vec2 place = placeOf(pixel);
  vec2 whole = floor(place);
  vec2 inside = place - whole;
  ivec2 cell = uOrigin + ivec2(whole);
  uint seen = beyond(cell) ? BEYOND : lookAt(cell);
  vec3 air = airAt(cell.y);
  if ((seen & BEYOND) != 0u) { colour = vec4(uBeyond, 1.0); return; }
  vec3 water = uScale < ${NEAR}.0 ? farColour(seen, air) : nearColour(seen, cell, pixel, inside, air);
  colour = vec4(surfaced(water, seen, cell, pixel, inside, air), 1.0);
}`;
