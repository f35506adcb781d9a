// Goal: a 3D world is seen from its front, its side and from above, each with slices along its own axis; what is built
// from the side is built where one saw it, pipes, too, which are seen from every side; from above the ground is shaded by its depth (building there: above_browser_test.mjs).
// Method: a real server with a world in which every place is another one, headless Chromium at two sizes.
//
//   node sight_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  colour, expectLook, expectToast, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer,
  until,
} from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

/** 40 wide, 30 high, 50 deep: a floor, a pillar, a basin of water 3 deep behind it, a step on the floor. */
const WORLD = `[world]
name = "solid"
size = [40, 30, 50]
[world.edges]
front = "open"
[[fill]]
from = [0, 0, 0]
size = [40, 4, 50]
cell = "#"
[[fill]]
from = [10, 4, 5]
size = [3, 20, 4]
cell = "#"
[[fill]]
from = [20, 1, 30]
size = [12, 3, 12]
cell = "~"
[[fill]]
from = [2, 4, 20]
size = [8, 6, 8]
cell = "#"
[[drain]]
at = [36, 25, 45]
rate = 7
[[pipe]]
name = "near"
capacity = 100
height = 4096
base = 106496
at = [11, 26, 10]
[[pipe]]
name = "far"
capacity = 100
height = 4096
base = 106496
at = [11, 26, 16]
[[link]]
from = "near"
to = "far"
[[port]]
node = "far"
cell = [11, 25, 18]
kind = "inlet"
rate = 5
`;
const FLAT = `[world]
name = "flat"
size = [40, 30, 1]
[[fill]]
from = [0, 0, 0]
size = [40, 4, 1]
cell = "#"
`;

const sight = async (page, name) => {
  await page.waitForFunction((wanted) => window.sluice?.mirror && document.getElementById("sight").value === wanted &&
    (window.sluice.sight?.name ?? "front") === wanted, name);
  await page.waitForFunction(() => window.sluice.mirror.chunks.size > 0);
};
const slice = async (page, z) => {
  await page.locator("#slice").fill(String(z));
  await page.evaluate(() => document.getElementById("slice").blur());
};
const hoverAt = async (page, x, y) => {
  const at = await place(page, x, y);
  await page.mouse.move(at.x, at.y);
};
const shown = (page, pattern) => page.waitForFunction((text) =>
  new RegExp(text).test(document.getElementById("hover").textContent), pattern.source);
/** What the server has, asked for from the front. */
const light = async (page, x, y) => (await colour(page, x, y)).slice(0, 3).reduce((sum, value) => sum + value);

async function fromTheSide(page, name) {
  console.log(`${name}: from the side z runs right, and slices are chosen by x`);
  await page.selectOption("#sight", "side");
  await sight(page, "side");
  assert.equal(await page.inputValue("#slice"), "19");
  assert.equal(await page.locator("#slice").getAttribute("max"), "39");
  await slice(page, 11);
  assert.equal(await page.textContent("#slice-value"), "x 11");
  await expectLook(page, 6, 15, "rock"); // the pillar: z 5 to 8
  await expectLook(page, 10, 15, "air");
  await slice(page, 14);
  await expectLook(page, 6, 15, "air");
  await slice(page, 25);
  await expectLook(page, 35, 2, "water");
  await expectLook(page, 45, 2, "rock");
  await shot(page, `side-${name}`);
  if (name === "desktop") { // a phone has no hover
    await hoverAt(page, 35, 2);
    await shown(page, /^\[25, 2, 35\] water/);
  }
  assert.match(await page.textContent("#facts"), /^40 × 30 × 50/);
  assert.deepEqual(await page.evaluate(() => [...window.sluice.fixtures.open]), ["left"], "the open front");
  assert.equal(await page.evaluate(() => window.sluice.mirror.mismatches), 0);
}

async function building(page, name, column) {
  console.log(`${name}: what is built from the side stands there from the front, and can be taken back`);
  await slice(page, column);
  await page.click("[data-tool=rock]");
  await page.locator("#size").fill("1");
  await page.evaluate(() => document.getElementById("size").blur());
  const at = await place(page, 12, 20);
  await page.mouse.click(at.x, at.y);
  await expectLook(page, 12, 20, "rock");
  await page.click("#undo");
  await expectLook(page, 12, 20, "air");
  await page.click("#redo");
  await expectLook(page, 12, 20, "rock");
  await page.click("[data-tool=pan]");
  await page.selectOption("#sight", "front");
  await sight(page, "front");
  await slice(page, 12);
  assert.equal(await page.textContent("#slice-value"), "z 12");
  await expectLook(page, column, 20, "rock");
  await expectLook(page, column + 2, 20, "air");
}

const tells = (page, ...wanted) => page.waitForFunction((parts) => {
  const tip = document.getElementById("pipe-tip");
  return !tip.hidden && parts.every((part) => tip.textContent.includes(part));
}, wanted);

async function pipesFromTheSide(page) {
  console.log("pipes are seen and told of from the side, and those that are laid there stand there from the front");
  await slice(page, 14);
  const air = await light(page, 13, 26);
  await slice(page, 11);
  await until("the link is drawn", async () => Math.abs(await light(page, 13, 26) - air) > 60);
  await hoverAt(page, 10, 26);
  await tells(page, "near · pipe", "0 of 100", "Its line is fed by far.");
  await hoverAt(page, 18, 25);
  await tells(page, "port of far", "inlet at [11, 25, 18], idle", "There is no water in its cell.");
  await page.evaluate(() => window.sluice.hand.setPipeTool("pipe"));
  const [from, to] = [await place(page, 20, 26), await place(page, 23, 26)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await page.mouse.up();
  const cells = [20, 21, 22, 23].map((z) => `11,26,${z}`);
  const stand = (turned) => page.waitForFunction((all) => all.every((cell) => window.sluice.mirror?.pipes.networks.byCell.has(cell)), turned);
  await stand([20, 21, 22, 23].map((z) => `${z},26,11`));
  await page.evaluate(() => window.sluice.hand.setPipeTool(null));
  const copies = await copiedFromTheSide(page, stand);
  await page.selectOption("#sight", "front");
  await sight(page, "front");
  await stand([...cells, ...copies]);
  assert.equal(await page.evaluate(() => window.sluice.mirror.mismatches), 0);
  await page.selectOption("#sight", "side");
  await sight(page, "side");
}

/** Pastes the four pipes once more, takes them back and makes them again; where they stand, from the front. */
async function copiedFromTheSide(page, stand) {
  console.log("pipes that are copied from the side are pasted there, taken back and made again");
  await page.keyboard.press("7");
  const [from, to] = [await place(page, 20, 26), await place(page, 23, 26)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await page.mouse.up();
  await expectToast(page, /Copied 4 × 1 cells: .*4 pipes/);
  const at = await place(page, 28, 15); // its left cell comes to 26
  await page.mouse.click(at.x, at.y);
  const pasted = [26, 27, 28, 29].map((z) => `${z},15,11`);
  await stand(pasted);
  const links = () => page.evaluate(() => window.sluice.mirror.pipes.networks.links
    .filter(({ from: a, to: b }) => a.node.at?.y === 15 && b.node.at?.y === 15).length);
  await until("they are linked as those that were copied", async () => await links() === 3);
  await page.keyboard.press("Control+z");
  await page.waitForFunction((all) => all.every((cell) => !window.sluice.mirror.pipes.networks.byCell.has(cell)), pasted);
  await page.keyboard.press("Control+Shift+z");
  await stand(pasted);
  await page.click('[data-tool="pan"]');
  return [26, 27, 28, 29].map((z) => `11,15,${z}`);
}

async function standsFromAbove(page) {
  console.log("from above what stands farther down is seen, and told of by its place in the world");
  await hoverAt(page, 11, 10);
  await tells(page, "near · pipe");
  await hoverAt(page, 11, 18);
  await tells(page, "inlet at [11, 25, 18], idle", "There is no water in its cell.");
  await hoverAt(page, 36, 45);
  await tells(page, "Drain at [36, 25, 45]");
  await shown(page, /· drain, 7 a tick$/);
  const at = await place(page, 11, 10);
  await page.mouse.click(at.x, at.y);
  await page.waitForFunction(() => window.sluice.hand.pipes.chosen === "near");
  await page.keyboard.press("5");
  await page.waitForFunction(() => /near · pipe/.test(document.getElementById("pipe-card")?.textContent ?? ""));
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#pipe-card [data-action]")].map((each) => each.dataset.action)),
    ["upgrade", "remove", "close"], "what can be done with it from every side");
  await page.evaluate(() => document.querySelector("#pipe-card [data-action=close]").click());
  await page.waitForFunction(() => window.sluice.hand.pipes.chosen === null);
  await page.keyboard.press("5");
  await slice(page, 24);
  await hoverAt(page, 36, 45);
  await page.waitForFunction(() => document.getElementById("pipe-tip").hidden);
  await slice(page, 29);
}

async function pinsTurn(page) {
  console.log("what is pinned stays the same place, from whichever side it is seen");
  await page.click("[data-tool=inspect]");
  const at = await place(page, 25, 35);
  await slice(page, 2);
  await page.mouse.click(at.x, at.y);
  const pinned = (pattern) => page.waitForFunction((text) =>
    new RegExp(text).test(document.querySelector("#pins h3")?.textContent ?? ""), pattern.source);
  await pinned(/^\[25, 2, 35\] water/);
  await page.click("#pins button:text('column')");
  await pinned(/^Column x 25, z 35$/);
  await page.waitForFunction(() => /highest.*top at 4/s.test(document.querySelector("#pins article").textContent));
  await page.click("#pins button:text('chunk')");
  await pinned(/^Chunk 1, 0, 2$/);
  await page.click("#pins button:text('cell')");
  for (const [name, through] of [["side", 25], ["front", 35], ["top", 29]]) {
    await page.selectOption("#sight", name);
    await sight(page, name);
    await slice(page, through); // what is out of view the page does not know
    await page.waitForTimeout(300);
    await pinned(/^\[25, 2, 35\] water/);
  }
  await page.click("#inspector-close");
  await page.click("[data-tool=pan]");
  await slice(page, 29);
}

async function fromAbove(page, name) {
  console.log(`${name}: from above z runs up, what lies deep is dark, and a height cuts through`);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("v");
  await sight(page, "side");
  await page.keyboard.press("v");
  await sight(page, "top");
  assert.equal(await page.locator("#slice").getAttribute("max"), "29");
  await slice(page, 29);
  assert.equal(await page.textContent("#slice-value"), "y 29");
  await expectLook(page, 25, 35, "water");
  await expectLook(page, 5, 24, "rock");
  // The pillar is nearest, then the step, then the floor.
  await until("what is deeper is darker", async () => {
    const [pillar, step, floor] = [await light(page, 11, 7), await light(page, 6, 24), await light(page, 35, 10)];
    return pillar > step + 40 && step > floor + 15;
  });
  await shot(page, `top-${name}`);
  const deep = await light(page, 35, 10);
  await slice(page, 3);
  await until("a lower height is nearer to the floor", async () => await light(page, 35, 10) > deep + 30);
  await slice(page, 2);
  await expectLook(page, 25, 35, "water");
  await slice(page, 29);
  if (name === "desktop") {
    await hoverAt(page, 25, 35);
    await shown(page, /^\[25, 3, 35\] water/);
    await standsFromAbove(page);
    await pinsTurn(page);
  }

  console.log(`${name}: what changes far below is seen from above`);
  await page.evaluate(() => window.sluice.command({ cmd: "set_cells", from: [34, 9, 3], size: [3, 3, 1], cell: "~" }));
  await expectLook(page, 35, 10, "water");
  assert.equal(await page.evaluate(() => window.sluice.mirror.mismatches), 0);
  await page.evaluate(() => window.sluice.command({ cmd: "set_cells", from: [34, 9, 3], size: [3, 3, 1], cell: "#" }));
  await expectLook(page, 35, 10, "rock");
  await page.keyboard.press("v");
  await sight(page, "orbit");
  await page.keyboard.press("v");
  await sight(page, "front");
  assert.equal(await page.locator("[data-tool=rock]").isDisabled(), false);
}

async function links(page, url) {
  console.log("a link leads to a side, and the address keeps it");
  await page.goto(`${url}/#solid@35,15,25,12x,side`);
  await sight(page, "side");
  await page.waitForFunction(() => window.sluice.camera.x === 35 && window.sluice.slice === 25);
  await expectLook(page, 35, 2, "water");
  await page.click("#zoom-in");
  await page.waitForFunction(() => /^#solid@35,15,25,15x,side$/.test(location.hash));
  await page.evaluate(() => (location.hash = "#solid@20,25,29,10x,top"));
  await sight(page, "top");
  await page.waitForFunction(() => window.sluice.camera.y === 25);
  await page.reload();
  await sight(page, "top");

  console.log("a flat world has no other side");
  await page.selectOption("#world", "flat");
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "flat" && window.sluice.mirror.chunks.size > 0);
  assert.equal(await page.locator("#sight").isVisible(), false);
  await page.keyboard.press("v");
  await expectLook(page, 20, 2, "rock");
  assert.equal(await page.evaluate(() => window.sluice.sight), null);
}

await main(async () => {
  const paths = Object.entries({ solid: WORLD, flat: FLAT }).flatMap(([name, text]) => {
    writeFileSync(join(folder, `${name}.toml`), text);
    return ["--world", join(folder, `${name}.toml`)];
  });
  const server = await startServer(serverPath, [...paths, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  let column = 30;
  for (const name of ["desktop", "phone"]) {
    const context = await browser.newContext({ viewport: SIZES[name] });
    const page = await openPage(context, `${server.url}/#solid`);
    await sight(page, "front");
    await expectLook(page, 5, 2, "rock");
    await shot(page, `front-${name}`);
    await fromTheSide(page, name);
    if (name === "desktop") await pipesFromTheSide(page);
    await building(page, name, (column += 3));
    await fromAbove(page, name);
    if (name === "desktop") await links(page, server.url);
    await context.close();
  }
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
