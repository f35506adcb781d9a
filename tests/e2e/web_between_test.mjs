// Goal: between two ticks the page shows what is between the two, once.
// Method: modules are bundled by themselves; columns of water in cells and chunks, of which the level changes.
//
//   node web_between_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { dice, drawn, FULL, load } from "./web_support.mjs";

const { mixLooks, SURFACE, FALLS, IS_ROCK } = await load("look.ts");
const { CanvasPicture } = await load("canvas_picture.ts");
const { Camera } = await load("camera.ts");
const { Painter } = await load("painter.ts");
const { newTile } = await load("tile.ts");
const palette = await load("palette.ts");

/** What is seen of the row in a column of water up to a level, in 255ths of a cell. */
function lookOf(level, row) {
  const fill = level - 255 * row;
  return fill > 255 ? 255 : fill > 0 ? SURFACE | fill : 0;
}

test("between two ticks a surface that goes on into another row is in one of both", () => {
  const columnOf = (level) => Uint32Array.from({ length: 4 }, (_, y) => lookOf(level, y));
  const levelOf = (column) => column.reduce((sum, look) => sum + (look & 255), 0);
  const random = dice(3);
  for (let round = 0; round < 300; ++round) {
    const from = 256 + random(500);
    const to = Math.max(256, Math.min(756, from + random(508) - 254)); // by less than a cell
    const mixed = new Uint32Array(4);
    for (const share of [0, 0.2, 0.5, 0.9, 1]) {
      mixLooks([columnOf(from)], [columnOf(to)], 1, share, mixed);
      const lines = mixed.filter((look) => look & SURFACE).length;
      // It may lie just on a row's floor.
      assert.ok(lines === 1 || (lines === 0 && levelOf(mixed) % 255 === 0), `${from} to ${to} at ${share}: ${lines} lines`);
      assert.ok(Math.abs(levelOf(mixed) - (from + (to - from) * share)) <= 2, `${from} to ${to} at ${share}: ${levelOf(mixed)}`);
    }
  }
});

test("between two ticks a surface that goes on into another chunk is in one of both", () => {
  const columnOf = (level) => Uint32Array.from({ length: 6 }, (_, y) => lookOf(level, y));
  // Three chunks, two rows each, of which each is mixed by itself.
  const stackOf = (column, chunk) => {
    const at = (i) => (i < 0 || i > 2 ? undefined : column.slice(2 * i, 2 * i + 2));
    return [at(chunk), at(chunk + 1), at(chunk - 1)];
  };
  const random = dice(4);
  for (let round = 0; round < 300; ++round) {
    const from = 256 + random(1000);
    const to = Math.max(256, Math.min(1256, from + random(508) - 254));
    for (const share of [0, 0.2, 0.5, 0.9, 1]) {
      const whole = new Uint32Array(6);
      mixLooks([columnOf(from)], [columnOf(to)], 1, share, whole);
      const parts = [0, 1, 2].flatMap((chunk) => {
        const mixed = new Uint32Array(2);
        mixLooks(stackOf(columnOf(from), chunk), stackOf(columnOf(to), chunk), 1, share, mixed);
        return [...mixed];
      });
      assert.deepEqual(parts, [...whole], `${from} to ${to} at ${share}`);
    }
  }
});

test("between two ticks a strand that a surface rises into fills up", () => {
  const mixed = new Uint32Array(2);
  mixLooks([Uint32Array.of(FALLS | 100, SURFACE | 40)], [Uint32Array.of(SURFACE | 200, 0)], 1, 0.5, mixed);
  assert.equal(mixed[0] & ~0xff00, SURFACE | 150);
});

test("between two ticks the picture is between the two", () => {
  const [before, now, mixed] = [10, 210, 0].map((fill) => Uint32Array.of(SURFACE | fill));
  let last = 10;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    mixLooks([before], [now], 1, share, mixed);
    assert.ok((mixed[0] & 255) >= last && (mixed[0] & 255) <= 210);
    last = mixed[0] & 255;
  }
  assert.equal(mixed[0], now[0]);
  mixLooks([before], [Uint32Array.of(IS_ROCK | 128)], 1, 0.2, mixed);
  assert.equal(mixed[0], IS_ROCK | 128);
});

test("between two ticks a surface is drawn once, without a break, whatever rows and chunks it crosses", () => {
  const [width, scale] = [16, 24];
  const sides = { logX: 3, logY: 3, logZ: 0 }; // 2 x 2 of these chunks
  const random = dice(9);
  for (let round = 0; round < 50; ++round) {
    // Each column rises or sinks by less than half a cell.
    const now = [255 * 8 + 128];
    while (now.length < width) now.push(Math.min(255 * 12, Math.max(255 * 4, now.at(-1) + random(240) - 120)));
    const before = now.map((level) => level + random(240) - 120);
    const chunkOf = (levels, chunk) => Uint32Array.from({ length: 64 },
      (_, i) => lookOf(levels[(chunk & 1) * 8 + (i & 7)], (chunk >> 1) * 8 + (i >> 3)));
    const tiles = [0, 1, 2, 3].map((chunk) => Object.assign(newTile(chunk & 1, chunk >> 1, sides),
      { look: chunkOf(now, chunk), before: chunkOf(before, chunk), moves: true, stamp: 1 + chunk }));
    let painted = null;
    const picture = new CanvasPicture({
      createImageData: (across, high) => ({ width: across, height: high, data: new Uint8ClampedArray(4 * across * high) }),
      putImageData: ({ data }) => { painted = new Uint32Array(data.buffer); },
    });
    const [across, high] = [width * scale, 16 * scale];
    for (const share of [0.2, 0.5, 0.8]) {
      const view = { width: across, height: high, left: 0, top: 16, scale, level: 0, size: { x: 16, y: 16, z: 1 }, sides, share };
      picture.begin(view, (x, y) => tiles.find((tile) => tile.x === x && tile.y === y) ?? null);
      for (const tile of tiles) picture.tile(tile);
      picture.end();
      const levels = now.map((level, x) => before[x] + (level - before[x]) * share);
      for (let x = scale / 2; x < across - scale / 2; ++x) {
        const place = (x + 0.5) / scale - 0.5;
        const column = Math.floor(place);
        const level = levels[column] + (levels[column + 1] - levels[column]) * (place - column);
        const lines = Array.from({ length: high }, (_, y) => y).filter((y) => painted[y * across + x] === palette.SURFACE_PIXEL);
        assert.ok(lines.length >= 1 && lines.length <= 3, `round ${round}, ${share}: a line of ${lines.length} pixels at ${x / scale}`);
        const lacks = lines[0] - (16 - level / 255) * scale;
        assert.ok(Math.abs(lacks) <= 2.5, `round ${round}, ${share}: ${lacks} pixels too low at ${x / scale}`);
      }
    }
  }
});

test("the first frame after a tick shows what lies beside a chunk as it is then, too", () => {
  const mirror = drawn(Array.from({ length: 128 }, (_, i) => (i < 70 ? "." : "~").repeat(192))); // three by two chunks
  const camera = new Camera();
  camera.resize(192 * 4, 128 * 4, null);
  Object.assign(camera, { x: 96, y: 64, scale: 4 });
  let image = null;
  const picture = new CanvasPicture({
    createImageData: (across, high) => ({ width: across, height: high, data: new Uint8ClampedArray(4 * across * high) }),
    putImageData: ({ data }) => { image = data.slice(); },
  });
  const painter = new Painter(mirror, 0, false);
  const { now } = performance;
  performance.now = () => 0; // nothing has to wait for the next frame
  try {
    const paint = (time) => (painter.paint(picture, 192 * 4, 128 * 4, camera, time), image);
    paint(0);
    const random = dice(11);
    for (let tick = 1; tick < 6; ++tick) {
      for (let x = 0; x < 192; ++x) mirror.chunk(x >> 6, 0, 0)[(57 << 6) | (x & 63)] = 1 + random(FULL - 1);
      painter.ticked(mirror.coords(), 50 * tick);
      const first = paint(50 * tick + 20);
      assert.deepEqual(first, paint(50 * tick + 20), `tick ${tick}`);
    }
  } finally {
    performance.now = now;
  }
});
