// Goal: each tool of the page does in the world what it says, by pointer and by keys: round and square brushes, taking
// water, springs, drains, heaters and coolers, levels, and removing by a drag. What can be undone is, what cannot be is
// said; what the server refuses is shown with its reason.
// Method: a real server and headless Chromium; what stands in a world is read from the server.
//
//   node tools_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  expectOnScreen, expectToast, findViolations, folder, launch, main, openPage, place, shot, SIZES, startServer,
  stopServer, until,
} from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

const world = (name, more) => `[world]
name = "${name}"
size = [80, 48, 1]
water = "hydro"
[[fill]]
from = [0, 0, 0]
size = [80, 20, 1]
cell = "#"
[[fill]]
from = [10, 8, 0]
size = [20, 12, 1]
cell = "."
[[fill]]
from = [10, 8, 0]
size = [20, 6, 1]
cell = "~"
[[fill]]
from = [40, 9, 0]
size = [1, 3, 1]
cell = "~"
${more}`;
const SHAFT = 3 * 4096;
const WORLDS = { warm: world("warm", "[heat]\n"), plain: world("plain", "") };

async function fixtures(page, name = "warm") {
  return page.evaluate(async (of) => (await fetch(`/worlds/${of}/fixtures`)).json(), name);
}

async function click(page, x, y, options = {}) {
  const at = await place(page, x, y);
  await page.mouse.click(at.x, at.y, options);
}

async function drag(page, from, to) {
  const [a, b] = [await place(page, ...from), await place(page, ...to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(b.x, b.y, { steps: 12 });
  await page.mouse.up();
}

/** By arrows, from wherever the cursor is. */
async function cursorTo(page, x, y) {
  await page.keyboard.press("ArrowRight"); // a first press may only show where it is
  const from = await page.evaluate(() => window.sluice.hover);
  for (let i = 0; i < Math.abs(x - from.x); ++i) await page.keyboard.press(x > from.x ? "ArrowRight" : "ArrowLeft");
  for (let i = 0; i < Math.abs(y - from.y); ++i) await page.keyboard.press(y > from.y ? "ArrowUp" : "ArrowDown");
}

const cell = (page, x, y) => page.evaluate(([cellX, cellY]) => window.sluice.mirror.cell(cellX, cellY, 0), [x, y]);
const holds = (page, x, y, what, test) => until(`[${x}, ${y}] is ${what}`, async () => test(await cell(page, x, y)));
const isRock = (value) => value === -1;
const isOpen = (value) => value >= 0;
const water = (page) => page.evaluate(() => window.sluice.mirror.counters.water);

const rests = (page) => until("it rests", () => page.evaluate(() => window.sluice.mirror.counters.activeChunks === 0));

async function brushes(page) {
  console.log("a square brush has its corners, a round one none; B chooses, again for the other");
  await page.keyboard.press("2");
  await page.locator("#size").fill("5");
  await page.keyboard.press("b");
  assert.equal(await page.inputValue("#shape"), "round"); // the brush that was there was square
  await click(page, 50, 30);
  await holds(page, 50, 30, "rock", isRock);
  await holds(page, 52, 30, "rock", isRock);
  assert.ok(isOpen(await cell(page, 52, 32)), "a round brush filled its corner");
  await shot(page, "tools-round");
  await page.keyboard.press("b");
  assert.equal(await page.inputValue("#shape"), "brush");
  await click(page, 60, 30);
  await holds(page, 62, 32, "rock", isRock);
  await page.selectOption("#shape", "round");
  await page.keyboard.press("l"); // a line by the same brush
  await drag(page, [50, 40], [60, 40]);
  await holds(page, 55, 42, "rock", isRock);
  assert.ok(isOpen(await cell(page, 48, 42)), "a line by a round brush has a corner");
  for (let i = 0; i < 3; ++i) await page.keyboard.press("Control+z");
  for (const [x, y] of [[50, 30], [62, 32], [55, 42]]) await holds(page, x, y, "air", isOpen);
  await page.keyboard.press("b");
  await page.keyboard.press("b");
}

async function take(page) {
  console.log("Take drains what it is drawn over; undo pours it back");
  await page.keyboard.press("0");
  assert.equal(await page.getAttribute('[data-tool="take"]', "aria-pressed"), "true");
  const before = await water(page);
  await page.locator("#size").fill("3");
  await drag(page, [12, 8], [20, 8]);
  await until("water was taken", async () => (await water(page)) < before - 4096 * 10);
  assert.ok(isRock(await cell(page, 12, 7)), "rock stays");
  await until("all is answered and shown", () => page.evaluate(() => window.sluice.queue.isSeenAt(window.sluice.mirror.tick)));
  const left = await water(page);
  await page.keyboard.press("Control+z");
  // Not all of it: a brush that is drawn takes what flows in behind it, too, and water that moves takes up room.
  await until("water is back", async () => (await water(page)) > left);
  await rests(page);
  // In the shaft nothing flows, whichever ticks the commands come into.
  const rested = await water(page);
  console.log("one dab of it, by keys, comes back to the unit");
  await page.focus("#view");
  await cursorTo(page, 40, 10);
  await page.keyboard.press("Enter");
  await until("water was taken", async () => (await water(page)) === rested - SHAFT);
  await page.keyboard.press("Control+z");
  await until("all of it is back", async () => (await water(page)) === rested);
  console.log("a fill takes all water that hangs together");
  await page.keyboard.press("g");
  await click(page, 40, 9);
  await until("the shaft is empty", async () => (await water(page)) === rested - SHAFT);
  await page.keyboard.press("Control+z");
  await until("and full again", async () => (await water(page)) === rested);
  await page.keyboard.press("b");
}

async function springs(page) {
  console.log("the panel puts springs, drains, heaters and coolers; undo and redo take them back and forth");
  await page.click("#placing-toggle");
  await page.waitForSelector("#placing-panel");
  await page.click('#placing-panel [data-tool="spring"]');
  await page.fill('#placing-panel input[name="rate"]', "777");
  await page.fill('#placing-panel input[name="head"]', "12");
  await page.fill('#placing-panel input[name="temperature"]', "30");
  await shot(page, "tools-springs");
  await click(page, 20, 16);
  const spring = [20, 16, 0];
  const has = (list, at, value) => until(`${list} has ${at}: ${value}`, async () =>
    (await fixtures(page))[list].some((row) => row.join() === [...at, value].join()));
  const none = (list) => until(`${list} is empty`, async () => (await fixtures(page))[list].length === 0);
  await has("sources", spring, 777);
  await has("heads", spring, 12 * 4096);
  await has("temperatures", spring, 30 * 256);
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 1);

  console.log("what the server refuses is shown with its reason");
  await click(page, 20, 16);
  await expectToast(page, /^Refused: there is a source at \[20, 16, 0\] already; remove it first/);

  console.log("by keys: Shift and a letter, the cursor, Enter");
  await page.focus("#view");
  await page.keyboard.press("Shift+D");
  assert.equal(await page.getAttribute('#placing-panel [data-tool="drain"]', "aria-pressed"), "true");
  await cursorTo(page, 25, 10);
  await page.keyboard.press("Enter");
  await has("drains", [25, 10, 0], 777);
  assert.match(await page.textContent("#live"), /^drain at 25, 10/);

  await page.keyboard.press("Shift+H");
  await click(page, 14, 7);
  await has("heaters", [14, 7, 0], 200000);
  await page.keyboard.press("Shift+C");
  await click(page, 16, 7);
  await has("heaters", [16, 7, 0], -200000);
  await page.waitForFunction(() => window.sluice.fixtures.heaters.length === 2);
  await shot(page, "tools-placed");
  await page.keyboard.press("Control+z");
  await until("one heater is left", async () => (await fixtures(page)).heaters.length === 1);
  await page.keyboard.press("Control+Shift+z");
  await has("heaters", [16, 7, 0], -200000);
  await page.waitForFunction(() => window.sluice.fixtures.heaters.length === 2);

  console.log("a drag removes all that it meets; undo puts it back as it was");
  await page.keyboard.press("Shift+X");
  await drag(page, [12, 7], [18, 7]);
  await none("heaters");
  await click(page, 20, 16);
  await none("sources");
  await page.keyboard.press("Control+z");
  await has("sources", spring, 777);
  await has("heads", spring, 12 * 4096);
  await has("temperatures", spring, 30 * 256);
  await page.keyboard.press("Control+z");
  await has("heaters", [14, 7, 0], 200000);
  await has("heaters", [16, 7, 0], -200000);
  await click(page, 70, 40);
  await expectToast(page, /no spring, drain or heater here/);

  console.log("the right button digs with these tools, too");
  await page.keyboard.press("Shift+S");
  await click(page, 70, 19, { button: "right" });
  await holds(page, 70, 19, "dug", isOpen);
}

async function levels(page) {
  console.log("Fill raises what water reaches, Lower takes what stands above; both say that they cannot be undone");
  await page.keyboard.press("Shift+X");
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 1);
  await click(page, 20, 16); // what flows would be in the way
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 0);
  await drag(page, [25, 10], [25, 9]);
  await until("no drain", async () => (await fixtures(page)).drains.length === 0);
  await page.keyboard.press("Shift+L");
  assert.match(await page.textContent("#placing-panel .about"), /cannot be undone/);
  await click(page, 20, 16);
  await holds(page, 20, 16, "full", (value) => value > 4000);
  await page.keyboard.press("Shift+E");
  assert.match(await page.textContent("#placing-panel .about"), /cannot be undone/);
  await page.fill('#placing-panel input[name="level"]', "10");
  await click(page, 20, 12);
  await holds(page, 20, 12, "dry", (value) => value === 0);
  await holds(page, 20, 9, "wet", (value) => value > 0);
  await page.fill('#placing-panel input[name="level"]', "");
  await bubble(page);
}

async function bubble(page) {
  console.log("Bubble keeps the air of a chamber; what is dug of it opens it");
  const build = (command) => page.evaluate((sent) => window.sluice.queue.send(sent, {}), command);
  await build({ cmd: "set_cells", from: [20, 12, 0], size: [5, 5, 1], cell: "#" });
  await build({ cmd: "set_cells", from: [21, 13, 0], size: [3, 3, 1], cell: "." });
  await holds(page, 22, 14, "open", isOpen);
  await page.focus("#view");
  await page.keyboard.press("Shift+B");
  assert.match(await page.textContent("#placing-panel .about"), /pocket of air/);
  await click(page, 22, 13);
  await holds(page, 21, 15, "kept", (value) => value === -3);
  await holds(page, 23, 13, "kept", (value) => value === -3);
  await click(page, 22, 15, { button: "right" });
  await holds(page, 21, 13, "open again", isOpen);
}

async function heatless(page) {
  console.log("a world without heat has no heaters to choose");
  await page.selectOption("#world", "plain");
  await page.waitForFunction(() => window.sluice.mirror?.welcome.world === "plain");
  await page.waitForSelector('#placing-panel [data-tool="heater"]', { state: "hidden" });
  await page.focus("#view");
  await page.keyboard.press("Shift+H");
  await expectToast(page, /^This world has no heat$/);
  assert.equal(await page.locator('[data-tool="heater"]').getAttribute("aria-pressed"), "false");
  await page.keyboard.press("9");
  await page.waitForSelector("#placing-panel", { state: "hidden" });
  await page.selectOption("#world", "warm");
  await page.waitForFunction(() => window.sluice.mirror?.welcome.world === "warm");
  console.log("every tool stands in the list of shortcuts");
  await page.focus("#view");
  await page.keyboard.press("?");
  await page.waitForSelector("#help[open]");
  const list = await page.textContent("#help dl");
  for (const what of [/take water/, /spring/, /drain/, /heater/, /level/, /round or square/, /remove/i]) assert.match(list, what);
  await page.keyboard.press("Escape");
}

async function looks(browser, url) {
  const sizes = { ...SIZES, zoomed: { width: 640, height: 400 } };
  for (const [name, viewport] of Object.entries(sizes)) {
    for (const colours of ["dark", "light"]) {
      console.log(`${name}, ${colours}: nothing is cut off, and axe-core finds nothing`);
      const context = await browser.newContext({ viewport, deviceScaleFactor: name === "zoomed" ? 2 : 1 });
      const page = await openPage(context, `${url}/#warm`);
      await page.selectOption("#palette", colours);
      for (const tool of ["spring", "heater", "level"]) {
        await page.waitForFunction(() => window.sluice.fixtures.heat);
        await page.evaluate((wanted) => window.sluice.hand.setTool(wanted), tool);
        await page.waitForSelector(`#placing-panel [data-tool="${tool}"].active`);
        await shot(page, `tools-${name}-${colours}-${tool}`);
        await expectOnScreen(page, "#placing-panel button:visible, #placing-panel input:visible");
        const part = tool === "spring" ? "html" : "#placing-panel"; // the rest is as it was
        assert.deepEqual(await findViolations(page, packagePath, part), [], `${name}, ${colours}, ${tool}`);
      }
      await context.close();
    }
  }
}

await main(async () => {
  const parameters = Object.entries(WORLDS).flatMap(([name, text]) => {
    writeFileSync(join(folder, `${name}.toml`), text);
    return ["--world", join(folder, `${name}.toml`)];
  });
  const server = await startServer(serverPath, [...parameters, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  const page = await openPage(await browser.newContext({ viewport: SIZES.desktop }), `${server.url}/#warm`);
  await page.waitForFunction(() => window.sluice.mirror?.counters.water > 0);
  await page.keyboard.press("f");
  await brushes(page);
  await take(page);
  await springs(page);
  await levels(page);
  await heatless(page);
  await looks(browser, server.url);
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
