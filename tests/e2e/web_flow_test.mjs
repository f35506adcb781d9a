// Goal: the page's arrows point where heads drive water, none stands where it rests, and they agree with the terminal's.
// Method: the module by itself, with columns of water made up here and a path that notes what it is told.
//
//   node web_flow_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./web_support.mjs";

const { driveAt, driveIn, LEAST_DRIVE, paintArrows, shareOf } = await load("flow_arrows.ts");

const FULL = 4096;
/** A trough from 1 to 62, floor at 0, whose column x holds water up to `top(x)`; a drop at [40, 50]. */
function trough(top) {
  const wet = (x, y) => y >= 1 && y < top(x);
  return {
    cell: (x, y) => (x <= 0 || x >= 63 || y <= 0 ? -1 : wet(x, y) || (x === 40 && y === 50) ? FULL : 0),
    headAt: (x, y) => (x > 0 && x < 63 && wet(x, y) ? top(x) : null),
  };
}

test("water at rest is driven nowhere", () => {
  const waters = trough(() => 11);
  assert.equal(driveIn(waters, 1, 1, 9), null);
  assert.equal(driveAt(waters, 5, 20), null, "air");
  assert.equal(driveAt(waters, 0, 5), null, "rock");
  assert.deepEqual(driveAt(waters, 1, 5), { right: 0, up: 0 }, "beside rock");
  assert.equal(driveIn(waters, 0, 20, 5), null, "no water at all");
});

test("from the higher head to the lower, whichever side that is", () => {
  for (const sign of [1, -1]) {
    const drive = driveIn(trough((x) => 40 - (sign * x) / 4), 20, 5, 8);
    assert.ok(Math.abs(drive.right - sign * 0.25) < 1e-9 && drive.up === 0);
    assert.ok(Math.abs(drive.x - 24) < 1.5 && Math.abs(drive.y - 9) < 1.5, "in the middle of its water");
  }
});

test("it spills into air and falls", () => {
  const waters = trough((x) => (x < 20 ? 31 : 1));
  assert.ok(driveAt(waters, 19, 10).right > 5, "a column without a wall");
  const falls = driveAt(waters, 40, 50);
  assert.deepEqual(falls, { right: 0, up: -1 });
  assert.equal(shareOf(falls), 1);
  assert.equal(shareOf({ right: LEAST_DRIVE, up: 0 }), 0);
  assert.ok(shareOf({ right: 0.1, up: 0 }) > 0.4);
});

test("large squares are looked at in some places, and each arrow points where it should", () => {
  const lines = [];
  globalThis.Path2D = class {
    moveTo(x, y) {
      lines.push(["from", x, y]);
    }
    lineTo(x, y) {
      lines.push(["to", x, y]);
    }
  };
  const strokes = [];
  const context = { stroke: (path) => strokes.push(path) };
  const slope = trough((x) => 40 - x / 4);
  for (const scale of [1 / 8, 1, 10, 48]) {
    const camera = { width: 64 * scale, height: 64 * scale, scale, screenX: (x) => x * scale, screenY: (y) => (64 - y) * scale,
      worldX: (x) => x / scale, worldY: (y) => 64 - y / scale };
    let asked = 0;
    lines.length = strokes.length = 0;
    paintArrows(context, camera, { cell: (x, y) => (++asked, slope.cell(x, y)), headAt: slope.headAt });
    const arrows = lines.filter(([what], i) => what === "from" && lines[i + 1][0] === "to" && i % 5 === 0);
    assert.ok(scale < 1 || arrows.length > 0, `at ${scale}`);
    const side = Math.max(1, Math.ceil(30 / scale));
    assert.ok(asked <= 3 * 16 * (64 / side + 2) ** 2, `${asked} cells at ${scale}`);
    for (let i = 0; i < lines.length; i += 5) {
      const down = lines[i][1] === lines[i + 1][1];
      assert.ok(down || lines[i + 1][1] > lines[i][1], "to the right, where nothing falls");
    }
    assert.equal(strokes.length, 2, "all at once, with a rim");
  }
});
