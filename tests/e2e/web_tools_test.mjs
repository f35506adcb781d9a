// Goal: a brush of any size covers what its shape says, and springs, drains and heaters that were put or removed are
// taken back as they were.
// Method: the modules by themselves.
//
//   node web_tools_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawn, load } from "./web_support.mjs";

const { dabAt, dabsAt } = await load("shapes.ts");
const { Brush } = await load("brush.ts");
const { CommandQueue } = await load("command_queue.ts");
const { Stroke } = await load("history.ts");
const { MOST_ABOVE, SPARE } = await load("pouring.ts");
const { mixtureToFill } = await load("mixture.ts");
const { fetchFixtures } = await load("fixtures.ts");
const { factsOf } = await load("facts.ts");

test("a round brush has no corners, as few rectangles as rows of equal length, and is cut to the world", () => {
  const mirror = drawn(Array(40).fill(".".repeat(40)));
  const rowsOf = (size, x = 20, y = 20) => {
    const cells = dabsAt(mirror, size, x, y, true).flatMap((rect) => cellsOf(rect));
    assert.equal(new Set(cells.map((cell) => cell.join())).size, cells.length, "no cell is covered twice");
    const rows = new Map();
    for (const [, row] of cells) rows.set(row, (rows.get(row) ?? 0) + 1);
    return [...rows.values()];
  };
  const cellsOf = ({ x, y, width, height }) =>
    Array.from({ length: width * height }, (_, i) => [x + (i % width), y + Math.floor(i / width)]);
  assert.deepEqual(rowsOf(1), [1]);
  assert.deepEqual(rowsOf(2), [2, 2]);
  assert.deepEqual(rowsOf(3), [1, 3, 1]);
  assert.deepEqual(rowsOf(4), [2, 4, 4, 2]);
  assert.deepEqual(rowsOf(5), [3, 5, 5, 5, 3]);
  assert.deepEqual(rowsOf(5, 0, 0), [3, 3, 2]);
  for (let size = 3; size <= 16; ++size) {
    const rects = dabsAt(mirror, size, 20, 20, true);
    assert.ok(rects.length <= 9, `${rects.length} commands a dab of ${size}`);
    assert.ok(rects.every(({ x, y }) => x >= 0 && y >= 0));
  }
  assert.deepEqual(dabsAt(mirror, 3, 5, 5, false), [dabAt(mirror, 3, 5, 5)]);
});

// Springs, drains and heaters.
const { FixtureEdit, placement, removal } = await load("fixture_edit.ts");

test("what was put is taken away, and what was removed comes back with all that it had", () => {
  const fixtures = { sources: [], drains: [], heaters: [] };
  const spring = { kind: "spring", at: { x: 1, y: 2, z: 0 }, rate: 7, head: 4096, temperature: -256 };
  const added = { cmd: "add_source", at: [1, 2, 0], rate: 7, temperature: -256, head: 4096 };
  assert.deepEqual(placement(spring), added);
  assert.deepEqual(placement({ ...spring, temperature: undefined }), { cmd: "add_source", at: [1, 2, 0], rate: 7, head: 4096 });
  assert.deepEqual(placement({ ...spring, kind: "heater" }), { cmd: "add_heater", at: [1, 2, 0], rate: 7 });
  assert.deepEqual(removal({ ...spring, kind: "drain" }), { cmd: "remove_drain", at: [1, 2, 0] });
  const [puts, takes] = [true, false].map((adds) => new FixtureEdit(adds, () => fixtures));
  assert.ok(puts.isEmpty);
  puts.standing.push(spring);
  takes.standing.push(spring);
  assert.deepEqual(puts.reverse(), { commands: [{ cmd: "remove_source", at: [1, 2, 0] }], conflicts: 0 });
  assert.deepEqual(takes.reverse(), { commands: [added], conflicts: 0 });
  assert.deepEqual(puts.repeat().commands, [added]);
  assert.deepEqual(takes.repeat().commands, puts.reverse().commands);
  fixtures.sources.push({ at: spring.at, rate: 8 }); // somebody else's, in its place
  assert.deepEqual(puts.reverse(), { commands: [], conflicts: 1 });
});

test("a spring keeps what its water holds", () => {
  const dyed = { kind: "spring", at: { x: 1, y: 2, z: 0 }, rate: 7, tracer: { red: 100 } };
  assert.deepEqual(placement(dyed), { cmd: "add_source", at: [1, 2, 0], rate: 7, tracer: { red: 100 } });
  assert.deepEqual(placement({ ...dyed, head: 4096, temperature: 512 }),
    { cmd: "add_source", at: [1, 2, 0], rate: 7, tracer: { red: 100 }, temperature: 512, head: 4096 });
});

test("the server tells what a spring's water holds, and the inspector says it; an older server tells nothing", async () => {
  const answer = { edges: {}, sources: [[1, 1, 0, 64], [3, 1, 0, 9]], drains: [], heaters: [], heads: [], temperatures: [[1, 1, 0, 2560]],
    heat: true, paused: false, speed: 1 };
  const told = async (more) => {
    globalThis.fetch = async () => ({ ok: true, json: async () => ({ ...answer, ...more }) });
    return fetchFixtures("cave", "");
  };
  const tracers = [[1, 1, 0, { red: 2048, ink: 7 }]];
  const fixtures = await told({ tracers });
  assert.deepEqual(fixtures.sources.map(({ tracer }) => tracer), [{ red: 2048, ink: 7 }, undefined]);
  assert.deepEqual(placement({ kind: "spring", ...fixtures.sources[0] }),
    { cmd: "add_source", at: [1, 1, 0], rate: 64, tracer: { red: 2048, ink: 7 }, temperature: 2560 });
  const rowsOf = (x) => factsOf({ mirror: drawn(["....", "...."]), fixtures }, { kind: "spring", at: { x, y: 1, z: 0 } }).rows;
  assert.deepEqual(rowsOf(1).slice(1, 4), [["red", "2,048 in 4,096 units of its water"], ["ink", "7 in 4,096 units of its water"], ["its water", "10 °C"]]);
  assert.deepEqual(rowsOf(3).map(([label]) => label), ["rate", "cell"]);
  const heater = (rows, rate) => factsOf({ mirror: drawn(rows), fixtures: { ...fixtures, heaters: [{ at: { x: 1, y: 1, z: 0 }, rate }] } },
    { kind: "heater", at: { x: 1, y: 1, z: 0 } });
  assert.deepEqual([heater(["....", "...."], 900).title, heater(["....", "...."], -900).title], ["Heater at [1, 1]", "Cooler at [1, 1]"]);
  assert.deepEqual(heater(["....", "...."], -900).rows[0], ["energy", "900 units a tick"]);
  for (const [rows, rate, why] of [[["....", "...."], 9, "Its cell is dry: there is nothing to warm."],
    [[".~..", "...."], -9, "It cools what is in its cell, down to −100 °C."],
    [["~#..", "...."], 9, "It warms the water that touches its rock, in equal shares, up to 200 °C."],
    [[".#..", "~.~."], -9, "Its cell is rock, and no water touches it: there is nothing to cool."]]) {
    assert.deepEqual(heater(rows, rate).why, [why]);
  }
  const [older] = (await told({})).sources;
  assert.deepEqual([older.tracer, older.temperature], [undefined, 2560]);
});

test("dyed water is poured a column at a time, with as much as its units hold, and made again as it was", () => {
  const mirror = drawn(["..#", "~4#"]);
  const cells = [{ x: 0, y: 1, z: 0 }, { x: 1, y: 0, z: 0 }];
  const fill = mixtureToFill({ tracer: { red: 1001 } });
  assert.deepEqual(fill(mirror, cells), [
    { cmd: "pour", at: [0, 1, 0], units: 4096, above: SPARE, tracer: { red: 1001 } },
    { cmd: "pour", at: [1, 0, 0], units: 2048, above: SPARE, tracer: { red: 501 } },
  ]);
  assert.deepEqual(mixtureToFill({ temperature: 512 })(mirror, cells.slice(0, 1)),
    [{ cmd: "pour", at: [0, 1, 0], units: 4096, above: SPARE, temperature: 512 }]);
  assert.deepEqual(mixtureToFill({ tracer: { red: 0 }, temperature: 512 })(mirror, cells.slice(0, 1)),
    [{ cmd: "pour", at: [0, 1, 0], units: 4096, above: SPARE, tracer: { red: 0 }, temperature: 512 }]);
  assert.deepEqual(fill(mirror, [{ x: 1, y: 1, z: 0 }, { x: 1, y: 0, z: 0 }]),
    [{ cmd: "pour", at: [1, 0, 0], units: 2048 + 4096, above: SPARE + 1, tracer: { red: 1502 } }]);
  const stroke = new Stroke("water", 0, fill);
  stroke.touch(mirror, cells);
  const { commands, edit } = stroke.repeat(mirror);
  assert.deepEqual(commands, fill(mirror, cells));
  assert.equal(edit.fill, fill);
});

test("an undo waits for the answer to what it takes back, and what was refused is none", async () => {
  const mirror = drawn(["....", "...."]);
  let seq = 0;
  const sent = [];
  const said = [];
  const line = { ready: true, command: (command) => (sent.push(command), ++seq) };
  const queue = new CommandQueue(line, (text) => said.push(text));
  const brush = new Brush(queue, (text) => said.push(text));
  const put = (x) => {
    const edit = new FixtureEdit(true, () => ({ sources: [], drains: [], heaters: [] }));
    const spring = { kind: "spring", at: { x, y: 0, z: 0 }, rate: 7 };
    edit.sent();
    brush.history.add(edit);
    queue.send(placement(spring), edit, (applied) => edit.answered(applied ? spring : null));
  };
  const cmds = () => sent.splice(0).map(({ cmd, at }) => `${cmd} ${at[0]}`);
  const turns = () => new Promise((resolve) => setTimeout(resolve));
  put(0);
  put(1);
  put(2);
  assert.deepEqual(cmds(), ["add_source 0", "add_source 1", "add_source 2"]);
  brush.undo(mirror);
  brush.undo(mirror);
  brush.redo(mirror);
  queue.answered(1, true, 5);
  queue.answered(2, true, 5);
  await turns();
  assert.deepEqual(cmds(), [], "the last is not answered");
  queue.answered(3, false, 5);
  await turns();
  assert.deepEqual(cmds(), ["remove_source 1", "remove_source 0", "add_source 0"]);
  assert.deepEqual(said, []);
  brush.undo(mirror);
  assert.deepEqual(cmds(), ["remove_source 0"], "nothing is waited for any more");
  brush.undo(mirror);
  assert.match(said.join(), /nothing of yours to undo/);
});

test("an answer may come before the tick that shows what it tells", () => {
  const queue = new CommandQueue({ ready: true, command: () => 1 }, () => assert.fail());
  assert.ok(queue.isSeenAt(0));
  queue.send({ cmd: "pour", at: [0, 0, 0], units: 1 }, queue);
  assert.ok(!queue.isSeenAt(9));
  queue.answered(1, true, 8);
  assert.ok(!queue.isSeenAt(7));
  assert.ok(queue.isSeenAt(8));
});

test("a pour rises as far as the server lets it, and no farther", () => {
  const limits = readFileSync(join(process.argv[2], "protocol/base/limits.h"), "utf8");
  assert.equal(MOST_ABOVE, Number(/kMostPourAbove = (\d+);/.exec(limits)[1]));
  // Both viewers pour alike.
  const terminal = readFileSync(join(process.argv[2], "client_stub/pouring.h"), "utf8");
  assert.equal(SPARE, Number(/kPourSpare = (\d+);/.exec(terminal)[1]));
  const mirror = drawn([...Array(120).fill("#~#"), "###"]);
  const stroke = new Stroke("take", 0);
  stroke.touch(mirror, Array.from({ length: 121 }, (_, y) => ({ x: 1, y, z: 0 })));
  const { commands, conflicts } = stroke.reverse(mirror, true);
  assert.equal(conflicts, 0);
  assert.ok(commands.every(({ above }) => above <= MOST_ABOVE), "a deep shaft is poured in parts");
  assert.equal(commands.reduce((sum, { units }) => sum + units, 0), 120 * 4096);
  assert.deepEqual(commands.map(({ at }) => at[1]), [1, 50, 99]);
});
