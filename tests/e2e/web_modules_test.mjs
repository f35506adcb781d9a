// Goal: the page's modules that need no page do what they say: gestures, tools, undo.
// Method: each is bundled by itself and called; time is a list of what is due.
//
//   node web_modules_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { dice, drawn, FULL, load, ROCK } from "./web_support.mjs";

const { Gestures, SLOP } = await load("gesture.ts");
const { agoText } = await load("ago.ts");

/** Gestures whose calls are written down, with a clock of its own. */
function recorded(kind) {
  const calls = [];
  const due = new Set();
  const note = (name) => (...values) => calls.push([name, ...values]);
  const target = { kindOf: () => kind };
  for (const name of ["begin", "move", "end", "cancel", "pan", "zoom"]) target[name] = note(name);
  const gestures = new Gestures(target, (f) => (due.add(f), f), (f) => due.delete(f));
  const names = () => calls.map(([name]) => name).join(" ");
  return { gestures, calls, names, wait: () => [...due].forEach((f) => (due.delete(f), f())) };
}

test("a mouse's stroke begins at once", () => {
  const { gestures, names } = recorded("brush");
  gestures.down(1, 10, 10, false, 0);
  gestures.move(1, 20, 10);
  gestures.up(1, 20, 10);
  assert.equal(names(), "begin move end");
});

test("two fingers zoom and never stroke, whatever the tool and the order", () => {
  for (const kind of ["brush", "pipe"]) {
    for (const [up1, up2] of [[1, 2], [2, 1]]) {
      const { gestures, calls, wait } = recorded(kind);
      gestures.down(1, 100, 100, true, 0);
      gestures.down(2, 200, 100, true, 0);
      wait();
      gestures.move(1, 50, 100);
      gestures.move(2, 250, 100);
      gestures.up(up1, 50, 100);
      gestures.move(up2, 240, 120); // the finger that stays does nothing more
      gestures.up(up2, 240, 120);
      wait();
      assert.ok(calls.every(([name]) => name === "pan" || name === "zoom"), JSON.stringify(calls));
      const factor = calls.filter(([name]) => name === "zoom").reduce((all, [, f]) => all * f, 1);
      assert.ok(Math.abs(factor - 2) < 1e-9, `from 100 to 200 apart: ${factor}`);
    }
  }
});

test("a second finger takes back a stroke that had begun", () => {
  const { gestures, names } = recorded("brush");
  gestures.down(1, 100, 100, true, 0);
  gestures.move(1, 100 + SLOP + 1, 100);
  gestures.down(2, 200, 100, true, 0);
  gestures.move(2, 220, 100);
  gestures.up(2, 220, 100);
  gestures.up(1, 100, 100);
  assert.equal(names(), "begin move cancel pan zoom");
});

test("what two fingers hold stays under them", () => {
  const { gestures, calls } = recorded("pan");
  gestures.down(1, 100, 100, true, 0);
  gestures.down(2, 200, 100, true, 0);
  // A camera that is told the same: x on the screen = world * scale + shift.
  let [scale, shift] = [1, 0];
  const seen = calls.length;
  gestures.move(1, 60, 100);
  gestures.move(2, 300, 100);
  for (const [name, a, b] of calls.slice(seen)) {
    if (name === "pan") shift += a;
    if (name === "zoom") [scale, shift] = [scale * a, b + (shift - b) * a];
  }
  assert.ok(Math.abs(100 * scale + shift - 60) < 1e-6 && Math.abs(200 * scale + shift - 300) < 1e-6);
});

test("a finger that rests, and one that taps, stroke", () => {
  const resting = recorded("brush");
  resting.gestures.down(1, 5, 5, true, 0);
  assert.equal(resting.names(), "");
  resting.wait();
  assert.equal(resting.names(), "begin");
  const tap = recorded("brush");
  tap.gestures.down(1, 5, 5, true, 0);
  tap.gestures.up(1, 6, 5);
  assert.equal(tap.names(), "begin end");
  tap.wait();
  assert.equal(tap.names(), "begin end");
});

test("the system takes a pointer away", () => {
  const { gestures, names } = recorded("pipe");
  gestures.down(1, 5, 5, false, 0);
  gestures.cancel(1);
  gestures.up(1, 5, 5);
  gestures.down(2, 5, 5, false, 0);
  gestures.up(2, 5, 5);
  assert.equal(names(), "begin cancel begin end");
});

// Tools.
const { rectsOf, stepsBetween, flood, boxOf, dabAt } = await load("shapes.ts");
const { Brush } = await load("brush.ts");
const { SPARE } = await load("pouring.ts");
const { CommandQueue, MOST_UNANSWERED } = await load("command_queue.ts");
const { PipeTools } = await load("pipe_tools.ts");
const { Recovery, recoveredText } = await load("recovery.ts");
const RESULT_NEW = 0;

test("rectangles cover each cell once, and nothing else", () => {
  const random = dice(5);
  for (let round = 0; round < 200; ++round) {
    const cells = new Set();
    for (let i = random(60); i >= 0; --i) cells.add(`${random(9)},${random(9)}`);
    const list = [...cells].map((text) => ({ x: Number(text.split(",")[0]), y: Number(text.split(",")[1]) }));
    const covered = rectsOf(list).flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, i) => `${x + (i % width)},${y + Math.floor(i / width)}`));
    assert.equal(covered.length, cells.size);
    assert.deepEqual(new Set(covered), cells);
  }
  const block = Array.from({ length: 12 }, (_, i) => ({ x: i % 4, y: Math.floor(i / 4) }));
  assert.deepEqual(rectsOf(block), [{ x: 0, y: 0, width: 4, height: 3 }]);
});

test("a line leaves out no cell, whatever the brush's size", () => {
  for (const size of [1, 2, 3, 8, 16]) {
    for (const to of [{ x: 30, y: 7 }, { x: -4, y: 19 }, { x: 5, y: 5 }, { x: 6, y: 5 }]) {
      let last = { x: 5, y: 5 };
      for (const place of stepsBetween(last, to, size)) {
        const step = Math.max(Math.abs(place.x - last.x), Math.abs(place.y - last.y));
        assert.ok(step <= Math.max(1, size / 2), `a step of ${step} with a brush of ${size}`);
        last = place;
      }
      assert.deepEqual(last, to);
    }
  }
});

test("a fill stays within what hangs together, and under its ceiling", () => {
  const mirror = drawn(["#########", "#...#...#", "#...#...#", "#~~.#...#", "#########"]);
  assert.equal(flood(mirror, 1, 1, 0, 9).length, 9);
  assert.equal(flood(mirror, 1, 1, 0, 2).length, 6);
  assert.equal(flood(mirror, 4, 2, 0, 9).length, 9 * 5 - 18);
  assert.deepEqual(flood(mirror, -1, 0, 0, 9), []);
  assert.equal(flood(drawn([".".repeat(300)].concat(Array(200).fill(".".repeat(300)))), 5, 5, 0, 999), null);
  assert.deepEqual(boxOf(mirror, { x: 7, y: 3 }, { x: 2, y: 9 }), { x: 2, y: 3, width: 6, height: 2 });
  assert.deepEqual(dabAt(mirror, 3, 0, 0), { x: 0, y: 0, width: 2, height: 2 });
});

test("what is taken away while water flows in comes back on top of it, and what has no room is told", () => {
  const mirror = drawn(["#....#", "#....#", "#~~~~#", "######"]);
  const { brush, said, settle } = brushOn(mirror);
  Object.assign(brush, { tool: "take", size: 1 });
  brush.begin(mirror, 1, 1, 0);
  brush.end(mirror);
  settle();
  assert.equal(mirror.cell(1, 1, 0), 0);
  obey(mirror, [{ cmd: "set_cells", from: [1, 1, 0], size: [1, 1, 1], cell: "~" }]); // flowed in
  brush.undo(mirror);
  settle();
  assert.deepEqual([1, 2, 3].map((y) => mirror.cell(1, y, 0)), [FULL, FULL, 0]);
  brush.redo(mirror);
  settle();
  obey(mirror, [{ cmd: "set_cells", from: [1, 1, 0], size: [1, 1, 1], cell: "#" }]);
  brush.undo(mirror);
  assert.match(said[0], /one cell was changed by others/);
});

/** The world as commands leave it; water stays where it is. */
function obey(mirror, commands) {
  const put = (x, y, value) => {
    mirror.chunk(x >> 6, y >> 6, 0)[((y & 63) << 6) | (x & 63)] = value;
  };
  for (const command of commands) {
    if (command.cmd === "pour") {
      const [x, y] = command.at;
      let left = command.units;
      for (let to = y; to <= y + command.above && left > 0 && mirror.cell(x, to, 0) >= 0; ++to) {
        const units = Math.min(left, Math.max(0, FULL - mirror.cell(x, to, 0)));
        put(x, to, mirror.cell(x, to, 0) + units);
        left -= units;
      }
      assert.equal(left, 0, "it is refused: there is no room");
      continue;
    }
    const takes = command.cmd === "remove_water"; // of open cells
    const value = takes ? 0 : { "#": ROCK, ".": 0, "~": FULL }[command.cell];
    for (let y = command.from[1]; y < command.from[1] + command.size[1]; ++y) {
      for (let x = command.from[0]; x < command.from[0] + command.size[0]; ++x) {
        if (!takes || mirror.cell(x, y, 0) > 0) put(x, y, value);
      }
    }
  }
}

function contents(mirror) {
  return [...Array(mirror.size.x * mirror.size.y).keys()].map((i) =>
    mirror.cell(i % mirror.size.x, Math.floor(i / mirror.size.x), 0));
}

/** A brush whose commands reach the mirror at once. */
function brushOn(mirror) {
  const said = [];
  const log = [];
  let seq = 0;
  const warn = (text) => said.push(text);
  const line = { ready: true, command: (command) => (log.push(command), obey(mirror, [command]), ++seq) };
  let now = 0;
  const queue = new CommandQueue(line, warn, () => (now += 1000), () => assert.fail("waits"));
  const brush = new Brush(queue, warn);
  const settle = () => { for (let i = 1; i <= seq; ++i) queue.answered(i); };
  return { brush, said, log, settle, queue };
}

/** A queue whose commands are written down, with a clock and timers of its own. */
function recordedQueue(ready = true) {
  const sent = [];
  const said = [];
  const due = [];
  const line = { ready, command: (command) => (line.ready ? sent.push(command) : 0) };
  const clock = { now: 0 };
  const queue = new CommandQueue(line, (text) => said.push(text), () => clock.now, (act) => due.push(act));
  return { queue, line, sent, said, clock, wait: (ms) => { clock.now += ms; due.splice(0).forEach((act) => act()); } };
}

const pump = (number) => ({ cmd: "set_pump", name: "p", rate: number });

test("commands are sent in the order in which they were made, whoever makes them", () => {
  const { queue, sent } = recordedQueue();
  const mirror = drawn(["....", "...."]);
  const brush = new Brush(queue, () => {});
  const tools = new PipeTools(queue, () => {});
  Object.assign(brush, { tool: "rock", size: 1 });
  // More than may be unanswered: what follows waits behind it.
  for (let i = 0; i < MOST_UNANSWERED; ++i) queue.send(pump(i), tools);
  brush.begin(mirror, 0, 0, 0);
  tools.send({ cmd: "remove_pipe", name: "a" });
  brush.move(mirror, 1, 0);
  assert.equal(sent.length, MOST_UNANSWERED);
  for (let seq = 1; seq <= 3; ++seq) queue.answered(seq);
  assert.deepEqual(sent.slice(MOST_UNANSWERED).map(({ cmd }) => cmd), ["set_cells", "remove_pipe", "set_cells"]);
});

test("the queue keeps to its pace, and goes on by itself", () => {
  const { queue, sent, clock, wait } = recordedQueue();
  let answers = 0;
  const answer = () => { while (answers < sent.length) queue.answered(++answers); };
  for (let i = 0; i < 4000; ++i) { queue.send(pump(i), queue); answer(); }
  const atOnce = sent.length;
  assert.ok(atOnce < 1000, `${atOnce} at once`);
  while (!queue.sentAll) {
    wait(50);
    answer();
    assert.ok(sent.length - atOnce <= 1.3 * clock.now, `${sent.length - atOnce} in ${clock.now} ms`);
    assert.ok(clock.now < 10000);
  }
  assert.deepEqual(sent.map(({ rate }) => rate), [...Array(4000).keys()]);
});

test("what is lost with a connection is told once, and who waits for it hears of it", () => {
  const { queue, said, line } = recordedQueue();
  let done = 0;
  for (let i = 0; i <= MOST_UNANSWERED; ++i) queue.send(pump(i), queue, () => ++done);
  queue.reset();
  assert.equal(done, MOST_UNANSWERED + 1);
  assert.match(said[0], /one edit was not sent, 256 edits were on their way; the server will be asked/);
  line.ready = false;
  assert.equal(queue.send(pump(1), queue), false);
  queue.reset();
  assert.equal(said.length, 1);
});

test("pouring adds, wherever and whatever is there", () => {
  const deep = 5000;
  const mirror = drawn([".....", "..#..", "~3~~.", "~~~~#", "#####"]);
  for (const [x, y] of [[0, 1], [2, 1]]) mirror.chunk(0, 0, 0)[(y << 6) | x] = deep;
  const before = contents(mirror);
  const { brush, log, settle } = brushOn(mirror);
  Object.assign(brush, { tool: "water", size: 1 });
  const pour = (x, y) => {
    log.length = 0;
    brush.begin(mirror, x, y, 0);
    brush.end(mirror);
    settle();
    return log.map(({ cmd, at, units }) => [cmd, ...(at ?? []), units]);
  };
  assert.deepEqual(pour(1, 2), [["pour", 1, 2, 0, FULL - (3 * FULL) / 8]], "a cell is filled up");
  assert.deepEqual(pour(0, 1), [["pour", 0, 3, 0, FULL]], "deep in water, its surface rises");
  assert.deepEqual(pour(2, 1), [], "under rock there is no room");
  assert.deepEqual(pour(4, 1), [], "rock is not washed away");
  assert.deepEqual(pour(4, 0), []);
  Object.assign(brush, { size: 3 });
  assert.ok(pour(2, 2).every(([cmd, , , , units]) => cmd === "pour" && units > 0 && units <= 3 * FULL));
  const after = contents(mirror);
  assert.ok(after.every((cell, i) => cell >= before[i]));
  // A cell whose pour is under way gets no other before it is known what it holds.
  const waiting = recordedQueue();
  const slow = new Brush(waiting.queue, () => {});
  Object.assign(slow, { tool: "water", size: 1 });
  const still = drawn(["..", "##"]);
  slow.begin(still, 0, 1, 0);
  slow.hold(still);
  slow.hold(still);
  assert.equal(waiting.sent.length, 1);
  waiting.queue.answered(1);
  slow.hold(still);
  assert.equal(waiting.sent.length, 2);
});

test("a large pour takes nothing from cells that hold more than a full one, whenever that came", () => {
  const width = 60;
  const mirror = drawn([...Array(SPARE + 5).fill(".".repeat(width)), "3".repeat(10) + ".".repeat(width - 10), "~".repeat(width)]);
  mirror.chunk(0, 0, 0)[0] = 5000;
  const waiting = recordedQueue();
  const brush = new Brush(waiting.queue, () => assert.fail());
  Object.assign(brush, { tool: "water", shape: "box" });
  brush.begin(mirror, 0, 0, 0);
  brush.move(mirror, width - 1, 6);
  brush.end(mirror);
  assert.equal(waiting.sent.length, width, "a pour for each column");
  // As long as they are not answered, their cells get no other.
  brush.begin(mirror, 0, 0, 0);
  brush.move(mirror, width - 1, 6);
  brush.end(mirror);
  assert.equal(waiting.sent.length, width);
  mirror.chunk(0, 0, 0)[(2 << 6) | 30] = 5000; // flowed in meanwhile
  obey(mirror, waiting.sent);
  assert.deepEqual([mirror.cell(0, 0, 0), mirror.cell(30, 2, 0)], [5000, 5000]);
  assert.equal(mirror.cell(30, 7, 0), FULL, "what has no room any more stands on it");
  assert.ok(contents(mirror).slice(0, 7 * width).every((cell) => cell >= FULL));
});

test("undo gives back exactly what was there, redo makes it again", () => {
  const rows = ["..........", "..3..5....", "#~~#~~##..", "##########", "#~~~~#####"];
  for (const tool of ["rock", "air", "water", "take"]) {
    for (const shape of ["brush", "line", "box", "fill"]) {
      const mirror = drawn(rows);
      const { brush, said, settle } = brushOn(mirror);
      Object.assign(brush, { tool, shape, size: 3, round: shape === "brush" });
      const states = [contents(mirror)];
      for (const [from, to] of [[[1, 3], [6, 4]], [[0, 0], [8, 1]], [[2, 2], [4, 2]]]) {
        brush.begin(mirror, ...from, 0);
        brush.move(mirror, ...to);
        brush.end(mirror);
        settle();
        const state = contents(mirror);
        // A stroke that does nothing, as water in rock, is none.
        if (state.some((cell, i) => cell !== states.at(-1)[i])) states.push(state);
      }
      assert.ok(states.length > 1, `${tool} ${shape}`);
      for (const state of states.slice(0, -1).reverse()) {
        brush.undo(mirror);
        settle();
        assert.deepEqual(contents(mirror), state, `undo of ${tool} ${shape}`);
      }
      for (const state of states.slice(1)) {
        brush.redo(mirror);
        settle();
        assert.deepEqual(contents(mirror), state, `redo of ${tool} ${shape}`);
      }
      assert.deepEqual(said, []);
    }
  }
});

test("what others changed meanwhile stays, and is told", () => {
  const mirror = drawn(["........", "########"]);
  const { brush, said, settle } = brushOn(mirror);
  Object.assign(brush, { tool: "rock", shape: "box" });
  brush.begin(mirror, 1, 1, 0);
  brush.move(mirror, 6, 1);
  brush.end(mirror);
  settle();
  obey(mirror, [{ cmd: "set_cells", from: [3, 1, 0], size: [1, 1, 1], cell: "~" }]); // somebody else's
  brush.undo(mirror);
  assert.match(said[0], /one cell was changed by others/);
  assert.equal(mirror.cell(3, 1, 0), FULL);
  assert.equal(mirror.cell(2, 1, 0), 0);
  settle();
  brush.undo(mirror);
  assert.match(said[1], /nothing of yours/);
});

test("a stroke that is cancelled is taken back, also what was sent and is not seen yet", () => {
  const mirror = drawn(["........", "..5.....", "########"]);
  const before = contents(mirror);
  const { brush, log, said } = brushOn(drawn(["........", "..5.....", "########"])); // another world, where it arrives
  Object.assign(brush, { tool: "water", size: 3 });
  brush.begin(mirror, 2, 2, 0);
  brush.move(mirror, 5, 2);
  brush.cancel(mirror);
  assert.ok(log.length > 2);
  obey(mirror, log);
  assert.deepEqual(contents(mirror), before);
  brush.undo(mirror);
  assert.match(said.join(), /nothing of yours to undo/);
});

test("edits without a connection are told", () => {
  const mirror = drawn(["...."]);
  const said = [];
  const brush = new Brush(recordedQueue(false).queue, (text) => said.push(text));
  brush.tool = "rock";
  brush.begin(mirror, 1, 0, 0);
  assert.match(said[0], /Not connected/);
  const lost = recordedQueue();
  const tool = new Brush(lost.queue, () => {});
  tool.tool = "rock";
  tool.begin(mirror, 1, 0, 0);
  lost.queue.reset();
  assert.match(lost.said[0], /one edit was on its way; the server will be asked/);
});

test("commands that were on their way are asked for, counted, and told of once", () => {
  const recovery = new Recovery();
  const result = (seq, told, applied = false) => ({ kind: "result", seq, applied, tick: 1, reason: "", told });
  assert.deepEqual(recovery.welcomed(40, 512), []);
  for (let seq = 1; seq <= 6; ++seq) assert.equal(recovery.next(), seq);
  assert.equal(recovery.answered(result(1, RESULT_NEW, true)), false);
  const { lastSeq, sinceTick, token } = recovery.resume;
  assert.deepEqual([lastSeq, sinceTick, token.length], [6, 40, 16]);
  assert.deepEqual(recovery.welcomed(50, 512), [2, 3, 4, 5, 6]);
  assert.equal(recovery.resume.sinceTick, 40);
  assert.equal(recovery.take(), null);
  recovery.next(); // sent on the new connection
  assert.equal(recovery.answered(result(7, RESULT_NEW)), false);
  for (const [seq, told, applied] of [[2, 1, true], [3, 1, false], [4, 3], [5, 2], [6, RESULT_NEW, true]]) {
    assert.equal(recovery.take(), null);
    assert.equal(recovery.answered(result(seq, told, applied)), true);
  }
  const found = recovery.take();
  assert.deepEqual(found, { made: 2, refused: 1, lost: 1, unknown: 1 });
  assert.match(recoveredText(found), /5 edits .* 2 were made, 1 was refused, 1 was lost .*, 1 was made or not/);
  assert.equal(recovery.take(), null);
  assert.deepEqual(recovery.welcomed(60, 512), []);
});

test("of a server that keeps no results nothing is asked", () => {
  const recovery = new Recovery();
  recovery.welcomed(1, 0);
  recovery.next();
  assert.deepEqual(recovery.welcomed(2, 0), []);
  assert.deepEqual(recovery.take(), { made: 0, refused: 0, lost: 0, unknown: 1 });
  assert.deepEqual(recovery.welcomed(3, 512), []);
});

// Links.
const { readLink, writeLink } = await load("links.ts");

test("a link is read as it was written, and a damaged one still names its world", () => {
  const none = { place: null, tool: null, overlay: null, tick: null, sight: "front" };
  const links = [
    { ...none, world: "cave" },
    { ...none, world: "cave", place: { x: 120.5, y: 40, z: 3, scale: 0.125 } },
    { ...none, world: "a-1", place: { x: -0.5, y: 2, z: 0, scale: 48 }, tool: "rock", overlay: "depth" },
    { ...none, world: "cave", tool: "inspect", overlay: "bytes", tick: 0 },
    { ...none, world: "cave", place: { x: 1, y: 2, z: 0, scale: 4 }, tick: 1234567 },
    { ...none, world: "deep", place: { x: 1, y: 2, z: 9, scale: 4 }, sight: "top", overlay: "awake" },
  ];
  for (const link of links) assert.deepEqual(readLink(writeLink(link)), link);
  assert.equal(writeLink(links[1]), "#cave@120.5,40,3,0.125x");
  assert.equal(writeLink(links[4]), "#cave@1,2,0,4x,t1234567");
  assert.equal(writeLink({ ...links[0], tool: "pan", overlay: "none" }), "#cave");
  for (const text of ["#cave@", "#cave@1,2", "#cave@1,2,3", "#cave@1,2,3,0x", "#cave@1e999,2,3,4x", "#cave@x,y,z,4x",
    "#cave@,,,x", "#cave@t", "#cave@t-1", "#cave@t1.5", "#cave@t9999999999999999"]) {
    assert.deepEqual(readLink(text), links[0], text);
  }
  assert.equal(readLink("#%E0%A4%A").world, "%E0%A4%A");
  assert.equal(readLink("").world, "");
});

// What each chunk does and costs.
const { Activity } = await load("activity.ts");

test("chunks that only came into view are not awake; bytes fade", () => {
  const mirror = drawn(Array(4).fill("~".repeat(100)));
  const activity = new Activity(mirror);
  const chunk = (x) => ({ coord: { x, y: 0, z: 0 }, payload: new Uint8Array(300) });
  activity.note({ chunks: [chunk(0), chunk(7)], dropped: [] }, 1000); // 7 is not held yet
  assert.equal(activity.sinceChange(7, 0, 0, 1000), null);
  assert.equal(activity.sinceChange(0, 0, 0, 1500), 500);
  assert.equal(activity.sinceChange(1, 0, 0, 1500), null);
  assert.ok(Math.abs(activity.bytesPerSecond(0, 0, 0, 1000) - 100) < 1e-9);
  assert.ok(activity.bytesPerSecond(0, 0, 0, 31000) < 0.01);
  activity.note({ chunks: [], dropped: [{ x: 0, y: 0, z: 0 }] }, 2000);
  assert.equal(activity.bytesPerSecond(0, 0, 0, 2000), 0);
});

test("how long ago a tick was is said in the largest units that tell it", () => {
  for (const [seconds, text] of [[0, "just now"], [0.4, "just now"], [1, "1 s ago"], [89, "89 s ago"], [90, "2 min ago"],
    [89 * 60, "89 min ago"], [90 * 60, "1 h 30 min ago"], [47.5 * 3600, "47 h 30 min ago"], [72 * 3600, "3 days ago"]]) {
    assert.equal(agoText(seconds * 20, 20), text);
  }
});
