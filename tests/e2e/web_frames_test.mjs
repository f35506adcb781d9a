// Goal: a frame gets fewer pixels where it takes too long or comes too seldom, and all of them at rest; no empty canvas is seen.
// Method: the modules by themselves, with frames whose cost follows their pixels.
//
//   node web_frames_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./web_support.mjs";

const { Frames } = await load("frames.ts");
const { Sharpness } = await load("sharpness.ts");

test("a frame that takes long, or is missed, gets fewer pixels, which are not smoothed when they are enlarged; at rest it is sharp", () => {
  globalThis.window ??= { devicePixelRatio: 1 };
  const canvas = { clientWidth: 2560, clientHeight: 1600, style: {} };
  const sharpness = new Sharpness(canvas);
  const pixels = () => {
    sharpness.fit();
    return [canvas.width, canvas.height, canvas.style.imageRendering];
  };
  /** Frames that take a part of a nanosecond a pixel, on a screen that shows them after so long. */
  const run = (share, interval, frames = 60) => {
    let changes = 0;
    for (let frame = 0; frame < frames; ++frame) {
      sharpness.fit();
      const cost = (share * canvas.width * canvas.height) / 1e6;
      if (sharpness.pace(cost, Math.max(cost, interval))) ++changes;
    }
    return changes;
  };
  sharpness.setPixels();
  assert.deepEqual(pixels(), [2560, 1600, ""]);
  run(10, 16.7);
  assert.deepEqual(pixels(), [1280, 800, "pixelated"], "41 milliseconds are too long");
  assert.equal(run(10, 16.7), 0, "ten are not, where each frame is shown");
  run(10, 19);
  assert.deepEqual(pixels(), [853, 533, "pixelated"], "they are where some are missed");
  assert.equal(run(10, 16.7, 600), 0, "the next finer picture would miss them again");
  assert.equal(run(10, 19, 600), 0, "it is as coarse as it gets");
  run(6, 16.7);
  assert.deepEqual(pixels(), [1280, 800, "pixelated"], "frames are cheaper now");
  assert.equal(run(6, 20, 600), 0, "and not worth fewer pixels, whatever else is late");
  run(2, 16.7);
  assert.deepEqual(pixels(), [2560, 1600, ""]);
  assert.equal(run(2, 40, 600), 0, "a slow screen alone is no reason");
  sharpness.hurry();
  assert.deepEqual(pixels(), [2560, 1600, ""], "what is sharp stays so while it is zoomed");
  run(10, 16.7);
  sharpness.hurry();
  assert.deepEqual(pixels(), [853, 533, "pixelated"], "what is coarse is coarser");
  assert.ok(sharpness.set(1));
  assert.deepEqual(pixels(), [2560, 1600, ""]);
  Object.assign(canvas, { clientWidth: 1280, clientHeight: 800 });
  sharpness.setPixels();
  run(40, 16.7);
  run(40, 30);
  assert.deepEqual(pixels(), [640, 400, "pixelated"], "a smaller picture is no coarser than that");
});

test("what is on the screen stays there until the next picture is painted, whatever pixels that has", () => {
  let [now, next, empty, sizes] = [0, null, false, 0];
  Object.assign(globalThis, { window: { devicePixelRatio: 1 }, requestAnimationFrame: (call) => (next = call) });
  const canvas = { clientWidth: 2560, clientHeight: 1600, style: {}, height: 0,
    set width(value) {
      this.wide = value;
      empty = true;
      ++sizes;
    } };
  const clock = performance.now;
  performance.now = () => now;
  try {
    let cost = 40;
    const frames = new Frames(canvas, () => {
      frames.needed = false;
      frames.sharpness.fit();
      empty = false;
      now += cost * (canvas.wide / 2560) ** 2;
    }, () => false, () => true);
    frames.sharpness.setPixels();
    for (let frame = 0; frame < 200; ++frame) {
      if (frame === 100) cost = 2;
      frames.needed ||= frame < 150;
      now = Math.ceil(now / 16.7 + 0.01) * 16.7;
      next();
      assert.equal(empty, false, `after frame ${frame}`);
    }
    assert.equal(canvas.wide, 2560);
    assert.ok(sizes >= 3, "it was coarse meanwhile");
  } finally {
    performance.now = clock;
  }
});
