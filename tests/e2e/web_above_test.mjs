// Goal: tools that are used from above work in what is seen there or on it, pour upwards, take back what they did at whatever
// height, and build pipes as high as they stand.
// Method: the modules by themselves, over a small world that is turned as the picture from above has it: z is up.
//
//   node web_above_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { FULL, load, ROCK, SHAPES } from "./web_support.mjs";

const { seenFrom } = await load("turned.ts");
const { depthOf } = await load("top_looks.ts");
const { placesPoured, poursAt, poursInto, SPARE } = await load("pouring.ts");
const { Stroke } = await load("history.ts");
const { copyRegion, Paste } = await load("region.ts");
const { PipeTools } = await load("pipe_tools.ts");
const { chunkKey } = await load("geometry.ts");

const SIZE = { x: 6, y: 10, z: 8 }; // of the world
const ICE = -1000;
const FALLS = 100;

/** The world from above: columns from the floor up, each by its x; along z they are all alike. */
function fromAbove(columns, name = "top") {
  const sight = seenFrom(name);
  const [sides] = SHAPES.slice(1);
  const mirror = sight.mirror(sight.welcome({ size: SIZE, sides, tick: 1 }));
  const cells = new Int32Array(4096);
  columns.forEach((column, x) => column.forEach((cell, y) => {
    for (let z = 0; z < SIZE.z; ++z) cells[(((y << 4) | z) << 4) | x] = cell;
  }));
  mirror.chunks.set(chunkKey(0, 0, 0), cells);
  return { sight, mirror };
}
const COLUMNS = [
  [ROCK, ROCK],
  [ROCK, FULL, FULL],
  [ROCK, FULL, FULL / 2],
  [],
  [ROCK, 0, 0, ICE, 0, FALLS],
  Array(SIZE.y).fill(ROCK),
];

test("a tool works in what is seen, on it, or over water that is full; a cut and the world's top end it", () => {
  const { mirror } = fromAbove(COLUMNS);
  const heights = (lies, slice = SIZE.y - 1) => COLUMNS.map((_, x) => depthOf(mirror, slice, { x, y: 3 }, lies, false));
  assert.deepEqual(heights("in"), [1, 2, 2, 0, 5, 9]);
  assert.deepEqual(heights("on"), [2, 2, 2, 0, 5, 9]);
  assert.deepEqual(heights("over"), [2, 3, 2, 0, 5, 9]);
  assert.deepEqual(heights("in", 4), [1, 2, 2, 0, 3, 4], "what is over a cut is not seen");
  assert.deepEqual(heights("over", 4), [2, 3, 2, 0, 4, 4], "and nothing is put there");
  assert.deepEqual(heights("over", 1), [1, 1, 1, 0, 1, 1]);
  assert.equal(depthOf(mirror, 9, { x: 60, y: 3 }, "in", false), 0, "beside the world");
});

test("the side and the front have their slice", () => {
  const { sight, mirror } = fromAbove(COLUMNS, "side");
  assert.equal(sight.depth(mirror, 4, { x: 1, y: 1 }, "in", false), 4);
  assert.equal(mirror.up, "y");
  assert.equal(fromAbove(COLUMNS).mirror.up, "z");
});

test("water from above fills up, and rises along its column", () => {
  const { mirror } = fromAbove(COLUMNS);
  const rect = { x: 0, y: 2, width: 3, height: 2 };
  const cells = poursAt(mirror, rect, 2, () => false);
  assert.deepEqual(cells.map(({ x, y, z }) => [x, y, z]).sort(),
    [[0, 2, 2], [0, 3, 2], [1, 2, 3], [1, 3, 3], [2, 2, 2], [2, 3, 2]], "over the full column in the cell above");
  assert.deepEqual(poursAt(mirror, rect, 2, ({ x }) => x === 1).filter(({ x }) => x === 1), [], "once, until it is answered");
  const pours = poursInto(cells.map((at) => ({ ...at, units: 5 })), "z");
  assert.equal(pours.length, 6, "cells beside one another are columns of their own");
  assert.ok(pours.every(({ above, units }) => above === SPARE && units === 5));
  assert.deepEqual(poursInto([{ x: 1, y: 2, z: 4, units: 5 }, { x: 1, y: 2, z: 3, units: 7 }], "z"),
    [{ cmd: "pour", at: [1, 2, 3], units: 12, above: SPARE + 1 }], "those over one another are one");
  assert.deepEqual(placesPoured({ cmd: "pour", at: [1, 2, 3], units: 12, above: SPARE + 1 }, "z"), [[1, 2, 3], [1, 2, 4]]);
});

test("a stroke that went through several heights is taken back at each", () => {
  const { mirror } = fromAbove(COLUMNS);
  const stroke = new Stroke("water", 2);
  stroke.touch(mirror, [{ x: 2, y: 1, z: 2 }, { x: 1, y: 1, z: 3 }, { x: 0, y: 1, z: 2 }]);
  assert.deepEqual(stroke.cells(mirror), [{ x: 2, y: 1, z: 2, had: FULL / 2 }, { x: 1, y: 1, z: 3, had: 0 }, { x: 0, y: 1, z: 2, had: 0 }]);
  const { commands, conflicts } = stroke.reverse(mirror, true);
  assert.equal(conflicts, 0);
  assert.deepEqual(commands, [
    { cmd: "set_cells", from: [0, 1, 2], size: [1, 1, 1], cell: "." },
    { cmd: "set_cells", from: [2, 1, 2], size: [1, 1, 1], cell: "." },
    { cmd: "set_cells", from: [1, 1, 3], size: [1, 1, 1], cell: "." },
    { cmd: "pour", at: [2, 1, 2], units: FULL / 2, above: SPARE },
  ]);
});

/** Puts nodes into a mirror as a section of the server's would: their places as the picture has them. */
function withNodes(mirror, nodes) {
  mirror.pipes.sections.set("0", { key: { coord: { x: 0, y: 0, z: 0 }, part: 0 }, links: [], ports: [], values: nodes.map(() => 0), nodes });
  mirror.pipes.planChanged();
}
const NODE = { kind: "pipe", fluid: "water", capacity: 100, height: FULL, throughput: 0, index: 0 };

test("pipe tools mean the uppermost pipe of a column, and lay new ones as high as they come to stand", () => {
  const { mirror } = fromAbove(COLUMNS);
  withNodes(mirror, [{ ...NODE, name: "low", base: 0, at: { x: 0, y: 4, z: 5 } }, { ...NODE, name: "high", base: 0, at: { x: 0, y: 4, z: 7 } }]);
  const height = (slice, standing) => depthOf(mirror, slice, { x: 0, y: 4 }, "on", standing);
  assert.deepEqual([height(9, true), height(6, true), height(4, true), height(9, false)], [7, 5, 2, 2]);
  const sent = [];
  const tools = new PipeTools({ send: (command) => sent.push(command) }, assert.fail);
  tools.tool = "pump";
  tools.begin(mirror.pipes, { x: 1, y: 2, z: 6 });
  assert.equal(sent[0].base, 6 * FULL);
});

test("a link is found from above whatever the heights of its ends, and from the front in its slice alone", () => {
  for (const [name, removed] of [["top", 1], ["side", 0]]) {
    const { mirror } = fromAbove(COLUMNS, name);
    const places = [{ x: 0, y: 4, z: 5 }, { x: 2, y: 4, z: 7 }];
    withNodes(mirror, places.map((at, i) => ({ ...NODE, name: `n${i}`, base: 0, index: i, at })));
    const [from, to] = mirror.pipes.networks.nodes;
    mirror.pipes.known.links.push({ from, to });
    const [sent, said] = [[], []];
    const tools = new PipeTools({ send: (command) => sent.push(command) }, (text) => said.push(text));
    tools.tool = "unlink";
    tools.begin(mirror.pipes, { x: 1, y: 4, z: 2 });
    tools.end(mirror.pipes, { x: 1, y: 4, z: 2 });
    assert.equal(sent.length, removed, name);
    assert.equal(said.length, 1 - removed);
  }
});

test("pipes that are copied from above stand as high over their cells where they are put", () => {
  const { mirror } = fromAbove(COLUMNS);
  withNodes(mirror, [{ ...NODE, name: "one", base: 5 * FULL + 7, at: { x: 0, y: 4, z: 5 } }]);
  const region = copyRegion(mirror, { x: 0, y: 3, width: 2, height: 2 }, 5);
  const { commands } = new Paste(mirror, region, 3, 5, 8);
  const built = commands.filter(({ cmd }) => cmd === "add_pipe");
  assert.deepEqual(built.map(({ at, base }) => [at, base]), [[[3, 6, 8], 8 * FULL + 7]]);
});
