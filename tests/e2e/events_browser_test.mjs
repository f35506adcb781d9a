// Goal: steam is seen in the air from every side, by WebGL and by the processor alike, with an overlay and in the inspector;
// what happens for a moment flies over the picture, is told of nowhere else, asks for no frames when it is over, and is
// left out for those who want little motion.
// Method: a pool that boils, a sea under wind, and a solid pot, on a real server; headless Chromium.
//
//   node events_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { colour, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);
const worlds = join(dirname(fileURLToPath(import.meta.url)), "../../server/worlds");

const POT = (name, depth) => `[world]
name = "${name}"
size = [48, 48, ${depth}]
water = "hydro"
[world.edges]
top = "open"
[waves]
[heat]
water = 25000
air = 5120
surface = 8
steam = true
[[fill]]
from = [0, 0, 0]
size = [48, 8, ${depth}]
cell = "#"
[[fill]]
from = [0, 8, 0]
size = [48, 8, ${depth}]
cell = "~"
${Array.from({ length: 12 }, (_, i) => `[[heater]]
at = [${18 + i}, 8, ${depth >> 1}]
rate = 40000000
`).join("")}[[source]]
at = [44, 9, ${depth >> 1}]
rate = 2600
head = 65536
temperature = 25000
`;


const enter = async (context, url, world, more = "", search = "") => {
  const page = await openPage(context, `${url}/${search}#${world}${more}`);
  await page.waitForFunction((name) => window.sluice?.mirror?.welcome.world === name && window.sluice.layers !== null, world);
  return page;
};
/** Which layers the page asked for. */
const asked = (page) => page.evaluate(() => (window.sluice?.mirror?.welcome.layers ?? []).filter((_, i) => Math.floor(window.sluice.sentView.layers / 2 ** i) % 2 === 1));
const flying = (page) => page.evaluate(() => window.sluice.layers.marks.particles?.count ?? null);
const kinds = (page) => page.evaluate(() => [...new Set(window.sluice.layers.marks.particles.alive.map(({ kind }) => kind))]);

/** A place with much steam in the picture, with none of it right or left of it; null: there is none now. */
const steamy = (page, least) => page.evaluate((most) => {
  const { layers, mirror, slice, camera } = window.sluice;
  for (let y = 17; y < 46; ++y) {
    for (let x = 1; x < 47; ++x) {
      const around = [-1, 0, 1].every((dx) => layers.steamAt({ x: x + dx, y, z: slice }) >= most && mirror.cell(x + dx, y, slice) === 0);
      if (around && camera.screenX(x) > 0 && camera.screenY(y) > 0) return [x, y];
    }
  }
  return null;
}, least);

async function steams(page, how) {
  console.log(`${how}: steam is a haze in the air, where there was dark before`);
  await until("three layers are asked for", async () => (await asked(page)).toSorted().join() === "events,steam,waves");
  await until("a bright place in the steam", async () => {
    const at = await steamy(page, 0.03);
    if (!at) return false;
    const [red, green, blue, alpha] = await colour(page, ...at); // of WebGL's picture beneath it nothing is in it
    return alpha > 20 && red > 30 && Math.abs(red - blue) < 40 && Math.abs(red - green) < 30;
  });
  const [red, green, blue] = await colour(page, 2, 2);
  assert.ok(red + green + blue === 0 || red >= blue, "none in rock");
  await shot(page, `steam-${how}`);
}

async function tells(page) {
  console.log("an overlay with a legend, the line below the picture, and the inspector with a chart");
  const offers = await page.evaluate(() => [...document.getElementById("overlay").options].map(({ value }) => value));
  assert.deepEqual(offers, ["none", "amount", "depth", "head", "flow", "temperature", "steam", "waves", "awake", "age", "bytes", "views"]);
  await page.selectOption("#overlay", "steam");
  await page.waitForFunction(() => /^Steam, of a full cell’s water0/.test(document.getElementById("legend-body").textContent));
  await until("a place of another colour than water, rock or air", async () => {
    const at = await steamy(page, 0.02);
    if (!at) return false;
    const [red, green, blue] = await colour(page, ...at);
    return Math.min(green, blue) > red + 4 || Math.min(red, green, blue) > 150;
  });
  await shot(page, "steam-overlay");
  await page.selectOption("#overlay", "none");
  await page.click('[data-tool="inspect"]');
  await until("inspecting asks for temperatures, too", async () => (await asked(page)).length === 4);
  await until("the line below the picture tells of it", async () => {
    const at = await steamy(page, 0.02);
    if (!at) return false;
    const spot = await place(page, ...at);
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.move(spot.x + 1, spot.y);
    return / · steam [\d.]+ of a full cell’s water/.test(await page.textContent("#hover"));
  });
  await until("a card tells of it", async () => {
    await page.mouse.click(...Object.values(await place(page, ...((await steamy(page, 0.02)) ?? [24, 20]))));
    return /steam [\d.]+ of a full cell’s water/.test(await page.textContent("#pins"));
  });
  assert.doesNotMatch(await page.textContent("#pins"), /event|droplet|bubble/);
  await page.click("#inspector-close");
  await page.click('[data-tool="pan"]');
}

async function boils(page) {
  console.log("bubbles rise where it boils; where nothing boils any more no frame is painted");
  await until("bubbles", async () => (await kinds(page)).includes("bubble"));
  await shot(page, "bubbles");
  assert.ok((await flying(page)) <= 256);
  await page.evaluate(() => {
    for (let x = 18; x < 30; ++x) window.sluice.command({ cmd: "remove_heater", at: [x, 8, 0] });
    window.sluice.command({ cmd: "remove_source", at: [44, 9, 0] });
  });
  await until("all is dry, the steam is gone and nothing flies", async () => {
    await page.evaluate(() => window.sluice.command({ cmd: "remove_water", from: [0, 8, 0], size: [48, 40, 1] }));
    return (await flying(page)) === 0 && (await steamy(page, 0.01)) === null &&
      page.evaluate(() => window.sluice.mirror.counters.water === 0 && window.sluice.mirror.counters.activeChunks === 0);
  });
  await page.evaluate(() => {
    const { sluice } = window;
    const paint = sluice.paint.bind(sluice);
    window.paints = 0;
    sluice.paint = () => (++window.paints, paint());
  });
  await until("a page at rest", async () => {
    const before = await page.evaluate(() => window.paints);
    await page.waitForTimeout(600);
    return (await page.evaluate(() => window.paints)) === before;
  });
}

async function throws(context, url) {
  console.log("crests throw drops, and falling water sprays");
  const page = await enter(context, url, "gale");
  await until("droplets", async () => (await kinds(page)).includes("droplet"));
  await until("they are drawn over the dark air", () => page.evaluate(() => {
    const { camera, layers } = window.sluice;
    const canvas = document.getElementById("view");
    const ratio = canvas.width / canvas.clientWidth;
    const drawn = [];
    const { arc } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.arc = function (...all) {
      drawn.push(all);
      return arc.apply(this, all);
    };
    layers.marks.paint(canvas.getContext("2d"), camera, window.sluice.slice, "none", performance.now());
    CanvasRenderingContext2D.prototype.arc = arc;
    return ratio > 0 && drawn.length > 0 && drawn.every(([x, y, radius]) => Number.isFinite(x + y) && radius > 0);
  }));
  await shot(page, "gale");
  await page.evaluate(() => window.sluice.command({ cmd: "add_source", at: [60, 66, 0], rate: 1500 }));
  await until("spray", async () => (await kinds(page)).includes("spray"));
  await shot(page, "spray");
  await page.close();
}

async function fromAllSides(context, url) {
  console.log("from the side and from above, too; in orbit nothing is asked for that is not drawn");
  const page = await enter(context, url, "cauldron");
  for (const sight of ["side", "top"]) {
    await page.selectOption("#sight", sight);
    await page.waitForFunction((name) => document.getElementById("sight").value === name && window.sluice?.layers?.has("steam"), sight);
    await page.evaluate((name) => window.sluice.setSlice(name === "top" ? 47 : 24), sight);
    await until("haze is drawn", () => page.evaluate(() => {
      const sheets = window.sluice.layers.marks.sheets.find(([name]) => name === "steam")[1];
      return [...sheets.tiles.values()].some(({ canvas }) => canvas !== null);
    }));
    await shot(page, `steam-${sight}`);
    if (sight === "side") await page.evaluate(() => window.sluice.setSlice(44)); // hot water wells up there
    await until("bubbles or drops", async () => (await flying(page)) > 0);
  }
  assert.ok((await asked(page)).includes("waves"), "their slopes are seen from above");
  await page.selectOption("#sight", "orbit");
  await until("waves alone are asked for", async () => (await asked(page)).join() === "waves");
  await page.close();
}

async function littleMotion(browser, url) {
  console.log("who wants little motion gets none of it, and the server is not asked");
  const context = await browser.newContext({ viewport: SIZES.desktop, reducedMotion: "reduce" });
  const page = await enter(context, url, "kettle");
  await until("steam is asked for", async () => (await asked(page)).includes("steam"));
  assert.deepEqual((await asked(page)).toSorted(), ["steam", "waves"]);
  assert.equal(await flying(page), null);
  await until("steam is seen all the same", async () => (await steamy(page, 0.03)) !== null);
  await context.close();
}

await main(async () => {
  const made = { pot: POT("pot", 1), kettle: POT("kettle", 1), cauldron: POT("cauldron", 48) };
  const paths = Object.entries(made).map(([name, text]) => {
    writeFileSync(join(folder, `${name}.toml`), text);
    return join(folder, `${name}.toml`);
  });
  // The storm's sea in a harder wind.
  writeFileSync(join(folder, "gale.toml"), readFileSync(join(worlds, "storm.toml"), "utf8").replace('"storm"', '"gale"').replace("speed = 900", "speed = 1000"));
  const server = await startServer(serverPath, [...[...paths, join(folder, "gale.toml")].flatMap((path) => ["--world", path]),
    "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  const context = await browser.newContext({ viewport: SIZES.desktop });
  for (const how of ["webgl", "canvas"]) {
    const page = await enter(context, server.url, "pot", "", `?draw=${how}`);
    if (how === "webgl") await until("WebGL paints", () => page.evaluate(() => window.sluice.screen.byGl));
    await steams(page, how);
    if (how === "canvas") {
      await tells(page);
      await boils(page);
    }
    await page.close();
  }
  await throws(context, server.url);
  await fromAllSides(context, server.url);
  await littleMotion(browser, server.url);
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
