// Goal: a box of the world is copied and pasted with its rock, its water to the unit and its pipes; what was
// pasted is taken back and made again; it goes along to another world; keys do all of it.
// Method: a real server and headless Chromium; cells are read from the page's mirror.
//
//   node copy_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectToast, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

/** A tub with still water and two linked pipes in its wall, one of them with a port into the water. */
const TUB = `[[fill]]
from = [10, 10, 0]
size = [12, 8, 1]
cell = "#"
[[fill]]
from = [12, 12, 0]
size = [8, 6, 1]
cell = "."
[[fill]]
from = [12, 12, 0]
size = [8, 3, 1]
cell = "~"
[[pipe]]
name = "riser"
at = [11, 12, 0]
base = 45056
amount = 2000
[[valve]]
name = "tap"
at = [11, 14, 0]
base = 53248
open = false
[[link]]
from = "riser"
to = "tap"
one_way = true
[[port]]
node = "tap"
cell = [12, 13, 0]
kind = "outlet"
rate = 70
`;
const head = (name) => `[world]
name = "${name}"
size = [100, 60, 1]
water = "hydro"
`;

const cell = (page, x, y) => page.evaluate(([cx, cy]) => window.sluice.mirror.cell(cx, cy, 0), [x, y]);
const expectCell = (page, x, y, wanted) =>
  until(`[${x}, ${y}] holds ${wanted}`, async () => await cell(page, x, y) === wanted);
const expectText = (page, id, pattern) =>
  until(`#${id} says ${pattern}`, async () => pattern.test(await page.textContent(`#${id}`)));

async function drag(page, from, to) {
  const [start, end] = [await place(page, ...from), await place(page, ...to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 6 });
  await page.mouse.up();
}

async function click(page, at) {
  const { x, y } = await place(page, ...at);
  await page.mouse.click(x, y);
}

/** The nodes that stand at so many cells to the right of those that were copied. */
const copies = (page, dx, dy) => page.evaluate(([right, up]) => {
  const { nodes, links, ports } = window.sluice.mirror.pipes.networks;
  const at = (node, x, y) => node.at?.x === x + right && node.at?.y === y + up;
  const riser = nodes.find(({ node }) => at(node, 11, 12));
  const tap = nodes.find(({ node }) => at(node, 11, 14));
  return riser && tap ? {
    bases: [riser.node.base, tap.node.base], amount: riser.amount, open: tap.node.open, kind: tap.node.kind,
    links: links.filter(({ from, to }) => from === riser && to === tap).map(({ oneWay }) => oneWay),
    ports: ports.filter(({ owner }) => owner === tap).map(({ port }) => [port.cell.x - right, port.cell.y - up, port.kind, port.rate]),
  } : null;
}, [dx, dy]);

async function copyAndPaste(page) {
  console.log("a tub is copied, with what it holds and its pipes");
  await page.keyboard.press("f");
  await page.waitForFunction(() => window.sluice.mirror.pipes.networks.links.length === 1);
  assert.equal(await cell(page, 15, 13), 4096);
  await page.keyboard.press("8");
  await click(page, [60, 40]);
  await expectToast(page, /Nothing is copied yet/);
  await page.keyboard.press("7");
  await drag(page, [10, 10], [21, 17]);
  await expectToast(page, /Copied 12 × 8 cells: 48 rock, 24 with water, 2 pipes/);
  assert.equal(await page.evaluate(() => document.querySelector("[data-tool].active").dataset.tool), "paste");
  const at = await place(page, 60, 40);
  await page.mouse.move(at.x, at.y);
  await shot(page, "paste-ghost");

  console.log("it is pasted about the pointer");
  await click(page, [60, 40]); // its left lower cell comes to [54, 36]
  await expectCell(page, 54, 36, -1);
  await until("the pipes are there", async () => await copies(page, 44, 26) !== null);
  await until("all of them", async () => (await copies(page, 44, 26)).ports.length === 1);
  const made = await copies(page, 44, 26);
  assert.deepEqual(made, { bases: [45056 + 26 * 4096, 53248 + 26 * 4096], amount: 2000, open: false, kind: "valve",
    links: [true], ports: [[12, 13, "outlet", 70]] });
  for (const [x, y, held] of [[55, 40, -1], [56, 38, 4096], [63, 40, 4096], [60, 42, 0], [65, 43, -1]]) {
    await expectCell(page, x, y, held);
  }
  await shot(page, "pasted");
}

async function takeBack(page) {
  console.log("undo takes all of it back, redo makes it again");
  await page.keyboard.press("Control+z");
  for (const [x, y] of [[54, 36], [56, 38], [65, 43]]) await expectCell(page, x, y, 0);
  await until("no pipes are left there", async () => await copies(page, 44, 26) === null);
  await page.keyboard.press("Control+Shift+z");
  await expectCell(page, 54, 36, -1);
  await expectCell(page, 56, 38, 4096);
  await until("the pipes are there again", async () => await copies(page, 44, 26) !== null);

  console.log("over water that is there, undo gives that back; what another changed stays");
  await page.keyboard.press("7");
  await drag(page, [14, 10], [16, 11]); // rock, which stands: water would flow into a hole
  await click(page, [60, 39]); // over water of the pasted tub
  await expectCell(page, 60, 39, -1);
  await page.evaluate(() => window.sluice.command({ cmd: "set_cells", from: [59, 38, 0], size: [1, 1, 1], cell: "." }));
  await until("another dug there", async () => await cell(page, 59, 38) !== -1);
  // Before its answer the page can't tell its own changes from others'.
  await until("all is answered and shown", () => page.evaluate(() => window.sluice.queue.isSeenAt(window.sluice.mirror.tick)));
  await page.keyboard.press("Control+z");
  await expectToast(page, /Undone, but one cell was changed by others/);
  await until("the rock is gone", async () => await cell(page, 60, 39) !== -1);
}

async function elsewhere(page) {
  console.log("what is copied goes along to another world, and keys do all of it");
  await page.keyboard.press("Control+c");
  await page.mouse.move(2, 2);
  await page.focus("#view");
  await page.keyboard.press("ArrowUp");
  const go = async (x, y) => {
    const from = await page.evaluate(() => window.sluice.hover);
    for (let i = 0; i < Math.abs(x - from.x); ++i) await page.keyboard.press(x < from.x ? "ArrowLeft" : "ArrowRight");
    for (let i = 0; i < Math.abs(y - from.y); ++i) await page.keyboard.press(y < from.y ? "ArrowDown" : "ArrowUp");
  };
  await go(10, 10);
  await page.keyboard.press("Enter");
  await expectText(page, "live", /copy begins at 10, 10/);
  await go(13, 17);
  await page.keyboard.press("Enter");
  await expectToast(page, /Copied 4 × 8 cells/);
  await page.selectOption("#world", "empty");
  await page.waitForFunction(() => window.sluice.mirror?.welcome.world === "empty");
  await page.keyboard.press("Control+v");
  await page.focus("#view");
  await page.keyboard.press("ArrowUp");
  const at = await page.evaluate(() => window.sluice.hover);
  await page.keyboard.press("Enter");
  await expectText(page, "live", new RegExp(`paste at ${at.x}, ${at.y}`));
  await expectCell(page, at.x - 2, at.y - 4, -1);
  await until("its pipes", () => page.evaluate(() => window.sluice.mirror.pipes.networks.nodes.length === 2));
  assert.ok(!page.url().includes("paste"), "a link names no tool that means nothing to others");

  console.log("Escape puts it away");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => window.sluice.hand.brush.tool), "pan");
}

await main(async () => {
  writeFileSync(join(folder, "tub.toml"), head("tub") + TUB);
  writeFileSync(join(folder, "empty.toml"), head("empty"));
  const server = await startServer(serverPath, ["--world", join(folder, "tub.toml"), "--world", join(folder, "empty.toml"),
    "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  const page = await openPage(await browser.newContext({ viewport: SIZES.desktop }), `${server.url}/#tub`);
  await copyAndPaste(page);
  await takeBack(page);
  await elsewhere(page);
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
