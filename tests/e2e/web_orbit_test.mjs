// Goal: the orbiting view reads of each column what stands and falls there, takes what the picture from above would show,
// and looks at it the right way round; overlays tell of the uppermost water, as one sees it.
// Method: the modules by themselves, over small worlds as the picture from above has them: x, y behind it, z up.
//
//   node web_orbit_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { FULL, load, Mirror, ROCK, SHAPES } from "./web_support.mjs";

const { eachColumn, OrbitColumns, heightOf, iceAt, NONE, PARTS, VOID } = await load("orbit_columns.ts");
const { amountOf, standingOf } = await load("top_overlay.ts");
const { OrbitCamera } = await load("orbit_camera.ts");
const { areaOf, WIDEST } = await load("orbit_painter.ts");
const { between } = await load("orbit_gl.ts");
const { meet } = await load("orbit_pick.ts");
const { MOST_LOOKS, OrbitLens } = await load("orbit_lens.ts");
const { FOCAL } = await load("orbit_camera.ts");
const { Camera } = await load("camera.ts");
const { chunkKey } = await load("geometry.ts");

const ICE = -1000;
const SIDE = 16;

/** A world of so many cells; `cellAt` says what is in each. */
function world(size, cellAt) {
  const mirror = new Mirror({ size, sides: SHAPES[1], tick: 1, layers: [] });
  const put = ({ x, y, z }) => {
    const key = chunkKey(x >> 4, y >> 4, z >> 4);
    if (!mirror.chunks.has(key)) mirror.chunks.set(key, new Int32Array(SIDE ** 3));
    mirror.chunks.get(key)[((y % SIDE) * SIDE + (z % SIDE)) * SIDE + (x % SIDE)] = cellAt(x, y, z);
  };
  for (let z = 0; z < size.z; ++z) for (let y = 0; y < size.y; ++y) for (let x = 0; x < size.x; ++x) put({ x, y, z });
  return mirror;
}

function columnOf(cells) {
  const mirror = world({ x: 1, y: 1, z: cells.length }, (x, y, z) => cells[z]);
  const out = new Float32Array(PARTS);
  new OrbitColumns(mirror, () => null).read({ x: 0, y: 0, width: 1, height: 1, step: 1 }, Infinity, out);
  return [...out];
}

test("of a column there are its rock, the water on it, and what falls above both", () => {
  const dry = [NONE, NONE, NONE];
  assert.deepEqual(columnOf([ROCK, ROCK, 0, 0]), [2, ...dry]);
  assert.deepEqual(columnOf([0, 0]), [VOID, ...dry], "there is nothing");
  assert.deepEqual(columnOf([ROCK, FULL, FULL / 2, 0]), [1, 2.5, NONE, NONE]);
  assert.deepEqual(columnOf([FULL, FULL]), [0, 2, NONE, NONE], "it stands on the world's floor");
  assert.deepEqual(columnOf([ROCK, FULL, 0, FULL / 4, FULL / 2, 0]), [1, 2, 4.5, 3], "it falls onto water");
  assert.deepEqual(columnOf([0, FULL, 0]), [VOID, NONE, 2, 1], "it falls out of the world");
  assert.deepEqual(columnOf([ROCK, FULL, 0, ROCK, 0]), [4, ...dry], "what lies under an overhang is not seen");
  assert.deepEqual(columnOf([ROCK, FULL, ICE, 0]), [iceAt(3), ...dry]);
  assert.equal(heightOf(iceAt(3)), 3);
  assert.equal(heightOf(7), 7);
  // Over the border of a chunk, and over one that is not there.
  assert.deepEqual(columnOf([...Array(14).fill(ROCK), ...Array(5).fill(FULL)]), [14, 19, NONE, NONE]);
  const mirror = world({ x: 1, y: 1, z: 48 }, (x, y, z) => (z < 3 ? ROCK : z >= 32 ? FULL : 0));
  mirror.chunks.delete(chunkKey(0, 0, 1));
  const out = new Float32Array(PARTS);
  new OrbitColumns(mirror, () => null).read({ x: 0, y: 0, width: 1, height: 1, step: 1 }, Infinity, out);
  assert.deepEqual([...out], [3, NONE, 48, 32]);
});

test("from above overlays tell of the uppermost water, of depths and heads of what stands", () => {
  const told = (cells, slice = cells.length - 1) => {
    const mirror = world({ x: 1, y: 1, z: cells.length }, (x, y, z) => cells[z]);
    const standing = standingOf(mirror, slice, 0, 0);
    return [amountOf(mirror, slice, 0, 0), standing?.head ?? null, standing?.depth ?? null];
  };
  assert.deepEqual(told([ROCK, FULL, FULL / 2, 0]), [FULL / 2, 2.5, 1.5]);
  assert.deepEqual(told([FULL, FULL]), [FULL, 2, 2], "on the world's floor");
  assert.deepEqual(told([ROCK, FULL, 0, FULL / 4, 0]), [FULL / 4, 2, 1], "under what falls");
  assert.deepEqual(told([ROCK, 0, FULL / 4, 0]), [FULL / 4, null, null], "it falls onto rock");
  assert.deepEqual(told([ICE, FULL, 0]), [FULL, 2, 1], "on ice");
  assert.deepEqual(told([ROCK, FULL, ROCK, 0]), [null, null, null], "under a roof");
  assert.deepEqual(told([ROCK, 0]), [null, null, null]);
  assert.deepEqual(told([0, 0]), [null, null, null]);
  assert.deepEqual(told([ROCK, FULL, FULL, FULL], 2), [FULL, null, null], "the height cuts through it");
});

test("of an area those columns are told of in which there is something, with their tops", () => {
  const columns = Float32Array.from([[2, 5, NONE, NONE], [VOID, NONE, NONE, NONE], [VOID, NONE, 7, 6], [iceAt(3), NONE, NONE, NONE]].flat());
  const seen = [];
  eachColumn({ x: 10, y: 20, width: 2, height: 2, step: 4 }, columns, (...column) => seen.push(column));
  assert.deepEqual(seen, [[0, 10, 20, 5], [2, 10, 24, 7], [3, 14, 24, 3]]);
});

test("a stack's version grows with its cells, from when it was first seen", () => {
  const mirror = world({ x: 20, y: 1, z: 4 }, () => ROCK);
  const columns = new OrbitColumns(mirror, () => null);
  columns.changed([{ x: 0, y: 0, z: 0 }]);
  assert.equal(columns.versionOf(0, 0), 0, "nobody has looked");
  columns.read({ x: 0, y: 0, width: 20, height: 1, step: 1 }, Infinity, new Float32Array(20 * PARTS));
  const [first, second] = [columns.versionOf(0, 0), columns.versionOf(1, 0)];
  columns.changed([{ x: 0, y: 0, z: 0 }]);
  assert.ok(columns.versionOf(0, 0) > first && columns.versionOf(1, 0) === second);
});

test("a line from the eye meets the first column in its way, at its side, its top, or what falls there", () => {
  // Rock 2 high, a tower of 6 at [2, 1], water up to 3 at [1, 0], nothing at [0, 1], a fall from 9 to 5 at [3, 0].
  const [W, H] = [4, 2];
  const columns = new Float32Array(W * H * PARTS);
  for (let i = 0; i < W * H; ++i) columns.set([2, NONE, NONE, NONE], i * PARTS);
  columns.set([6, NONE, NONE, NONE], (1 * W + 2) * PARTS);
  columns.set([2, 3, NONE, NONE], 1 * PARTS);
  columns.set([VOID, NONE, NONE, NONE], 1 * W * PARTS);
  columns.set([2, NONE, 9, 5], 3 * PARTS);
  const met = (from, to) => meet({ from, along: from.map((part, i) => to[i] - part) }, columns, W, H, 0);
  const near = (found, [x, y, height]) => {
    assert.deepEqual([found.x, found.y], [x, y]);
    assert.ok(Math.abs(found.height - height) < 1e-3, `${found.height} is ${height}`);
  };
  near(met([0.5, 0.51, 20], [0.5, 0.5, 0]), [0, 0, 2]);
  near(met([1.5, 0.51, 20], [1.5, 0.5, 0]), [1, 0, 3]);
  assert.equal(met([0.5, 1.51, 20], [0.5, 1.5, 0]), null, "nothing is there");
  near(met([-2, 1.5, 4.5], [2, 1.5, 4.5]), [2, 1, 4.5]);
  near(met([-2, 0.5, 1], [2, 0.5, 1]), [0, 0, 1]);
  assert.equal(met([-2, 0.5, -1], [2, 0.5, -1]), null, "under all");
  near(met([9, 0.5, 7], [-9, 0.5, 7]), [3, 0, 7]);
  near(met([9, 0.5, 4], [-9, 0.5, 1]), [1, 0, 2.833]);
  assert.equal(met([9, 5, 4], [9, -5, 4]), null, "beside it");
  assert.equal(met([0.5, 0.5, 20], [0.5, 0.5, 30]), null, "away from it");
});

test("what is in the middle of the screen is in the middle of the picture, and its right is on the right", () => {
  const camera = new OrbitCamera();
  camera.step(0, true);
  const [reach, half, aspect] = [30, 10, 1.6];
  const matrix = camera.matrix(reach, half, aspect);
  const from = camera.direction.map((part) => part * camera.distance(reach, half, aspect));
  for (const [right, up] of [[0, 0], [0.4, -0.3], [-0.9, 0.7]]) {
    const along = camera.towards(right, up, aspect);
    const place = from.map((part, i) => part + along[i] * 40);
    const [x, y, , w] = [0, 1, 2, 3].map((row) => place.reduce((sum, part, i) => sum + matrix[i * 4 + row] * part, matrix[12 + row]));
    assert.ok(Math.abs(x / w - right) < 1e-5 && Math.abs(y / w - up) < 1e-5, `${x / w}, ${y / w}`);
  }
});

test("what changed is read anew, as much of it as there is time for", () => {
  let top = 4;
  const mirror = world({ x: 64, y: 16, z: 16 }, (x, y, z) => (z < top ? ROCK : 0));
  const columns = new OrbitColumns(mirror, () => null);
  const area = { x: 0, y: 0, width: 64, height: 16, step: 1 };
  const out = new Float32Array(64 * 16 * PARTS);
  assert.equal(columns.read(area, Infinity, out), false);
  assert.equal(out[0], 4);
  const version = columns.version;
  for (const cells of mirror.chunks.values()) cells.fill(0);
  columns.changed([0, 1, 2, 3].map((x) => ({ x, y: 0, z: 0 })));
  assert.notEqual(columns.version, version);
  // One at least, or a slow machine would never end.
  assert.equal(columns.read(area, -1, out), true);
  assert.deepEqual([0, 16, 32, 48].map((x) => out[x * PARTS]), [VOID, 4, 4, 4]);
  // Where all change in every tick, each has its turn.
  for (let i = 0; i < 3; ++i) {
    columns.changed([{ x: 0, y: 0, z: 0 }]);
    columns.read(area, -1, out);
  }
  assert.deepEqual([0, 16, 32, 48].map((x) => out[x * PARTS]), [VOID, VOID, VOID, VOID]);
  assert.equal(columns.read(area, Infinity, out), false);
  const one = new Float32Array(PARTS);
  assert.ok(columns.known(17, 3, one));
  assert.equal(columns.known(17, 300, one), false, "nothing is looked at for it");
});

test("waves lift the water, and never under its bed", () => {
  const mirror = world({ x: 2, y: 1, z: 8 }, (x, y, z) => (z < 2 ? ROCK : z < 4 ? FULL : 0));
  const layers = { has: (name) => name === "waves", version: () => 1, waveAt: ({ x, z }) => (assert.equal(z, 3), x === 0 ? 0.5 : -3) };
  const out = new Float32Array(2 * PARTS);
  new OrbitColumns(mirror, () => layers).read({ x: 0, y: 0, width: 2, height: 1, step: 1 }, Infinity, out);
  assert.deepEqual([out[1], out[PARTS + 1]], [4.5, 2]);
});

test("ice has the shape of the wave that it froze", () => {
  const mirror = world({ x: 3, y: 1, z: 8 }, (x, y, z) => (z < 2 ? ROCK : z < 3 ? FULL : z < 4 ? ICE : 0));
  const layers = { has: (name) => name === "waves", version: () => 1, waveAt: ({ x, z }) => (assert.equal(z, 3), [0.5, -1.25, 0][x]) };
  const out = new Float32Array(3 * PARTS);
  new OrbitColumns(mirror, () => layers).read({ x: 0, y: 0, width: 3, height: 1, step: 1 }, Infinity, out);
  assert.deepEqual([0, 1, 2].map((x) => out[x * PARTS]), [iceAt(4.5), iceAt(2.75), iceAt(4)]);
});

test("between two readings only water that was there moves", () => {
  const before = Float32Array.from([2, 4, NONE, NONE, 2, NONE, NONE, NONE]);
  const now = Float32Array.from([3, 6, 9, 8, 2, 5, NONE, NONE]);
  assert.deepEqual([...between(before, now, 0.5)], [3, 5, 9, 8, 2, 5, NONE, NONE]);
});

test("it takes what the picture from above shows, cut to the world, and of what is wide every so many columns", () => {
  const camera = new Camera();
  camera.resize(400, 200, null);
  camera.fit({ x: 100, y: 40, z: 9 });
  assert.deepEqual(areaOf(camera, { x: 100, y: 40, z: 9 }), { x: 0, y: 0, width: 100, height: 40, step: 1 });
  assert.deepEqual(areaOf(camera, { x: 100, y: 40, z: 9 }, 64), { x: 0, y: 0, width: 50, height: 20, step: 2 }, "on a slow machine");
  camera.show(50, 20, 10, { x: 100, y: 40, z: 9 });
  assert.deepEqual(areaOf(camera, { x: 100, y: 40, z: 9 }), { x: 30, y: 10, width: 40, height: 20, step: 1 });
  const large = { x: 1 << 20, y: 1 << 20, z: 9 };
  camera.fit(large);
  const { x, y, width, height, step } = areaOf(camera, large);
  assert.ok(width * step <= WIDEST && height * step <= WIDEST && width <= 256 && height <= 256);
  assert.ok(Math.abs(x + (width * step) / 2 - large.x / 2) <= step && Math.abs(y + (height * step) / 2 - large.y / 2) <= step, "its middle");
});

test("one looks at the middle, from above first, and never from under the ground", () => {
  const seen = (orbit, x, y, z) => {
    const m = orbit.matrix(10, 5, 1.5);
    const row = (i) => m[i] * x + m[4 + i] * y + m[8 + i] * z + m[12 + i];
    const w = row(3);
    return { x: row(0) / w, y: row(1) / w, z: row(2) / w, w };
  };
  const orbit = new OrbitCamera();
  const middle = seen(orbit, 0, 0, 0);
  assert.ok(Math.abs(middle.x) < 1e-6 && Math.abs(middle.y) < 1e-6 && middle.z > -1 && middle.z < 1);
  assert.ok(seen(orbit, 5, 0, 0).x > 0.1, "x runs right");
  assert.ok(seen(orbit, 0, 0, -5).y > 0.1, "what lies behind is above");
  assert.ok(seen(orbit, 0, 5, 0).w < middle.w, "what is high is near");
  assert.equal(orbit.step(0, true), false, "nothing moves on its way");
  assert.ok(seen(orbit, 0, 5, 0).y > 0.1, "tilted, what is high is above");
  orbit.turn(0, -9);
  orbit.step(0, true);
  assert.ok(orbit.direction[1] > 0.05);
  orbit.turn(0, 9);
  orbit.step(0, true);
  assert.ok(orbit.direction[1] > 0.999 && orbit.direction[1] <= 1);
  const smooth = new OrbitCamera();
  const first = smooth.pitch;
  assert.equal(smooth.step(0, false), true);
  assert.ok(smooth.pitch < first && smooth.pitch > 0.7, "it goes there by and by");
});

test("all that is shown is in view, whichever way one turns", () => {
  for (const aspect of [0.4, 1, 2.5]) {
    for (let i = 0; i < 60; ++i) {
      const orbit = new OrbitCamera();
      orbit.turn(i, (i % 12) / 8 - 0.6);
      orbit.step(0, true);
      const m = orbit.matrix(Math.hypot(8, 6), 5, aspect);
      for (const [x, y, z] of [-8, 8].flatMap((x) => [-5, 5].flatMap((y) => [-6, 6].map((z) => [x, y, z])))) {
        const [across, up, deep, w] = [0, 1, 2, 3].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
        for (const place of [across, up, deep]) assert.ok(w > 0 && Math.abs(place) <= w, `${[x, y, z]} at ${aspect}, ${i}`);
      }
    }
  }
});

test("what stands in the world is seen where its cell is, and hidden behind what is nearer", () => {
  const [width, height] = [12, 9];
  // Ground 2 high, with a wall across the middle 10 high.
  const columns = Float32Array.from({ length: width * height * PARTS }, (_, i) =>
    (i % PARTS > 0 ? NONE : Math.floor(i / PARTS / width) === 4 ? 10 : 2));
  const scene = { x: 30, y: 50, left: -width / 2, bottom: -height / 2, middle: 5, step: 1, base: 0, width, height };
  const camera = new OrbitCamera();
  for (const [yaw, pitch] of [[0, 0.4], [0.7, 0.9], [-2.5, 0.5]]) {
    camera.turn(yaw - camera.yaw, pitch - camera.pitch);
    for (let i = 0; i < 3; ++i) camera.step(i, true);
    const aspect = 800 / 500;
    const size = [Math.hypot(width, height) / 2, 5, aspect];
    const from = camera.direction.map((part) => part * camera.distance(...size));
    const lens = new OrbitLens(scene, columns, camera.matrix(...size), from, 800, 500, FOCAL);
    for (const at of [{ x: 31, y: 51, z: 2 }, { x: 40, y: 57, z: 2 }, { x: 36, y: 54, z: 9 }, { x: 33, y: 56, z: 3 }]) {
      const [x, y] = lens.spot(at);
      assert.ok(x > 0 && x < 800 && y > 0 && y < 500, "all is in view");
      const along = camera.towards((2 * x) / 800 - 1, 1 - (2 * y) / 500, aspect);
      const line = lens.line(along);
      // The nearest that the line comes to the cell's middle.
      const to = [at.x + 0.5 - 30, at.y + 0.5 - 50, at.z + 0.5].map((part, axis) => part - line.from[axis]);
      const share = to.reduce((sum, part, axis) => sum + part * line.along[axis], 0) / line.along.reduce((sum, part) => sum + part * part, 0);
      assert.ok(Math.hypot(...to.map((part, axis) => part - share * line.along[axis])) < 0.01, "the spot's line goes through it");
    }
    assert.ok(lens.scale > 10 && lens.scale < 100);
  }
  const seenFrom = (yaw) => {
    camera.turn(yaw - camera.yaw, 0.3 - camera.pitch);
    for (let i = 0; i < 3; ++i) camera.step(i, true);
    const size = [Math.hypot(width, height) / 2, 5, 1];
    const from = camera.direction.map((part) => part * camera.distance(...size));
    const lens = new OrbitLens(scene, columns, camera.matrix(...size), from, 500, 500, FOCAL);
    const hidden = [{ x: 36, y: 51, z: 3 }, { x: 36, y: 57, z: 3 }, { x: 36, y: 57, z: 30 }].map((at) => lens.hides(at));
    // Of many more a picture looks no farther, and a pointer does.
    const behind = { x: 36, y: hidden[1] ? 57 : 51, z: 3 };
    for (let i = 3; i < MOST_LOOKS; ++i) assert.equal(lens.hides(behind), true);
    assert.equal(lens.hides(behind), false);
    assert.equal(lens.isBehind(behind), true);
    return hidden;
  };
  // One looks from the front, where y is small, and then from the back.
  assert.deepEqual(seenFrom(0), [false, true, false]);
  assert.deepEqual(seenFrom(Math.PI), [true, false, false]);
});

test("what is dragged follows the finger, from wherever one looks", () => {
  for (const yaw of [0, 1, 2.5, -2]) {
    const orbit = new OrbitCamera();
    orbit.turn(yaw - 0.5, 9); // from straight above, where it is exact
    orbit.step(0, true);
    const [dx, dy] = orbit.across(3, 2);
    // The picture from above has y down the screen, the view z towards who looks.
    const m = orbit.matrix(10, 5, 1);
    const on = (row) => (m[row] * dx + m[8 + row] * dy) / m[15];
    assert.ok(Math.abs(on(0) / on(1) + 1.5) < 0.01 && on(0) > 0, `turned by ${yaw}`);
  }
});
