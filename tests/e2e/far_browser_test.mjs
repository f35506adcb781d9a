// Goal: who looks at a large world from afar is sent a level of detail, sees what the cells would show, and is told that
// it is one; pipes and springs are told of as far as cells are not needed; coming nearer, tools, overlays of cells and pins
// bring the cells; overlays of layers do not, and look the same; edits wait for those; less is sent.
// Method: worlds of 4 million cells, flat and solid, on a real server; headless Chromium; colours are read from the canvas,
// from afar and as the page paints them from the cells.
//
//   node far_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  colour, expectLook, expectToast, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer,
  until,
} from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

// A lake in rock, a hill, a hall with a pool under a roof; a wall of water that falls and a spring, away from the lake: that
// one awake would be a busy world, which takes no commands.
const fill = (from, size, cell, depth) => `[[fill]]
from = [${from}, 0]
size = [${size}, ${depth}]
cell = "${cell}"
`;
const landscape = (depth) => fill([0, 0], [4096, 320], "#", depth) + fill([600, 100], [1600, 220], ".", depth) +
  fill([600, 100], [1600, 180], "~", depth) + fill([200, 320], [300, 300], "#", depth) + fill([2400, 40], [500, 200], ".", depth) +
  fill([2400, 40], [500, 80], "~", depth) + fill([4096 - 96, 320], [96, 300], "#", depth);
const PLAIN = `[world]
name = "plain"
size = [4096, 1024, 1]
${landscape(1)}${fill([3000, 320], [120, 150], "~", 1)}[[source]]
at = [3600, 500, 0]
rate = 8000
[[drain]]
at = [2700, 60, 0]
rate = 1
[[pipe]]
name = "main"
capacity = 8000
height = 4096
base = 2457600
at = [1200, 600, 0]
[[valve]]
name = "gate"
capacity = 8000
height = 4096
base = 2457600
at = [1300, 600, 0]
open = false
[[link]]
from = "main"
to = "gate"
[[port]]
node = "gate"
cell = [1300, 560, 0]
kind = "outlet"
rate = 100
[[port]]
node = "main"
cell = [1200, 640, 0]
kind = "inlet"
rate = 100
`;
const BLOCK = `[world]
name = "block"
size = [4096, 512, 16]
${landscape(16).replaceAll("300, 16]", "100, 16]")}[[fill]]
from = [2500, 220, 8]
size = [200, 60, 8]
cell = "."
`;
// A warm lake under cold air, dyed at its left.
const WARM = `[world]
name = "warm"
size = [4096, 1024, 1]
[heat]
air = -5120
water = 10240
[[tracer]]
name = "mud"
${fill([0, 0], [4096, 320], "#", 1)}${fill([600, 100], [1600, 220], ".", 1)}${fill([600, 100], [1600, 180], "~", 1)}
[[fill]]
from = [600, 100, 0]
size = [500, 180, 1]
cell = "~"
tracer = { mud = 2000 }
`;
const SMALL = `[world]
name = "small"
size = [64, 64, 1]
`;


/** The level that is asked for and shown, with something to show. */
const isAt = (page, level) => page.waitForFunction((wanted) => {
  const { far, hasChunks } = window.sluice;
  return hasChunks && (far?.asked ?? 0) === wanted && (far?.shown ?? 0) === wanted;
}, level);
const heldCells = (page) => page.evaluate(() => window.sluice.mirror.coords().length);
const tool = (page, name) => page.click(`[data-tool="${name}"]`);

async function enter(context, url, world, more = "") {
  const page = await openPage(context, `${url}/#${world}${more}`);
  await page.waitForFunction((name) => window.sluice?.mirror?.welcome.world === name, world);
  return page;
}

/** Places that rest: in the lake and near its surface, in the hall and its pool, rock, the hill, and air. */
const PLACES = { water: [[1000, 200], [1000, 272], [2600, 60], [2600, 114]], rock: [[100, 100], [300, 500], [2700, 250], [2000, 60]],
  air: [[100, 900], [2600, 180], [1800, 600]] };
async function colours(page) {
  const found = [];
  for (const [x, y] of Object.values(PLACES).flat()) found.push(await colour(page, x, y));
  return found;
}

async function looksTheSame(page) {
  console.log("from afar a level of detail is shown, which looks as the cells do");
  await isAt(page, 1);
  assert.equal(await heldCells(page), 0, "the cells were never sent");
  console.log(`  ${await page.evaluate(() => window.sluice.connection.bytes)} bytes for the whole world`);
  for (const [what, places] of Object.entries(PLACES)) for (const [x, y] of places) await expectLook(page, x, y, what);
  const far = await colours(page);
  await shot(page, "far-plain");
  const before = await page.evaluate(() => window.sluice.connection.bytes);
  await tool(page, "rock");
  await isAt(page, 0);
  console.log(`  ${(await page.evaluate(() => window.sluice.connection.bytes)) - before} bytes for its cells`);
  assert.ok((await heldCells(page)) > 100);
  let near = [];
  await until("the cells are painted in the same colours", async () => {
    near = await colours(page);
    return far.every((each, i) => [0, 1, 2].every((k) => Math.abs(each[k] - near[i][k]) <= 16));
  }).catch((error) => {
    throw new Error(`from afar ${far.join(" ")}; near ${near.join(" ")}`, { cause: error });
  });
  await shot(page, "far-cells");
  await tool(page, "pan");
  await isAt(page, 1);
  await until("no cells are held", async () => (await heldCells(page)) === 0);
}

async function goesOverWithoutAGap(page) {
  console.log("no frame is empty while one goes over to the other");
  // What is painted in each frame at three places, as letters.
  await page.evaluate((places) => {
    const { sluice } = window;
    const { camera, canvas, frames } = sluice;
    window.seen = new Set();
    const paint = sluice.paint.bind(sluice);
    sluice.paint = () => {
      paint();
      const ratio = canvas.width / canvas.clientWidth;
      window.seen.add(places.map(([x, y]) => {
        const [red, green, blue] = canvas.getContext("2d").getImageData(camera.screenX(x) * ratio, camera.screenY(y) * ratio, 1, 1).data;
        return red + green + blue < 130 ? "air" : blue > red + 40 ? "water" : "rock";
      }).join());
    };
    frames.needed = true;
  }, [[1000, 200], [300, 500], [1800, 600]]);
  for (let i = 0; i < 4; ++i) {
    await tool(page, "rock");
    await isAt(page, 0);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await tool(page, "pan");
    await isAt(page, 1);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }
  assert.deepEqual(await page.evaluate(() => [...window.seen]), ["water,rock,air"]);
  await page.evaluate(() => delete window.sluice.paint);
}

async function saysSo(page) {
  console.log("the line says that it is seen from afar; edits wait for the cells");
  const spot = await place(page, 1000, 200);
  await page.mouse.move(spot.x, spot.y);
  await page.waitForFunction(() => /^\[\d+, \d+\] water, 100 % full on average \(2 × 2 cells, seen from afar\)$/.test(
    document.getElementById("hover").textContent));
  await page.keyboard.press("Control+z");
  await expectToast(page, "Come nearer, or choose a tool: from afar the page has no single cells");
  await page.keyboard.press("p");
  assert.equal(await page.evaluate(() => window.sluice.inspector.pinned.length), 0);
  await shot(page, "far-held-off");
  await page.focus("#view");
  await page.keyboard.press("ArrowRight"); // the cursor
  const idle = await page.evaluate(() => {
    window.sluice.hand.setTool("rock");
    window.sluice.keys.apply(); // before a cell has come
    return window.sluice.queue.idle;
  });
  assert.ok(idle, "nothing was sent");
  await expectToast(page, "Wait a moment: from afar the page has no single cells");
  await isAt(page, 0);
  await page.keyboard.press("Enter");
  await until("rock is set", () => page.evaluate(() => {
    const { hover, mirror, queue } = window.sluice;
    return queue.idle && mirror.cell(hover.x, hover.y, 0) === -1;
  }));
  await page.keyboard.press("Control+z");
  await until("it is taken back", () => page.evaluate(() => {
    const { hover, mirror, queue } = window.sluice;
    return queue.idle && mirror.cell(hover.x, hover.y, 0) > 0;
  }));
  await tool(page, "pan");
  await isAt(page, 1);
}

/** What the tip says over a place, `right` pixels beside it. */
async function tipOver(page, x, y, right = 0) {
  const spot = await place(page, x, y);
  await page.mouse.move(spot.x + right, spot.y);
  await page.waitForFunction(() => /seen from afar/.test(document.getElementById("hover").textContent));
  return (await page.isVisible("#pipe-tip")) ? page.textContent("#pipe-tip") : "";
}

async function tellsOfPipes(page) {
  console.log("pipes, ports, springs and drains are told of, and no cells that are not there");
  await isAt(page, 1);
  const tells = (what, x, y, ...wanted) => until(`the tip tells of ${what}`, async () => {
    const told = await tipOver(page, x, y, 2);
    return wanted.every((each) => (each instanceof RegExp ? each.test(told) : told.includes(each)));
  });
  await tells("the valve", 1300, 600, "gate · valve", "closed", "It is closed: nothing passes until it is opened.");
  await shot(page, "far-tip");
  await tells("the pipe", 1200, 600, "main · pipe", "0 of 8,000", "The valve gate is closed");
  await tells("its port", 1200, 640, "port of main", "inlet at [1200, 640, 0], idle", "100 units a tick at most", "come nearer to see that");
  await tells("the other port", 1300, 560, "port of gate", "outlet", "The pipe is empty.");
  await tells("the spring", 3600, 500, /Spring at \[3600, 500\]rate 8,000 units a tickWhat becomes of it/);
  await tells("the drain", 2700, 60, /Drain at \[2700, 60\]rate 1 units a tickWhat becomes of it/);
  await until("there is nothing to tell elsewhere", async () => (await tipOver(page, 1200, 600, 40)) === "");
  const main = await place(page, 1200, 600);
  await page.mouse.click(main.x + 2, main.y);
  await page.waitForFunction(() => window.sluice.hand.pipes.chosen === "main");
  await page.mouse.click(main.x + 40, main.y);
  await page.waitForFunction(() => window.sluice.hand.pipes.chosen === null);
  assert.equal(await heldCells(page), 0, "no cells were asked for");

  console.log("nearer, the same tip tells of the cell, too");
  await tool(page, "inspect");
  await isAt(page, 0);
  const spot = await place(page, 1200, 640);
  await page.mouse.move(spot.x, spot.y);
  await page.waitForFunction(() => /port of main.*There is no water in its cell/.test(document.getElementById("pipe-tip").textContent));
  await tool(page, "pan");
  await isAt(page, 1);
}

async function bringsTheCells(page) {
  console.log("overlays of cells and pins bring the cells");
  await page.selectOption("#overlay", "amount");
  await isAt(page, 0);
  await page.selectOption("#overlay", "none");
  await isAt(page, 1);
  await tool(page, "inspect");
  await isAt(page, 0);
  const spot = await place(page, 1000, 200);
  await page.mouse.click(spot.x, spot.y);
  await page.waitForFunction(() => /water/.test(document.querySelector("#pins article")?.textContent ?? ""));
  await tool(page, "pan");
  await page.waitForTimeout(400); // longer than views wait
  await isAt(page, 0);
  await page.click("#inspector-close");
  await isAt(page, 1);
}

/** Layers are told of coarse cells: in the colours that the cells have, for fewer bytes. */
async function showsLayers(context, url) {
  console.log("temperatures and tracers are shown from afar, in the colours that they have near, for fewer bytes");
  const page = await enter(context, url, "warm");
  await isAt(page, 1);
  for (const [overlay, legend] of [["temperature", /°C/], ["tracer:mud", /mud/]]) {
    const seen = async () => [await colour(page, 700, 200), await colour(page, 1800, 150), await colour(page, 100, 100)];
    await page.selectOption("#overlay", overlay);
    await page.waitForFunction((text) => new RegExp(text).test(document.getElementById("legend").textContent), legend.source);
    await isAt(page, 1);
    let before = "";
    await until("warm water is red, and dyed water has another colour than clear water, on a scale that suits them", async () => {
      const [left, right] = await seen();
      const isSame = before === (before = `${left} ${right}`);
      await page.waitForTimeout(300); // longer than a scale takes to be another one
      if (!isSame) return false;
      const isWarm = [left, right].every(([red, , blue]) => red > blue + 40);
      return overlay === "temperature" ? isWarm : [0, 1, 2].some((k) => Math.abs(left[k] - right[k]) > 40);
    });
    assert.equal(await heldCells(page), 0, "no cells were asked for");
    const far = await seen();
    if (overlay === "temperature") {
      const spot = await place(page, 1800, 150);
      await page.mouse.move(spot.x, spot.y);
      await page.waitForFunction(() => /seen from afar\) · (39|40)(\.\d+)? °C/.test(document.getElementById("hover").textContent));
    }
    await shot(page, `far-${overlay.replace(":", "-")}`);
    const sent = await page.evaluate(() => window.sluice.connection.bytes);
    await tool(page, "rock");
    await isAt(page, 0);
    let near = [];
    await until("they are shown near in the same colours", async () => {
      near = await seen();
      return far.every((each, i) => [0, 1, 2].every((k) => Math.abs(each[k] - near[i][k]) <= 24));
    }).catch((error) => {
      throw new Error(`from afar ${far.join(" ")}; near ${near.join(" ")}`, { cause: error });
    });
    console.log(`  ${(await page.evaluate(() => window.sluice.connection.bytes)) - sent} bytes for cells and ${overlay}`);
    await tool(page, "pan");
    await isAt(page, 1);
  }
  await page.selectOption("#overlay", "none");
  await page.close();
}

async function seesChanges(page) {
  console.log("what changes is seen, and a lost connection comes back to the same");
  await expectLook(page, 800, 750, "air");
  await page.evaluate(() => window.sluice.command({ cmd: "set_cells", from: [700, 700, 0], size: [200, 100, 1], cell: "#" }));
  await expectLook(page, 800, 750, "rock");
  await isAt(page, 1);
  await page.evaluate(() => window.sluice.command({ cmd: "set_cells", from: [700, 700, 0], size: [200, 100, 1], cell: "." }));
  await expectLook(page, 800, 750, "air");
  await page.evaluate(() => window.sluice.connection.socket.close());
  await page.waitForFunction(() => !window.sluice.ready);
  await page.waitForFunction(() => window.sluice.ready);
  await isAt(page, 1);
  await expectLook(page, 1000, 200, "water");
  assert.equal(await heldCells(page), 0);
}

/** Bytes a tick of both pages, over the same ticks. */
async function costsLess(far, near) {
  console.log("less is sent");
  await tool(near, "rock");
  await Promise.all([isAt(far, 1), isAt(near, 0)]);
  const bytes = (page, ticks) => page.evaluate((wanted) => new Promise((resolve) => {
    const { connection, mirror } = window.sluice;
    const begin = [mirror.tick, connection.bytes];
    const look = () => (mirror.tick < begin[0] + wanted ? setTimeout(look, 5)
      : resolve((connection.bytes - begin[1]) / (mirror.tick - begin[0])));
    look();
  }), ticks);
  const [coarse, cells] = await Promise.all([bytes(far, 60), bytes(near, 60)]);
  console.log(`  ${Math.round(coarse)} bytes a tick from afar, ${Math.round(cells)} of cells`);
  assert.ok(coarse < 0.85 * cells);
}

async function comesNearer(page) {
  console.log("coming nearer brings the cells; the map keeps what was seen from afar");
  const spot = await place(page, 1000, 280);
  await page.mouse.move(spot.x, spot.y);
  for (let i = 0; i < 8; ++i) await page.mouse.wheel(0, -200);
  await isAt(page, 0);
  assert.ok((await heldCells(page)) > 0);
  await page.waitForFunction(() => /^\[\d+, \d+\] water 4,096 units \(100 %\) · surface at /.test(document.getElementById("hover").textContent));
  await until("the map shows the pool in the hall", () => page.evaluate(() => {
    const canvas = document.querySelector("#minimap canvas");
    const [red, , blue] = canvas.getContext("2d").getImageData(canvas.width * 2650 / 4096, canvas.height * (1 - 80 / 1024), 1, 1).data;
    return blue > red + 40;
  }));
  await shot(page, "far-nearer");
  await page.keyboard.press("f");
  await isAt(page, 1);
  await expectLook(page, 2600, 60, "water");
}

async function inThree(page) {
  console.log("a solid world: slices, and other sides without levels");
  await isAt(page, 1);
  const spot = await place(page, 1000, 200);
  await page.mouse.move(spot.x, spot.y);
  await page.waitForFunction(() => /^\[\d+, \d+, 7\] water, 100 % full on average \(2 × 2 × 2 cells, seen from afar\)$/.test(
    document.getElementById("hover").textContent));
  await expectLook(page, 2600, 250, "rock");
  await page.evaluate(() => window.sluice.setSlice(12));
  await isAt(page, 1);
  await expectLook(page, 2600, 250, "air"); // a shaft behind
  await expectLook(page, 1000, 200, "water");
  await shot(page, "far-block");
  await page.selectOption("#sight", "top");
  await page.waitForFunction(() => window.sluice?.sight?.name === "top" && window.sluice.hasChunks);
  assert.equal(await page.evaluate(() => window.sluice.far), null);
}

await main(async () => {
  const files = Object.entries({ PLAIN, BLOCK, WARM, SMALL }).flatMap(([name, text]) => {
    const file = join(folder, `${name}.toml`);
    writeFileSync(file, text);
    return ["--world", file];
  });
  const server = await startServer(serverPath, [...files, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  const context = await browser.newContext({ viewport: SIZES.desktop });
  const page = await enter(context, server.url, "plain");
  await looksTheSame(page);
  await goesOverWithoutAGap(page);
  await saysSo(page);
  await tellsOfPipes(page);
  await bringsTheCells(page);
  await showsLayers(context, server.url);
  await seesChanges(page);
  const other = await enter(context, server.url, "plain");
  await costsLess(page, other);
  await other.close();
  await comesNearer(page);
  await page.close();
  const phone = await enter(await browser.newContext({ viewport: SIZES.phone }), server.url, "plain");
  await isAt(phone, 2);
  await expectLook(phone, 1000, 200, "water");
  await shot(phone, "far-phone");
  await inThree(await enter(context, server.url, "block"));
  const small = await enter(context, server.url, "small");
  await small.waitForTimeout(400);
  assert.equal(await small.evaluate(() => window.sluice.far), null, "nothing is fetched for it");
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
