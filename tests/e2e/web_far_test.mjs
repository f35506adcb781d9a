// Goal: from afar the page asks for the level that its pixels need, and for the cells whenever something needs those; it
// shows the one until the other is there; takes in, forgets, compares and asks again; says what a coarse cell stands for;
// and is harmed by no bytes.
// Method: messages made by the generated code, a viewer of a few words, and pictures that note their tiles.
//
//   node web_far_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild and the generated code)
import assert from "node:assert/strict";
import { test } from "node:test";
import { CELLS, cellsOf, loadWithWire } from "./web_wire.mjs";

const { ByteBuffer, chunkChecksum, ClientMessage, cutFor, encodeSetView, Far, FULL, Hand, IS_ROCK, Layers, levelFor, Looks, Overlay, Mirror, ROCK, SetView, stonesOf,
  Surfaces, tickOf, welcomeOf } = await loadWithWire(`
  export * from "./far"; export { levelFor } from "./coarse"; export { cutFor } from "./gallery"; export { Layers } from "./layers"; export { Overlay } from "./overlay"; export * from "./mirror"; export { Hand } from "./hand"; export { Looks, IS_ROCK, stonesOf } from "./look";
  export { Surfaces } from "./surfaces";`);

const FLAT = { logX: 6, logY: 6, logZ: 0 };
const SOLID = { logX: 4, logY: 4, logZ: 4 };
const AT = (x, y, z) => ({ x, y, z });
const ALL_ROCK = cellsOf(() => ROCK);
const ALL_WATER = cellsOf(() => FULL);
const SMALL = 0.3; // pixels a cell, for which level 1 is
globalThis.window = { devicePixelRatio: 1 };

/** A world that is looked at: its layers are one of a name and three levels, so that level k is layer k. */
function opened({ size = AT(4096, 1024, 1), sides = FLAT, scale = SMALL, coarseLayers = false } = {}) {
  const cells = new Mirror(welcomeOf(["temperature"], size, sides, 3, coarseLayers));
  const said = [];
  const resyncs = [];
  const viewer = {
    camera: { scale, x: 40, y: 40, width: 300, height: 200 }, slice: 0, overlay: "none", peer: null, differences: null,
    hand: { isFree: true }, queue: { idle: true }, repaint: () => undefined, renewPainter: () => ++viewer.renewed, renewed: 0, say: (text) => said.push(text),
    connection: { resync: (coord, layer) => resyncs.push([coord, layer]) },
  };
  if (coarseLayers) viewer.layers = new Layers(cells, viewer.say, "front", true);
  const far = new Far(viewer, cells, true);
  /** The tiles that are painted, by their places. */
  const painted = () => {
    const tiles = new Map();
    far.paint({ begin: () => undefined, end: () => undefined, tile: (tile) => tiles.set(`${tile.x},${tile.y}`, tile.look[0]) }, 300, 200,
      viewer.camera, 0);
    return tiles;
  };
  const tell = (layers, fine = []) => {
    const tick = tickOf(layers, fine);
    cells.apply(tick);
    return far.ticked(tick);
  };
  const drop = (...coords) => cells.take({ chunks: [], dropped: coords, digests: [] });
  const now = () => [far.asked, far.shown];
  return { cells, drop, far, now, painted, resyncs, said, tell, viewer };
}

test("the level is the coarsest whose cells are well under a pixel, and stays while they are no larger than one", () => {
  assert.deepEqual([8, 1, 0.36, 0.35, 0.2, 0.17, 0.09, 0.08, 0.01].map((scale) => levelFor(scale, 3, 0)), [0, 0, 0, 1, 1, 2, 2, 3, 3]);
  assert.deepEqual([0.3, 0.4, 0.5, 0.51].map((scale) => levelFor(scale, 3, 1)), [1, 1, 1, 0]);
  assert.deepEqual([0.2, 0.25, 0.26].map((scale) => levelFor(scale, 3, 2)), [2, 2, 1]);
  assert.deepEqual([levelFor(0.01, 0, 0), levelFor(0.01, 2, 0)], [0, 2], "a server has so many");
  const { far, viewer } = opened({ scale: 0.6 });
  assert.equal(far.want(false), 0);
  viewer.camera.scale = 0.16;
  assert.equal(far.want(false), 2);
  globalThis.window.devicePixelRatio = 2; // a screen on which more is seen
  assert.equal(far.want(false), 1);
  globalThis.window.devicePixelRatio = 1;
});

test("a card asks for the level of its pixels: then it shows all of the middle slice, and else the middle of that", () => {
  const CARD = { width: 220, height: 140 };
  assert.deepEqual(cutFor(AT(100, 60, 1), CARD, 3), { level: 0, box: { from: AT(0, 0, 0), size: AT(100, 60, 1) } });
  assert.deepEqual(cutFor(AT(4096, 1024, 9), CARD, 3), { level: 3, box: { from: AT(0, 0, 4), size: AT(4096, 1024, 1) } });
  assert.deepEqual(cutFor(AT(1000, 500, 1), CARD, 3).level, 1);
  assert.deepEqual(cutFor(AT(1000, 500, 1), { width: 440, height: 280 }, 3).level, 0, "a screen on which more is seen");
  assert.deepEqual(cutFor(AT(4096, 1024, 1), CARD, 0), { level: 0, box: { from: AT(1024, 256, 0), size: AT(2048, 512, 1) } }, "an older server");
  assert.deepEqual(cutFor(AT(16384, 16384, 1), CARD, 3), { level: 3, box: { from: AT(4096, 4096, 0), size: AT(8192, 8192, 1) } });
});

test("whatever needs the cells gets them", () => {
  const { far, viewer } = opened();
  assert.equal(far.want(false), 1);
  assert.equal(far.want(true), 0, "the inspector");
  const wanting = (change) => {
    const before = {};
    for (const key of Object.keys(change)) before[key] = viewer[key];
    Object.assign(viewer, change);
    const level = far.want(false);
    Object.assign(viewer, before);
    far.want(false);
    return level;
  };
  assert.equal(wanting({}), 1);
  assert.equal(wanting({ hand: { isFree: false } }), 0, "a tool");
  assert.equal(wanting({ overlay: "depth" }), 0);
  assert.equal(wanting({ peer: {} }), 0);
  assert.equal(wanting({ differences: {} }), 0);
  assert.equal(wanting({ queue: { idle: false } }), 1, "a valve is turned without them");
  far.want(true);
  assert.equal(wanting({ queue: { idle: false } }), 0, "an edit is on its way, and may be taken back");
  const view = ClientMessage.getRootAsClientMessage(new ByteBuffer(encodeSetView({ from: AT(0, 0, 0), size: AT(9, 9, 1) }, 1, 2, 5))).body(new SetView());
  assert.deepEqual([view.levelOfDetail(), view.layers(), view.coarseLayers()], [2, 1, 5]);
});

test("the picture goes over when what was asked for has come, both ways", () => {
  const { drop, far, now, painted, tell, viewer } = opened({ scale: 1 });
  tell([], [[AT(0, 0, 0), ALL_ROCK], [AT(1, 0, 0), ALL_WATER]]);
  far.want(false);
  assert.deepEqual(now(), [0, 0]);
  assert.ok(!far.isFar);
  viewer.camera.scale = SMALL;
  far.want(false);
  assert.deepEqual(now(), [1, 0], "the cells are shown until the others come");
  assert.ok(far.isFar, "but may be gone any moment");
  assert.equal(tell([{ layer: 0, chunks: [[AT(0, 0, 0), ALL_ROCK]] }]), false, "a layer of a name is none of it");
  assert.deepEqual(now(), [1, 0]);
  drop(AT(0, 0, 0));
  tell([]);
  assert.deepEqual(now(), [1, 0], "one went, as air does");
  drop(AT(1, 0, 0));
  assert.equal(tell([{ layer: 1, chunks: [[AT(0, 0, 0), ALL_ROCK]] }]), true);
  assert.deepEqual([...now(), viewer.renewed], [1, 1, 1], "cells that were seen are forgotten");
  assert.equal(painted().get("0,0") & IS_ROCK, IS_ROCK);

  viewer.camera.scale = 2;
  far.want(false);
  assert.deepEqual([...now(), viewer.renewed], [0, 1, 2]);
  tell([{ layer: 1, dropped: [AT(0, 0, 0)] }], [[AT(0, 0, 0), ALL_ROCK]]);
  assert.deepEqual(now(), [0, 0]);
  assert.ok(!far.isFar);
  let map = null; // the one in the corner
  const context = { canvas: { width: 128, height: 32 }, putImageData: ({ data }) => (map = data),
    createImageData: (width, height) => ({ data: new Uint8ClampedArray(4 * width * height) }) };
  assert.equal(far.paintSmall(context), true, "it has what was seen from afar");
  assert.ok(map[4 * 31 * 128] > map[4 * 31 * 128 + 2], "rock");
  assert.ok(map[0] < map[2], "air");
});

test("the picture that is shown stays as it was while another is on its way", () => {
  const { far, now, painted, tell, viewer } = opened();
  far.want(false);
  assert.deepEqual(now(), [1, 1], "nothing was there before");
  tell([{ layer: 1, chunks: [[AT(0, 0, 0), ALL_WATER]] }]);
  const water = painted().get("0,0");
  assert.notEqual(water, 0);
  viewer.camera.scale = 0.16;
  far.want(false);
  tell([{ layer: 1, dropped: [AT(0, 0, 0)] }, { layer: 2, chunks: [] }]);
  // All of it went: what comes from here on is the other's, be it nothing.
  assert.deepEqual(now(), [2, 2]);
  viewer.camera.scale = SMALL;
  far.want(false);
  assert.deepEqual(now(), [1, 1], "where nothing is shown nothing is kept");
  tell([{ layer: 1, chunks: [[AT(0, 0, 0), ALL_WATER], [AT(1, 0, 0), ALL_WATER]] }]);
  assert.equal(painted().get("0,0"), water);
  viewer.camera.scale = 0.16;
  far.want(false);
  tell([{ layer: 1, dropped: [AT(0, 0, 0)] }]);
  assert.deepEqual(now(), [2, 1]);
  assert.equal(painted().get("0,0"), water);
});

test("a world that is empty shows no old water", () => {
  const { drop, far, now, painted, tell, viewer } = opened({ scale: 1 });
  tell([], [[AT(0, 0, 0), ALL_WATER]]);
  viewer.camera.scale = SMALL;
  far.want(false);
  drop(AT(0, 0, 0)); // it is all that is said
  tell([]);
  assert.deepEqual(now(), [1, 1]);
  tell([{ layer: 1, chunks: [[AT(0, 0, 0), ALL_WATER]] }]);
  assert.notEqual(painted().get("0,0"), 0);
  tell([{ layer: 1, dropped: [AT(0, 0, 0)] }]);
  assert.equal(painted().get("0,0"), 0);
});

test("a message as long as the server makes them is not the last, but none is waited for too long", () => {
  const { far, now, tell, viewer } = opened({ scale: 1 });
  tell([], [[AT(0, 0, 0), ALL_ROCK]]);
  viewer.camera.scale = SMALL;
  far.want(false);
  const steep = cellsOf((i) => (i % 2 === 0 ? 2 ** 29 : -(2 ** 29))); // five bytes a cell
  const long = tickOf([{ layer: 1, chunks: Array.from({ length: 60 }, (_, x) => [AT(x % 30, Math.floor(x / 30), 0), steep]) }]);
  assert.ok(long.wire.bb.capacity() > 2 ** 20);
  far.ticked(long);
  assert.deepEqual(now(), [1, 0]);
  far.ticked(tickOf([]));
  assert.deepEqual(now(), [1, 1]);
  far.want(true);
  const clock = performance.now;
  const begin = performance.now();
  far.ticked({ ...long, chunks: [{}] });
  far.want(true);
  assert.deepEqual(now(), [0, 1]);
  performance.now = () => begin + 1000;
  far.want(true); // it was the last, and there is none after it
  performance.now = clock;
  assert.deepEqual(now(), [0, 0]);
});

test("wrong chunks are asked for again by their level, and those outside the world are nobody's", () => {
  const { far, resyncs, tell } = opened({ scale: 0.16 });
  far.want(false);
  tell([{ layer: 2, chunks: [[AT(0, 0, 0), ALL_ROCK], [AT(16, 0, 0), ALL_ROCK], [AT(0, 4, 0), ALL_ROCK]],
    digests: [[AT(0, 0, 0), chunkChecksum(ALL_ROCK)], [AT(1, 0, 0), 7n]] }, { layer: 9, chunks: [[AT(0, 0, 0), ALL_ROCK]] }]);
  assert.deepEqual(resyncs, [[AT(1, 0, 0), 3]], "1 is the layer of a name");
  const mirror = far.mirrors[1];
  assert.deepEqual([mirror.size, mirror.side], [AT(1024, 256, 1), 4]);
  assert.deepEqual(mirror.coords(), [AT(0, 0, 0)]);
});

test("what cannot be read leaves the cells", () => {
  const { far, said } = opened();
  assert.equal(far.want(false), 1);
  const cut = tickOf([{ layer: 1, chunks: [[AT(0, 0, 0), ALL_ROCK]] }], [], 9);
  far.ticked(cut);
  assert.equal(said.length, 1);
  assert.match(said[0], /^What this server sends from afar cannot be read: /);
  assert.equal(far.want(false), 0);
});

test("the overlay of a layer needs no cells where the server has coarse ones of it", () => {
  const old = opened();
  old.viewer.overlay = "temperature";
  assert.equal(old.far.want(false), 0);
  const { far, resyncs, tell, viewer } = opened({ coarseLayers: true });
  const legends = [];
  viewer.overlays = new Overlay(viewer.mirror, null, () => viewer.layers, false, (legend) => legends.push(legend?.title));
  const box = { from: AT(5, 0, 0), size: AT(130, 64, 1) };
  far.want(false);
  assert.equal(far.coarseLayers(box), 0, "nobody looks at it");
  viewer.overlay = "temperature";
  viewer.overlays.set("temperature");
  assert.equal(far.want(false), 1);
  assert.equal(far.coarseLayers(box), 1);
  assert.equal(viewer.layers.wanted(box, "temperature", false, true), 0, "of the cells themselves nothing");
  // Behind the layer and the three levels of detail: that of level 1.
  const warm = cellsOf(() => 1 + 4 * 112);
  const told = [{ layer: 1, chunks: [[AT(0, 0, 0), ALL_WATER]] }, { layer: 4, chunks: [[AT(0, 0, 0), warm], [AT(1, 0, 0), warm]],
    digests: [[AT(0, 0, 0), chunkChecksum(warm)], [AT(1, 0, 0), 7n]] }];
  assert.equal(tell(told), true);
  assert.deepEqual(resyncs, [[AT(1, 0, 0), 5]]);
  assert.match(far.text(AT(9, 9, 0)), /^\[9, 9\] water, 100 % full on average \(2 × 2 cells, seen from afar\) · 12 °C$/);
  tell([]); // what did not come until now is nothing
  assert.equal(tell([{ layer: 0, chunks: [[AT(3, 0, 0), warm]] }]), false, "of cells");
  viewer.camera.scale = 2;
  assert.equal(far.want(false), 0);
  assert.equal(far.coarseLayers(box), 0);
  assert.equal(viewer.layers.wanted(box, "temperature", false, false), 1);
  assert.deepEqual(legends, []);
});

test("the line says what a coarse cell holds, and that it is one", () => {
  const { far, tell } = opened();
  far.want(false);
  const mixed = cellsOf((i) => [ROCK, FULL, FULL * 0.4, 1, 0, -16 - 4096][i] ?? 0);
  tell([{ layer: 1, chunks: [[AT(6, 2, 0), mixed]] }]);
  const texts = [0, 1, 2, 3, 4, 5].map((i) => far.text(AT(768 + 2 * i, 257, 0)));
  const seen = "(2 × 2 cells, seen from afar)";
  assert.deepEqual(texts, [`[768, 257] rock ${seen}`, `[770, 257] water, 100 % full on average ${seen}`,
    `[772, 257] water, 40 % full on average ${seen}`, `[774, 257] water, 1 % full on average ${seen}`, `[776, 257] air ${seen}`,
    `[778, 257] ice, 4096 units ${seen}`]);
  assert.equal(far.text(AT(-1, 0, 0)), "outside the world");
  const solid = opened({ size: AT(4096, 512, 32), sides: SOLID, scale: 0.16 });
  solid.far.want(false);
  solid.tell([{ layer: 2, chunks: [[AT(0, 0, 0), cellsOf((i) => ((i >> 4) % 16 === 5 ? ROCK : 0))]] }]);
  assert.equal(solid.far.text(AT(3, 3, 23)), "[3, 3, 23] rock (4 × 4 × 4 cells, seen from afar)");
  assert.equal(solid.far.text(AT(3, 3, 24)), "[3, 3, 24] air (4 × 4 × 4 cells, seen from afar)");
  const slices = [20, 24].map((slice) => {
    solid.viewer.slice = slice;
    solid.far.paintAnew();
    return solid.painted().get("0,0") & IS_ROCK;
  });
  assert.deepEqual(slices, [IS_ROCK, 0]);
});

test("water is as deep from afar as near, and rock lies in the same strata", () => {
  const lookOf = (side, height) => {
    const mirror = new Mirror(welcomeOf([], AT(256 / side, 64, 1), FLAT, 0), side);
    const cells = cellsOf((i) => ((i >> 6) < height / side ? FULL : 0));
    for (let x = 0; x < 4 / side; ++x) mirror.chunks.set(x, cells);
    const surfaces = new Surfaces(mirror, 0);
    surfaces.settle();
    const look = new Uint32Array(CELLS);
    new Looks(mirror, surfaces, 0).paint(0, 0, () => stonesOf(FLAT, 0, 0, side), look);
    return look;
  };
  const shade = (look, x, y) => (look[(y << 6) | x] >> 8) & 255;
  const [near, coarse] = [lookOf(1, 32), lookOf(4, 32)];
  for (const y of [1, 3, 5, 7]) {
    const mean = [0, 1, 2, 3].reduce((sum, i) => sum + shade(near, 32, 4 * y + i), 0) / 4;
    assert.ok(Math.abs(shade(coarse, 8, y) - mean) <= 1, `${shade(coarse, 8, y)} and ${mean}`);
  }
  const [fine, far] = [stonesOf(FLAT, 0, 0), stonesOf(FLAT, 0, 0, 4)];
  assert.equal(far[(5 << 6) | 3], fine[(20 << 6) | 12]);
});

test("the hand waits for the cells, and says so", () => {
  const warned = [];
  const panel = new Proxy({ warn: (text) => warned.push(text) }, { get: (of, name) => of[name] ?? (() => undefined) });
  const holder = { mirror: new Mirror(welcomeOf([], AT(64, 64, 1), FLAT, 0)), isFar: true, replays: false, slice: 0, hover: { x: 1, y: 1 },
    camera: { scale: 1 }, fixtures: {}, keys: { cancel: () => undefined }, repaint: () => undefined, fixturesChanged: () => undefined };
  const queue = { ready: true, isSeenAt: () => true };
  const hand = new Hand(holder, queue, panel, panel);
  for (const act of ["undo", "redo", "pick"]) hand[act]();
  assert.deepEqual(warned.splice(0), Array(3).fill("Come nearer, or choose a tool: from afar the page has no single cells"));
  assert.equal(hand.isFree, true);
  hand.setTool("rock");
  assert.equal(hand.isFree, false);
  assert.equal(hand.hasCells, false);
  assert.deepEqual(warned.splice(0), ["Wait a moment: from afar the page has no single cells"]);
  holder.isFar = false;
  hand.undo();
  assert.deepEqual(warned, ["There is nothing of yours to undo"]);
});
