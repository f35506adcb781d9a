// Goal: the page's modules that need no page do what they say: gestures.
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
