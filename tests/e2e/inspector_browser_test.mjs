// Goal: hovering and pinning explain cells, columns, chunks, pipes, ports, springs and drains in words,
// with a chart of what is pinned; overlays have legends that are true. By keys, too, and in a replay.
// Method: a real server with a plant in which each thing stands still for another reason; headless
// Chromium on a desktop and a phone.
//
//   node inspector_browser_test.mjs SLUICE_SERVER SLUICE CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  colour, expectColour, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer, until,
} from "./browser_support.mjs";

const [serverPath, toolPath, chromiumPath, packagePath] = process.argv.slice(2);

const node = (kind, name, at, more = "") => `[[${kind}]]
name = "${name}"
at = [${at}, 0]
${more}
`;
const link = (from, to, more = "") => `[[link]]\nfrom = "${from}"\nto = "${to}"\n${more}\n`;
const port = (name, cell, kind) => `[[port]]\nnode = "${name}"\ncell = [${cell}, 0]\nkind = "${kind}"\nrate = 500\n`;
const level = (cells) => `base = ${cells * 4096}`;

// A lake whose surface stands at 12, between walls; above it, pipes.
const PLANT = `[world]
name = "plant"
size = [120, 64, 1]
water = "cellular"
[[fill]]
from = [0, 0, 0]
size = [120, 4, 1]
cell = "#"
[[fill]]
from = [0, 4, 0]
size = [4, 20, 1]
cell = "#"
[[fill]]
from = [40, 4, 0]
size = [4, 20, 1]
cell = "#"
[[fill]]
from = [4, 4, 0]
size = [36, 8, 1]
cell = "~"
[[source]]
at = [90, 40, 0]
rate = 900
[[drain]]
at = [100, 30, 0]
rate = 5
` + node("pipe", "high", [10, 30], level(30)) + port("high", [10, 6], "inlet") +
  node("pipe", "dry", [20, 30], level(2)) + port("dry", [20, 20], "inlet") +
  node("pipe", "stone", [30, 30], level(2)) + port("stone", [30, 1], "inlet") +
  node("pipe", "tank", [50, 40], `${level(40)}\ncapacity = 4000000\namount = 3000000`) +
  node("valve", "gate", [56, 40], `${level(39)}\nopen = false`) + node("pipe", "behind", [62, 40], level(38)) +
  node("pipe", "after", [68, 40], level(37)) + link("tank", "gate") + link("gate", "behind") + link("behind", "after") +
  port("after", [68, 36], "outlet") +
  node("pipe", "low", [50, 50], `${level(10)}\namount = 9000`) + node("pipe", "upper", [60, 50], level(50)) + link("low", "upper") +
  node("pump", "idle", [80, 50], "rate = 0") + node("pipe", "alone", [90, 50]);

/** A server with much to do may say "try again later". */
async function setValve(page, open) {
  let waits = 0;
  await until("the valve turns", () => page.evaluate(([wanted, again]) => {
    if (window.sluice.mirror.pipes.networks.byName.get("gate").node.open === wanted) return true;
    if (again) window.sluice.command({ cmd: "set_valve", name: "gate", open: wanted });
    return false;
  }, [open, waits++ % 6 === 0]));
}

const tip = (page) => page.locator("#pipe-tip");

async function hovers(page, at, title, ...words) {
  const spot = await place(page, ...at);
  await page.mouse.move(spot.x, spot.y);
  await page.waitForFunction((wanted) => {
    const box = document.getElementById("pipe-tip");
    return !box.hidden && box.textContent.startsWith(wanted);
  }, title).catch(async (error) => {
    const told = await page.evaluate(() => document.getElementById("hover").textContent);
    throw new Error(`no "${title}" under the pointer, but ${told}`, { cause: error });
  });
  const said = await tip(page).textContent();
  for (const word of words) assert.match(said, word, `${title}: ${said}`);
}

async function explains(page, name) {
  console.log(`${name}: hovering says why each thing stands still`);
  await hovers(page, [10, 30], "high · pipe", /It is fed by its own port/, /Water goes only to the lower side: its cell's water stands at 1[12][\d.]*, the pipe at 30/);
  await hovers(page, [10, 6], "port of high", /inlet .* idle/, /A lower base, or a pump, would draw it/);
  await hovers(page, [20, 20], "port of dry", /There is no water in its cell/);
  await hovers(page, [30, 1], "port of stone", /Its cell is rock: dig it out/);
  await hovers(page, [68, 40], "after · pipe", /The valve gate is closed: open it/);
  await hovers(page, [68, 36], "port of after", /The pipe is empty\. The valve gate is closed/);
  await hovers(page, [56, 40], "gate · valve", /It is closed: nothing passes until it is opened/);
  await hovers(page, [60, 50], "upper · pipe", /low holds 9,000 units, but stands at 11\.1.*A pump lifts it/);
  await hovers(page, [80, 50], "idle · pump", /switched off: its rate is 0/);
  await hovers(page, [90, 50], "alone · pipe", /Nothing leads to it/);
  await hovers(page, [90, 40], "Spring at [90, 40]", /rate 900 units a tick/, /brings new water/);
  await hovers(page, [100, 30], "Drain at [100, 30]", /Its cell is dry/);
  await shot(page, `tip-${name}`);

  console.log(`${name}: what is mended runs, and is told so at once`);
  await hovers(page, [68, 40], "after · pipe", /closed/);
  await setValve(page, true);
  await page.waitForFunction(() => /Fluid passes through|It fills up|It runs dry|What comes in goes on/
    .test(document.getElementById("pipe-tip").textContent));
  await setValve(page, false);
}

async function pins(page, name) {
  console.log(`${name}: a click of the inspector pins, with a chart over time`);
  await page.click('[data-tool="inspect"]');
  const click = async (x, y) => {
    const spot = await place(page, x, y);
    await page.mouse.click(spot.x, spot.y);
  };
  await click(20, 6);
  await page.waitForSelector("#inspector:not([hidden]) article");
  await page.waitForFunction(() => /^\[20, 6\] water/.test(document.querySelector("#pins h3").textContent));
  const card = page.locator("#pins article").first();
  await page.waitForFunction(() => /depth 5\.\d+ cells/.test(document.querySelector("#pins article").textContent));
  assert.match(await card.textContent(), /surface at 1[12]/);
  await page.click("#pins .scopes button:has-text('column')");
  await page.waitForFunction(() => /Column x 20.*water (7|8)[\d.]* full cells/.test(document.querySelector("#pins article").textContent));
  await page.click("#pins .scopes button:has-text('chunk')");
  await page.waitForFunction(() => /Chunk 0, 0.*rock \d+ %/.test(document.querySelector("#pins article").textContent));
  await click(90, 40);
  await click(50, 40);
  await page.waitForFunction(() => document.querySelectorAll("#pins article").length === 3);
  const chart = page.locator("#pins article").first().locator("canvas");
  await until("a chart in words", async () =>
    /now [\d,.]+ units; of the last minute between/.test(await chart.getAttribute("aria-label")));
  await until("more than 40 pixels of a chart", () => chart.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 200) ++count;
    return count > 40;
  }));
  await shot(page, `pins-${name}`);
  const [side, stage] = [await page.locator("#side").boundingBox(), await page.locator("#stage").boundingBox()];
  assert.ok(stage.width * stage.height > 0.35 * page.viewportSize().width * page.viewportSize().height, "the picture keeps its room");
  assert.ok(side.x >= stage.x + stage.width - 1 || side.y >= stage.y + stage.height - 1, "beside the picture, not over it");
  await click(10, 50); // a fourth one takes the oldest's place
  assert.equal(await page.locator("#pins article").count(), 3);
  await page.locator("#pins article .close").first().click();
  assert.equal(await page.locator("#pins article").count(), 2);
  await page.click("#inspector-close");
  assert.equal(await page.locator("#inspector").isVisible(), false);
}

async function byKeys(page) {
  console.log("by keys: the cursor goes there, Enter pins, P lets it go");
  await page.keyboard.press("6");
  await page.keyboard.press("f");
  await page.mouse.move(1, 1);
  await page.focus("#view");
  await page.waitForFunction(() => window.sluice.hover === null);
  await page.keyboard.press("ArrowRight");
  const from = await page.evaluate(() => window.sluice.hover);
  for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Control+ArrowDown");
  assert.deepEqual(await page.evaluate(() => window.sluice.hover), { x: from.x - 3, y: from.y - 10 });
  await page.waitForFunction(() => /^\[57, 22\] air/.test(document.getElementById("live").textContent));
  await page.keyboard.press("Enter");
  await page.waitForSelector("#pins article");
  assert.match(await page.locator("#live").textContent(), /^Pinned cell 57,22,0/);
  await page.keyboard.press("p");
  assert.equal(await page.locator("#pins article").count(), 0);
}

async function overlays(page, name) {
  console.log(`${name}: overlays with legends`);
  await page.keyboard.press("1");
  const near = (x, y, expected, what) => expectColour(page, x, y, expected, what);
  await page.selectOption("#overlay", "amount");
  await page.waitForFunction(() => /Water in a cell.*little.*full.*twice/.test(document.getElementById("legend-body").textContent));
  await near(25, 8, [33, 152, 148], "a full cell lies in the middle of the ramp");
  await shot(page, `amount-${name}`);
  await page.selectOption("#overlay", "depth");
  await page.waitForFunction(() => /Depth under the surface, in cells05?\.?\d*10/.test(document.getElementById("legend-body").textContent));
  await near(25, 11, [80, 72, 153], "just under the surface");
  await near(25, 4, [101, 199, 100], "some 7.3 of 10 deep");
  await shot(page, `depth-${name}`);
  await page.focus("#view");
  await page.keyboard.press("o");
  assert.equal(await page.inputValue("#overlay"), "head");
  await page.waitForFunction(() => /Surface over the world's floor, in cells\d/.test(document.getElementById("legend-body").textContent));
  await until("water under one surface has one colour", async () => {
    const [above, below] = [await colour(page, 25, 11), await colour(page, 25, 4)];
    return above.every((part, i) => Math.abs(part - below[i]) < 12) && Math.max(...above) > 60;
  });
  await shot(page, `head-${name}`);
  await page.keyboard.press("o");
  assert.equal(await page.inputValue("#overlay"), "flow");
  assert.match(await page.textContent("#legend-body"), /Where heads drive water, and where it falls/);
  await until("an arrow stands where the spring's water falls", async () => {
    for (let y = 6; y < 40; y += 0.5) if ((await colour(page, 90, y)).every((part) => part > 200)) return true;
    return false;
  });
  await shot(page, `flow-${name}`);
  await page.keyboard.press("o");
  assert.equal(await page.inputValue("#overlay"), "awake");
  assert.match(await page.textContent("#legend-body"), /changed just now.*at rest/);
  await page.waitForFunction(() => {
    const known = window.sluice.pointing.known();
    return known.activity.sinceChange(1, 0, 0, known.now) < 1000;
  });
  await until("the spring's chunk is awake", async () => {
    const [red, , blue] = await colour(page, 118, 58);
    return red > blue + 30;
  });
  await shot(page, `awake-${name}`);
  await page.keyboard.press("o");
  assert.equal(await page.inputValue("#overlay"), "age");
  assert.match(await page.textContent("#legend-body"), /Last change.*1 s ago.*17 min.*none since/);
  await until("the spring's chunk is young", async () => {
    const [red, green, blue] = await colour(page, 118, 58);
    return red > blue + 30 && green > blue + 30;
  });
  await shot(page, `age-${name}`);
  await page.keyboard.press("o");
  assert.equal(await page.inputValue("#overlay"), "bytes");
  assert.match(await page.textContent("#legend-body"), /Bytes a second/);
  await page.waitForFunction(() => {
    const known = window.sluice.pointing.known();
    return known.activity.bytesPerSecond(1, 0, 0, known.now) > 10;
  });
  await shot(page, `bytes-${name}`);
  await page.keyboard.press("o");
  assert.equal(await page.inputValue("#overlay"), "views");
  await page.keyboard.press("o");
  assert.equal(await page.inputValue("#overlay"), "none");
  assert.equal(await page.locator("#legend-body").isVisible(), false);
}

async function replays(browser, world) {
  console.log("a replay is inspected, too");
  const file = join(folder, "plant.sluice");
  execFileSync(toolPath, ["sim", world, "--ticks", "60", "--record", file]);
  const server = await startServer(toolPath, ["replay", file, "--serve", "127.0.0.1:0"]);
  const page = await openPage(await browser.newContext({ viewport: SIZES.desktop }), server.url);
  await page.waitForFunction(() => window.sluice.mirror?.pipes.networks.nodes.length > 5);
  await hovers(page, [80, 50], "idle · pump", /switched off/);
  await page.click("#tl-inspect");
  const spot = await place(page, 20, 6);
  await page.mouse.click(spot.x, spot.y);
  await page.waitForSelector("#pins article");
  await page.selectOption("#overlay", "depth");
  await page.keyboard.press("Control+ArrowRight");
  assert.equal(await page.evaluate(() => window.sluice.hover.x), 21);
  await shot(page, "replay-inspected");
  assert.equal(await stopServer(server), 0);
}

await main(async () => {
  const world = join(folder, "plant.toml");
  writeFileSync(world, PLANT);
  const server = await startServer(serverPath, ["--world", world, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  for (const [name, size] of Object.entries({ desktop: SIZES.desktop, phone: SIZES.phone })) {
    const context = await browser.newContext({ viewport: size });
    const page = await openPage(context, `${server.url}/#plant`);
    await page.waitForFunction(() => window.sluice.fixtures.sources.length === 1);
    await page.waitForFunction(() => window.sluice.mirror.pipes.networks.nodes.length > 5);
    await explains(page, name);
    await pins(page, name);
    await overlays(page, name);
    if (name === "desktop") await byKeys(page);
    await context.close();
  }
  assert.equal(await stopServer(server), 0);
  await replays(browser, world);
  await browser.close();
});
