// Goal: a frame gets fewer pixels where it takes too long or comes too seldom, and all of them at rest.
// Method: the module by itself, with frames whose cost follows their pixels.
//
//   node web_frames_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./web_support.mjs";

const { Sharpness } = await load("sharpness.ts");

test("a frame that takes long, or is missed, gets fewer pixels, which are not smoothed when they are enlarged; at rest it is sharp", () => {
  globalThis.window ??= { devicePixelRatio: 1 };
  const canvas = { clientWidth: 2560, clientHeight: 1600, style: {} };
  const sharpness = new Sharpness(canvas);
  const pixels = () => [canvas.width, canvas.height, canvas.style.imageRendering];
  /** Frames that take a part of a nanosecond a pixel, on a screen that shows them after so long. */
  const run = (share, interval, frames = 60) => {
    let changes = 0;
    for (let frame = 0; frame < frames; ++frame) {
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
