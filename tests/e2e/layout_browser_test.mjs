// Goal: on phones, upright and on their side, at 200 % and on desktops, everything can be reached, the
// picture has the room, and fingers zoom instead of pouring.
// Method: real servers and headless Chromium at each size; boxes of elements are compared, touches
// come from the browser's own protocol.
//
//   node layout_browser_test.mjs SLUICE_SERVER SLUICE CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectOnScreen, folder, launch, main, openPage, startServer, stopServer } from "./browser_support.mjs";

const [serverPath, toolPath, chromiumPath, packagePath] = process.argv.slice(2);

const world = (name, size) => `[world]
name = "${name}"
size = [${size}]
[[fill]]
from = [0, 0, 0]
size = [${size.split(",")[0]}, 4, ${size.split(",")[2]}]
cell = "#"
`;
const SIZES = {
  phone: { width: 390, height: 844, touch: true, share: 0.5 },
  "phone on its side": { width: 844, height: 390, touch: true, share: 0.5 },
  "a desktop at 200 %": { width: 640, height: 400, ratio: 2, share: 0.5 },
  desktop: { width: 1280, height: 800, share: 0.75 },
  "a wide desktop": { width: 2560, height: 1080, share: 0.8 },
};

function writeWorld(name, size) {
  const path = join(folder, `${name}.toml`);
  writeFileSync(path, world(name, size));
  return path;
}

const box = (page, selector) => page.locator(selector).boundingBox();
const overlap = (a, b) => Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

function open(browser, size) {
  return browser.newContext({ viewport: { width: size.width, height: size.height },
    deviceScaleFactor: size.ratio ?? 1, hasTouch: size.touch ?? false });
}

/** None of the elements covers another one. */
async function expectApart(page, selectors) {
  const boxes = [];
  for (const selector of selectors) boxes.push([selector, await box(page, selector)]);
  for (const [i, [a, boxA]] of boxes.entries()) {
    assert.ok(boxA, `${a} is not shown`);
    for (const [b, boxB] of boxes.slice(i + 1)) assert.equal(overlap(boxA, boxB), 0, `${a} covers ${b}`);
  }
}

async function expectFits(page, what) {
  const gap = await page.evaluate(() => {
    const { camera, mirror } = window.sluice;
    return Math.min(camera.width - mirror.size.x * camera.scale, camera.height - mirror.size.y * camera.scale);
  });
  assert.ok(gap >= 0 && gap <= 16, `${what}: the world leaves ${gap} pixels where it could fill the window`);
}

/** The picture stays where it is whatever the line of figures has to say. */
async function expectStill(page, name) {
  const heights = await page.evaluate(() => ["–", "0", "1,234.5 kB/s", "9,007,199,254,740,991"].map((text) => {
    const elements = [...document.querySelectorAll("#status b, #hover")];
    const before = elements.map((element) => element.textContent);
    for (const element of elements) element.textContent = element.id === "hover" ? text.repeat(12) : text;
    const height = document.getElementById("stage").clientHeight;
    elements.forEach((element, i) => { element.textContent = before[i]; });
    return height;
  }));
  assert.equal(new Set(heights).size, 1, `${name}: the picture is ${heights} pixels high`);
}

async function live(browser, url, name, size) {
  console.log(`${name}: everything can be seen or reached`);
  const context = await open(browser, size);
  const page = await openPage(context, `${url}/#wide`);
  await page.waitForFunction(() => document.getElementById("zoom").textContent !== "–");
  await expectApart(page, ["#title", "#tools", "#stage", "#status"]);
  await expectOnScreen(page, "#tools button, #size, #zoom-buttons button:visible, #world, #status span");
  const stage = await box(page, "#stage");
  assert.ok(stage.width * stage.height > size.share * size.width * size.height,
    `the picture has ${stage.width} x ${stage.height}`);
  await expectFits(page, name);
  await expectStill(page, name);
  for (const id of ["tick", "bytes", "zoom"]) {
    assert.ok(await page.locator(`#${id}`).isVisible(), `${id} is not shown`);
  }
  await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height / 2);
  await page.waitForFunction(() => /^\[/.test(document.getElementById("hover").textContent));
  const hover = await box(page, "#hover");
  assert.ok(hover.width > 60 && hover.y + hover.height <= size.height + 1);

  console.log(`${name}: the pipes stand beside the picture, which is fitted anew`);
  await page.locator("#pipes-toggle").click();
  await page.waitForSelector("#pipe-panel");
  await expectApart(page, ["#title", "#tools", "#stage", "#status", "#pipe-panel"]);
  const less = await box(page, "#stage");
  assert.ok(less.width * less.height > 0.5 * stage.width * stage.height, "the pipes take half of the picture");
  await page.waitForFunction((width) => window.sluice.camera.width === width, less.width);
  await expectFits(page, `${name} with pipes`);
  await page.locator("#pipes-close").click();

  console.log(`${name}: the slice of a 3D world`);
  await page.goto(`${url}/#deep`);
  await page.waitForFunction(() => window.sluice.mirror?.welcome.world === "deep");
  await expectApart(page, ["#world", "#slice-panel", "#stage", "#tools"]);
  await expectOnScreen(page, "#slice");
  await expectOnScreen(page, "#sight");
  await context.close();
}

async function resized(browser, url) {
  console.log("a world that was fitted fits the window of another size; one that was moved stays");
  const context = await open(browser, SIZES.desktop);
  const page = await openPage(context, `${url}/#wide`);
  await page.setViewportSize({ width: 700, height: 900 });
  await page.waitForFunction(() => window.sluice.camera.width < 700);
  await expectFits(page, "after a resize");
  await page.click("#zoom-in");
  const scale = await page.evaluate(() => window.sluice.camera.scale);
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.waitForFunction(() => window.sluice.camera.width > 700);
  assert.equal(await page.evaluate(() => window.sluice.camera.scale), scale);
  await page.click("#fit");
  await expectFits(page, "after Fit");
  await context.close();
}

/** Two fingers go apart about the middle of the picture. */
async function pinch(page, session, [from, to]) {
  const stage = await box(page, "#stage");
  const [x, y] = [stage.x + stage.width / 2, stage.y + stage.height / 2];
  const fingers = (half) => [{ x: x - half, y, id: 1 }, { x: x + half, y, id: 2 }];
  const send = (type, touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await send("touchStart", fingers(from).slice(0, 1));
  await send("touchStart", fingers(from));
  for (let i = 1; i <= 8; ++i) await send("touchMove", fingers(from + ((to - from) * i) / 8));
  await send("touchEnd", fingers(to).slice(0, 1));
  await send("touchMove", [{ x: x - to, y: y + 40, id: 1 }]);
  await send("touchEnd", []);
}

async function fingers(browser, url) {
  const context = await open(browser, SIZES.phone);
  const page = await openPage(context, `${url}/#wide`);
  const session = await context.newCDPSession(page);
  await page.evaluate(() => {
    // Where the second finger lands late, because the machine has much to do, the first one has rested (HOLD in
    // gesture.ts) and means a stroke, which is then taken back. That is another gesture: nobody rests here.
    const later = window.setTimeout.bind(window);
    window.setTimeout = (act, milliseconds, ...more) => later(act, milliseconds === 160 ? 2 ** 31 - 1 : milliseconds, ...more);
    window.sent = 0;
    const { command } = window.sluice.connection;
    window.sluice.connection.command = function (...all) {
      ++window.sent;
      return command.apply(this, all);
    };
  });
  const scale = () => page.evaluate(() => window.sluice.camera.scale);
  const water = () => page.evaluate(() => window.sluice.mirror.counters.water);
  for (const tool of ["pan", "water", "rock", "air"]) {
    console.log(`two fingers zoom with the tool "${tool}", and change nothing`);
    await page.click(`[data-tool="${tool}"]`);
    const before = await scale();
    await pinch(page, session, [40, 120]);
    assert.ok(Math.abs((await scale()) / before - 3) < 0.4, `zoomed by ${(await scale()) / before}`);
    await pinch(page, session, [120, 40]);
    // The page's timers come in order: whatever a resting finger would have begun has begun before this.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
    assert.equal(await page.evaluate(() => window.sent), 0);
  }
  assert.equal(await water(), 0);

  console.log("one finger pours; the buttons zoom");
  await page.click('[data-tool="water"]');
  const stage = await box(page, "#stage");
  await page.touchscreen.tap(stage.x + stage.width / 2, stage.y + stage.height / 2);
  await page.waitForFunction(() => window.sluice.mirror.counters.water > 0);
  const before = await scale();
  await page.click("#zoom-in");
  assert.ok((await scale()) > before);
  await page.click("#zoom-out");
  assert.ok(Math.abs((await scale()) - before) < 1e-9);
  await context.close();
}

async function replays(browser, files) {
  const server = await startServer(toolPath, ["replay", ...files, "--serve", "127.0.0.1:0"]);
  for (const [name, size] of Object.entries(SIZES)) {
    console.log(`${name}: two recordings side by side do not cover each other`);
    const context = await open(browser, size);
    const page = await openPage(context, server.url);
    await page.waitForFunction(() => !document.getElementById("timeline").hidden);
    await expectApart(page, ["#title", "#view", "#view-b", "#timeline", "#status"]);
    await expectApart(page, ["#label-a", "#label-b", "#title"]);
    await expectOnScreen(page, "#timeline button, #tl-speed, #tl-tick");
    const parts = [];
    for (const part of ["#tl-track", "#tl-controls .left", "#tl-controls .middle", "#tl-controls .right"]) {
      parts.push(part);
    }
    await expectApart(page, parts);
    const view = await box(page, "#view");
    assert.ok(view.width * view.height > 0.18 * size.width * size.height, `a pane of ${JSON.stringify(view)}`);
    await context.close();
  }
  assert.equal(await stopServer(server), 0);
}

await main(async () => {
  const wide = writeWorld("wide", "160, 96, 1");
  const deep = writeWorld("deep", "32, 32, 32");
  const files = ["one", "two"].map((name) => {
    const file = join(folder, `a-recording-with-a-rather-long-name-${name}.sluice`);
    execFileSync(toolPath, ["sim", wide, "--ticks", "50", "--record", file]);
    return file;
  });
  const browser = await launch(packagePath, chromiumPath);
  const server = await startServer(serverPath, ["--world", wide, "--world", deep, "--listen", "127.0.0.1:0",
    "--data", join(folder, "data")]);
  for (const [name, size] of Object.entries(SIZES)) await live(browser, server.url, name, size);
  await resized(browser, server.url);
  await fingers(browser, server.url);
  assert.equal(await stopServer(server), 0);
  await replays(browser, files);
  await browser.close();
});
