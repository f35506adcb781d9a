// Goal: the page takes in layers as the server writes them: applies, forgets, compares and asks again; reads degrees
// and waves out of them from every side; paints them on a scale that suits; and is harmed by no bytes.
// Method: messages made by the generated code, chunks as keyframes of rows.
//
//   node web_layers_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild and the generated code)
import assert from "node:assert/strict";
import { test } from "node:test";
import { CELLS, cellsOf, loadWithWire } from "./web_wire.mjs";

const { ByteBuffer, chunkChecksum, ClientMessage, degreesOf, encodeResync, eventOf, encodeSetView, isOffered, offered, IS_ROCK, Layers,
  LayerShades, Looks, message, Mirror, newStamp, newTile, Overlay, Resync, ServerBody, SetView, spanOf, stonesOf, SURFACE, Surfaces, tickOf, Turned, Vec3, waveOf,
  Welcome, welcomeOf } = await loadWithWire(`
  export * from "./layers"; export * from "./layer_values"; export * from "./wave_looks"; export * from "./layer_overlay";
  export * from "./mirror"; export { Surfaces } from "./surfaces"; export { Looks, SURFACE, IS_ROCK, stonesOf } from "./look";
  export { newTile, newStamp } from "./tile"; export { Turned } from "./turned"; export { isOffered, offered } from "./overlay_kinds"; export { Overlay } from "./overlay";
  export { spanOf } from "./overlay_ramp";`);

const FLAT = { logX: 6, logY: 6, logZ: 0 };
const SOLID = { logX: 4, logY: 4, logZ: 4 };
const AT = (x, y, z) => ({ x, y, z });
const BOX = { from: AT(0, 0, 0), size: AT(1000, 1000, 1000) };
/** Of a painter that draws no waves. */
const BARE = { version: () => 1, lookOf: () => undefined, piecesOf: () => undefined, waves: null };
const told = (degrees) => 1 + 4 * (degrees + 100);
const toldWave = (cells) => 1 + 256 + 64 * cells;

/** A world of these layers as it is seen, and what was warned of. */
function opened(names, { size = AT(128, 64, 1), sides = FLAT, sight = null, box = BOX } = {}) {
  const welcome = welcomeOf(names, size, sides);
  const mirror = sight ? sight.mirror(sight.welcome(welcome)) : new Mirror(welcome);
  const warned = [];
  const layers = new Layers(mirror, (text) => warned.push(text));
  layers.bits(box, () => true);
  const take = (tick) => {
    const seen = sight ? sight.tick(tick) : tick;
    mirror.apply(seen);
    return layers.apply(seen);
  };
  return { mirror, layers, warned, take };
}

test("the welcome names layers; a server that has none names none", () => {
  assert.deepEqual(welcomeOf(["temperature", "fog"], AT(64, 64, 1), FLAT).layers, ["temperature", "fog"]);
  const bare = message(ServerBody.Welcome, (builder) => {
    Welcome.startWelcome(builder);
    Welcome.addSize(builder, Vec3.createVec3(builder, 64, 64, 1));
    return Welcome.endWelcome(builder);
  });
  assert.deepEqual(bare.layers, []);
  assert.deepEqual(["amount", "temperature", "waves"].map((name) => isOffered(name, ["waves"])), [true, false, true]);
});

test("numbers are degrees and waves; those that cannot be are neither", () => {
  assert.deepEqual([0, 1, told(0), told(12.25), told(200)].map(degreesOf), [null, -100, 0, 12.25, 200]);
  assert.deepEqual([-1, told(200) + 1, 2 ** 31 - 1, -(2 ** 31)].map(degreesOf), [null, null, null, null]);
  assert.deepEqual([0, 1, 257, 513, 257 + 16].map(waveOf), [0, -4, 0, 4, 0.25]);
  assert.deepEqual([-1, 514, 2 ** 31 - 1].map(waveOf), [null, null, null]);
});

test("a view asks for what is wanted, by the welcome's order, and for no layer that the page does not know", () => {
  const { layers } = opened(["fog", "waves", "temperature"]);
  assert.equal(layers.bits(BOX, () => true), 0b110);
  assert.equal(layers.bits(BOX, (name) => name === "temperature"), 0b100);
  assert.equal(layers.bits(BOX, () => false), 0);
  const many = opened([...Array.from({ length: 31 }, (_, i) => `l${i}`), "waves", "temperature"]);
  assert.equal(many.layers.bits(BOX, () => true), 2 ** 31);
  const view = ClientMessage.getRootAsClientMessage(new ByteBuffer(encodeSetView(BOX, 2 ** 31 + 2, 0))).body(new SetView());
  assert.equal(view.layers(), 2 ** 31 + 2);
});

test("chunks are taken in and forgotten; a wrong one is asked for again with its layer", () => {
  const { mirror, layers, take } = opened(["fog", "temperature"]);
  const cells = cellsOf((i) => (i < 128 ? told(i / 4) : 0));
  const tick = tickOf([{ layer: 1, chunks: [[AT(1, 0, 0), cells]], digests: [[AT(1, 0, 0), chunkChecksum(cells)], [AT(0, 0, 0), 77n]] }]);
  const done = take(tick);
  assert.deepEqual([...done.changed], [["temperature", [AT(1, 0, 0)]]]);
  assert.deepEqual(done.resyncs, [{ coord: AT(0, 0, 0), layer: 2 }]);
  assert.equal(layers.temperatureAt(AT(64 + 5, 0, 0)), 1.25);
  assert.equal(layers.temperatureAt(AT(5, 0, 0)), null);
  const version = layers.version(1, 0);
  assert.ok(version > layers.version(0, 0));
  assert.equal(mirror.chunk(1, 0, 0), undefined, "the cells are none of it");
  const asked = ClientMessage.getRootAsClientMessage(new ByteBuffer(encodeResync(AT(3, 2, 1), 2))).body(new Resync());
  assert.deepEqual([asked.layer(), asked.coord().x()], [2, 3]);
  assert.deepEqual(take(tickOf([{ layer: 1, digests: [[AT(0, 0, 0), chunkChecksum(cellsOf(() => 0))]] }])).resyncs, [], "all 0 has a sum");
  take(tickOf([{ layer: 1, dropped: [AT(1, 0, 0)] }]));
  assert.equal(layers.temperatureAt(AT(64 + 5, 0, 0)), null);
  assert.ok(layers.version(1, 0) > version);
});

test("what does not belong to the world or to the welcome is passed over", () => {
  const { layers, warned, take } = opened(["fog", "temperature"]);
  const cells = cellsOf(() => told(7));
  const outside = [AT(2, 0, 0), AT(-1, 1, 0), AT(2 ** 26, 0, 0), AT(0, 2 ** 30, 0), AT(0, 0, 1)];
  const done = take(tickOf([
    { layer: 0, chunks: [[AT(0, 0, 0), cells]] }, { layer: 2, chunks: [[AT(0, 0, 0), cells]] }, { layer: 255, dropped: [AT(0, 0, 0)] },
    { layer: 1, chunks: outside.map((coord) => [coord, cells]), dropped: outside, digests: outside.map((coord) => [coord, 1n]) },
  ]));
  assert.deepEqual([...done.changed], [["temperature", []]]);
  assert.deepEqual(done.resyncs, []);
  assert.equal(layers.temperatureAt(AT(65535, 0, 0)), null);
  assert.deepEqual(warned, []);
});

test("a layer that cannot be read is told of and left out; the world goes on", () => {
  const { mirror, layers, warned, take } = opened(["temperature", "waves"]);
  const before = layers.version(0, 0);
  take(tickOf([{ layer: 0, chunks: [[AT(0, 0, 0), cellsOf(() => told(7))]] }], [], 3));
  assert.match(warned[0], /“temperature” of this server cannot be read: a tick's chunks are longer/);
  assert.ok(!layers.has("temperature") && layers.has("waves"));
  assert.notEqual(layers.version(0, 0), before, "what was painted of it is painted over");
  assert.equal(layers.bits(BOX, () => true), 0b10);
  assert.equal(layers.temperatureAt(AT(0, 0, 0)), null);
  take(tickOf([{ layer: 0, chunks: [[AT(0, 0, 0), cellsOf(() => told(7))]] }], [[AT(0, 0, 0), cellsOf(() => 4096)]]));
  assert.equal(mirror.cell(3, 3, 0), 4096);
  assert.equal(warned.length, 1);
});

// A lake of 8 cells, ten high, in which a strand of water stands on column 3.
const lake = cellsOf((i) => ((i & 63) < 8 && ((i >> 6) < 10 || ((i & 63) === 3 && (i >> 6) < 20)) ? 4096 : 0));
const swell = cellsOf((i) => ((i & 63) < 4 && i >> 6 === 9 ? toldWave(0.5) : 0));

test("a wave belongs to all water under its surface; nothing is said before it can be known", () => {
  const { layers, take } = opened(["waves"]);
  take(tickOf([], [[AT(0, 0, 0), lake]]));
  assert.equal(layers.waveAt(AT(0, 0, 0)), null, "it may be on its way");
  const version = layers.version(0, 0);
  take(tickOf([]));
  assert.equal(layers.waveAt(AT(0, 0, 0)), 0, "nothing came: it rests");
  assert.ok(layers.version(0, 0) > version, "and is painted so");
  take(tickOf([{ layer: 0, chunks: [[AT(0, 0, 0), swell]] }]));
  assert.deepEqual([0, 3, 6].map((x) => layers.waveAt(AT(x, 2, 0))), [0.5, 0.5, 0]);
  assert.equal(layers.waveAt(AT(3, 15, 0)), 0, "what falls on it has none");
  assert.equal(layers.waveAt(AT(20, 2, 0)), null, "no water");
  assert.equal(layers.text(AT(0, 2, 0)), " · wave 0.5 cells high");
});

test("a surface out of view may be anywhere", () => {
  const { layers, take } = opened(["waves"], { size: AT(64, 128, 1), box: { from: AT(0, 0, 0), size: AT(64, 64, 1) } });
  for (let i = 0; i < 3; ++i) take(tickOf([], [[AT(0, 0, 0), cellsOf(() => 4096)]]));
  assert.equal(layers.waveAt(AT(5, 60, 0)), null);
});

test("from the side and from above the same cells have the same temperatures and waves", () => {
  // World: a block of water 16 x 5 x 16, warmer with x, 16 times as much with z.
  const water = cellsOf((i) => (i >> 8 < 5 ? 4096 : 0));
  const warm = cellsOf((i) => (i >> 8 < 5 ? told((i & 15) / 4 + ((i >> 4) & 15) * 4 - 20 * (i >> 8)) : 0));
  const waves = cellsOf((i) => (i >> 8 === 4 ? toldWave(((i >> 4) & 15) / 64) : 0));
  const tick = tickOf([{ layer: 0, chunks: [[AT(0, 0, 0), warm]] }, { layer: 1, chunks: [[AT(0, 0, 0), waves]], digests: [[AT(1, 0, 0), 3n]] }],
    [[AT(0, 0, 0), water]]);
  for (const name of ["front", "side", "top"]) {
    const sight = name === "front" ? null : new Turned(name);
    const { layers, take, mirror } = opened(["temperature", "waves"], { size: AT(32, 16, 16), sides: SOLID, sight });
    take(tick);
    assert.deepEqual(take(tick).resyncs, [{ coord: AT(1, 0, 0), layer: 2 }], "in the world's own axes");
    const seen = (x, y, z) => mirror.real(AT(x, y, z));
    assert.equal(layers.temperatureAt(seen(3, 2, 5)), 0.75 + 20 - 40, name);
    assert.equal(layers.waveAt(seen(3, 1, 5)), 5 / 64, name);
    if (name !== "top") continue;
    const shades = new LayerShades(mirror, layers, "temperature", true);
    const pixels = new Uint32Array(256);
    assert.deepEqual(shades.paint(pixels, 0, 0, 15, BARE, 0), { least: -80, most: 15 / 4 + 60 - 80 }, "the uppermost water");
    assert.ok(pixels.every((pixel) => pixel !== 0));
  }
});

test("the colour of a wave goes up to the surface that is drawn", () => {
  const { mirror, layers, take } = opened(["waves"]);
  for (let i = 0; i < 2; ++i) take(tickOf([{ layer: 0, chunks: [[AT(0, 0, 0), cellsOf((i) => (i >> 6 === 9 ? toldWave([1.5, -1.75][i & 63] ?? 0) : 0))]] }],
    [[AT(0, 0, 0), cellsOf((i) => ((i & 63) < 3 && i >> 6 < 10 ? 4096 : 0))]]));
  const surfaces = new Surfaces(mirror, 0);
  surfaces.settle();
  const tile = newTile(0, 0, FLAT);
  new Looks(mirror, surfaces, 0).paint(0, 0, () => stonesOf(FLAT, 0, 0), tile.look);
  tile.stamp = newStamp();
  const waves = layers.waveLooks(0, false);
  waves.raise(tile, 0);
  const pixels = new Uint32Array(CELLS);
  new LayerShades(mirror, layers, "waves", false).paint(pixels, 0, 0, 0, { ...BARE, waves, lookOf: () => tile.look }, 0);
  const at = (x, y) => pixels[((63 - y) << 6) | x];
  const alpha = (x, y) => at(x, y) >>> 24;
  assert.deepEqual([9, 10, 11, 12].map((y) => alpha(0, y)), [255, 255, 128, 0]);
  assert.deepEqual([7, 8, 9].map((y) => alpha(1, y)), [255, 64, 0]);
  assert.deepEqual([8, 9, 10].map((y) => alpha(2, y)), [255, 255, 0]);
  assert.equal(at(0, 10), at(0, 5));
  assert.equal(at(0, 11) & 0xffffff, at(0, 5) & 0xffffff);
});

test("a cell of ice has the wave that it froze", () => {
  const { layers, take } = opened(["waves"]);
  for (let i = 0; i < 2; ++i) take(tickOf([{ layer: 0, chunks: [[AT(0, 0, 0), cellsOf((i) => (i === 64 * 9 + 3 ? toldWave(-0.5) : 0))]] }],
    [[AT(0, 0, 0), cellsOf((i) => (i >> 6 === 9 ? -16 - 4096 : 0))]]));
  assert.deepEqual([3, 4].map((x) => layers.waveAt(AT(x, 9, 0))), [-0.5, 0]);
});

test("the scale suits what is in view, and ice is another pattern of the same colours", () => {
  const { mirror, layers, take } = opened(["temperature"]);
  const cells = cellsOf((i) => (i < 64 ? 4096 : i < 128 ? -16 - 4096 : i < 192 ? -1 : 0));
  take(tickOf([{ layer: 0, chunks: [[AT(0, 0, 0), cellsOf((i) => (i < 128 ? told(3) : told(50)))]] }], [[AT(0, 0, 0), cells]]));
  const shades = new LayerShades(mirror, layers, "temperature", false);
  const pixels = new Uint32Array(CELLS);
  assert.deepEqual(shades.paint(pixels, 0, 0, 0, BARE, 0), { least: 3, most: 3 });
  const at = (x, y) => pixels[((63 - y) << 6) | x];
  assert.equal(at(5, 0), at(6, 0));
  assert.notEqual(at(5, 1), at(6, 1));
  assert.equal(at(6, 1), at(6, 0));
  assert.equal(at(5, 2), 0, "rock has none");
  assert.equal(at(5, 9), 0, "nor has what is air by now");
  const marks = (least, most) => (shades.rescale({ least, most }), shades.legend.marks.join());
  assert.equal(marks(3, 7), "3,4,5,6,7");
  assert.equal(marks(4.5, 6), "3,4,5,6,7", "what fits stays");
  assert.equal(marks(-2, 12), "-5,0,5,10,15");
  assert.equal(marks(3, 3), "3,4,5");
  assert.equal(marks(-2, 12), "-5,0,5,10,15");
  assert.equal(marks(0, 7.5), "-5,0,5,10,15", "it does not shrink at once");
  assert.equal(marks(0, 99), "0,25,50,75,100");
  assert.equal(marks(-100, 200), "-100,0,100,200");
  assert.equal(shades.rescale({ least: Infinity, most: -Infinity }), false);
});

test("tracers are layers of their own, each with its share in the water", () => {
  const { mirror, layers, take } = opened(["tracer:red", "temperature", "tracer:mud"]);
  assert.deepEqual(layers.tracers, ["tracer:red", "tracer:mud"]);
  assert.deepEqual(offered(["tracer:red", "waves", "tracer:mud"]), ["none", "amount", "depth", "head", "flow", "waves", "awake", "age", "bytes", "views", "tracer:red", "tracer:mud"]);
  assert.ok(!isOffered("tracer:blue", ["tracer:red"]));
  const cells = cellsOf((i) => (i < 64 ? 4096 : 0));
  take(tickOf([{ layer: 2, chunks: [[AT(0, 0, 0), cellsOf((i) => (i < 10 ? 96 : i < 20 ? 2000 : 0))]] }], [[AT(0, 0, 0), cells]]));
  assert.equal(layers.shareAt("tracer:mud", AT(3, 0, 0)), 1.5);
  assert.equal(layers.shareAt("tracer:red", AT(3, 0, 0)), null);
  assert.equal(layers.shareAt("tracer:mud", AT(15, 0, 0)), null, "there can be no such share");
  assert.equal(layers.text(AT(3, 0, 0)), " · mud 1.5 a unit of water");
  const shades = new LayerShades(mirror, layers, "tracer:mud", false);
  const pixels = new Uint32Array(CELLS);
  assert.deepEqual(shades.paint(pixels, 0, 0, 0, BARE, 0), { least: 1.5, most: 1.5 });
  assert.ok(pixels[(63 << 6) | 3] !== 0 && pixels[(63 << 6) | 40] === 0, "clear water has no colour");
  assert.ok(shades.rescale({ least: 0.1, most: 1.5 }));
  assert.deepEqual([shades.legend.title, shades.legend.marks.join()], ["“mud” in a unit of water", "0,2,4"]);
  shades.rescale({ least: 0, most: 16 });
  assert.equal(shades.legend.marks.at(-1), "16 or more");
});

test("steam is in air: told of, painted over what is not water, and from above through all that is over the ground", () => {
  // Water up to 5, steam over it, and some that was told of where water is now. The upper chunk is nothing but air.
  const water = cellsOf((i) => (i >> 8 < 5 ? 4096 : 0));
  const steam = cellsOf((i) => (i >> 8 === 4 ? 64 : i >> 8 < 7 && i >> 8 > 4 && (i & 15) === 2 ? 32 : 0));
  const tick = tickOf([{ layer: 1, chunks: [[AT(0, 0, 0), steam], [AT(0, 1, 0), cellsOf((i) => ((i & 15) === 3 ? 1024 : 0))]] }], [[AT(0, 0, 0), water]]);
  for (const name of ["front", "top"]) {
    const sight = name === "front" ? null : new Turned(name);
    const { layers, take, mirror } = opened(["fog", "steam", "events"], { size: AT(16, 32, 16), sides: SOLID, sight });
    take(tick);
    const seen = (x, y, z) => mirror.real(AT(x, y, z));
    assert.deepEqual([seen(2, 5, 1), seen(3, 5, 1), seen(3, 20, 1)].map((at) => layers.steamAt(at)), [0.5, null, 16]);
    assert.equal(layers.text(seen(2, 5, 1)), " · steam 0.5 of a full cell’s water");
    assert.equal(layers.text(seen(3, 20, 1)), " · steam 16 or more of a full cell’s water");
    const shades = new LayerShades(mirror, layers, "steam", name === "top");
    assert.deepEqual([shades.legend.title, shades.legend.marks.join()], ["Steam, of a full cell’s water", "0,0.5,1"]);
    const pixels = new Uint32Array(256);
    const extent = shades.paint(pixels, 0, 0, name === "top" ? 31 : 1, BARE, 0);
    assert.deepEqual(extent, name === "top" ? { least: 1, most: 256 } : { least: 0.5, most: 0.5 });
    assert.equal(pixels.filter((pixel) => pixel !== 0).length, name === "top" ? 32 : 2, "neither where water is nor where none is");
  }
  assert.deepEqual(offered(["steam", "events"]), ["none", "amount", "depth", "head", "flow", "steam", "awake", "age", "bytes", "views"]);
});

test("steam and events are asked for unasked; whoever inspects asks for all but events", () => {
  const names = ["temperature", "steam", "events", "waves", "tracer:red"];
  const bitsOf = (sight, still, overlay = "none", inspects = false, isFar = false) => {
    const mirror = new Mirror(welcomeOf(names, AT(64, 64, 1), FLAT));
    return new Layers(mirror, () => undefined, sight, still).wanted(BOX, overlay, inspects, isFar);
  };
  assert.equal(bitsOf("front", false), 0b01110);
  assert.equal(bitsOf("side", true), 0b01010, "nothing flies for whom nothing is to move");
  assert.equal(bitsOf("top", false), 0b01110);
  assert.equal(bitsOf("orbit", false), 0b01000);
  assert.equal(bitsOf("front", false, "temperature"), 0b01111);
  assert.equal(bitsOf("front", true, "tracer:red", true), 0b11011);
  assert.equal(bitsOf("front", false, "none", false, true), 0b00110, "from afar no wave is seen");
});

test("an event's number says what, how strong and when; others are none", () => {
  const number = (kind, strength, tick) => 1 + kind + 4 * strength + 256 * (tick % 64);
  assert.deepEqual(eventOf(number(0, 5, 100), 103), { kind: "droplet", strength: 5, tick: 100 });
  assert.deepEqual(eventOf(number(1, 63, 127), 129), { kind: "bubble", strength: 63, tick: 127 }, "over a multiple of 64");
  assert.deepEqual(eventOf(number(2, 1, 64), 64), { kind: "spray", strength: 1, tick: 64 });
  assert.deepEqual([0, -5, number(3, 5, 9), number(1, 0, 9), 1 + 4 + 256 * 64, 2 ** 31 - 1].map((told) => eventOf(told, 200)), Array(6).fill(null));
});

test("waves have a scale around the surface at rest", () => {
  const { mirror, layers, take } = opened(["waves"]);
  for (let i = 0; i < 2; ++i) take(tickOf([{ layer: 0, chunks: [[AT(0, 0, 0), swell]] }], [[AT(0, 0, 0), lake]]));
  const shades = new LayerShades(mirror, layers, "waves", false);
  const pixels = new Uint32Array(CELLS);
  assert.deepEqual(shades.paint(pixels, 0, 0, 0, BARE, 0), { least: 0, most: 0.5 });
  const at = (x, y) => pixels[((63 - y) << 6) | x];
  assert.equal(at(0, 0), at(0, 9));
  assert.equal(at(3, 3), at(0, 3), "under a strand, too");
  assert.equal(at(3, 15), at(7, 3), "which is at rest, as the rest of the lake");
  assert.notEqual(at(0, 0), at(7, 0));
  assert.equal(at(9, 0), 0);
  const marks = (most) => (shades.rescale({ least: -most, most }), shades.legend.marks.join());
  assert.deepEqual([0.6, 0.4, 0.05, 4].map(marks), ["−1,at rest,+1", "−1,at rest,+1", "−0.25,at rest,+0.25", "−4,at rest,+4"]);
});

/** Two chunks, one over the other. */
const chunks = (value) => [0, 1].map((y) => [AT(0, y, 0), cellsOf((i) => value(i & 63, (i >> 6) + 64 * y))]);

/** What is seen of them with waves: by place, its fill and flags. */
function looksOf(cells, waves) {
  const { mirror, layers, take } = opened(["waves"], { size: AT(64, 128, 1) });
  take(tickOf([{ layer: 0, chunks: chunks(waves) }], chunks(cells)));
  const surfaces = new Surfaces(mirror, 0);
  surfaces.settle();
  const painted = [0, 1].map((y) => {
    const tile = newTile(0, y, FLAT);
    new Looks(mirror, surfaces, 0).paint(0, y, () => stonesOf(FLAT, 0, y), tile.look);
    tile.stamp = newStamp();
    layers.waveLooks(0, false).raise(tile, 0);
    return tile.look;
  });
  return (x, y) => painted[y >> 6][((y & 63) << 6) | x];
}
const fillAt = (look, x, y) => look(x, y) & 255;
const surfaceAt = (look, x) => Array.from({ length: 128 }, (_, y) => y).filter((y) => (look(x, y) & (SURFACE | IS_ROCK)) === SURFACE);

test("ice is drawn with the shape of the wave that it froze", () => {
  // Rock up to 4, water up to 9, and ice on it; over column 3 a roof at 11.
  const heights = [0, 1.5, -1.25, 4, -4, 0.25];
  const look = looksOf((x, y) => (y < 4 ? -1 : y < 9 ? 4096 : y === 9 ? -16 - 3759 : y === 11 && x === 3 ? -1 : 0),
    (x, y) => (y === 9 && heights[x] ? toldWave(heights[x]) : 0));
  const at = (x, y) => (look(x, y) & IS_ROCK ? 1 : fillAt(look, x, y) / 255);
  const close = (x, y, fill) => assert.ok(Math.abs(at(x, y) - fill) < 0.01, `${x}, ${y}: ${at(x, y)}`);
  close(0, 9, 1), close(0, 10, 0);
  close(1, 9, 1), close(1, 10, 1), close(1, 11, 0.5), close(1, 12, 0);
  close(2, 8, 0.75), close(2, 9, 0);
  close(3, 10, 1); // up to the roof
  close(4, 6, 0), close(4, 5, 1);
  close(5, 10, 0.25);
});

test("a wave moves the surface that is drawn, between bed and ceiling", () => {
  // Rock up to 4, water up to 10.5, and over column 9 a roof at 12.
  const heights = [0.75, -0.25, -2, 4, -4, 0, 0.5, 0.25, 1, 3];
  const look = looksOf((x, y) => (y < 4 ? -1 : y < 10 ? 4096 : y === 10 ? 2048 : y === 12 && x === 9 ? -1 : 0),
    (x, y) => (y === 10 && heights[x] ? toldWave(heights[x]) : 0));
  const levels = heights.map((_, x) => {
    const [at, ...more] = surfaceAt(look, x);
    assert.deepEqual(more, [], `column ${x} has one surface`);
    for (let y = 4; y < at; ++y) assert.equal(fillAt(look, x, y), 255, `water at ${x}, ${y}`);
    for (let y = at + 1; y < 12; ++y) assert.equal(fillAt(look, x, y), 0, `air at ${x}, ${y}`);
    return at + fillAt(look, x, at) / 255;
  });
  levels.forEach((level, x) => assert.ok(Math.abs(level - Math.min(x === 9 ? 12 : 99, 10.5 + heights[x])) < 0.01, `${x}: ${level}`));
  assert.ok(look(9, 12) & IS_ROCK);
  const shades = Array.from({ length: 10 }, (_, i) => (look(3, 13 - i) >> 8) & 255);
  assert.deepEqual(shades, shades.toSorted((a, b) => a - b), "it grows darker on the way down");
});

test("a wave goes over into the chunk above, and down to the bed", () => {
  const up = looksOf((_, y) => (y < 64 ? 4096 : 0), (x, y) => (y === 63 && x < 2 ? toldWave(2 * x + 0.5) : 0));
  assert.deepEqual([0, 1, 2].map((x) => surfaceAt(up, x)), [[64], [66], [63]]);
  assert.equal(fillAt(up, 1, 63), 255);
  const down = looksOf((_, y) => (y < 62 ? -1 : y < 66 ? 4096 : 0), (x, y) => (y === 65 && x < 3 ? toldWave([-2.5, -4, -4][x]) : 0));
  assert.deepEqual([0, 1].map((x) => surfaceAt(down, x)), [[63], []]);
  assert.deepEqual([62, 63, 64].map((y) => fillAt(down, 1, y)), [0, 0, 0], "a trough down to the bed is dry");
  assert.ok(down(1, 61) & IS_ROCK);
  const stale = looksOf((_, y) => (y < 10 ? 4096 : 0), (_, y) => (y === 20 ? toldWave(2) : 0));
  assert.deepEqual(surfaceAt(stale, 5), [9], "a surface that has gone moves nothing");
});

test("between two tellings waves go over by their heights, and rest when they are told to", () => {
  const { mirror, layers, take } = opened(["waves"], { size: AT(64, 128, 1) });
  const lakeCells = chunks((_, y) => (y < 32 ? 4096 : 0));
  const tell = (told, row = 31) => take(tickOf([{ layer: 0, chunks: chunks((_, y) => (y === row ? told : 0)) }], lakeCells));
  tell(toldWave(0.5));
  const tile = newTile(0, 0, FLAT);
  const surfaces = new Surfaces(mirror, 0);
  surfaces.settle();
  const looks = new Looks(mirror, surfaces, 0);
  const paint = () => {
    looks.paint(0, 0, () => stonesOf(FLAT, 0, 0), tile.look);
    tile.stamp = newStamp();
  };
  paint();
  const waves = layers.waveLooks(0, false);
  const levelAt = (now) => {
    waves.raise(tile, now);
    const at = Array.from({ length: 64 }, (_, y) => y).filter((y) => (tile.look[(y << 6) | 5] & (SURFACE | IS_ROCK)) === SURFACE);
    assert.equal(at.length, 1, "one surface at any time");
    return at[0] + (tile.look[(at[0] << 6) | 5] & 255) / 255;
  };
  const near = (now, level) => assert.ok(Math.abs(levelAt(now) - level) < 0.01, `${levelAt(now)} at ${now}, not ${level}`);
  near(1000, 32.5);
  const { stamp } = tile;
  near(1010, 32.5);
  assert.equal(tile.stamp, stamp, "what rests is not painted again");
  tell(toldWave(-1.5));
  waves.told([AT(0, 0, 0)], 1200);
  assert.ok(waves.moves(1300) && !waves.moves(1400));
  near(1200, 32.5);
  assert.notEqual(tile.stamp, stamp);
  near(1300, 31.5);
  paint(); // the cells changed meanwhile
  near(1350, 31);
  near(1500, 30.5);
  tell(0);
  waves.told([AT(0, 0, 0)], 1400);
  near(1500, 31.25);
  near(1600, 32);
  tell(toldWave(1));
  waves.told([AT(0, 0, 0)], 9000);
  near(9000, 33);
});

test("heads span round numbers, and do not flicker", () => {
  const span = (least, most, from = 0, size = 1) => Object.values(spanOf({ least, most }, { from, size })).join();
  assert.equal(span(11, 11), "11,1");
  assert.equal(span(11, 11.7, 11, 1), "11,1");
  assert.equal(span(10.4, 11.7, 11, 1), "10,2");
  assert.equal(span(10.6, 11.4, 10, 2), "10,2", "it does not shrink at once");
  assert.equal(span(10.6, 10.7, 10, 2), "10.5,1");
  assert.equal(span(3, 940, 10, 2), "0,1000");
  assert.equal(span(Infinity, -Infinity, 10, 2), "10,2", "nothing is seen");
});

test("the overlay of a layer that is still to come shows nothing, and no other quantity", () => {
  globalThis.ImageData = class { constructor(width, height) { this.data = new Uint8ClampedArray(4 * width * height); } };
  globalThis.OffscreenCanvas = class { getContext() { return { putImageData: () => undefined }; } };
  try {
    const mirror = new Mirror(welcomeOf([], AT(64, 64, 1), FLAT));
    const surfaces = { first: new Uint16Array(65).map((_, i) => Math.min(i, 1)), low: [0], high: [9], head: [10] };
    const overlay = new Overlay(mirror, null, () => null, false, () => undefined);
    const shaded = (name) => {
      overlay.set(name);
      return overlay.paintTile(undefined, 0, 0, 0, { ...BARE, piecesOf: () => surfaces }, 1, 0).image.data.some((value) => value > 0);
    };
    for (const name of ["temperature", "steam", "waves", "tracer:dye"]) assert.equal(shaded(name), false, name);
    for (const name of ["depth", "head"]) assert.equal(shaded(name), true, name);
  } finally {
    delete globalThis.ImageData;
    delete globalThis.OffscreenCanvas;
  }
});
