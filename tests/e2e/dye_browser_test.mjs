// Goal: in a world with tracers Pour and springs bring dyed water, by pointer and by keys; where there is heat, warm water,
// too; undo and redo go by what was poured then; what the server refuses is said; what is typed into menus stays there; other worlds show nothing of it.
// Method: a still basin and the demo world estuary on a real server; headless Chromium on a desktop and a phone.
//
//   node dye_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  colour, expectOnScreen, expectToast, findViolations, folder, launch, main, openPage, place, shot, SIZES,
  startServer, stopServer, until,
} from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);
const worlds = join(dirname(fileURLToPath(import.meta.url)), "../../server/worlds");

// Three wells in rock: what is poured into one stays there.
const WELLS = (name, more) => `[world]
name = "${name}"
size = [48, 32, 1]
[[fill]]
from = [0, 0, 0]
size = [48, 20, 1]
cell = "#"
[[fill]]
from = [10, 10, 0]
size = [1, 10, 1]
cell = "."
[[fill]]
from = [20, 10, 0]
size = [1, 10, 1]
cell = "."
[[fill]]
from = [30, 10, 0]
size = [1, 10, 1]
cell = "."
${more}`;
const TRACERS = `[[tracer]]
name = "red"
[[tracer]]
name = "ink"
`;

const share = (page, name, x, y) => page.evaluate(([layer, cellX, cellY]) =>
  window.sluice.layers?.shareAt(`tracer:${layer}`, { x: cellX, y: cellY, z: 0 }) ?? null, [name, x, y]);
const cell = (page, x, y) => page.evaluate(([cellX, cellY]) => window.sluice.mirror.cell(cellX, cellY, 0), [x, y]);
const rests = (page) => until("all is answered, shown and at rest", () => page.evaluate(() =>
  window.sluice.queue.isSeenAt(window.sluice.mirror.tick) && window.sluice.mirror.counters.activeChunks === 0));

async function enter(context, url, world) {
  const page = await openPage(context, `${url}/#${world}`);
  await page.waitForFunction((name) => window.sluice?.mirror?.welcome.world === name && window.sluice.mirror.chunks.size > 0, world);
  return page;
}

async function click(page, x, y) {
  const at = await place(page, x, y);
  await page.mouse.click(at.x, at.y);
}

async function choosePour(page) {
  await page.keyboard.press("4");
  await page.locator("#size").fill("1");
  await page.evaluate(() => document.getElementById("size").blur());
  await page.waitForSelector("#pour-panel");
}

async function pours(page, name) {
  console.log(`${name}: Pour offers the world's tracers, and how much of one`);
  await choosePour(page);
  const tracer = page.locator('#pour-panel select[name="tracer"]');
  assert.deepEqual(await tracer.locator("option").allTextContents(), ["clear water", "red", "ink"]);
  assert.equal(await page.locator('#pour-panel input[name="amount"]').isVisible(), false);
  await tracer.selectOption("red");
  assert.equal(await page.inputValue('#pour-panel input[name="amount"]'), "2048");
  assert.equal(await page.locator('#pour-panel input[name="temperature"]').isVisible(), false, "it has no heat");
  await page.selectOption("#overlay", "tracer:red");
  await click(page, 10, 10);
  await until("half a unit in a unit of water", async () => (await share(page, "red", 10, 10)) === 0.5);
  await rests(page);
  assert.equal(await cell(page, 10, 10), 4096);
  await until("the overlay shows it", async () => {
    const [red, green, blue] = await colour(page, 10, 10);
    return red > green + 30; // neither water nor rock
  });
  await shot(page, `dye-poured-${name}`);

  console.log(`${name}: undo takes it away, and redo pours it again, whatever is chosen by then`);
  await page.click("#undo");
  await until("it is gone", async () => (await cell(page, 10, 10)) === 0 && (await share(page, "red", 10, 10)) === null);
  await tracer.selectOption("");
  await page.click("#redo");
  await until("it is back", async () => (await share(page, "red", 10, 10)) === 0.5);
  await page.click("#undo");
  await rests(page);

  console.log(`${name}: clear water is clear, and dye comes to stand on it`);
  await click(page, 10, 10);
  await until("the cell is full", async () => (await cell(page, 10, 10)) === 4096);
  // Layers are told some times a second, after the cells.
  await until("nothing red is in it", async () => (await share(page, "red", 10, 10)) === null);
  await tracer.selectOption("ink");
  await page.fill('#pour-panel input[name="amount"]', "8192");
  await page.selectOption("#overlay", "tracer:ink");
  await rests(page);
  await click(page, 10, 10);
  await until("two units in a unit of water above it", async () => (await share(page, "ink", 10, 11)) === 2);
  await page.click("#undo");
  await page.click("#undo");
  await until("the well is empty", async () => (await cell(page, 10, 10)) === 0 && (await cell(page, 10, 11)) === 0);
}

async function byKeys(page) {
  console.log("by keys alone; the panel is the next thing to go to");
  await page.focus("#view");
  await page.mouse.move(1, 1);
  await page.keyboard.press("ArrowRight");
  const from = await page.evaluate(() => window.sluice.hover);
  for (let x = from.x; x !== 20; x += Math.sign(20 - x)) await page.keyboard.press(x < 20 ? "ArrowRight" : "ArrowLeft");
  for (let y = from.y; y !== 10; y += Math.sign(10 - y)) await page.keyboard.press(y < 10 ? "ArrowUp" : "ArrowDown");
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.closest("#pour-panel") !== null)); ++i) {
    await page.keyboard.press("Tab");
  }
  assert.equal(await page.evaluate(() => document.activeElement.name), "tracer");
  await page.keyboard.press("ArrowDown");
  if (await page.evaluate(() => document.activeElement.value === "ink")) await page.keyboard.press("ArrowUp"); // ink was chosen last
  await page.waitForFunction(() => document.activeElement.value === "red");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("4096");
  await page.selectOption("#overlay", "tracer:red");
  await page.focus("#view");
  await page.keyboard.press("Enter");
  await until("a unit in a unit of water", async () => (await share(page, "red", 20, 10)) === 1);
  await page.keyboard.press("Control+z");
  await until("it is gone", async () => (await cell(page, 20, 10)) === 0);
}

/** What keys may change without a menu's or a dialog's leave. */
const standing = (page) => page.evaluate(() => ({ tool: window.sluice.hand.brush.tool, overlay: window.sluice.overlay,
  size: window.sluice.hand.brush.size, scale: window.sluice.camera.scale, pinned: window.sluice.inspector.pinned.length,
  open: [...document.querySelectorAll("dialog[open]")].map(({ id }) => id).join() }));

async function typing(page) {
  console.log("what is typed into a menu, a field or a dialog stays there");
  const KEYS = ["2", "0", "o", "p", "w", "]", "+", "f", "?", "S", " "];
  const tracer = page.locator('#pour-panel select[name="tracer"]');
  await tracer.selectOption("");
  const before = await standing(page);
  // What the page sees of a menu that opens; a browser without a screen may show none.
  const opens = async (menu) => {
    await menu.focus();
    await menu.dispatchEvent("pointerdown");
  };
  for (const menu of [tracer, page.locator("#world"), page.locator("#overlay"), page.locator("#palette")]) {
    await opens(menu);
    for (const key of ["2", "]", "+", "?"]) await page.keyboard.press(key);
    assert.deepEqual(await standing(page), before);
    await page.keyboard.press("Escape");
  }
  await opens(tracer); // what was typed before is forgotten
  await page.keyboard.press("i");
  await page.waitForFunction(() => document.activeElement.value === "ink");
  await tracer.selectOption("red");
  await page.focus('#pour-panel input[name="amount"]');
  for (const key of KEYS) await page.keyboard.press(key);
  assert.deepEqual(await standing(page), before);
  await page.fill('#pour-panel input[name="amount"]', "2048");
  await page.focus("#view");
  await page.keyboard.press("w");
  await page.waitForSelector("#gallery[open]");
  for (const key of ["2", "o", "]", "+"]) await page.keyboard.press(key);
  assert.deepEqual(await standing(page), { ...before, open: "gallery" });
  await page.keyboard.press("Escape");
  await page.waitForSelector("#gallery", { state: "hidden" });

  console.log("and out of them keys are shortcuts again; those with Ctrl are in a menu, too");
  await page.focus("#view");
  await page.keyboard.press("]");
  assert.equal((await standing(page)).size, before.size + 1);
  await page.keyboard.press("[");
  await tracer.focus();
  await page.keyboard.press("Control+c");
  assert.equal((await standing(page)).tool, "copy");
  await page.focus("#view");
  await page.keyboard.press("4");
  await page.waitForSelector("#pour-panel");
}

async function refusals(page) {
  console.log("what the server refuses is said, and nothing is poured");
  await page.fill('#pour-panel input[name="amount"]', "99999999");
  await click(page, 30, 10);
  await expectToast(page, /^Refused: tracer: red/);
  assert.equal(await cell(page, 30, 10), 0);
  await page.fill('#pour-panel input[name="amount"]', "2048");
}

async function springs(page) {
  console.log("a spring that somebody else put: the inspector says what its water holds, and removed and put back it is dyed as it was");
  await page.evaluate(() => window.sluice.command({ cmd: "add_source", at: [20, 10, 0], rate: 64, tracer: { red: 2048, ink: 4096 } }));
  await page.waitForFunction(() => window.sluice.fixtures.sources[0]?.tracer?.ink === 4096);
  await page.focus("#view");
  await page.keyboard.press("6");
  const spot = await place(page, 20, 10);
  await page.mouse.move(spot.x, spot.y);
  await page.waitForFunction(() => /red 2,048 in 4,096 units of its water/.test(document.getElementById("pipe-tip").textContent));
  await page.keyboard.press("Shift+X");
  await page.waitForSelector("#placing-panel");
  // The panel takes its place from the picture.
  await page.waitForFunction(() => window.sluice.camera.width === window.sluice.canvas.clientWidth);
  await click(page, 20, 10);
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 0);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => window.sluice.fixtures.sources[0]?.tracer?.red === 2048 && window.sluice.fixtures.sources[0].tracer.ink === 4096);
  await page.keyboard.press("Control+Shift+z");
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 0);

  console.log("a spring of dyed water; removed and put back it is dyed as it was");
  await page.focus("#view");
  await page.keyboard.press("Shift+S");
  await page.waitForSelector("#placing-panel");
  assert.equal(await page.locator("#pour-panel").isVisible(), false);
  await page.locator('#placing-panel select[name="tracer"]').selectOption("red");
  await page.fill('#placing-panel input[name="amount"]', "4096");
  await page.fill('#placing-panel input[name="rate"]', "64");
  await click(page, 30, 10);
  await until("its water is dyed", async () => (await share(page, "red", 30, 10)) > 0.9);
  await shot(page, "dye-spring");
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 1);
  await page.focus("#view");
  await page.keyboard.press("Shift+X");
  assert.equal(await page.locator('#placing-panel select[name="tracer"]').isVisible(), false);
  await click(page, 30, 10);
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 0);
  await page.evaluate(() => window.sluice.command({ cmd: "remove_water", from: [30, 10, 0], size: [1, 10, 1] }));
  // Layers are told after the cells: what was dyed before is not to be taken for what comes.
  await until("the well is dry", async () => (await cell(page, 30, 10)) === 0 && (await share(page, "red", 30, 10)) === null);
  await page.keyboard.press("Control+z");
  await until("its water is dyed again", async () => (await share(page, "red", 30, 10)) > 0.9);
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 1);
  await page.keyboard.press("9");
}

async function warmth(context, url) {
  console.log("where there is heat, what is poured may be warm, dyed or not");
  const page = await enter(context, url, "warm");
  await choosePour(page);
  await page.waitForFunction(() => window.sluice.fixtures.heat);
  await page.waitForSelector('#pour-panel input[name="temperature"]');
  await page.fill('#pour-panel input[name="temperature"]', "80");
  await page.selectOption("#overlay", "temperature");
  const degrees = (x) => page.evaluate((at) => window.sluice.layers?.temperatureAt({ x: at, y: 10, z: 0 }) ?? null, x);
  await click(page, 10, 10);
  await until("it is warm", async () => (await degrees(10)) === 80);
  await page.locator('#pour-panel select[name="tracer"]').selectOption("ink");
  await page.fill('#pour-panel input[name="temperature"]', "5");
  await click(page, 20, 10);
  await until("it is cold", async () => (await degrees(20)) === 5);
  await page.selectOption("#overlay", "tracer:ink");
  await until("and dyed", async () => (await share(page, "ink", 20, 10)) === 0.5);
  await until("no ink is in it", async () => (await share(page, "ink", 10, 10)) === null);
  await page.close();
}

async function estuary(context, url, name) {
  console.log(`${name}: dye poured into the estuary's lake goes its way`);
  const page = await enter(context, url, "estuary");
  await page.selectOption("#overlay", "tracer:dye");
  await page.keyboard.press("4");
  await page.waitForSelector("#pour-panel");
  await page.locator('#pour-panel select[name="tracer"]').selectOption("dye");
  await page.fill('#pour-panel input[name="amount"]', "12000");
  await page.locator("#size").fill("2"); // a larger one piles up more than a pour can rise over
  // Into water that flows: by the time that a pour arrives there is more in its cell than the page knew of.
  const [from, to] = [await place(page, 120, 34), await place(page, 112, 36)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.mouse.up();
  await until("all is answered", () => page.evaluate(() => window.sluice.queue.isSeenAt(window.sluice.mirror.tick)));
  assert.doesNotMatch(await page.textContent("#toast"), /Refused/);
  await page.locator("#size").fill("8");
  await page.evaluate(() => document.getElementById("size").blur());
  await click(page, 120, 34);
  await until("dye is seen in the lake", () => page.evaluate(() => {
    for (let x = 110; x < 130; ++x) for (let y = 20; y < 40; ++y) {
      if (window.sluice.layers?.shareAt("tracer:dye", { x, y, z: 0 }) > 0.3) return true;
    }
    return false;
  }));
  await shot(page, `dye-estuary-${name}`);
  await expectOnScreen(page, "#pour-panel input:visible, #pour-panel select:visible");
  assert.deepEqual(await findViolations(page, packagePath), []);
  await page.keyboard.press("1");
  await page.waitForSelector("#pour-panel", { state: "hidden" });
  await page.close();
}

await main(async () => {
  // Its air takes no heat: what is poured stays as warm as it was.
  const made = { wells: TRACERS, warm: `[heat]\nsurface = 0\n${TRACERS}`, bare: "" };
  const paths = Object.entries(made).map(([name, more]) => {
    writeFileSync(join(folder, `${name}.toml`), WELLS(name, more));
    return join(folder, `${name}.toml`);
  });
  const server = await startServer(serverPath, [...[...paths, join(worlds, "estuary.toml")].flatMap((path) => ["--world", path]),
    "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  for (const name of ["desktop", "phone"]) {
    const context = await browser.newContext({ viewport: SIZES[name] });
    const page = await enter(context, server.url, "wells");
    await pours(page, name);
    if (name === "desktop") {
      await byKeys(page);
      await typing(page);
      await refusals(page);
      await springs(page);
      await page.selectOption("#world", "bare");
      await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "bare" && window.sluice.mirror.chunks.size > 0);
      await page.keyboard.press("4");
      await click(page, 10, 10);
      await until("plain water is poured as ever", async () => (await cell(page, 10, 10)) > 0);
      assert.equal(await page.locator("#pour-panel").isVisible(), false);
      await warmth(context, server.url);
    }
    await page.close();
    await estuary(context, server.url, name);
    await context.close();
  }
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
