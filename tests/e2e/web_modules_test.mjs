// Goal: the page's modules that need no page do what they say: gestures, depths, colours, pixels, tools, undo.
// Method: each is bundled by itself and called; time is a list of what is due.
//
//   node web_modules_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

const [sourceDir, packagePath] = process.argv.slice(2);
const esbuild = createRequire(packagePath)("esbuild");

async function load(name) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(sourceDir, "client_stub/web/src", name)],
    bundle: true, write: false, format: "esm",
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { Gestures, SLOP } = await load("gesture.ts");

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

// Drawing.
const { Mirror, ROCK, FULL } = await load("mirror.ts");
const { Surfaces } = await load("surfaces.ts");
const { Looks, mixLooks, stonesOf, SURFACE, FALLS, IS_ROCK } = await load("look.ts");
const palette = await load("palette.ts");
const { farPixel, drawNear, drawFar, paintFar } = await load("raster.ts");

const SHAPES = [{ logX: 6, logY: 6, logZ: 0 }, { logX: 4, logY: 4, logZ: 4 }];

/** A mirror that holds rows of a drawing, the top one first: # rock, ~ full, 1-7 eighths. */
function drawn(rows, sides = SHAPES[0]) {
  const size = { x: rows[0].length, y: rows.length, z: 1 };
  const mirror = new Mirror({ size, sides, tick: 1 });
  rows.forEach((row, i) => [...row].forEach((letter, x) => {
    const y = rows.length - 1 - i;
    const value = letter === "#" ? ROCK : letter === "~" ? FULL : (FULL / 8) * (Number(letter) || 0);
    const key = (y >> sides.logY) * 65536 + (x >> sides.logX);
    if (!mirror.chunks.has(key)) mirror.chunks.set(key, new Int32Array(4096));
    const [localX, localY] = [x & ((1 << sides.logX) - 1), y & ((1 << sides.logY) - 1)];
    mirror.chunks.get(key)[(localY << (sides.logZ + sides.logX)) | localX] = value;
  }));
  return mirror;
}

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
      looks.paint(cx, cy, stonesOf(sides, cx, cy), look);
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
  let seed = 11;
  const random = (most) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) % most);
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

test("between two ticks the picture is between the two", () => {
  const [before, now, mixed] = [10, 210, 0].map((fill) => Uint32Array.of(SURFACE | fill));
  let last = 10;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    mixLooks(before, now, share, mixed);
    assert.ok((mixed[0] & 255) >= last && (mixed[0] & 255) <= 210);
    last = mixed[0] & 255;
  }
  assert.equal(mixed[0], now[0]);
  mixLooks(before, Uint32Array.of(IS_ROCK | 128), 0.2, mixed);
  assert.equal(mixed[0], IS_ROCK | 128);
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

test("the deepest water, and rock, stand out from air by three to one", () => {
  for (const air of [palette.AIR_TOP, palette.AIR_BOTTOM]) {
    for (const name of ["DEEP", "SHALLOW", "SURFACE", "STONE"]) {
      assert.ok(contrast(palette[name], air) >= 3, `${name}: ${contrast(palette[name], air).toFixed(2)}`);
    }
  }
});

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
      else drawNear(frame, look, { left: null, right: null }, sides, 0, 0);
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

// Tools.
const { rectsOf, stepsBetween, flood, boxOf, dabAt } = await load("shapes.ts");
const { Brush } = await load("brush.ts");

test("rectangles cover each cell once, and nothing else", () => {
  let seed = 5;
  const random = (most) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) % most);
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

/** The world as commands leave it; water stays where it is. */
function obey(mirror, commands) {
  const put = (x, y, value) => {
    mirror.chunk(x >> 6, y >> 6, 0)[((y & 63) << 6) | (x & 63)] = value;
  };
  for (const command of commands) {
    if (command.cmd === "pour") {
      const [x, y] = command.at;
      put(x, y, mirror.cell(x, y, 0) + command.units);
      continue;
    }
    const value = { "#": ROCK, ".": 0, "~": FULL }[command.cell];
    for (let y = command.from[1]; y < command.from[1] + command.size[1]; ++y) {
      for (let x = command.from[0]; x < command.from[0] + command.size[0]; ++x) put(x, y, value);
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
  const brush = new Brush({ ready: true, command: (command) => (log.push(command), obey(mirror, [command]), ++seq) },
    (text) => said.push(text));
  const settle = () => { for (let i = 1; i <= seq; ++i) brush.answered(i); };
  return { brush, said, log, settle };
}

test("undo gives back exactly what was there, redo makes it again", () => {
  const rows = ["..........", "..3..5....", "#~~#~~##..", "##########", "#~~~~#####"];
  for (const tool of ["rock", "air", "water"]) {
    for (const shape of ["brush", "line", "box", "fill"]) {
      const mirror = drawn(rows);
      const { brush, said, settle } = brushOn(mirror);
      Object.assign(brush, { tool, shape, size: 2 });
      const states = [contents(mirror)];
      for (const [from, to] of [[[1, 3], [6, 4]], [[0, 0], [8, 1]]]) {
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
  const { brush, log } = brushOn(drawn(["........", "..5.....", "########"])); // another world, where it arrives
  Object.assign(brush, { tool: "water", size: 3 });
  brush.begin(mirror, 2, 2, 0);
  brush.move(mirror, 5, 2);
  brush.cancel(mirror);
  assert.ok(log.length > 2);
  obey(mirror, log);
  assert.deepEqual(contents(mirror), before);
  assert.equal(brush.canUndo, false);
});

test("edits without a connection are told", () => {
  const mirror = drawn(["...."]);
  const said = [];
  const brush = new Brush({ ready: false, command: () => 0 }, (text) => said.push(text));
  brush.tool = "rock";
  brush.begin(mirror, 1, 0, 0);
  assert.match(said[0], /Not connected/);
  const lost = new Brush({ ready: true, command: () => 7 }, (text) => said.push(text));
  lost.tool = "rock";
  lost.begin(mirror, 1, 0, 0);
  lost.reset();
  assert.match(said[1], /one edit was sent without an answer/);
  lost.reset();
  assert.equal(said.length, 2);
});
