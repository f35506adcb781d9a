// Goal: the page shows a recording at any tick: scrubbed, stepped, played; two recordings stand side
// by side at the same tick with the differing cells marked in both.
// Method: recordings made by the real program, served by it to real headless Chromium; what is shown
// is read as pixels and from the page's mirrors.
//
//   node replay_browser_test.mjs SLUICE CHROMIUM PACKAGE_JSON   (of the folder with playwright-core)
import assert from "node:assert/strict";
import { expectLook, expectToast, main, openBrowser, openPage, place, startServer, stopServer, until } from "./browser_support.mjs";
import { expectTick, record, wall } from "./replay_support.mjs";

const [tool, chromiumPath, packagePath] = process.argv.slice(2);

const serve = (...files) => startServer(tool, ["replay", ...files, "--serve", "127.0.0.1:0"]);

async function oneRecording(context, file) {
  const server = await serve(file);
  const page = await openPage(context, server.url);

  console.log("the timeline is there, at the first tick, without tools");
  await page.waitForSelector("#timeline:not([hidden])");
  await expectTick(page, 0);
  assert.equal(await page.locator("#tools").isVisible(), false);
  assert.equal(await page.locator("#view-b").isVisible(), false);
  assert.equal(await page.locator("#tl-first").isVisible(), false);
  await expectLook(page, 11, 20, "air");

  console.log("the slider is scrubbed, forwards and backwards");
  await page.locator("#seek").fill("150");
  await expectTick(page, 150);
  await expectLook(page, 11, 20, "rock");
  await expectLook(page, 31, 20, "air");
  const box = await page.locator("#seek").boundingBox();
  await page.mouse.move(box.x + 10 + (150 / 400) * (box.width - 20), box.y + box.height / 2);
  await page.mouse.down();
  for (const share of [0.6, 0.9, 0.7, 0.75]) {
    await page.mouse.move(box.x + 10 + share * (box.width - 20), box.y + box.height / 2, { steps: 5 });
  }
  await page.mouse.up();
  await expectTick(page, 300);
  await expectLook(page, 31, 20, "rock");
  await expectLook(page, 51, 20, "rock");
  assert.equal(await page.textContent("#tl-time"), "0:00:15.00");
  await page.fill("#tl-tick", "199");
  await page.keyboard.press("Enter");
  await expectTick(page, 199);
  await expectLook(page, 31, 20, "air");

  console.log("keys step and jump");
  await page.keyboard.press("ArrowRight");
  await expectTick(page, 200);
  await expectLook(page, 31, 20, "rock");
  await page.keyboard.press("ArrowLeft");
  await expectTick(page, 199);
  await expectLook(page, 31, 20, "air");
  await page.keyboard.press("Shift+ArrowLeft");
  await expectTick(page, 179);
  await page.keyboard.press("End");
  await expectTick(page, 400);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Home");
  await expectTick(page, 0);
  await page.keyboard.press("c");
  await expectTick(page, 100);
  await page.keyboard.press("c");
  await expectTick(page, 200);
  await page.keyboard.press("Shift+C");
  await expectTick(page, 100);
  await page.click("#tl-back");
  await expectTick(page, 99);
  await expectLook(page, 11, 20, "air");

  console.log("keys that come faster than the server's word all count");
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => window.sluice.mirror.playback.speed === 16000);
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => window.sluice.mirror.playback.speed === 1000);

  console.log("it plays at the speed chosen, and for all who watch");
  const other = await openPage(context, server.url);
  await expectTick(other, 99);
  await page.selectOption("#tl-speed", "4000");
  await page.keyboard.press("Space");
  await other.waitForFunction(() => window.sluice.mirror.playback.playing);
  await other.waitForFunction(() => window.sluice.mirror.tick > 130);
  await other.keyboard.press("Space");
  await page.waitForFunction(() => !window.sluice.mirror.playback.playing);
  const paused = await other.evaluate(() => window.sluice.mirror.tick);
  await expectTick(page, paused);
  await expectLook(page, 11, 20, "rock");
  assert.equal(await other.inputValue("#tl-speed"), "4000");
  await page.selectOption("#tl-speed", "0");
  await page.click("#tl-play");
  await expectTick(page, 400);
  await page.waitForFunction(() => !window.sluice.mirror.playback.playing);
  await expectLook(other, 51, 20, "rock");
  await page.keyboard.press("Home");
  await expectLook(other, 51, 20, "air");

  console.log("the address has the tick, and a link leads to it, and stands still there");
  await expectTick(page, 0);
  await page.fill("#tl-tick", "250");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#room@t250");
  await page.evaluate(() => (location.hash = "#room@32,20,0,8x,t150"));
  await expectTick(page, 150);
  assert.equal(await page.evaluate(() => window.sluice.camera.scale), 8);
  await expectLook(page, 31, 20, "air");
  await page.selectOption("#tl-speed", "125");
  await page.click("#tl-play");
  await page.waitForFunction(() => window.sluice.mirror.playback.playing);
  await page.waitForFunction(() => location.hash === "#room@32,20,0,8x"); // while it plays it is at no tick
  const late = await openPage(context, `${server.url}/#room@t210`);
  await expectTick(late, 210);
  await expectTick(page, 210);
  assert.equal(await late.evaluate(() => window.sluice.mirror.playback.playing), false);
  await late.evaluate(() => (location.hash = "#room@t99999"));
  await expectTick(late, 400);
  await late.close();
  await page.keyboard.press("f");

  console.log("what happened cannot be changed, and the arrows do not move the picture");
  const before = await place(page, 20, 20);
  await page.keyboard.press("2"); // would be the rock brush
  await page.mouse.move(before.x, before.y);
  await page.mouse.down();
  await page.mouse.move(before.x + 40, before.y, { steps: 4 });
  await page.mouse.up();
  const after = await place(page, 20, 20);
  assert.ok(Math.abs(after.x - before.x - 40) < 2, "a drag moves the picture");
  assert.equal(await page.evaluate(() => window.sluice.command({ cmd: "pour", at: [1, 30, 0], units: 9 })) > 0, true);
  await expectToast(page, /Refused: this is a replay/);
  for (const each of [page, other]) {
    assert.equal(await each.evaluate(() => window.sluice.mirror.mismatches), 0);
    await each.close();
  }
  assert.equal(await stopServer(server), 0);
}

/** Cells that the page marks as differing, once both panes show this tick. */
async function expectMarks(page, tick, count) {
  await expectTick(page, tick);
  try {
    await page.waitForFunction(([wanted, cells]) => {
      const [a, b] = window.replay.viewers;
      return a.mirror.tick === wanted && b.mirror.tick === wanted &&
        window.replay.differences.count === cells && a.mirror.playback.differingCells === cells;
    }, [tick, count]);
  } catch {
    const seen = await page.evaluate(() => [window.replay.differences.count,
      window.sluice.mirror.playback.differingCells]);
    assert.fail(`tick ${tick}: ${seen} cells are marked and counted, not ${count}`);
  }
}

async function twoRecordings(context, first, second) {
  const server = await serve(first, second);
  const page = await openPage(context, server.url);

  console.log("two recordings stand side by side, alike before they part");
  await page.waitForSelector("#view-b:not([hidden])");
  await page.waitForFunction(() => !document.getElementById("tl-first").disabled);
  assert.match(await page.textContent("#label-a"), /one\.sluice/);
  assert.match(await page.textContent("#label-b"), /two\.sluice/);
  await page.locator("#seek").fill("199");
  await expectMarks(page, 199, 0);
  assert.equal(await page.textContent("#tl-difference"), "no cell differs");
  for (const pane of ["view", "view-b"]) await expectLook(page, 11, 20, "rock", pane);

  console.log("the button goes to the first difference, which is marked in both");
  await page.click("#tl-first");
  await expectMarks(page, 200, 160);
  assert.equal(await page.textContent("#tl-difference"), "160 cells differ");
  for (const pane of ["view", "view-b"]) {
    await expectLook(page, 31, 20, "marked", pane);
    await expectLook(page, 41, 20, "marked", pane);
    await expectLook(page, 11, 20, "rock", pane);
    await expectLook(page, 21, 20, "air", pane);
  }
  await page.keyboard.press("ArrowLeft");
  await expectMarks(page, 199, 0);
  for (const pane of ["view", "view-b"]) await expectLook(page, 31, 20, "air", pane);
  await page.keyboard.press("d");
  await expectMarks(page, 200, 160);

  console.log("one camera moves and zooms both, and hovering tells both cells");
  const at = await place(page, 31, 20);
  await page.mouse.move(at.x, at.y);
  await page.waitForFunction(() =>
    /^\[31, 20\] rock ≠ air/.test(document.getElementById("hover").textContent));
  const inB = await place(page, 31, 20, "view-b");
  await page.mouse.move(inB.x, inB.y);
  const scale = () => page.evaluate(() => window.sluice.camera.scale);
  const small = await scale();
  await page.mouse.wheel(0, -400);
  await until("the wheel zooms", async () => await scale() > small);
  const zoomed = await place(page, 31, 20);
  assert.ok(Math.abs(zoomed.x - at.x) < 12 && Math.abs(zoomed.y - at.y) < 12);
  await page.mouse.move(inB.x, 100);
  for (const pane of ["view", "view-b"]) await expectLook(page, 31, 20, "marked", pane);

  console.log("playing keeps the two together");
  await page.selectOption("#tl-speed", "64000");
  await page.keyboard.press("Space");
  await expectMarks(page, 350, 80); // what both hold; B's last wall stands in A as well
  for (const viewer of [0, 1]) {
    assert.equal(await page.evaluate((i) => window.replay.viewers[i].mirror.mismatches, viewer), 0);
  }
  assert.equal(await stopServer(server), 0);
}

await main(async () => {
  const one = record(tool, "one", 400, [wall(100, 10), wall(200, 30), wall(300, 50)]);
  // Parts from the first at tick 200; has the first one's wall too from tick 250 on.
  const two = record(tool, "two", 350, [wall(100, 10), wall(200, 40), wall(250, 30), wall(300, 50)]);
  const context = await openBrowser(packagePath, chromiumPath, "one", { width: 1200, height: 700 });
  await oneRecording(context, one);
  await twoRecordings(context, one, two);
  await context.close();
});
