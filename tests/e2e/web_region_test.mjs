// Goal: what was copied is put as it was, cut to the world, with as few commands as it takes, and can be taken
// back and made again as often as one likes; what cannot be done is said, and nothing of it is done.
// Method: the modules by themselves, on worlds that are drawings; commands reach the drawing at once.
//
//   node web_region_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, FULL, load, ROCK } from "./web_support.mjs";

const { copyRegion, describe, Paste } = await load("region.ts");
const { MOST_COPIED, placeOf, Stamp } = await load("stamp.ts");
const { History } = await load("history.ts");

/** The world as commands leave it; water stays where it is. */
function obey(mirror, commands) {
  for (const { from, size, cell } of commands) {
    const value = { "#": ROCK, ".": 0, o: -3 }[cell] ?? cell.water;
    for (let y = from[1]; y < from[1] + size[1]; ++y) {
      for (let x = from[0]; x < from[0] + size[0]; ++x) mirror.chunk(x >> 6, y >> 6, 0)[((y & 63) << 6) | (x & 63)] = value;
    }
  }
}
const part = (mirror, rect) => [...copyRegion(mirror, rect, 0).cells];
const all = (mirror) => part(mirror, { x: 0, y: 0, width: mirror.size.x, height: mirror.size.y });

test("what is pasted is what was copied: rock, air, trapped air, water to the unit, and ice as its water", () => {
  const mirror = drawn([..."..........", ...".........."].join("").match(/.{10}/g).concat("#~~3#.....", "##########"));
  const cells = mirror.chunk(0, 0, 0);
  cells[(1 << 6) | 2] = FULL + 7;
  cells[(2 << 6) | 1] = -16 - 900; // ice
  cells[(2 << 6) | 3] = -3;
  const from = { x: 0, y: 0, width: 5, height: 4 };
  const region = copyRegion(mirror, from, 0);
  assert.match(describe(region), /^5 × 4 cells: 7 rock, 4 with water$/);
  const paste = new Paste(mirror, region, 5, 0, 0);
  obey(mirror, paste.commands);
  assert.deepEqual(part(mirror, { ...from, x: 5 }), [...region.cells]);
  assert.equal(mirror.cell(7, 1, 0), FULL + 7);
  assert.equal(mirror.cell(6, 2, 0), 900);
  assert.equal(mirror.cell(8, 2, 0), -3);
  assert.ok(new Paste(mirror, region, 5, 0, 0).isEmpty, "what is there already is none of its doing");
});

test("a lake and its bed take few commands, rock before water", () => {
  const mirror = drawn([...Array(20).fill(`#${"~".repeat(40)}#${".".repeat(60)}`), "#".repeat(42) + ".".repeat(60)]);
  const region = copyRegion(mirror, { x: 0, y: 0, width: 42, height: 21 }, 0);
  const { commands } = new Paste(mirror, region, 50, 0, 0);
  assert.ok(commands.length <= 4, `${commands.length} commands`);
  const firstWater = commands.findIndex(({ cell }) => cell.water > 0);
  assert.ok(commands.slice(firstWater).every(({ cell }) => cell !== "#"));
});

test("at the world's borders it is cut", () => {
  const mirror = drawn(["....", "....", "##..", "##.."]);
  const region = copyRegion(mirror, { x: 0, y: 0, width: 2, height: 2 }, 0);
  for (const [x, y] of [[-1, -1], [3, 3], [3, -1], [9, 9]]) {
    const paste = new Paste(mirror, region, x, y, 0);
    for (const { from, size } of paste.commands) {
      assert.ok(from[0] >= 0 && from[1] >= 0 && from[0] + size[0] <= 4 && from[1] + size[1] <= 4);
    }
  }
  assert.deepEqual(placeOf(region, 3, 3), { x: 2, y: 2, width: 2, height: 2 });
});

test("undo gives back what was there, redo makes it again, and what others built stays", () => {
  const mirror = drawn(["........", "..~~....", "##3#....", "########"]);
  const history = new History();
  const before = all(mirror);
  const paste = new Paste(mirror, copyRegion(mirror, { x: 0, y: 0, width: 4, height: 3 }, 0), 3, 1, 0);
  history.add(paste);
  obey(mirror, paste.commands);
  const after = all(mirror);
  assert.notDeepEqual(after, before);
  for (let round = 0; round < 3; ++round) {
    const { commands, conflicts } = history.undo(mirror, true);
    assert.equal(conflicts, 0);
    obey(mirror, commands);
    assert.deepEqual(all(mirror), before);
    obey(mirror, history.redo(mirror));
    assert.deepEqual(all(mirror), after);
  }
  obey(mirror, [{ from: [5, 3, 0], size: [1, 1, 1], cell: "#" }]); // somebody else's, where water was pasted
  const { commands, conflicts } = history.undo(mirror, true);
  assert.equal(conflicts, 1);
  obey(mirror, commands);
  assert.equal(mirror.cell(5, 3, 0), ROCK);
});

test("what cannot be copied or pasted is said, and nothing is sent", async () => {
  // Parts that come late bring their looks along.
  globalThis.document = { createElement: () => ({}), head: { append: (link) => link.onload() } };
  const mirror = drawn(Array(300).fill(".".repeat(300)));
  const said = [];
  const sent = [];
  const queue = { ready: true, room: 10, send: (command) => sent.push(command) };
  const stamp = new Stamp(queue, new History(), { copied: (text) => said.push(text), warn: (text) => said.push(text) });
  const box = (from, to) => (stamp.begin(from), stamp.copy(mirror, to, 0));
  stamp.paste(mirror, { x: 5, y: 5 }, 0);
  box({ x: 0, y: 0 }, { x: 299, y: 299 });
  box({ x: -9, y: -9 }, { x: -3, y: -1 });
  assert.equal(stamp.region, null);
  for (let x = 0; x < 40; ++x) mirror.chunk(0, 0, 0)[x] = 100 + 2 * x; // each its own command
  box({ x: 0, y: 0 }, { x: 39, y: 0 });
  while (stamp.region === null) await new Promise(setImmediate); // what copies is fetched first
  stamp.paste(mirror, { x: 60, y: 9 }, 0);
  queue.room = 1000;
  queue.ready = false;
  stamp.paste(mirror, { x: 60, y: 9 }, 0);
  stamp.cancel();
  stamp.copy(mirror, { x: 9, y: 9 }, 0); // of a box that was given up
  assert.deepEqual(said.map((text) => text.slice(0, 19)), ["Nothing is copied y", `At most ${MOST_COPIED.toLocaleString("en")} cell`,
    "There is nothing of", "Copied 40 × 1 cells", "This is faster than", "Not connected: noth"]);
  assert.deepEqual(sent, []);
});
