// Goal: a 3D world is built from above and in orbit with the same tools as from the front: on what is seen or in it, by
// pointer, finger and keys, with undo; in orbit a stroke is the tool's, and Space turns the world then.
// Method: a real server, headless Chromium at two sizes; what stands where is read from the page's mirror, whose digests
// the server confirms.
//
//   node above_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findViolations, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);
const ROCK = -1;

/** 40 wide, 24 high, 40 deep: a floor whose top is at 3, a basin with two cells of water, a step whose top is at 9; and a pit, which a
 *  spring of 8 units a tick takes ten minutes to fill: a slow machine must find no film of its water on the floor. */
const WORLD = `[world]
name = "solid"
size = [40, 24, 40]
[[fill]]
from = [0, 0, 0]
size = [40, 4, 40]
cell = "#"
[[fill]]
from = [20, 1, 24]
size = [12, 3, 12]
cell = "."
[[fill]]
from = [20, 1, 24]
size = [12, 2, 12]
cell = "~"
[[fill]]
from = [4, 4, 20]
size = [8, 6, 8]
cell = "#"
[[fill]]
from = [33, 1, 4]
size = [3, 3, 3]
cell = "."
`;

/** What the world has at [x, y, z]. */
const cell = (page, x, y, z) => page.evaluate(([a, b, c]) => window.sluice.mirror.cell(a, c, b), [x, y, z]);
const comes = (page, [x, y, z], wanted, what) => until(`${what} at [${x}, ${y}, ${z}]`, async () => {
  const held = await cell(page, x, y, z);
  return held === wanted;
});
async function sight(page, name) {
  await page.selectOption("#sight", name);
  await page.waitForFunction((wanted) => window.sluice?.sight?.name === wanted && window.sluice.mirror?.chunks.size > 0, name);
}
const tool = (page, name) => page.evaluate((wanted) => window.sluice.hand.setTool(wanted), name);
const size = (page, cells) => page.evaluate((wanted) => window.sluice.hand.setSize(wanted), cells);
const shape = (page, name) => page.evaluate((wanted) => window.sluice.hand.setShape(wanted), name);
const click = async (page, x, z, button = "left") => {
  const at = await place(page, x, z);
  await page.mouse.click(at.x, at.y, { button });
};
async function drag(page, from, to) {
  const [begin, end] = [await place(page, ...from), await place(page, ...to)];
  await page.mouse.move(begin.x, begin.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 8 });
  await page.mouse.up();
}
const undo = (page) => page.evaluate(() => window.sluice.hand.undo());
const redo = (page) => page.evaluate(() => window.sluice.hand.redo());
const nothingRefused = async (page) => assert.doesNotMatch(await page.textContent("#toast"), /Refused|Not connected/);

async function cellsFromAbove(page, name) {
  console.log(`${name}: rock comes onto what is seen, the right button digs what is seen`);
  assert.equal(await page.locator("[data-tool=rock]").isDisabled(), false);
  await tool(page, "rock");
  await size(page, 1);
  await click(page, 5, 5);
  await comes(page, [5, 4, 5], ROCK, "rock");
  await click(page, 5, 5);
  await comes(page, [5, 5, 5], ROCK, "more of it");
  await click(page, 5, 5, "right");
  await comes(page, [5, 5, 5], 0, "air again");
  await undo(page);
  await comes(page, [5, 5, 5], ROCK, "what was dug");
  await redo(page);
  await comes(page, [5, 5, 5], 0, "air once more");

  console.log(`${name}: a drag stays as high as it begins; a box and a fill likewise`);
  await drag(page, [9, 24], [14, 24]); // from the step, whose top is at 9, over the floor
  for (const x of [9, 12, 14]) await comes(page, [x, 10, 24], ROCK, "rock in one height");
  assert.equal(await cell(page, 14, 4, 24), 0);
  await undo(page);
  await comes(page, [14, 10, 24], 0, "all of it taken back");
  await tool(page, "air");
  await shape(page, "box");
  await drag(page, [4, 20], [11, 27]);
  for (const [x, z] of [[4, 20], [11, 27]]) await comes(page, [x, 9, z], 0, "the step's top layer is dug");
  assert.equal(await cell(page, 8, 8, 24), ROCK);
  await shape(page, "brush");
  await shot(page, `above-built-${name}`);
}

async function waterFromAbove(page, name) {
  console.log(`${name}: water that is poured onto full cells rises over them; undo takes back what has not run away yet`);
  const water = () => page.evaluate(() => window.sluice.mirror.counters.water);
  const before = await water();
  await tool(page, "water");
  await size(page, 3);
  await click(page, 25, 30);
  await until("it rose", async () => await water() === before + 9 * 4096);
  await undo(page);
  await until("some of it is gone", async () => await water() < before + 9 * 4096);
  await tool(page, "take");
  const held = await water();
  await click(page, 26, 30);
  await until("it is taken", async () => await water() < held);
  await nothingRefused(page);
}

async function thingsFromAbove(page) {
  console.log("springs and pipes stand on what is seen, and are found from above wherever they stand");
  const stands = (list, at) => page.waitForFunction(([kind, [x, y, z]]) =>
    window.sluice.fixtures[kind].some((each) => each.at.x === x && each.at.y === z && each.at.z === y), [list, at]);
  await page.keyboard.press("Shift+S");
  await page.waitForFunction(() => document.getElementById("placing-panel") && !document.getElementById("placing-panel").hidden);
  await page.locator("#placing-panel input[name=rate]").fill("8");
  await page.evaluate(() => document.activeElement.blur());
  await click(page, 34, 5);
  await stands("sources", [34, 1, 5]);
  await page.keyboard.press("Shift+X");
  await click(page, 34, 5);
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 0);
  await tool(page, "air");
  await size(page, 1);
  await click(page, 6, 22);
  await comes(page, [6, 8, 22], 0, "a pit in the step");
  await page.keyboard.press("Shift+L");
  await click(page, 6, 22);
  await comes(page, [6, 8, 22], 4096, "water up to the pit's brim");
  await nothingRefused(page);

  await page.evaluate(() => window.sluice.hand.setPipeTool("pipe"));
  await drag(page, [14, 6], [17, 6]);
  const laid = [14, 15, 16, 17].map((x) => `${x},6,4`);
  const there = (cells) => page.waitForFunction((all) => all.every((each) => window.sluice.mirror.pipes.networks.byCell.has(each)), cells);
  await there(laid);
  assert.deepEqual(await page.evaluate(() => window.sluice.mirror.pipes.networks.nodes.map(({ node }) => node.base)), Array(4).fill(4 * 4096));
  await until("they are linked", () => page.evaluate(() => window.sluice.mirror.pipes.networks.links.length === 3));
  await page.evaluate(() => window.sluice.hand.setPipeTool("pipe"));
  await drag(page, [17, 6], [17, 8]); // goes on from the pipe, at its height
  await there(["17,7,4", "17,8,4"]);
  await until("those, too", () => page.evaluate(() => window.sluice.mirror.pipes.networks.links.length === 5));
  await page.evaluate(() => window.sluice.hand.setPipeTool("remove"));
  await click(page, 17, 8);
  await page.waitForFunction(() => !window.sluice.mirror.pipes.networks.byCell.has("17,8,4"));
  await page.evaluate(() => window.sluice.hand.setPipeTool("unlink"));
  await drag(page, [15, 6], [16, 6]);
  await until("one link less", () => page.evaluate(() => window.sluice.mirror.pipes.networks.links.length === 3));
  await shot(page, "above-pipes");

  console.log("a part of a height is copied with its pipes and put on what is seen elsewhere");
  await page.evaluate(() => window.sluice.hand.setPipeTool(null));
  // A copy is of one height, that of what is seen where it begins: here of rock that is as high as the pipes.
  await tool(page, "rock");
  await size(page, 1);
  await click(page, 13, 6);
  await comes(page, [13, 4, 6], ROCK, "a cell to begin at");
  await tool(page, "copy");
  await drag(page, [13, 6], [15, 6]);
  await page.waitForFunction(() => {
    const { region } = window.sluice.hand.stamp;
    return region?.cells.join() === "-1,0,0" && region.pipes.nodes.length === 2;
  });
  await click(page, 8, 24); // onto the step
  await comes(page, [7, 9, 24], ROCK, "the rock");
  await there(["8,24,9", "9,24,9"]);
  assert.deepEqual(await page.evaluate(() => window.sluice.mirror.pipes.networks.byCell.get("8,24,9").map(({ node }) => node.base)), [9 * 4096]);
  await undo(page);
  await page.waitForFunction(() => !window.sluice.mirror.pipes.networks.byCell.has("8,24,9"));
}

async function keysFromAbove(page) {
  console.log("keys do it, too, and the line below the picture tells of what is seen");
  await tool(page, "rock");
  await size(page, 1);
  const at = await place(page, 3, 34);
  await page.mouse.move(at.x, at.y);
  await page.waitForFunction(() => /^\[3, 3, 34\] rock/.test(document.getElementById("hover").textContent));
  await page.focus("#view");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await comes(page, [4, 4, 34], ROCK, "rock by keys");
  await shape(page, "line");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+ArrowRight");
  await page.keyboard.press("Enter");
  await comes(page, [15, 4, 34], ROCK, "a line of it");
  await shape(page, "brush");
  const over = await place(page, 22, 26);
  await page.mouse.move(over.x, over.y);
  await page.keyboard.press("i");
  assert.equal(await page.evaluate(() => window.sluice.hand.brush.tool), "water", "what is seen is taken up");
}

const angles = (page) => page.evaluate(() => ["yaw", "pitch"].map((name) => window.sluice.sight.camera[name]));
const rests = (page) => until("it is turned where it goes to", () => page.evaluate(() =>
  !window.sluice.sight.camera.step(performance.now(), false)));
/** Where a place of the world is on the page: over the middle of a cell's top. */
const spotOf = (page, x, y, z) => page.evaluate(([a, b, c]) => {
  const { left, top } = window.sluice.canvas.getBoundingClientRect();
  const [right, down] = window.sluice.sight.lens.spot({ x: a, y: c, z: b + 0.5 });
  return { x: left + right, y: top + down };
}, [x, y, z]);

async function orbit(page, name) {
  console.log(`${name}: in orbit rock comes onto what is pointed at, in the height where a drag begins`);
  await sight(page, "orbit");
  await until("it is drawn", () => page.evaluate(() => window.sluice.sight.lens !== null));
  await page.evaluate(() => window.sluice.sight.camera.turn(-0.3, 0.3)); // steep enough that nothing hides the floor
  await rests(page);
  await page.evaluate(() => window.sluice.paint());
  await tool(page, "rock");
  await size(page, 1);
  const from = await spotOf(page, 30, 3, 10);
  await page.mouse.move(from.x, from.y);
  await shot(page, `orbit-cursor-${name}`);
  await page.waitForFunction(() => /^\[30, 3, 10\] rock/.test(document.getElementById("hover").textContent));
  const to = await spotOf(page, 36, 3, 10);
  const before = await angles(page);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.mouse.up();
  for (const x of [30, 33, 36]) await comes(page, [x, 4, 10], ROCK, "a wall in orbit");
  assert.deepEqual(await angles(page), before, "a stroke turns nothing");

  console.log(`${name}: the right button digs, undo puts back, Space and a drag turn, and build nothing`);
  await until("the wall is drawn", () => page.evaluate(() => {
    window.sluice.paint();
    return window.sluice.sight.picture.now.some((value) => value === 5);
  }));
  const wall = await spotOf(page, 33, 4, 10);
  await page.mouse.click(wall.x, wall.y, { button: "right" });
  await comes(page, [33, 4, 10], 0, "a gap");
  await undo(page);
  await comes(page, [33, 4, 10], ROCK, "the wall again");
  const built = await page.evaluate(() => window.sluice.mirror.counters.tick);
  await page.focus("#view");
  await page.keyboard.down("Space");
  await page.mouse.down();
  await page.mouse.move(wall.x - 60, wall.y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Space");
  await rests(page);
  assert.ok((await angles(page))[0] > before[0] + 0.2, `turned from ${before} at ${built}`);
  assert.equal(await cell(page, 33, 5, 10), 0);
  await shot(page, `orbit-built-${name}`);
  if (name === "desktop") assert.deepEqual(await findViolations(page, packagePath), []);
}

async function fingersInOrbit(page) {
  console.log("one finger builds with a tool; a second one takes that back and zooms");
  const session = await page.context().newCDPSession(page);
  const send = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  const at = await spotOf(page, 15, 3, 34);
  await send("touchStart", { id: 1, ...at });
  await send("touchEnd");
  await until("rock by a finger", () => page.evaluate(() => {
    const { mirror } = window.sluice;
    return [...Array(40).keys()].some((x) => [...Array(40).keys()].some((z) => z > 28 && x > 10 && mirror.cell(x, z, 4) === -1));
  }));
  const scale = await page.evaluate(() => window.sluice.camera.scale);
  const tick = await page.evaluate(() => window.sluice.hand.brush.history.done.length);
  await send("touchStart", { id: 1, x: at.x - 20, y: at.y });
  await send("touchStart", { id: 1, x: at.x - 20, y: at.y }, { id: 2, x: at.x + 20, y: at.y });
  for (let i = 1; i <= 8; ++i) await send("touchMove", { id: 1, x: at.x - 20 - 5 * i, y: at.y }, { id: 2, x: at.x + 20 + 5 * i, y: at.y });
  await send("touchEnd");
  await until("it is nearer", () => page.evaluate((before) => window.sluice.camera.scale > before * 1.5, scale));
  assert.equal(await page.evaluate(() => window.sluice.hand.brush.history.done.length), tick, "nothing was built");
}

await main(async () => {
  writeFileSync(join(folder, "solid.toml"), WORLD);
  const browser = await launch(packagePath, chromiumPath);
  for (const name of ["desktop", "phone"]) {
    const server = await startServer(serverPath, ["--world", join(folder, "solid.toml"), "--listen", "127.0.0.1:0", "--data", join(folder, `data-${name}`)]);
    const context = await browser.newContext({ viewport: SIZES[name], hasTouch: name === "phone" });
    const page = await openPage(context, `${server.url}/#solid`);
    await page.waitForFunction(() => window.sluice?.mirror?.chunks.size > 0);
    await sight(page, "top");
    await page.evaluate(() => window.sluice.setSlice(23));
    await until("all of it is here", async () => (await cell(page, 39, 0, 39)) === ROCK && (await cell(page, 8, 9, 24)) === ROCK);
    await cellsFromAbove(page, name);
    await waterFromAbove(page, name);
    if (name === "desktop") {
      await thingsFromAbove(page);
      await keysFromAbove(page);
    }
    await orbit(page, name);
    if (name === "phone") await fingersInOrbit(page);
    assert.equal(await page.evaluate(() => window.sluice.mirror.mismatches), 0);
    await context.close();
    assert.equal(await stopServer(server), 0);
  }
  await browser.close();
});
