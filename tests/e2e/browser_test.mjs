// Goal: the page shows the world as it is; strokes of its brush change the world for everybody; it
// comes back by itself when the server does.
// Method: a real server and real headless Chromium, twice; what is shown is read as pixels.
//
//   node browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON   (of the folder with playwright-core)
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectLook, expectToast, folder, main, openBrowser, openPage, place, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

// A room with a shelf on the left and a resting pool on the right; and a 3D world.
const FLAT = `[world]
name = "room"
size = [64, 40, 1]
water = "cellular"
[[fill]]
from = [0, 0, 0]
size = [64, 8, 1]
cell = "#"
[[fill]]
from = [32, 4, 0]
size = [20, 4, 1]
cell = "~"
`;
const SOLID = `[world]
name = "solid"
size = [32, 32, 32]
water = "cellular"
[[fill]]
from = [0, 0, 8]
size = [32, 16, 8]
cell = "#"
`;

function startWorlds(listen) {
  const files = [["room", FLAT], ["solid", SOLID]].map(([name, text]) => {
    const path = join(folder, `${name}.toml`);
    writeFileSync(path, text);
    return path;
  });
  return startServer(serverPath, ["--world", files[0], "--world", files[1], "--listen", listen,
    "--data", join(folder, "data")]);
}

/** Draws with a tool from cell to cell. The pointer ends elsewhere: its frame must not be read. */
async function stroke(page, key, from, to) {
  await page.keyboard.press(key);
  const start = await place(page, ...from);
  const end = await place(page, ...to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 8 });
  await page.mouse.up();
  const away = await place(page, 1, 38);
  await page.mouse.move(away.x, away.y);
}

/** Waits until the page's mirror says so; `check` runs in the page, with its networks. */
async function expectPipes(page, what, check) {
  // Not by waitForFunction: of a text it makes a function in the page, which the page's rules forbid.
  await until(what, () => page.evaluate(`(${check})(window.sluice.mirror.pipes.networks)`));
}

async function drag(page, from, to) {
  const start = await place(page, ...from);
  const end = await place(page, ...to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 12 });
  await page.mouse.up();
}

async function pipesAreBuilt(page, other) {
  console.log("a drag lays a line of pipes, which the second page shows");
  await page.keyboard.press("5");
  await page.click('[data-pipe="pipe"]');
  await page.fill('[name="base"]', "0");  // below the pool, wherever they are drawn
  await drag(page, [4, 30], [10, 30]);
  for (const each of [page, other]) {
    await expectPipes(each, "seven pipes in a line", ({ nodes, links }) =>
      nodes.length === 7 && links.length === 6);
  }

  console.log("a port lets the world's water in, and the fill rises");
  await page.click('[data-pipe="port"]');
  await page.selectOption('[name="kind"]', "inlet");
  await page.fill('[name="rate"]', "5000");
  await drag(page, [4, 30], [45, 5]);
  await expectPipes(other, "water comes out of the pool", ({ nodes, ports }) =>
    ports.length === 1 && ports[0].shows.state === "running" && nodes.some((view) => view.fill > 0.6));
  await expectLook(other, 4, 30, "water");

  console.log("a valve is built, linked and closed");
  await page.click('[data-pipe="valve"]');
  await drag(page, [14, 30], [14, 30]);
  await page.click('[data-pipe="link"]');
  await page.check('[name="one_way"]');
  await drag(page, [10, 30], [14, 30]);
  await expectPipes(other, "a check valve to the valve", ({ links }) =>
    links.some((link) => link.oneWay && link.to.node.kind === "valve"));
  await page.click('[data-pipe="switch"]');
  await drag(page, [14, 30], [14, 30]);
  await expectPipes(other, "a closed valve", ({ nodes }) => nodes.some(({ node }) => !node.open));

  console.log("hovering tells what a pipe holds; refusals are shown with their reason");
  const first = await place(other, 4, 30);
  await other.mouse.move(first.x, first.y);
  await other.waitForFunction(() =>
    /amount [\d,]+ of 20,000/.test(document.getElementById("pipe-tip").textContent));
  await page.click('[data-pipe="pump"]');
  await page.fill('[name="capacity"]', "0");
  await drag(page, [20, 35], [20, 35]);
  await expectToast(page, /Refused: .*capacity/);

  console.log("pipes are removed");
  await page.click('[data-pipe="remove"]');
  await drag(page, [14, 30], [14, 30]);
  await expectPipes(other, "no valve", ({ nodes }) => nodes.every(({ node }) => node.kind !== "valve"));
  await page.keyboard.press("5");
  for (const each of [page, other]) {
    assert.equal(await each.evaluate(() => window.sluice.mirror.mismatches), 0);
    assert.ok(await each.evaluate(() => window.sluice.mirror.sectionsChecked) > 0);
  }
}

async function run() {
  let server = await startWorlds("127.0.0.1:0");
  const first = await openBrowser(packagePath, chromiumPath, "one");
  const second = await openBrowser(packagePath, chromiumPath, "two");
  const page = await openPage(first, `${server.url}/#room`);
  const other = await openPage(second, `${server.url}/#room`);

  console.log("the page shows the world, and a live one has no timeline");
  assert.equal(await page.locator("#timeline").isVisible(), false);
  await expectLook(page, 10, 4, "rock");
  await expectLook(page, 40, 5, "water");
  await expectLook(page, 10, 20, "air");

  console.log("strokes of the brush change it, and the second page sees them");
  await stroke(page, "2", [10, 20], [20, 20]);
  for (const x of [10, 15, 20]) {
    await expectLook(page, x, 20, "rock");
    await expectLook(other, x, 20, "rock");
  }
  await stroke(other, "3", [15, 20], [15, 20]);
  await expectLook(page, 15, 20, "air");
  await expectLook(page, 10, 20, "rock");
  await stroke(page, "3", [6, 6], [10, 6]);
  await expectLook(other, 8, 6, "air");
  await stroke(page, "4", [8, 8], [8, 8]);
  await expectLook(other, 8, 5, "water");

  console.log("hovering names the cell");
  const pool = await place(page, 40, 5);
  await page.mouse.move(pool.x, pool.y);
  await page.waitForFunction(() =>
    /^\[40, 5\] water .* units/.test(document.getElementById("hover").textContent));

  console.log("dragging moves the view, the wheel zooms about the pointer");
  await page.keyboard.press("1");
  const before = await place(page, 40, 5);
  await page.mouse.move(before.x, before.y);
  await page.mouse.down();
  await page.mouse.move(before.x - 60, before.y - 30, { steps: 4 });
  await page.mouse.up();
  const after = await place(page, 40, 5);
  assert.ok(Math.abs(after.x - before.x + 60) < 2 && Math.abs(after.y - before.y + 30) < 2);
  const scale = () => page.evaluate(() => window.sluice.camera.scale);
  const small = await scale();
  await page.mouse.wheel(0, -300);
  await until("the wheel zooms", async () => await scale() > small);
  const zoomed = await place(page, 40, 5);
  assert.ok(Math.abs(zoomed.x - after.x) < 25 && Math.abs(zoomed.y - after.y) < 25);
  await page.keyboard.press("f");

  await pipesAreBuilt(page, other);

  console.log("a 3D world is shown by slice");
  await page.selectOption("#world", "solid");
  await page.waitForFunction(() => window.sluice.mirror?.welcome.world === "solid");
  await expectLook(page, 4, 4, "rock");
  assert.equal(new URL(page.url()).hash, "#solid");
  await page.locator("#slice").fill("20");
  await expectLook(page, 4, 4, "air");
  await page.locator("#slice").fill("8");
  await expectLook(page, 4, 4, "rock");

  console.log("a lost connection is shown, and comes back by itself");
  assert.equal(await stopServer(server), 0);
  await other.waitForSelector('body[data-state="waiting"], body[data-state="connecting"]');
  server = await startWorlds(server.address);
  await other.waitForSelector('body[data-state="ready"]');
  await expectLook(other, 10, 20, "rock");
  assert.equal(await other.evaluate(() => window.sluice.mirror.mismatches), 0);

  await first.close();
  await second.close();
  assert.equal(await stopServer(server), 0);
}

await main(run);
