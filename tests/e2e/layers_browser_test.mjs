// Goal: what a world has beside its cells is seen and told of: temperatures and waves as overlays with legends, in the
// inspector and its chart, and surfaces drawn where waves are; asked for only while something shows it.
// Method: the demo worlds frost and storm and a solid one with both, on a real server; headless Chromium on a desktop
// and a phone.
//
//   node layers_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { colour, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);
const worlds = join(dirname(fileURLToPath(import.meta.url)), "../../server/worlds");

// A basin of warm water with a hot corner in its bed, and wind over it.
const KETTLE = `[world]
name = "kettle"
size = [48, 32, 48]
water = "hydro"
[heat]
water = 5120
air = 2560
[waves]
tension = 8
[waves.wind]
speed = 900
[[fill]]
from = [0, 0, 0]
size = [48, 4, 48]
cell = "#"
[[fill]]
from = [0, 4, 0]
size = [48, 12, 48]
cell = "~"
[[fill]]
from = [0, 4, 0]
size = [16, 20, 16]
cell = "#"
`;

const overlays = (page) => page.evaluate(() => [...document.getElementById("overlay").options].map(({ value }) => value));
/** As bits; without events, which are always asked for. */
const asked = (page) => page.evaluate(() => {
  const { sentView: { layers: sentLayers }, mirror } = window.sluice;
  const events = 2 ** mirror.welcome.layers.indexOf("events");
  return sentLayers - (Math.floor(sentLayers / events) % 2 === 1 ? events : 0);
});
const legend = (page) => page.textContent("#legend-body");

async function enter(context, url, world, more = "") {
  const page = await openPage(context, `${url}/#${world}${more}`);
  await page.waitForFunction((name) => window.sluice?.mirror?.welcome.world === name && window.sluice.layers !== null, world);
  return page;
}

async function showsWarmth(page, name) {
  console.log(`${name}: temperatures, with marks in degrees`);
  assert.deepEqual(await overlays(page), ["none", "amount", "depth", "head", "flow", "temperature", "awake", "age", "bytes", "views"]);
  assert.equal(await asked(page), 0, "nobody looks at it yet");
  await page.selectOption("#overlay", "temperature");
  await page.waitForFunction(() => window.sluice.layers?.temperatureAt({ x: 100, y: 13, z: 0 }) > 30);
  assert.equal(await asked(page), 1);
  await page.waitForFunction(() => /^Temperature, °C(-?\d+){3,6}ice$/.test(document.getElementById("legend-body").textContent));
  await until("water over the vent is warm, and cold far from it", async () => {
    const [warm, cold] = [await colour(page, 100, 12), await colour(page, 60, 20)];
    return warm[0] > warm[2] + 60 && cold[2] > cold[0] + 60;
  });
  await until("ice is a pattern of two colours", async () => {
    const at = await page.evaluate(() => {
      const { mirror } = window.sluice;
      for (let x = 20; x < 140; ++x) for (let y = 30; y < 40; ++y) if (mirror.cell(x, y, 0) < -16 && mirror.cell(x + 1, y, 0) < -16) return [x, y];
      return null;
    });
    if (!at) return false;
    const [one, other] = [await colour(page, ...at), await colour(page, at[0] + 1, at[1])];
    return Math.abs(one[0] - other[0]) > 25;
  });
  await shot(page, `temperature-${name}`);
}

async function inspects(page, name) {
  console.log(`${name}: the inspector tells degrees, and charts them`);
  await page.selectOption("#overlay", "none");
  await until("it is no longer asked for", async () => (await asked(page)) === 0);
  await page.waitForFunction(() => window.sluice.layers.chunk("temperature", 1, 0, 0) === undefined);
  const spot = await place(page, 70, 20);
  await page.mouse.move(spot.x, spot.y);
  await page.waitForFunction(() => /^\[70, 20\] water/.test(document.getElementById("hover").textContent));
  assert.doesNotMatch(await page.textContent("#hover"), /°C/);
  await page.click('[data-tool="inspect"]');
  await until("the inspector asks", async () => (await asked(page)) === 1);
  await page.mouse.move(spot.x + 1, spot.y);
  await page.waitForFunction(() => / · -?\d+(\.\d+)? °C/.test(document.getElementById("hover").textContent));
  await page.waitForFunction(() => /temperature -?\d+(\.\d+)? °C/.test(document.getElementById("pipe-tip").textContent));
  await page.mouse.click(spot.x, spot.y);
  const card = page.locator("#pins article").first();
  await page.waitForFunction(() => /temperature -?\d+(\.\d+)? °C/.test(document.querySelector("#pins article")?.textContent ?? ""));
  await card.locator("select").selectOption("temperature");
  await until("a chart of degrees", async () => /^now -?[\d.]+ °C; of the last minute/.test(await card.locator("canvas").getAttribute("aria-label")));
  const [told, said] = await page.evaluate(() => [window.sluice.layers.temperatureAt({ x: 70, y: 20, z: 0 }),
    Number(/temperature (-?[\d.]+) °C/.exec(document.querySelector("#pins article").textContent)[1])]);
  assert.ok(Math.abs(told - said) < 1, `${told} is told, ${said} said`);
  await page.click('[data-tool="pan"]');
  assert.equal(await asked(page), 1, "a card is still pinned");
  await shot(page, `pinned-temperature-${name}`);
  await page.click("#inspector-close");
  await until("nothing shows it any more", async () => (await asked(page)) === 0);
}

async function byKeysAndLinks(page, context, url) {
  console.log("by the key, and by a link");
  await page.focus("#view");
  for (const next of ["amount", "depth", "head", "flow", "temperature", "awake"]) {
    await page.keyboard.press("o");
    assert.equal(await page.inputValue("#overlay"), next);
  }
  const linked = await enter(context, url, "frost", "@80,32,0,6x,temperature");
  await linked.waitForFunction(() => /°C/.test(document.getElementById("legend-body").textContent));
  await linked.evaluate(() => (location.hash = "#storm@100,30,0,5x,temperature"));
  await linked.waitForFunction(() => window.sluice?.mirror?.welcome.world === "storm");
  assert.equal(await linked.inputValue("#overlay"), "none", "storm has no temperatures");
  await linked.close();
}

/** Of the columns of open water, how many are drawn as water above the surface at rest, and as air below it. */
const drawnAway = (page) => page.evaluate(() => {
  const { camera, mirror } = window.sluice;
  const canvas = document.getElementById("view");
  const context = canvas.getContext("2d");
  const ratio = canvas.width / canvas.clientWidth;
  const isWater = (x, y) => {
    const [red, , blue] = context.getImageData(camera.screenX(x) * ratio, camera.screenY(y) * ratio, 1, 1).data;
    return blue > red + 40;
  };
  let [above, below] = [0, 0];
  for (let x = 12; x < 100; ++x) {
    let y = 0;
    while (y < mirror.size.y && mirror.cell(x, y, 0) <= 0) ++y;
    while (mirror.cell(x, y, 0) > 0) ++y;
    if (isWater(x + 0.5, y + 0.3)) ++above;
    if (!isWater(x + 0.5, y - 1.3)) ++below;
  }
  return { above, below };
});

async function showsWaves(page, name) {
  console.log(`${name}: waves, drawn and as an overlay`);
  assert.deepEqual(await overlays(page), ["none", "amount", "depth", "head", "flow", "waves", "awake", "age", "bytes", "views", "tracer:foam"]);
  await until("waves and foam are asked for, to be drawn", async () => (await asked(page)) === 3);
  let [above, below] = [false, false];
  await until("crests stand over the surface at rest, and troughs under it", async () => {
    const drawn = await drawnAway(page);
    above ||= drawn.above > 3;
    below ||= drawn.below > 3;
    return above && below;
  });
  await shot(page, `storm-${name}`);
  await page.selectOption("#overlay", "waves");
  await page.waitForFunction(() => /^Waves, in cells−[\d.]+at rest\+[\d.]+$/.test(document.getElementById("legend-body").textContent));
  await until("troughs are purple and crests orange", async () => {
    let [crest, trough] = [false, false];
    for (let x = 12; x < 100; x += 4) {
      const [red, green, blue] = await colour(page, x, 24);
      crest ||= red > blue + 40;
      trough ||= blue > green + 25;
    }
    return crest && trough;
  });
  await shot(page, `waves-${name}`);
  await page.selectOption("#overlay", "none");
  await page.click('[data-tool="inspect"]');
  const spot = await place(page, 70, 24);
  await page.mouse.click(spot.x, spot.y);
  await page.waitForFunction(() => /wave (none|[\d.]+ cells (high|deep))/.test(document.querySelector("#pins article")?.textContent ?? ""));
  await page.click("#pins .scopes button:has-text('column')");
  await page.waitForFunction(() => /Column x 70.*wave /.test(document.querySelector("#pins article").textContent));
  await shot(page, `pinned-wave-${name}`);
  await page.click("#inspector-close");
}

async function fromAllSides(page) {
  console.log("a solid world, from all sides");
  const warmth = async (sight) => {
    await page.selectOption("#sight", sight);
    await page.waitForFunction((wanted) => (window.sluice?.sight?.name ?? "front") === wanted && window.sluice.layers !== null, sight);
    await page.selectOption("#overlay", "temperature");
    await page.waitForFunction(() => /°C/.test(document.getElementById("legend-body").textContent) && window.sluice.sentView.layers % 2 === 1);
  };
  await warmth("top");
  await page.waitForFunction(() => (window.sluice.layers?.temperatureAt({ x: 40, y: 40, z: 15 }) ?? null) !== null);
  await until("water is painted, rock is not", async () => {
    const [water, rock] = [await colour(page, 40, 40), await colour(page, 8, 8)];
    return Math.abs(water[0] - water[2]) > 40 && Math.abs(rock[0] - rock[2]) < 25;
  });
  await shot(page, "temperature-top");
  await page.selectOption("#overlay", "depth");
  await page.waitForFunction(() => /Depth at the bed, in cells01020/.test(document.getElementById("legend-body").textContent));
  await until("water is green, of middling depth", async () => {
    const [red, green, blue] = await colour(page, 40, 40);
    return green > red + 20 && green > blue + 20;
  });
  await shot(page, "depth-top");
  await page.selectOption("#overlay", "waves");
  await until("both layers have their bits", async () => (await asked(page)) === 2);
  await page.waitForFunction(() => /Waves/.test(document.getElementById("legend-body").textContent));
  await until("all water is painted, at rest or not", async () => {
    const [red] = await colour(page, 40, 40); // water itself has less of it
    return red > 80;
  });
  await shot(page, "waves-top");
  for (const sight of ["side", "front"]) {
    await warmth(sight);
    await until("the same water has a temperature", () => page.evaluate(() => {
      const { layers, mirror, slice } = window.sluice;
      return mirror.cell(30, 8, slice) > 0 && layers.temperatureAt({ x: 30, y: 8, z: slice }) !== null;
    }));
    await until("it is painted", async () => {
      const [red, , blue] = await colour(page, 30, 8);
      return Math.abs(red - blue) > 40;
    });
    await shot(page, `temperature-${sight}`);
  }
}

await main(async () => {
  const file = join(folder, "kettle.toml");
  writeFileSync(file, KETTLE);
  const server = await startServer(serverPath, ["--world", join(worlds, "frost.toml"), "--world", join(worlds, "storm.toml"), "--world", file,
    "--world", join(worlds, "dam-break.toml"), "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  for (const [name, size] of Object.entries({ desktop: SIZES.desktop, phone: SIZES.phone })) {
    const context = await browser.newContext({ viewport: size });
    const frost = await enter(context, server.url, "frost");
    await showsWarmth(frost, name);
    await inspects(frost, name);
    if (name === "desktop") await byKeysAndLinks(frost, context, server.url);
    await frost.close();
    const storm = await enter(context, server.url, "storm");
    await showsWaves(storm, name);
    await storm.close();
    if (name === "desktop") await fromAllSides(await enter(context, server.url, "kettle"));
    await context.close();
  }
  const bare = await openPage(await browser.newContext({ viewport: SIZES.desktop }), `${server.url}/#dam-break@40,20,0,4x,waves`);
  await bare.waitForFunction(() => window.sluice.mirror !== null);
  assert.deepEqual(await overlays(bare), ["none", "amount", "depth", "head", "flow", "awake", "age", "bytes", "views"]);
  assert.equal(await bare.inputValue("#overlay"), "none");
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
