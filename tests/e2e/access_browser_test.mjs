// Goal: the page is for everybody: axe-core finds nothing wrong with it in any state, colours or size;
// a cursor that keys move does what the pointer does, and what it comes to is said.
// Method: a real server, headless Chromium, axe-core from npm.
//
//   node access_browser_test.mjs SLUICE_SERVER SLUICE CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findViolations, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer } from "./browser_support.mjs";

const [serverPath, toolPath, chromiumPath, packagePath] = process.argv.slice(2);

const WORLDS = ["room", "other"].map((name) => {
  const path = join(folder, `${name}.toml`);
  writeFileSync(path, `[world]
name = "${name}"
size = [80, 48, 1]
[[fill]]
from = [0, 0, 0]
size = [80, 8, 1]
cell = "#"
[[fill]]
from = [50, 4, 0]
size = [20, 4, 1]
cell = "~"
[[pipe]]
name = "reserve"
amount = 5000
`);
  return path;
});

/** All that was found, so that one run tells of everything. */
const violations = [];

async function expectNoViolations(page, what) {
  const found = await findViolations(page, packagePath);
  if (found.length > 0) violations.push(`${what}:\n${found.join("\n")}`);
}

async function states(page, name) {
  await page.focus("#view");
  await page.keyboard.press("f");
  for (const colours of ["dark", "light", "contrast"]) {
    console.log(`${name}, ${colours}: axe-core finds nothing in any state`);
    await page.selectOption("#palette", colours);
    await expectNoViolations(page, `${name}, ${colours}`);
    if (colours === "contrast") continue; // differs in the picture alone
    await page.click("#pipes-toggle");
    await page.click('[data-pipe="pump"]');
    await page.locator("#pipe-list button").first().click();
    await page.click('[data-tool="inspect"]');
    const at = await place(page, 60, 6);
    await page.mouse.click(at.x, at.y);
    await page.waitForSelector("#pins article");
    await page.selectOption("#overlay", "awake");
    await page.waitForSelector("#legend-body:not([hidden])");
    await expectNoViolations(page, `${name}, ${colours}, with pipes, inspector and overlay`);
    await shot(page, `access-${colours}-${name}`);
    await page.click("#inspector-close");
    await page.click("#pipes-close");
    await page.selectOption("#overlay", "none");
    await page.click("#help-open");
    await page.waitForSelector("#help[open]");
    await expectNoViolations(page, `${name}, ${colours}, shortcuts`);
    await page.keyboard.press("Escape");
  }
  await page.selectOption("#palette", "dark");
}

async function focusOrder(page) {
  console.log("focus goes as the page is read, and is seen");
  await page.waitForSelector("#look-back:not([hidden])"); // it comes late
  await page.evaluate(() => document.activeElement?.blur());
  const order = [];
  for (let i = 0; i < 40 && order.at(-1) !== "fit"; ++i) {
    await page.keyboard.press("Tab");
    order.push(await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1) return `${element.id} is not seen`;
      return element.id || element.dataset.tool;
    }));
  }
  assert.deepEqual(order, ["skip", "world", "gallery-open", "palette", "help-open", "pan", "rock", "air", "water", "take", "size", "shape",
    "copy", "paste", "undo", "redo", "inspect", "placing-toggle", "pipes-toggle", "view", "overlay", "look-back", "screenshot", "record", "copy-link", "zoom-in", "zoom-out", "fit"]);
  await page.focus("#skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "view");
}

const cell = (page, x, y, value) => page.waitForFunction(([cx, cy, wanted]) =>
  window.sluice.mirror.cell(cx, cy, 0) === wanted, [x, y, value]);
const said = (page, words) => page.waitForFunction((pattern) =>
  new RegExp(pattern).test(document.getElementById("live").textContent), words);

async function go(page, x, y) {
  const from = await page.evaluate(() => window.sluice.hover);
  const press = async (key, times) => { for (let i = 0; i < times; ++i) await page.keyboard.press(key); };
  const axis = async (by, less, more) => {
    await press(`Control+${by < 0 ? less : more}`, Math.floor(Math.abs(by) / 10));
    await press(by < 0 ? less : more, Math.abs(by) % 10);
  };
  await axis(x - from.x, "ArrowLeft", "ArrowRight");
  await axis(y - from.y, "ArrowDown", "ArrowUp");
  assert.deepEqual(await page.evaluate(() => window.sluice.hover), { x, y });
}

async function keyCursor(page) {
  console.log("a cursor by keys: it is shown, moves, and is said");
  await page.mouse.move(2, 2);
  await page.focus("#view");
  await page.keyboard.press("f");
  await page.keyboard.press("ArrowUp");
  assert.deepEqual(await page.evaluate(() => window.sluice.hover), { x: 40, y: 24 });
  await said(page, "^\\[40, 24\\] air");
  await page.keyboard.press("2");
  for (let i = 0; i < 2; ++i) await page.keyboard.press("[");
  await page.keyboard.press("Enter");
  await cell(page, 40, 24, -1);
  await said(page, "^rock at 40, 24");
  await go(page, 44, 24);
  await page.keyboard.press("Space");
  await cell(page, 44, 24, -1);
  await shot(page, "key-cursor");

  console.log("lines and boxes by two presses; Escape and another tool forget the first");
  await page.keyboard.press("r");
  await go(page, 10, 20);
  await page.keyboard.press("Enter");
  await said(page, "box begins at 10, 20");
  await go(page, 13, 23);
  assert.equal(await page.evaluate(() => window.sluice.mirror.cell(11, 21, 0)), 0);
  await page.keyboard.press("Enter");
  await cell(page, 12, 22, -1);
  await cell(page, 10, 20, -1);
  await go(page, 20, 20);
  await page.keyboard.press("Enter");
  await page.keyboard.press("3");
  await page.keyboard.press("b");
  await go(page, 11, 21);
  await page.keyboard.press("Enter");
  await cell(page, 11, 21, 0);
  assert.equal(await page.evaluate(() => window.sluice.mirror.cell(20, 20, 0)), 0);
  await page.keyboard.press("Control+z");
  await cell(page, 11, 21, -1);

  console.log("pipes by keys");
  await page.keyboard.press("5");
  await page.click('[data-pipe="pipe"]');
  await page.focus("#view");
  await page.mouse.move(2, 2);
  await page.keyboard.press("ArrowUp");
  await go(page, 30, 30);
  await page.keyboard.press("Enter");
  await said(page, "pipe begins at 30, 30");
  await go(page, 34, 30);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.sluice.mirror.pipes.networks.links.length === 4);
  await page.keyboard.press("5");

  console.log("Shift and arrows move the picture, which follows a cursor that leaves it");
  await page.keyboard.press("1");
  for (let i = 0; i < 6; ++i) await page.keyboard.press("+");
  const x = () => page.evaluate(() => window.sluice.camera.x);
  const before = await x();
  await page.keyboard.press("Shift+ArrowRight");
  assert.ok((await x()) > before);
  await page.keyboard.press("Control+ArrowRight");
  for (let i = 0; i < 4; ++i) await page.keyboard.press("Control+ArrowRight");
  const seen = await page.evaluate(() => {
    const { camera, hover } = window.sluice;
    return [camera.screenX(hover.x), camera.width];
  });
  assert.ok(seen[0] >= 0 && seen[0] <= seen[1], `the cursor is at ${seen}`);
  const tick = await page.evaluate(() => window.sluice.hover.x);
  await page.locator("#tools").hover(); // the pointer, elsewhere, does not take it away
  assert.equal(await page.evaluate(() => window.sluice.hover.x), tick);
  const at = await place(page, 60, 20);
  await page.mouse.move(Math.min(900, Math.max(200, at.x)), 300);
  assert.equal(await page.evaluate(() => window.sluice.keys.shown), false);
}

await main(async () => {
  const server = await startServer(serverPath, [...WORLDS.flatMap((path) => ["--world", path]),
    "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  for (const name of ["desktop", "phone"]) {
    const context = await browser.newContext({ viewport: SIZES[name], reducedMotion: "reduce" });
    const page = await openPage(context, `${server.url}/#room`);
    await page.waitForFunction(() => window.sluice.mirror.pipes.networks.nodes.length > 0);
    if (name === "desktop") {
      await focusOrder(page);
      await keyCursor(page);
    }
    await states(page, name);
    await context.close();
  }
  assert.equal(await stopServer(server), 0);

  console.log("a replay, too");
  const file = join(folder, "room.sluice");
  execFileSync(toolPath, ["sim", WORLDS[0], "--ticks", "40", "--record", file]);
  const replay = await startServer(toolPath, ["replay", file, file, "--serve", "127.0.0.1:0"]);
  const page = await openPage(await browser.newContext({ viewport: SIZES.desktop, reducedMotion: "reduce" }), replay.url);
  await page.waitForSelector("#timeline:not([hidden])");
  await expectNoViolations(page, "a replay");
  assert.equal(await stopServer(replay), 0);
  await browser.close();
  assert.equal(violations.length, 0, violations.join("\n"));
});
