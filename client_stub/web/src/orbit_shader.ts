// The programs of the orbiting view. A column's numbers (orbit_columns.ts) are texels; corners are counted out by
// gl_VertexID, so that no mesh is made: of each column a top, and walls to its neighbours behind and to the right. One
// column more than there are, on each side, is the edge: there the cut through rock and water is seen.
//
// GL's axes: x right, y up, z towards who looks; columns run right and away.

/** What an overlay lays over a surface: a veil, and over that the column's colour, which keeps some of the light. */
const TINTED = `
uniform vec4 u_veil;      // alpha 0: there is no overlay
vec3 tinted(vec3 seen, vec4 tint, float light) {
  return mix(mix(seen, u_veil.rgb, u_veil.a), tint.rgb * mix(1.0, light, 0.35), tint.a);
}
`;

const COLUMNS = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D u_now;
uniform sampler2D u_before;
uniform sampler2D u_tints;
uniform vec4 u_veil;      // of an overlay; alpha 0: there is none
uniform float u_share;    // of the way from before to now
uniform ivec2 u_count;    // columns
uniform vec2 u_origin;    // of the first column, from the middle
uniform float u_step;
uniform float u_base;     // where the cut ends
uniform float u_middle;   // the height that is in the middle
uniform mat4 u_eye;
uniform vec3 u_from;      // where the eye is
const ivec2 CORNERS[6] = ivec2[6](ivec2(0, 0), ivec2(1, 0), ivec2(1, 1), ivec2(0, 0), ivec2(1, 1), ivec2(0, 1));
/* Whether there is anything: beside what is shown and over a void there is not. */
bool isThere(ivec2 at) {
  return at.x >= 0 && at.y >= 0 && at.x < u_count.x && at.y < u_count.y && texelFetch(u_now, at, 0).x > -65000.0;
}
vec4 tintOf(ivec2 at) { return u_veil.a > 0.0 && isThere(at) ? texelFetch(u_tints, at, 0) : vec4(0.0); }
float heightOf(float rock) { return rock < 0.0 ? -1.0 - rock : rock; }
/* rock, whether it is ice, water (below zero: none) */
vec3 columnAt(ivec2 at) {
  if (!isThere(at)) return vec3(u_base, 0.0, -1.0);
  vec4 now = texelFetch(u_now, at, 0);
  float before = texelFetch(u_before, at, 0).y;
  float water = now.y < 0.0 || before < 0.0 ? now.y : mix(before, now.y, u_share);
  return vec3(heightOf(now.x), now.x < 0.0 ? 1.0 : 0.0, water);
}
vec3 placeOf(vec2 column, float height) {
  vec2 at = u_origin + column * u_step;
  return vec3(at.x, height - u_middle, -at.y);
}
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
void columnOf(out ivec2 at, out int quad, out ivec2 corner) {
  int id = gl_VertexID / 18;
  quad = (gl_VertexID / 6) % 3;
  corner = CORNERS[gl_VertexID % 6];
  at = ivec2(id % (u_count.x + 1), id / (u_count.x + 1)) - 1;
}
`;

export const ROCK_VERTEX = `${COLUMNS}
out vec3 v_normal;
out vec2 v_cell;
out float v_height;
out float v_ice;
out float v_shade;
flat out vec4 v_tint;
uniform bool u_covers;    // the overlay's colours are those of rock, too, and not only of ice
void main() {
  ivec2 at, corner;
  int quad;
  columnOf(at, quad, corner);
  vec3 here = columnAt(at);
  v_cell = vec2(at) + vec2(corner);
  v_shade = 0.0;
  v_tint = vec4(0.0);
  if (quad == 0) {
    if (!isThere(at)) { gl_Position = NOWHERE; return; }
    if (u_covers || here.y > 0.5) v_tint = tintOf(at);
    v_normal = vec3(0.0, 1.0, 0.0);
    v_height = here.x;
    v_ice = here.y;
    /* In a corner between higher rock it is darker. */
    for (int i = 0; i < 4; ++i) {
      ivec2 beside = at + ivec2(i < 2 ? (i * 2 - 1) : 0, i < 2 ? 0 : (i * 2 - 5));
      v_shade += isThere(beside) && columnAt(beside).x > here.x + 0.5 ? 0.07 : 0.0;
    }
    gl_Position = u_eye * vec4(placeOf(v_cell, v_height), 1.0);
    return;
  }
  bool right = quad == 1;
  ivec2 side = right ? ivec2(1, 0) : ivec2(0, 1);
  vec3 other = columnAt(at + side);
  bool falls = here.x > other.x;
  v_normal = (right ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, -1.0)) * (falls ? 1.0 : -1.0);
  v_height = corner.y == 0 ? here.x : other.x;
  v_ice = falls ? here.y : other.y;
  if (u_covers || v_ice > 0.5) v_tint = tintOf(falls ? at : at + side);
  v_cell = vec2(at) + (right ? vec2(1.0, float(corner.x)) : vec2(float(corner.x), 1.0));
  vec3 place = placeOf(v_cell, v_height);
  /* Behind it there is rock: its dark side would shine through at the edges. */
  gl_Position = dot(v_normal, u_from - place) < 0.0 ? NOWHERE : u_eye * vec4(place, 1.0);
}`;

export const ROCK_FRAGMENT = `#version 300 es
precision highp float;
${TINTED}
flat in vec4 v_tint;
in vec3 v_normal;
in vec2 v_cell;
in float v_height;
in float v_ice;
in float v_shade;
uniform vec3 u_stone;
uniform vec2 u_heights;   // the least, and how many up to the most
uniform vec2 u_place;     // the first column's, in the world
uniform float u_step;
out vec4 colour;
float noise(vec2 at) { return fract(sin(dot(at, vec2(12.9898, 78.233))) * 43758.5453); }
void main() {
  vec3 normal = normalize(v_normal);
  float light = 0.52 + 0.48 * max(0.0, dot(normal, normalize(vec3(0.5, 0.75, 0.38))));
  light *= 0.72 + 0.36 * clamp((v_height - u_heights.x) / u_heights.y, 0.0, 1.0);
  vec2 place = u_place + v_cell * u_step;
  float band = sin(v_height * 1.1 + sin((place.x + place.y) * 0.07) * 2.2) * 0.03;
  float grain = normal.y > 0.5 ? (noise(floor(place + 0.001)) - 0.5) * 0.05 : band;
  /* Where cells are large enough, each has an edge. */
  vec2 width = fwidth(v_cell);
  vec2 off = min(fract(v_cell), 1.0 - fract(v_cell)) / max(width, vec2(1e-5));
  float line = normal.y > 0.5 ? 1.0 - clamp(min(off.x, off.y), 0.0, 1.0) : 0.0;
  line *= 0.12 * clamp(1.0 - 8.0 * max(width.x, width.y), 0.0, 1.0);
  vec3 stone = mix(u_stone, vec3(0.93, 0.96, 1.0), v_ice);
  light *= 1.35 - v_shade - line;
  colour = vec4(tinted(stone * (light + grain), v_tint, light), 1.0);
}`;

export const WATER_VERTEX = `${COLUMNS}
out vec3 v_normal;
out vec3 v_place;
out float v_depth;
out float v_wall;
flat out vec4 v_tint;
/* The surface in a corner of a column: the mean of those around that belong together. */
float surfaceAt(ivec2 at, float own, ivec2 corner, out vec3 normal) {
  float sum = 0.0, count = 0.0;
  float around[4];
  for (int i = 0; i < 4; ++i) {
    float water = columnAt(at + corner - 1 + ivec2(i % 2, i / 2)).z;
    bool joins = water >= 0.0 && abs(water - own) <= u_step;
    around[i] = joins ? water : own;
    if (joins) { sum += water; count += 1.0; }
  }
  normal = normalize(vec3((around[0] + around[2] - around[1] - around[3]) / 2.0, u_step,
    (around[2] + around[3] - around[0] - around[1]) / 2.0));
  return count > 0.0 ? sum / count : own;
}
void main() {
  ivec2 at, corner;
  int quad;
  columnOf(at, quad, corner);
  vec3 here = columnAt(at);
  v_wall = 0.0;
  if (quad == 0) {
    if (here.z <= here.x) { gl_Position = NOWHERE; return; }
    v_tint = tintOf(at);
    float height = surfaceAt(at, here.z, corner, v_normal);
    v_depth = here.z - here.x;
    v_place = placeOf(vec2(at + corner), height);
    gl_Position = u_eye * vec4(v_place, 1.0);
    return;
  }
  bool right = quad == 1;
  ivec2 side = right ? ivec2(1, 0) : ivec2(0, 1);
  vec3 other = columnAt(at + side);
  bool falls = here.z > other.z;
  vec3 high = falls ? here : other;
  vec3 low = falls ? other : here;
  /* Surfaces that join leave no step, and below rock there is none to see. */
  float bottom = low.z > low.x ? low.z : max(low.x, high.x);
  if (high.z <= bottom || (low.z > low.x && high.z - low.z <= u_step)) { gl_Position = NOWHERE; return; }
  ivec2 along = right ? ivec2(1, corner.x) : ivec2(corner.x, 1);
  vec3 unused;
  ivec2 wet = falls ? at : at + side;
  v_tint = tintOf(wet);
  float height = corner.y == 0 ? bottom : surfaceAt(wet, high.z, falls ? along : along - side, unused);
  v_normal = (right ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, -1.0)) * (falls ? 1.0 : -1.0);
  v_depth = high.z - height;
  v_wall = 1.0;
  v_place = placeOf(vec2(at + along), height);
  gl_Position = u_eye * vec4(v_place, 1.0);
}`;

/** Water that falls: a pillar for each of its columns. */
export const FALL_VERTEX = `${COLUMNS}
in vec4 a_fall;           // column, top, bottom
out vec3 v_normal;
out vec3 v_place;
out float v_depth;
out float v_wall;
flat out vec4 v_tint;
void main() {
  int face = gl_VertexID / 6;
  ivec2 corner = CORNERS[gl_VertexID % 6];
  vec2 across = vec2(corner);
  float height = a_fall.z;
  v_normal = vec3(0.0, 1.0, 0.0);
  if (face > 0) {
    float side = float((face - 1) % 2);
    across = face < 3 ? vec2(side, float(corner.x)) : vec2(float(corner.x), side);
    height = corner.y == 0 ? a_fall.w : a_fall.z;
    v_normal = face < 3 ? vec3(side * 2.0 - 1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0 - side * 2.0);
  }
  v_depth = 0.0;
  v_wall = 2.0;
  v_tint = tintOf(ivec2(a_fall.xy));
  v_place = placeOf(a_fall.xy + across, height);
  gl_Position = u_eye * vec4(v_place, 1.0);
}`;

export const WATER_FRAGMENT = `#version 300 es
precision highp float;
${TINTED}
flat in vec4 v_tint;
in vec3 v_normal;
in vec3 v_place;
in float v_depth;
in float v_wall;
uniform vec3 u_shallow;
uniform vec3 u_deep;
uniform vec3 u_surface;
uniform vec3 u_from;
out vec4 colour;
void main() {
  vec3 normal = normalize(v_normal);
  vec3 towards = normalize(u_from - v_place);
  vec3 sun = normalize(vec3(0.5, 0.75, 0.38));
  float light = 0.78 + 0.3 * max(0.0, dot(normal, sun));
  vec3 water = mix(u_shallow, u_deep, pow(clamp(v_depth / 24.0, 0.0, 1.0), 0.7));
  float glance = pow(1.0 - clamp(dot(normal, towards), 0.0, 1.0), 3.0);
  float glint = pow(max(0.0, dot(normal, normalize(sun + towards))), 60.0);
  float alpha = v_wall > 1.5 ? 0.72 : v_wall > 0.5 ? 0.7 : 0.42 + 0.45 * (1.0 - exp(-v_depth / 5.0));
  vec3 seen = v_wall > 1.5 ? mix(u_shallow, u_surface, 0.35) * light
    : mix(water * light, u_surface, v_wall > 0.5 ? 0.0 : glance * 0.4) + u_surface * glint * 0.6;
  alpha = min(1.0, alpha + (v_wall > 0.5 ? 0.0 : glance * 0.25 + glint * 0.5));
  /* A colour that is to be read is not mixed with what lies under it. */
  alpha = max(alpha, v_tint.a * 0.97);
  colour = vec4(min(tinted(seen, v_tint, light), vec3(1.0)) * alpha, alpha);
}`;
