// Goal: what is drawn over the picture of steam, waves from above and momentary events is where it should be, goes over
// from one telling to the next, is the same for everybody, and asks for no frame when nothing moves.
// Method: the modules by themselves, with layers made up here and a canvas that notes what it is told.
//
//   node web_marks_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, load, SHAPES } from "./web_support.mjs";

globalThis.ImageData = class {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
};
globalThis.OffscreenCanvas = class {
  constructor(width, height) {
    Object.assign(this, { width, height });
  }
  getContext() {
    return { putImageData: (image) => (this.pixels = new Uint32Array(image.data.buffer.slice(0))) };
  }
};
const { Sheet } = await load("sheets.ts");
const { Froth, Haze, Slopes } = await load("sheet_sources.ts");
const { LONGEST_LIFE, MOST_PARTICLES, Particles } = await load("particles.ts");

const FLAT = SHAPES[0];
const CAMERA = { width: 640, height: 640, scale: 10, screenX: (x) => 10 * x, screenY: (y) => 640 - 10 * y };
const CHUNK = { x: 0, y: 0, z: 0 };

/** Layers that hold these numbers: {name: {"x,y": number}}, all in the first chunk of one slice. */
function layersOf(told) {
  const chunks = {};
  const layers = {
    set(name, cells) {
      chunks[name] = new Int32Array(4096);
      for (const [place, number] of Object.entries(cells)) {
        const [x, y] = place.split(",").map(Number);
        chunks[name][(y << 6) | x] = number;
      }
    },
    chunk: (name, x, y, z) => (x === 0 && y === 0 && z === 0 ? chunks[name] : undefined),
    coords: (name) => (chunks[name] ? [CHUNK] : []),
    waveAt: () => 0,
  };
  for (const [name, cells] of Object.entries(told)) layers.set(name, cells);
  return layers;
}

/** A context that notes what is painted. */
function noted() {
  const made = { images: [], arcs: [] };
  const nothing = () => undefined;
  let path = null;
  const context = {
    canvas: { width: 640 }, save: nothing, restore: nothing, beginPath: () => (path = null), rect: nothing, clip: nothing,
    drawImage: (canvas, ...place) => made.images.push({ canvas, place }),
    arc: (x, y, radius) => (path = { x, y, radius }),
    fill: () => made.arcs.push({ ...path, drop: true, alpha: context.globalAlpha }),
    stroke: () => made.arcs.push({ ...path, drop: false, alpha: context.globalAlpha }),
  };
  return { made, context };
}

/** What a sheet paints: the opacity of each cell of the first chunk. */
function paintedBy(sheet, now, slice = 0) {
  const { made, context } = noted();
  const moves = sheet.paint(context, CAMERA, slice, now);
  const image = made.images.find(({ place }) => place[0] === -10);
  const pixelAt = (x, y) => image?.canvas.pixels[(64 - y) * 66 + x + 1] ?? 0;
  return { moves, images: made.images.length, pixelAt, alphaAt: (x, y) => pixelAt(x, y) >>> 24 };
}

const AIR_OVER_WATER = [...Array(60).fill(".".repeat(64)), ...Array(4).fill("~".repeat(64))];

test("steam is thicker the more there is, saturates at a full cell's water, and is in air alone", () => {
  // Clouds of so much, each three by three cells.
  const cloud = (x, y, number) => Array.from({ length: 9 }, (_, i) => [`${x + (i % 3) - 1},${y + Math.floor(i / 3) - 1}`, number]);
  const layers = layersOf({ steam: Object.fromEntries([cloud(5, 10, 1), cloud(9, 10, 16), cloud(13, 10, 64), cloud(17, 10, 1024), cloud(21, 2, 64)].flat()) });
  const mirror = drawn(AIR_OVER_WATER);
  const sheet = new Sheet(mirror, new Haze(mirror, layers, false), false);
  const { alphaAt, moves } = paintedBy(sheet, 1000);
  const alphas = [1, 5, 9, 13, 17].map((x) => alphaAt(x, 10));
  assert.equal(moves, false, "what comes into view is there at once");
  assert.ok(alphas[0] === 0 && alphas[1] > 0 && alphas[1] < alphas[2] && alphas[2] < alphas[3], alphas.join());
  assert.equal(alphas[3], alphas[4]);
  assert.ok(alphas[3] < 255, "what is behind is still seen");
  assert.ok(alphaAt(14, 10) < alphaAt(13, 10) && alphaAt(15, 10) > 0, "its edge is soft");
  assert.equal(alphaAt(21, 2), 0, "water");
});

test("foam is white on water, the more of it the whiter, and nowhere else", () => {
  // 64 is as much foam as there is water.
  const layers = layersOf({ "tracer:froth": { "5,3": 1, "9,3": 16, "13,3": 64, "17,3": 1024, "21,10": 64 } });
  const mirror = drawn(AIR_OVER_WATER);
  const { alphaAt, pixelAt } = paintedBy(new Sheet(mirror, new Froth(mirror, layers, "tracer:froth", false), false), 1000);
  const alphas = [1, 5, 9, 13, 17].map((x) => alphaAt(x, 3));
  assert.ok(alphas[0] === 0 && alphas[1] > 0 && alphas[1] < alphas[2] && alphas[2] < alphas[3], alphas.join());
  assert.equal(alphas[3], alphas[4]);
  assert.ok(alphas[3] < 255);
  assert.equal(pixelAt(13, 3) & 0xffffff, 0xffffff);
  assert.equal(alphaAt(21, 10), 0, "air");
  assert.equal(alphaAt(13, 2), 0, "water without any");
});

test("foam at a surface goes with the wave, and stays within its chunk", () => {
  const heights = { 5: 1.5, 9: -1.4, 13: 100, 17: null };
  const layers = layersOf({ "tracer:froth": { "5,3": 64, "9,3": 64, "13,3": 64, "17,3": 64, "21,1": 64 } });
  layers.waveAt = ({ x }) => heights[x];
  const mirror = drawn(AIR_OVER_WATER);
  const { alphaAt } = paintedBy(new Sheet(mirror, new Froth(mirror, layers, "tracer:froth", false), false), 1000);
  const rows = (x) => Array.from({ length: 64 }, (_, y) => y).filter((y) => alphaAt(x, y) > 0);
  assert.deepEqual([5, 9, 13, 17, 21].map(rows), [[5], [2], [63], [3], [1]]);
});

test("steam goes over from one telling to the next, and rests when nothing is told", () => {
  const layers = layersOf({ steam: { "5,10": 64 } });
  const mirror = drawn(AIR_OVER_WATER);
  const [sheet, still] = [false, true].map((rests) => new Sheet(mirror, new Haze(mirror, layers, false), rests));
  const { alphaAt: first } = paintedBy(sheet, 0);
  const [most, least] = [first(5, 10), first(6, 10)];
  assert.ok(most > least && least > 0);
  paintedBy(still, 0);
  layers.set("steam", { "6,10": 64 });
  for (const each of [sheet, still]) each.told([CHUNK]);
  assert.deepEqual([5, 6].map((x) => paintedBy(still, 1000).alphaAt(x, 10)), [least, most]);
  assert.ok(!paintedBy(still, 1000).moves);
  const begun = paintedBy(sheet, 1000);
  assert.deepEqual([begun.moves, begun.alphaAt(5, 10), begun.alphaAt(6, 10)], [true, most, least]);
  const half = paintedBy(sheet, 1110);
  assert.ok(half.moves && half.alphaAt(5, 10) > 0 && half.alphaAt(5, 10) === half.alphaAt(6, 10));
  const done = paintedBy(sheet, 1300);
  assert.deepEqual([done.moves, done.alphaAt(5, 10), done.alphaAt(6, 10)], [false, least, most]);
  layers.set("steam", {});
  sheet.told([CHUNK]);
  assert.ok(paintedBy(sheet, 2000).moves);
  paintedBy(sheet, 2300);
  assert.deepEqual([paintedBy(sheet, 2310).moves, paintedBy(sheet, 2310).images], [false, 0], "what is gone is not drawn");
});

test("chunks that meet know each other's edge", () => {
  const layers = layersOf({ steam: { "63,10": 64 } });
  const mirror = drawn(Array(64).fill(".".repeat(128)));
  const { made, context } = noted();
  new Sheet(mirror, new Haze(mirror, layers, false), false).paint(context, CAMERA, 0, 0);
  const beside = made.images.find(({ place }) => place[0] === 630);
  assert.ok(beside.canvas.pixels[(64 - 10) * 66] >>> 24 > 0, "the neighbour's margin");
  assert.equal(made.images.length, 2, "and nothing where nothing is");
});

test("waves from above are lit on one side and dark on the other; still water and land are as they are", () => {
  const told = (cells) => 257 + 64 * cells;
  // Seen as from above: a drawing's y is what lies behind.
  const layers = layersOf({ waves: { "10,20": told(1), "10,21": told(1), "10,19": told(1), "30,20": told(1) } });
  const rows = Array.from({ length: 64 }, () => `${"~".repeat(31)}${"#".repeat(33)}`);
  const mirror = drawn(rows);
  const { pixelAt, alphaAt } = paintedBy(new Sheet(mirror, new Slopes(mirror, layers), false), 0);
  assert.ok(alphaAt(9, 20) > 0 && alphaAt(9, 20) === alphaAt(11, 20));
  assert.ok((pixelAt(9, 20) & 255) > (pixelAt(11, 20) & 255), "light comes from the left");
  assert.equal(alphaAt(10, 20), 0, "a crest has no slope");
  assert.deepEqual([alphaAt(2, 2), alphaAt(31, 20), alphaAt(40, 20)], [0, 0, 0]);
  assert.equal(alphaAt(30, 20) > 0, true, "at the shore the land has no height of its own");
});

const number = (kind, strength, tick) => 1 + kind + 4 * strength + 256 * (tick % 64);
const [DROPLET, BUBBLE, SPRAY] = [0, 1, 2];

/** Particles of a lake four cells deep, seen at tick 100. */
function flying(told = {}) {
  const mirror = drawn(AIR_OVER_WATER);
  mirror.tick = 100;
  const layers = layersOf(told);
  const particles = new Particles(mirror, layers, false);
  const arcs = (now) => {
    const { made, context } = noted();
    const moves = particles.paint(context, CAMERA, 0, now);
    return Object.assign(made.arcs, { moves });
  };
  arcs(0); // the slice is known
  const tell = (cells, tick, now) => {
    layers.set("events", cells);
    particles.told([CHUNK], tick, now);
  };
  return { particles, tell, arcs, layers };
}

test("a number that appears or changes is an event; one that stays or goes is none", () => {
  const { particles, tell, arcs } = flying();
  assert.equal(arcs(0).moves, false);
  tell({ "5,3": number(DROPLET, 1, 102) }, 104, 0);
  assert.equal(particles.count, 1);
  tell({ "5,3": number(DROPLET, 1, 102) }, 108, 50);
  assert.equal(particles.count, 1, "it is told of no more than once");
  tell({ "5,3": number(DROPLET, 1, 110) }, 112, 100);
  assert.equal(particles.count, 2);
  tell({}, 116, 150);
  assert.equal(particles.count, 2);
  arcs(100 + LONGEST_LIFE);
  assert.equal(particles.count, 0);
  assert.equal(arcs(100 + LONGEST_LIFE).moves, false, "a page at rest asks for no frames");
});

test("droplets rise and fall, bubbles rise to the surface and burst, spray is a fan", () => {
  const heightsOf = (kind, cell, strength = 30) => {
    const { tell, arcs } = flying();
    tell({ [cell]: number(kind, strength, 101) }, 102, 0);
    return Array.from({ length: 40 }, (_, i) => 20 * i).map((now) => arcs(now)).filter((seen) => seen.length > 0);
  };
  const drops = heightsOf(DROPLET, "5,3");
  assert.ok(drops.flat().every(({ drop, y }) => drop && y <= 640 - 40 + 1), "over the surface");
  assert.ok(Math.min(...drops.flat().map(({ y }) => y)) < 640 - 40 - 3, "and well over it");
  const rings = heightsOf(BUBBLE, "5,0", 1).map(([first]) => first);
  assert.ok(rings.every(({ drop }) => !drop));
  assert.ok(rings[0].y > rings.at(-1).y && Math.abs(rings.at(-1).y - (640 - 40)) < 10, "it comes to the surface");
  assert.ok(rings.at(-1).radius > rings[0].radius && rings.at(-1).alpha < rings[0].alpha, "and bursts");
  const fan = heightsOf(SPRAY, "5,3").flat().map(({ x }) => x);
  assert.ok(Math.max(...fan) > 60 && Math.min(...fan) < 50, "beyond its cell on both sides");
  const countOf = (kind, strength) => {
    const { particles, tell } = flying();
    tell({ "5,1": number(kind, strength, 101) }, 102, 0);
    return particles.count;
  };
  for (const kind of [DROPLET, BUBBLE, SPRAY]) assert.ok(countOf(kind, 63) > countOf(kind, 1), "stronger is more");
});

test("a drop that a wave has overtaken is not seen under it", () => {
  const { tell, arcs, layers } = flying();
  tell({ "5,3": number(DROPLET, 30, 101) }, 102, 0);
  assert.ok(arcs(250).length > 0);
  layers.waveAt = () => 4;
  assert.equal(arcs(251).length, 0);
  layers.waveAt = () => -2;
  assert.ok(arcs(252).length > 0);
});

test("everybody sees the same, and never more than so many", () => {
  const all = Object.fromEntries(Array.from({ length: 128 }, (_, i) => [`${i % 64},${i >> 6}`, number(SPRAY, 63, 101)]));
  const [one, other] = [flying(), flying()];
  for (const { tell } of [one, other]) tell(all, 102, 0);
  assert.equal(one.particles.count, MOST_PARTICLES);
  assert.deepEqual([...one.arcs(300)], [...other.arcs(300)]);
});

test("after a leap to another tick, and on coming, nothing of what happened before flies", () => {
  const { particles, tell } = flying();
  tell({ "5,3": number(DROPLET, 9, 100) }, 101, 0);
  assert.equal(particles.count, 0, "it happened before we came");
  tell({ "5,3": number(DROPLET, 9, 103) }, 104, 200);
  assert.ok(particles.count > 0);
  tell({ "5,3": number(DROPLET, 9, 50), "6,3": number(DROPLET, 9, 49) }, 50, 400);
  assert.equal(particles.count, 0, "back");
  tell({ "5,3": number(DROPLET, 9, 53) }, 54, 600);
  assert.ok(particles.count > 0, "and on from there");
  tell({ "5,3": number(DROPLET, 9, 999) }, 1000, 800);
  assert.equal(particles.count, 0, "far on");
});
