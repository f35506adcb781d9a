// Goal: the page's drawing shows the world as it is: depths, colours, pixels, what is kept and looked at.
// Method: modules are bundled by themselves; worlds are drawings, canvases what a painter needs of one.
//
//   node web_drawing_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { dice, drawn, FULL, load, ROCK, SHAPES } from "./web_support.mjs";

const { Surfaces } = await load("surfaces.ts");
const { Looks, stonesOf, SURFACE, FALLS, IS_ROCK } = await load("look.ts");
const palette = await load("palette.ts");
const { farPixel, drawNear, drawFar, drawSurfaces, paintFar } = await load("raster.ts");

/** What is seen of each cell: f(x, y) with the world's place, from below. */
function seenOf(mirror) {
  const { sides, size } = mirror;
  const surfaces = new Surfaces(mirror, 0);
  surfaces.settle();
  const looks = new Looks(mirror, surfaces, 0);
  const painted = new Map();
  return (x, y) => {
    assert.ok(x >= 0 && y >= 0 && x < size.x && y < size.y);
    const [cx, cy] = [x >> sides.logX, y >> sides.logY];
    const key = `${cx},${cy}`;
    if (!painted.has(key)) {
      const look = new Uint32Array(1 << (sides.logX + sides.logY));
      looks.paint(cx, cy, () => stonesOf(sides, cx, cy), look);
      painted.set(key, look);
    }
    return painted.get(key)[((y & ((1 << sides.logY) - 1)) << sides.logX) | (x & ((1 << sides.logX) - 1))];
  };
}
const depthOf = (look) => ((look >> 8) & 255) / palette.SHADES_PER_CELL;

test("water is as dark under an overhang as beside it, with no line under the roof", () => {
  for (const sides of SHAPES) {
    // A pool of 100 x 60 cells whose surface is at 50; a roof hangs in it from 20 to 30.
    const rows = Array.from({ length: 60 }, (_, i) => {
      const y = 59 - i;
      return Array.from({ length: 100 }, (_, x) => {
        if (y < 2 || x < 2 || x > 97) return "#";
        if (y >= 20 && y < 30 && x > 30 && x < 70) return "#";
        return y < 50 ? "~" : ".";
      }).join("");
    });
    const seen = seenOf(drawn(rows, sides));
    for (let y = 2; y < 50; ++y) {
      for (let x = 2; x <= 97; ++x) {
        const look = seen(x, y);
        if (look & IS_ROCK) continue;
        const expected = Math.min(palette.DEEPEST, 50 - y - 0.5);
        assert.ok(Math.abs(depthOf(look) - expected) <= 0.5, `[${x}, ${y}] is ${depthOf(look)} deep, not ${expected}`);
        assert.equal((look & SURFACE) !== 0, y === 49, `a line at [${x}, ${y}]`);
      }
    }
  }
});

test("water with a gap under a roof has a surface, full water has none", () => {
  const seen = seenOf(drawn(["########", "#2~5~~.#", "#~~~~~~#", "########"]));
  const lines = [1, 2, 3, 4, 5].map((x) => (seen(x, 2) & SURFACE) !== 0);
  assert.deepEqual(lines, [true, false, true, false, false]);
  for (const x of [2, 4, 5]) assert.equal(seen(x, 2) & 255, 255);
  assert.equal(seen(3, 2) & 255, Math.round((255 * 5) / 8));
});

test("air that is trapped looks like air, and the water under it is as deep as its body", () => {
  const mirror = drawn(["#....#####", "#~~~~#####", "#~~~~#~~~#", "#~~~~#~~~#", "#~~~~~~~~#", "##########"]);
  for (const x of [6, 7, 8]) mirror.chunk(0, 0, 0)[(3 << 6) | x] = -3;
  const seen = seenOf(mirror);
  assert.equal(seen(7, 3), 0);
  assert.equal(seen(7, 2) & SURFACE, 0);
  assert.ok(Math.abs(depthOf(seen(7, 2)) - depthOf(seen(2, 2))) < 1);
});

test("the closed leg of a bent pipe is as deep as the open one", () => {
  const leg = "~".repeat(3);
  const rows = ["#...######", ...Array.from({ length: 4 }, () => `#${leg}######`), `#${leg}##${leg}#`,
    ...Array.from({ length: 3 }, () => `#${leg}##${leg}#`), "#~~~~~~~~#", "##########"];
  for (const sides of SHAPES) {
    const seen = seenOf(drawn(rows, sides));
    for (let y = 1; y < 6; ++y) {
      assert.ok(Math.abs(depthOf(seen(7, y)) - depthOf(seen(2, y))) < 1, `${depthOf(seen(7, y))} at ${y}`);
    }
    assert.equal(seen(7, 5) & SURFACE, 0);
  }
});

test("where chunks end is not to be seen", () => {
  // Any landscape looks the same wherever the grid of chunks lies: moved by a cell, and in other shapes.
  const random = dice(11);
  for (let round = 0; round < 12; ++round) {
    const ground = Array.from({ length: 150 }, () => 4 + random(20));
    const caves = Array.from({ length: 30 }, () => [random(150), random(60), 3 + random(20), 2 + random(8), random(2)]);
    const row = (y) => Array.from({ length: 150 }, (_, x) => {
      let letter = y < ground[x] ? "#" : y < 58 ? "~" : ".";
      for (const [left, low, width, height, open] of caves) {
        if (x >= left && x < left + width && y >= low && y < low + height) letter = open ? "~" : "#";
      }
      return letter;
    }).join("");
    const rows = Array.from({ length: 70 }, (_, i) => row(69 - i));
    const [plain, shifted, small] = [rows, rows.map((text) => `#${text}`), rows].map((each, i) =>
      seenOf(drawn(each, SHAPES[i >> 1])));
    for (let y = 0; y < 70; ++y) {
      for (let x = 0; x < 150; ++x) {
        const look = plain(x, y);
        if (look & IS_ROCK) continue;
        for (const other of [shifted(x + 1, y), small(x, y)]) {
          assert.equal(other & SURFACE, look & SURFACE, `the surface at [${x}, ${y}]`);
          // Heads under roofs are followed in the order of chunks: what is left of it is too little to see.
          assert.ok(Math.abs(depthOf(other) - depthOf(look)) <= 6, `[${x}, ${y}]: ${depthOf(look)}, ${depthOf(other)}`);
        }
      }
    }
  }
});

test("what falls is a strand, and casts no shadow on the pool", () => {
  const rows = [...Array.from({ length: 30 }, () => `#${".".repeat(10)}2${".".repeat(9)}#`),
    ...Array.from({ length: 10 }, () => `#${"~".repeat(20)}#`), "#".repeat(22)];
  const seen = seenOf(drawn(rows));
  assert.ok(seen(11, 25) & FALLS);
  for (let y = 1; y <= 10; ++y) assert.ok(Math.abs(depthOf(seen(11, y)) - depthOf(seen(3, y))) < 0.5);
});

test("changes are taken in as if all had been looked at anew", () => {
  const rows = Array.from({ length: 80 }, (_, i) => (i < 5 ? "." : i < 70 ? "~" : "#").repeat(140));
  const mirror = drawn(rows);
  const surfaces = new Surfaces(mirror, 0);
  surfaces.settle();
  assert.deepEqual(surfaces.settle(), []);
  const set = (x, y, value) => {
    mirror.chunk(x >> 6, y >> 6, 0)[((y & 63) << 6) | (x & 63)] = value;
    surfaces.changed(x >> 6, y >> 6);
  };
  for (let x = 50; x < 100; ++x) set(x, 63, ROCK);
  for (let x = 0; x < 140; ++x) set(x, 70, 0); // what lies below has a surface of its own now
  const places = surfaces.settle();
  assert.ok(places.length > 0);
  const anew = new Surfaces(mirror, 0);
  anew.settle();
  for (const y of [0, 1]) {
    for (const x of [0, 1, 2]) assert.deepEqual(surfaces.of(x, y).head, anew.of(x, y).head);
  }
});

/** Of WCAG 2. */
function luminance([red, green, blue]) {
  const linear = (byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

test("in every palette water of each depth, and rock, stand out from air by three to one", () => {
  for (const [name, colours] of Object.entries(palette.PALETTES)) {
    for (const air of [colours.airTop, colours.airBottom]) {
      for (const part of ["deep", "shallow", "surface", "stone"]) {
        const seen = contrast(colours[part], air);
        assert.ok(seen >= 3, `${name}, ${part}: ${seen.toFixed(2)}`);
      }
    }
  }
  palette.usePalette("light");
  assert.ok(luminance(bytesOfPixel(palette.AIR[255])) > luminance(bytesOfPixel(palette.WATER[0])));
  palette.usePalette("dark");
});

function bytesOfPixel(pixel) {
  return [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
}

test("a frame has no hole, at any place and scale", () => {
  const rows = Array.from({ length: 64 }, (_, i) => (i < 20 ? "." : i < 50 ? "~" : "#").repeat(64));
  const seen = seenOf(drawn(rows));
  const look = new Uint32Array(4096).map((_, i) => seen(i & 63, i >> 6));
  const sides = SHAPES[0];
  const far = new Uint32Array(4096);
  paintFar(look, sides, 0, 64, far);
  for (const scale of [1, 1.37, 2.99, 3, 4.1, 7.77, 16, 47.9]) {
    for (const shift of [0, 0.013, 3.31]) {
      const frame = { pixels: new Uint32Array(90 * 80), width: 90, height: 80, left: shift, top: 61.7 - shift,
        scale, worldHeight: 64 };
      if (scale < 3) drawFar(frame, far, sides, 0, 0, 0);
      else drawNear(frame, look, () => null, sides, 0, 0);
      for (let y = 0; y < 80; ++y) {
        for (let x = 0; x < 90; ++x) {
          const [cellX, cellY] = [frame.left + (x + 0.5) / scale, frame.top - (y + 0.5) / scale];
          const inside = cellX > 0.001 && cellX < 63.999 && cellY > 0.001 && cellY < 63.999;
          if (inside) assert.notEqual(frame.pixels[y * 90 + x], 0, `pixel ${x}, ${y} at ${scale}`);
        }
      }
    }
  }
  assert.notEqual(farPixel(look[0], 0xff000000), 0);
});

test("ice, the palest of rock, has a colour everywhere, its lit edge included", () => {
  const mirror = drawn(Array.from({ length: 64 }, () => ".".repeat(64)));
  for (let i = 0; i < 20 * 64; ++i) mirror.chunk(0, 0, 0)[i] = -16 - FULL;
  const seen = seenOf(mirror);
  const look = new Uint32Array(4096).map((_, i) => seen(i & 63, i >> 6));
  const frame = { pixels: new Uint32Array(200 * 100), width: 200, height: 100, left: 4, top: 22, scale: 10, worldHeight: 64 };
  drawNear(frame, look, () => null, SHAPES[0], 0, 0);
  assert.equal(frame.pixels.indexOf(0), -1, "no pixel is transparent");
});

const { Painter } = await load("painter.ts");
const { CanvasPicture } = await load("canvas_picture.ts");
const { Camera } = await load("camera.ts");

/** A canvas as far as a picture needs one; `paint` gives it a frame of the painter's. */
function canvasOf(width, height) {
  const context = { image: null,
    createImageData: (w, h) => ({ width: w, height: h, data: new Uint8ClampedArray(w * h * 4) }),
    putImageData: (image) => (context.image = image.data.slice()) };
  const picture = new CanvasPicture(context);
  context.paint = (painter, camera, now) => painter.paint(picture, width, height, camera, now);
  return context;
}

test("chunks are looked at once, however far the picture is moved, and not all are kept", () => {
  const rows = Array.from({ length: 400 }, (_, i) => (i < 150 ? "." : i < 300 ? "~" : "#").repeat(1000));
  const mirror = drawn(rows);
  const [most, context] = [24, canvasOf(300, 200)];
  const painter = new Painter(mirror, 0, false, most);
  let refreshed = 0;
  const refresh = painter.refresh.bind(painter);
  painter.refresh = (tile) => (++refreshed, refresh(tile));
  const camera = new Camera();
  camera.resize(300, 200, null);
  Object.assign(camera, { x: 150, y: 200, scale: 2 });
  context.paint(painter, camera, 0);
  const seen = refreshed;
  assert.ok(seen >= 4);
  for (let i = 0; i < 50; ++i) {
    camera.pan(i % 2 ? 9 : -9, i % 3 ? 2 : -4, mirror.size);
    context.paint(painter, camera, i);
  }
  assert.ok(refreshed <= seen + 8, `${refreshed} looks for ${seen} chunks`);
  for (let x = 0; x < 1000; x += 10) {
    Object.assign(camera, { x });
    context.paint(painter, camera, x);
    const onScreen = 4 * 3 + 8;
    assert.ok(painter.tiles.size <= most + onScreen, `${painter.tiles.size} chunks are kept`);
  }
  // What was forgotten looks the same when it comes back.
  Object.assign(camera, { x: 150, y: 200 });
  context.paint(painter, camera, 0);
  const again = context.image;
  const anew = new Painter(mirror, 0, false);
  context.paint(anew, camera, 0);
  assert.deepEqual(again, context.image);
});

/** Air over rock, 200 cells each way, a pixel a cell. */
function groundAndAir() {
  const mirror = drawn(Array.from({ length: 200 }, (_, i) => (i < 100 ? "." : "#").repeat(200)));
  const camera = new Camera();
  camera.resize(200, 200, null);
  Object.assign(camera, { x: 100, y: 100, scale: 1 });
  return { mirror, context: canvasOf(200, 200), painter: new Painter(mirror, 0, true), camera };
}

test("a change is seen in the next frames, however few milliseconds they have", () => {
  const { mirror, context, painter, camera } = groundAndAir();
  while (context.paint(painter, camera, 0));
  const { now } = performance;
  let clock = 0;
  performance.now = () => (clock += 100); // each look costs all of a frame's time
  try {
    for (const key of mirror.chunks.keys()) mirror.chunks.get(key).fill(FULL);
    painter.ticked(mirror.coords(), 50);
    let frames = 1;
    while (context.paint(painter, camera, 60)) ++frames;
    assert.ok(frames > 1, "not all of it fits one frame");
  } finally {
    performance.now = now;
  }
  const late = context.image;
  context.paint(new Painter(mirror, 0, true), camera, 0);
  assert.deepEqual(late, context.image);
});

test("what took long to read is looked at a frame later, once, and a chunk that was never seen at once", () => {
  const { mirror, context, painter, camera } = groundAndAir();
  const LONG = 4; // milliseconds
  painter.ticked(mirror.coords(), 0, LONG);
  assert.equal(context.paint(painter, camera, 0), true);
  const first = context.image;
  while (context.paint(painter, camera, 0));
  assert.deepEqual(first, context.image, "all of it was new");
  for (const key of mirror.chunks.keys()) mirror.chunks.get(key).fill(FULL);
  painter.ticked(mirror.coords(), 50, LONG);
  assert.equal(context.paint(painter, camera, 60), true, "it goes on");
  assert.deepEqual(context.image, first);
  painter.ticked([], 60, LONG); // where every frame has much to read, they take turns
  context.paint(painter, camera, 70);
  assert.notDeepEqual(context.image, first);
  while (context.paint(painter, camera, 70));
  const late = context.image;
  context.paint(new Painter(mirror, 0, true), camera, 0);
  assert.deepEqual(late, context.image);
});

test("from far, where a cell is a pixel or more, a surface is a line at its height that runs on over the chunks", () => {
  const sides = { logX: 6, logY: 6, logZ: 0 };
  const look = new Uint32Array(4096);
  for (let x = 0; x < 64; ++x) look[x] = SURFACE | (x * 4); // from the floor up to a full cell
  const right = new Uint32Array(4096);
  right[0] = SURFACE | 255;
  for (const scale of [1, 1.5, 2.9]) {
    const width = Math.round(64 * scale);
    const frame = { pixels: new Uint32Array(width * 6), width, height: 6, left: 0, top: 2, scale, worldHeight: 64 };
    frame.pixels.fill(1);
    drawSurfaces(frame, look, (x, y) => (x === 1 && y === 0 ? right : null), sides, 0, 0);
    for (let x = 0; x < width; ++x) {
      const cell = Math.floor((x + 0.5) / scale);
      // The line's place, from the frame's top, in pixels.
      const line = (2 - (cell * 4) / 255) * scale;
      for (let y = 0; y < 6; ++y) {
        const pixel = frame.pixels[y * width + x];
        const floor = Math.ceil(2 * scale - 0.5);
        if (y + 1 < line - 0.6 && pixel !== 1) assert.equal(pixel, palette.AIR[0], `[${x}, ${y}] at ${scale} over the line`);
        if (y >= floor) assert.equal(pixel, 1, `[${x}, ${y}] at ${scale} lies under the world`);
        if (Math.abs(y + 0.5 - line) < 0.3 && y < floor) assert.notEqual(pixel, palette.AIR[0], `[${x}, ${y}] at ${scale} is the line`);
      }
    }
  }
});

test("rock's brightness is that of its place, whatever chunk and level of detail it is seen in", () => {
  const brightness = (x, y) => Math.round(128 + Math.sin(y * 0.35 + Math.sin(x * 0.07) * 2.2) * 6 + Math.sin(y * 0.11 + 1.7) * 5
    + (palette.noise(x, y) - 128) * 0.06);
  for (const [chunkX, chunkY, side] of [[0, 0, 1], [3, 5, 1], [2, 1, 4]]) {
    const stones = stonesOf(SHAPES[0], chunkX, chunkY, side);
    const { logX } = SHAPES[0];
    for (let i = 0; i < stones.length; ++i) {
      const x = ((chunkX << logX) + (i & ((1 << logX) - 1))) * side;
      const y = ((chunkY << SHAPES[0].logY) + (i >> logX)) * side;
      assert.equal(stones[i], brightness(x, y));
    }
  }
});

test("how bright rock is, is found where there is rock", () => {
  const asked = (rows) => {
    const mirror = drawn(rows, SHAPES[0]);
    const surfaces = new Surfaces(mirror, 0);
    surfaces.settle();
    let times = 0;
    const { logX, logY } = SHAPES[0];
    new Looks(mirror, surfaces, 0).paint(0, 0, () => (++times, stonesOf(SHAPES[0], 0, 0)), new Uint32Array(1 << (logX + logY)));
    return times;
  };
  assert.equal(asked(["....", "~~~~"]), 0);
  assert.equal(asked(["#..#", "#~~#"]), 1);
});

test("a strand goes on down to the surface that it falls on", () => {
  for (const above of [false, true]) { // within a chunk, and from the one above
    const look = new Uint32Array(4096);
    const row = above ? 63 : 10;
    look[row * 64 + 5] = SURFACE | 51; // a fifth of the cell
    look[row * 64 + 6] = SURFACE | 51;
    const over = above ? new Uint32Array(4096) : look;
    over[(above ? 0 : row + 1) * 64 + 5] = FALLS | 100;
    const frame = { pixels: new Uint32Array(60 * 40), width: 60, height: 40, left: 4, top: row + 2, scale: 20, worldHeight: 1 };
    drawNear(frame, look, (x, y) => (above && x === 0 && y === 1 ? over : null), SHAPES[0], 0, 0);
    const pixel = (x, y) => frame.pixels[y * 60 + x];
    for (const y of [22, 30, 34]) { // over the surface, which lies at 36
      const air = pixel(50, y); // over the next cell
      assert.notEqual(pixel(30, y), air, `${y}: the strand`);
      assert.equal(pixel(21, y), air, `${y}: beside it`);
    }
    assert.equal(pixel(30, 22), pixel(30, 34), "as wide all the way");
    assert.notEqual(pixel(30, 38), pixel(30, 30), "and not within the water");
  }
});

test("a surface runs on without a break, whatever rows and chunks it crosses", () => {
  const [width, scale] = [16, 24];
  const sides = { logX: 3, logY: 3, logZ: 0 }; // 2 x 2 of these chunks
  const random = dice(7);
  for (let round = 0; round < 50; ++round) {
    // Levels in 255ths of a cell; from column to column they change by less than one cell.
    const levels = [255 * 8 + 128];
    while (levels.length < width) levels.push(Math.min(255 * 12, Math.max(255 * 4, levels.at(-1) + random(500) - 250)));
    const lookOf = (x, y) => {
      const fill = levels[x] - 255 * y;
      return fill > 255 ? 255 : fill > 0 ? SURFACE | fill : 0;
    };
    const chunks = [0, 1, 2, 3].map((chunk) => Uint32Array.from({ length: 64 },
      (_, i) => lookOf((chunk & 1) * 8 + (i & 7), (chunk >> 1) * 8 + (i >> 3))));
    const [across, high] = [width * scale, 16 * scale];
    const frame = { pixels: new Uint32Array(across * high), width: across, height: high, left: 0, top: 16, scale, worldHeight: 1 };
    const at = (x, y) => (x >= 0 && x < 2 && y >= 0 && y < 2 ? chunks[2 * y + x] : null);
    chunks.forEach((look, chunk) => {
      const [x, y] = [chunk & 1, chunk >> 1];
      drawNear(frame, look, (right, up) => at(x + right, y + up), sides, x * 8, y * 8);
    });
    const air = frame.pixels[0];
    const surface = Array.from({ length: across }, (_, x) => {
      let y = 0;
      while (frame.pixels[y * across + x] === air) ++y;
      return y;
    });
    // It goes straight from the level in the middle of one column to that of the next one.
    for (let x = scale / 2; x < across - scale / 2; ++x) {
      const place = (x + 0.5) / scale - 0.5;
      const column = Math.floor(place);
      const level = levels[column] + (levels[column + 1] - levels[column]) * (place - column);
      const wanted = (16 - level / 255) * scale;
      assert.ok(Math.abs(surface[x] - wanted) <= 1.5, `round ${round}: ${surface[x]}, not ${wanted}, at ${x / scale}`);
    }
    for (let x = 0; x < across; ++x) { // the line is as thick everywhere
      let line = 0;
      for (let y = 0; y < high; ++y) if (frame.pixels[y * across + x] === palette.SURFACE_PIXEL) ++line;
      assert.ok(line >= 1 && line <= 3, `round ${round}: a line of ${line} pixels at ${x / scale}`);
    }
  }
});

test("a surface ends as what is beside it says", () => {
  const scale = 20;
  const AIR = 0;
  /** Pixels from a row's floor up to the surface at the right border of a column that is half full there. */
  const edge = (neighbour) => {
    const look = new Uint32Array(64);
    look[2 * 8 + 1] = SURFACE | 127; // in row 2, over water and left of the neighbour
    look[8 + 1] = look[1] = 255;
    neighbour.forEach((seen, row) => (look[row * 8 + 2] = seen));
    const frame = { pixels: new Uint32Array(160 * 160), width: 160, height: 160, left: 0, top: 8, scale, worldHeight: 1 };
    drawNear(frame, look, () => null, { logX: 3, logY: 3, logZ: 0 }, 0, 0);
    let y = 0;
    while (frame.pixels[y * 160 + 2 * scale - 1] === frame.pixels[0]) ++y;
    return 6 * scale - y; // row 2 begins 6 rows from the top
  };
  const near = (neighbour, wanted) => assert.ok(Math.abs(edge(neighbour) - wanted) <= 2, `${edge(neighbour)}, not ${wanted}`);
  near([IS_ROCK, IS_ROCK, IS_ROCK], scale / 2); // rock
  near([IS_ROCK, IS_ROCK, AIR], 0); // dry ground
  near([255, 255, 255, 255, SURFACE | 127], scale); // a front that is two cells high
  near([AIR, AIR, AIR], scale / 2); // a ledge
  near([AIR, FALLS | 90, AIR], scale / 2); // a ledge over which it falls
  near([AIR, AIR, FALLS | 90], scale / 2); // likewise
});
