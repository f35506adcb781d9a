// Goal: a 3D world is seen in perspective and turned: by dragging, by keys, by two fingers' ways of moving and zooming;
// what flows is seen there, in the colours of overlays; what is pointed at is told of (building there: above_browser_test.mjs); without WebGL the page says so, and a side-view
// world does not offer it.
// Method: a real server with a basin under wind, headless Chromium (whose WebGL is the processor's) at two sizes.
//
//   node orbit_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findViolations, folder, launch, main, openPage, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);
const worlds = join(dirname(fileURLToPath(import.meta.url)), "../../server/worlds");

/** A basin with a pillar, a step and a bay, and a lake in it. */
const BASIN = (name, more) => `[world]
name = "${name}"
size = [48, 32, 40]
[[fill]]
from = [0, 0, 0]
size = [48, 12, 40]
cell = "#"
[[fill]]
from = [6, 4, 6]
size = [36, 8, 28]
cell = "~"
[[fill]]
from = [20, 4, 16]
size = [5, 20, 5]
cell = "#"
[[fill]]
from = [34, 12, 26]
size = [14, 6, 14]
cell = "#"
${more}`;
const WIND = `[waves]
tension = 8
[waves.wind]
speed = 900
`;
const WARM = `[heat]
water = 5120
air = 2560
[[tracer]]
name = "dye"
[[source]]
at = [24, 20, 10]
rate = 900
temperature = 12800
tracer = { dye = 4096 }
`;
const FLAT = `[world]
name = "flat"
size = [40, 30, 1]
[[fill]]
from = [0, 0, 0]
size = [40, 4, 1]
cell = "#"
`;

/** Half as many pixels each way, ten pictures a second: a processor draws each of them here. */
const sized = (name) => ({ viewport: SIZES[name], deviceScaleFactor: 0.5 });

async function open(browser, options) {
  const context = await browser.newContext(options);
  await context.addInitScript(() => {
    window.requestAnimationFrame = (paint) => window.setTimeout(() => paint(performance.now()), 100);
    window.cancelAnimationFrame = window.clearTimeout;
  });
  return context;
}

async function enter(context, url, more = "") {
  const page = await openPage(context, `${url}/${more}`);
  await page.waitForFunction(() => window.sluice?.sight?.name === "orbit" && window.sluice.mirror?.chunks.size > 0);
  return page;
}

/** Shares of pixels that look like water, rock and air, and a number for all of them: of a picture of the moment. */
const seen = (page) => page.evaluate(() => {
  const canvas = document.getElementById("view");
  window.sluice.paint();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let [water, rock, sum] = [0, 0, 0];
  for (let i = 0; i < data.length; i += 4) {
    const [red, green, blue] = [data[i], data[i + 1], data[i + 2]];
    if (blue > red + 25 && red + green + blue > 130) ++water;
    else if (red >= blue && red + green + blue > 130) ++rock;
    sum = (sum * 31 + red + green * 3 + blue * 7) % 1000003;
  }
  const all = data.length / 4;
  return { water: water / all, rock: rock / all, sum };
});
/** Where it is turned to. */
const angles = (page) => page.evaluate(() => ["yaw", "pitch"].map((name) => window.sluice.sight.camera[name]));
const rests = (page) => until("it is turned where it goes to", () => page.evaluate(() =>
  !window.sluice.sight.camera.step(performance.now(), false)));

async function opens(page, name) {
  console.log(`${name}: water in rock, over air, with the way to turn it`);
  await until("all of it is drawn", async () => {
    const { water, rock } = await seen(page);
    return water > 0.04 && rock > 0.08;
  });
  await rests(page);
  assert.ok((await page.textContent("#orbit-hint")).length > 20);
  assert.equal(await page.locator("#legend").isVisible(), true);
  assert.equal(await page.locator("#slice").isVisible(), false);
  assert.equal(await page.inputValue("#sight"), "orbit");
  assert.equal(await page.evaluate(() => window.sluice.mirror.mismatches), 0);
  await shot(page, `orbit-${name}`);
  assert.deepEqual(await findViolations(page, packagePath), []);
}

async function turns(page, name) {
  console.log(`${name}: dragging turns and tilts it, and says no more how`);
  const [yaw, pitch] = await angles(page);
  const { x, y, width, height } = await page.locator("#view").boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 - 120, y + height / 2 - 30, { steps: 6 });
  assert.equal(await page.evaluate(() => window.sluice.hover), null, "a pointer that turns tells of nothing");
  await page.mouse.up();
  await rests(page);
  const [turned, tilted] = await angles(page);
  assert.ok(turned > yaw + 0.8 && turned < yaw + 1.1 && tilted < pitch - 0.1, `${[yaw, pitch]} became ${[turned, tilted]}`);
  assert.equal(await page.locator("#orbit-hint").isVisible(), false);
  await shot(page, `orbit-turned-${name}`);

  console.log(`${name}: Shift and a drag move it, the wheel zooms`);
  const camera = () => page.evaluate(() => [window.sluice.camera.x, window.sluice.camera.y, window.sluice.camera.scale]);
  const before = await camera();
  await page.mouse.wheel(0, -400);
  await until("it is nearer", async () => (await camera())[2] > before[2] * 1.5);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(x + width / 2 - 60, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  const moved = await camera();
  assert.ok(Math.hypot(moved[0] - before[0], moved[1] - before[1]) > 1);
  assert.deepEqual(await angles(page), [turned, tilted]);
  await shot(page, `orbit-near-${name}`);
  await page.keyboard.press("f");
  await until("all of it again", async () => (await camera())[2] === before[2]);
}

async function byKeys(page) {
  console.log("arrows turn, with Ctrl far, with Shift they move; + and - zoom");
  await page.focus("#view");
  const [yaw, pitch] = await angles(page);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowUp");
  await rests(page);
  const [once, up] = await angles(page);
  assert.ok(once > yaw + 0.05 && once < yaw + 0.12 && up > pitch + 0.05);
  await page.keyboard.press("Control+ArrowLeft");
  await rests(page);
  assert.ok((await angles(page))[0] < once - 0.3);
  const scale = await page.evaluate(() => window.sluice.camera.scale);
  await page.keyboard.press("+");
  assert.ok(await page.evaluate((before) => window.sluice.camera.scale > before, scale));
  const x = await page.evaluate(() => window.sluice.camera.x);
  await page.keyboard.press("Shift+ArrowRight");
  assert.ok(await page.evaluate((before) => window.sluice.camera.x !== before, x));
  await page.keyboard.press("f");
  await page.keyboard.press("?");
  await page.waitForSelector("#help[open]");
  assert.match(await page.textContent("#help dl"), /in orbit: drag, arrows/);
  await page.keyboard.press("Escape");
}

async function flows(page) {
  console.log("what changes in the world is seen, and another picture of it is saved");
  const still = await seen(page);
  await page.evaluate(() => window.sluice.connection.command({ cmd: "set_cells", from: [2, 12, 2], size: [40, 8, 4], cell: "#" }));
  await until("there is more rock", async () => (await seen(page)).rock > still.rock + 0.005);
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
  assert.match(download.suggestedFilename(), /\.png$/);
}

/** A place on the screen that shows such a cell, at least some pixels from others; null: there is none. */
const placeOf = (page, from, to) => page.evaluate(([least, most]) => {
  const { canvas, sight } = window.sluice;
  window.sluice.paint(); // what is read below is of one moment
  const { clientWidth: width, clientHeight: height } = canvas;
  const isThere = (x, y) => {
    const at = sight.picture.pick((2 * x) / width - 1, 1 - (2 * y) / height, width / height);
    return at !== null && [at.x, at.y, at.z].every((part, i) => part >= least[i] && part <= most[i]);
  };
  const { left, top } = canvas.getBoundingClientRect();
  for (let y = 8; y < height - 100; y += 4) {
    for (let x = 8; x < width - 70; x += 4) {
      if (![[0, 0], [3, 0], [-3, 0], [0, 3], [0, -3]].every(([dx, dy]) => isThere(x + dx, y + dy))) continue;
      const ratio = canvas.width / width;
      const [red, , blue] = canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data;
      return { x: left + x, y: top + y, looks: blue > red + 25 ? "water" : "rock" };
    }
  }
  return null;
}, [from, to]);

async function points(page) {
  console.log("what the pointer is over is told of, as it is seen there");
  await rests(page);
  for (const [what, from, to, line] of [["the lake", [10, 8, 11], [16, 30, 11], /^\[1\d, 11, \d+\] water 4,096 units \(100 %\)$/],
    ["the pillar's top", [20, 16, 23], [24, 20, 23], /^\[2[0-4], 23, (1\d|20)\] rock$/],
    ["the pillar's side", [20, 16, 14], [24, 20, 20], /^\[2[0-4], (1[4-9]|20), (1\d|20)\] rock$/],
    ["the edge", [0, 0, 6], [47, 39, 9], /^\[\d+, [6-9], \d+\] rock$/]]) {
    const spot = await placeOf(page, from, to);
    assert.ok(spot, `${what} is in view`);
    assert.equal(spot.looks, what === "the lake" ? "water" : "rock", what);
    await page.mouse.move(spot.x, spot.y);
    await page.waitForFunction((wanted) => new RegExp(wanted).test(document.getElementById("hover").textContent), line.source);
    assert.ok(await page.isHidden("#pipe-tip"));
  }
  await page.click("[data-tool=inspect]");
  const lake = await placeOf(page, [10, 8, 11], [16, 30, 11]);
  await page.mouse.move(lake.x, lake.y);
  await page.waitForFunction(() => /water.*4,096 units, 100 % of a full cell/.test(document.getElementById("pipe-tip").textContent));
  const tip = await page.locator("#pipe-tip").boundingBox();
  assert.ok(Math.abs(tip.x - lake.x) < 40 && Math.abs(tip.y - lake.y) < 40, "it is beside the pointer");
  assert.doesNotMatch(await page.textContent("#pipe-tip"), /on its way down/);
  await shot(page, "orbit-tip");
  await page.keyboard.press("p");
  await page.waitForFunction(() => /^\[1\d, 11, \d+\] water/.test(document.querySelector("#pins h3")?.textContent ?? ""));
  await page.click("#inspector-close");
  await page.click("[data-tool=pan]");
  assert.equal(await page.textContent("#hover"), "", "the pointer is elsewhere");
}

/** The share of pixels of which that holds: the text of a function of red, green and blue. */
const shareOf = (page, holds) => page.evaluate(`(${(test) => {
  const canvas = document.getElementById("view");
  window.sluice.paint();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let i = 0; i < data.length; i += 4) if (test(data[i], data[i + 1], data[i + 2])) ++found;
  return found / (data.length / 4);
}})(${holds})`);
/** Of nearly that colour. */
const share = (page, [red, green, blue]) =>
  shareOf(page, `(r, g, b) => Math.abs(r - ${red}) + Math.abs(g - ${green}) + Math.abs(b - ${blue}) < 60`);
/** Of those that have so much more of red, and of green, than of blue. */
const warmer = (page, red, green) => shareOf(page, `(r, g, b) => r - b > ${red} && g - b > ${green}`);
/** Of those that are redder than water, rock and air are. */
const redder = (page) => shareOf(page, "(r, g) => r - g > 30");
const legend = (page) => page.textContent("#legend-body");
async function overlay(page, name, title) {
  await page.selectOption("#overlay", name);
  await until(`the legend of ${name}`, async () => title.test(await legend(page)));
}

/** Of a lake eight cells deep, whose surface stands at 12 (the colours are those of overlay_ramp.ts). */
async function colours(page, name) {
  console.log(`${name}: overlays colour the water of each column, and chunks all of it, with the legend's colours`);
  const MANY = 0.03;
  for (const [which, title, colour] of [["amount", /Water in a cell/, [33, 152, 148]], ["depth", /Depth at the bed, in cells0510/, [133, 207, 90]],
    ["head", /Surface over the world's floor, in cells1212.513/, [78, 70, 152]]]) {
    assert.ok(await share(page, colour) < MANY / 3, `${which} has a colour of its own`);
    await overlay(page, which, title);
    await until(`water has the colour of ${which}`, async () => await share(page, colour) > MANY);
    await shot(page, `orbit-${which}-${name}`);
  }
  const before = await seen(page);
  await overlay(page, "awake", /changed just now/);
  assert.ok(await warmer(page, 40, 20) < 0.0003);
  // Again and again: where a frame takes seconds, what changed once is long ago in the next one.
  let builds = name !== "desktop";
  const change = () => page.evaluate((cell) => window.sluice.connection.command({ cmd: "set_cells", from: [0, 12, 36], size: [16, 2, 4], cell }),
    (builds = !builds) ? "#" : ".");
  const lately = async (red, green) => {
    await change();
    return await warmer(page, red, green) > 0.0015;
  };
  await until("a chunk is awake, rock and all", () => lately(40, 20));
  await shot(page, `orbit-awake-${name}`);
  await overlay(page, "age", /Last change of a chunk/);
  await until("it changed lately", () => lately(60, 60));
  await overlay(page, "bytes", /Bytes a second/);
  await shot(page, `orbit-bytes-${name}`);
  assert.notEqual((await seen(page)).sum, before.sum);

  console.log(`${name}: what others see cannot be shown there, and the menu says so`);
  const views = page.locator("#overlay option[value=views]");
  assert.equal(await views.isDisabled(), true);
  assert.equal(await views.textContent(), "What others see (not in this view)");
  assert.equal(await page.locator("#overlay option[value=flow]").isDisabled(), true);
  await page.focus("#view");
  await page.keyboard.press("o");
  assert.equal(await page.inputValue("#overlay"), "none", "the one after the last that is meant");
  await until("it looks as without one", async () => await share(page, [78, 70, 152]) < MANY / 3);
}

/** A lake that one dyed, hot spring falls into. */
async function layersToo(page, name) {
  console.log(`${name}: temperatures and tracers, too, and what moves is followed`);
  await page.waitForFunction(() => window.sluice.layers !== null);
  await overlay(page, "temperature", /°C/);
  await until("temperatures are asked for", () => page.evaluate(() => window.sluice.sentView.layers % 2 === 1));
  await until("cold water and what is hot have other colours", async () =>
    await share(page, [60, 104, 170]) + await share(page, [38, 62, 148]) > 0.02 && await share(page, [204, 70, 58]) + await share(page, [160, 14, 40]) > 0.0004);
  await shot(page, `orbit-temperature-${name}`);
  await overlay(page, "none", /^/);
  await until("nothing is so red without it", async () => await redder(page) < 0.0002);
  await overlay(page, "tracer:dye", /dye/);
  // From violet where there is little of it to yellow: on a slow machine it may be everywhere by now.
  await until("dyed water is seen", async () => await redder(page) > 0.0004);
  await shot(page, `orbit-dye-${name}`);
}

/** Of the spring, and of a pipe behind the pillar and one before it. */
async function stands(page) {
  console.log("springs and pipes are drawn where they are, faintly where something hides them, and told of");
  const names = [["behind", [22, 16, 24]], ["before", [22, 16, 12]]];
  await page.evaluate((list) => list.forEach(([name, at]) => window.sluice.connection.command(
    { cmd: "add_pipe", name, fluid: "water", capacity: 100, height: 4096, base: 65536, throughput: 0, at })), names);
  await page.waitForFunction(() => window.sluice.mirror.pipes.networks.nodes.length === 2);
  await page.evaluate(() => window.sluice.sight.camera.turn(-window.sluice.sight.camera.yaw, 0.2 - window.sluice.sight.camera.pitch));
  await rests(page);
  await page.evaluate(() => window.sluice.paint());
  const spots = await page.evaluate(() => {
    const { lens } = window.sluice.sight;
    const at = { spring: { x: 24, y: 10, z: 20 }, behind: { x: 22, y: 24, z: 16 }, before: { x: 22, y: 12, z: 16 } };
    return Object.fromEntries(Object.entries(at).map(([name, place]) => [name, { spot: lens.spot(place), hides: lens.hides(place) }]));
  });
  assert.deepEqual(Object.fromEntries(Object.entries(spots).map(([name, { hides }]) => [name, hides])), { spring: false, behind: true, before: false });
  const { x, y } = await page.locator("#view").boundingBox();
  const over = (name) => page.mouse.move(x + spots[name].spot[0], y + spots[name].spot[1]);
  const tip = (pattern) => page.waitForFunction((text) => !document.getElementById("pipe-tip").hidden &&
    new RegExp(text).test(document.getElementById("pipe-tip").textContent), pattern.source);
  await over("spring");
  await tip(/^Spring at \[24, 20, 10\]/);
  await over("before");
  await tip(/^before · pipe/);
  await shot(page, "orbit-stands");
}

/** Two fingers on the picture, that part and go to the right. */
async function fingers(page) {
  console.log("two fingers move and zoom it, one turns it");
  const { x, y, width, height } = await page.locator("#view").boundingBox();
  const session = await page.context().newCDPSession(page);
  const send = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  const finger = (id, dx, dy = 0) => ({ id, x: x + width / 2 + dx, y: y + height / 2 + dy });
  const state = () => page.evaluate(() => ({ scale: window.sluice.camera.scale, x: window.sluice.camera.x, y: window.sluice.camera.y }));
  const [before, angle] = [await state(), await angles(page)];
  await send("touchStart", finger(1, -20));
  await send("touchStart", finger(1, -20), finger(2, 20));
  for (let i = 1; i <= 8; ++i) await send("touchMove", finger(1, -20 - 2 * i), finger(2, 20 + 10 * i));
  await send("touchEnd");
  await until("it is nearer, and elsewhere", async () => {
    const after = await state();
    return after.scale > before.scale * 1.8 && Math.hypot(after.x - before.x, after.y - before.y) > 0.5;
  });
  assert.deepEqual(await angles(page), angle);
  await send("touchStart", finger(1, 0));
  for (let i = 1; i <= 8; ++i) await send("touchMove", finger(1, -8 * i));
  await send("touchEnd");
  await rests(page);
  assert.ok((await angles(page))[0] > angle[0] + 0.3);
}

async function elsewhere(browser, url) {
  console.log("where nothing is to move by itself it is there at once");
  const calm = await open(browser, { ...sized("desktop"), reducedMotion: "reduce" });
  const page = await enter(calm, url, "#still@24,20,0,10x,orbit");
  await until("it is drawn", async () => (await seen(page)).water > 0.02);
  assert.equal(await page.evaluate(() => window.sluice.sight.camera.step(performance.now(), false)), false);

  console.log("V leads on to the front, where tools are as ever");
  await page.focus("#view");
  await page.keyboard.press("v");
  await page.waitForFunction(() => window.sluice?.mirror && window.sluice.sight === null);
  assert.equal(await page.locator("#orbit-hint").count(), 0);
  assert.equal(await page.getAttribute("#view", "aria-describedby"), "keys-hint");
  await page.keyboard.press("ArrowRight");
  await until("the arrows move the cursor", () => page.evaluate(() => window.sluice.hover !== null));

  console.log("a side-view world does not offer it");
  await page.evaluate(() => (location.hash = "#flat@20,15,0,10x,orbit"));
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "flat");
  assert.equal(await page.evaluate(() => window.sluice.sight), null);
  assert.equal(await page.locator("#sight").isVisible(), false);
  await calm.close();

  console.log("without WebGL the page says what it needs");
  const bare = await enter(await browser.newContext({ viewport: SIZES.phone }), url, "?draw=canvas#still@24,20,0,10x,orbit");
  await bare.waitForFunction(() => /needs WebGL2/.test(document.getElementById("orbit-hint").textContent));
  await shot(bare, "orbit-without-webgl");
  assert.deepEqual(await findViolations(bare, packagePath), []);
  await bare.selectOption("#sight", "top");
  await bare.waitForFunction(() => window.sluice?.sight?.name === "top");
}

await main(async () => {
  const paths = Object.entries({ basin: BASIN("basin", WIND), still: BASIN("still", ""), warm: BASIN("warm", WARM), flat: FLAT }).map(([name, text]) => {
    writeFileSync(join(folder, `${name}.toml`), text);
    return join(folder, `${name}.toml`);
  });
  const server = await startServer(serverPath, [...[...paths, join(worlds, "waterfall.toml")].flatMap((path) => ["--world", path]),
    "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  for (const name of ["desktop", "phone"]) {
    const context = await open(browser, { ...sized(name), hasTouch: name === "phone" });
    const page = await openPage(context, `${server.url}/#still`);
    await page.waitForFunction(() => window.sluice?.mirror?.chunks.size > 0);
    await page.selectOption("#sight", "orbit");
    await page.waitForFunction(() => window.sluice?.sight?.name === "orbit" && window.sluice.mirror?.chunks.size > 0);
    await opens(page, name);
    await turns(page, name);
    await colours(page, name);
    if (name === "desktop") {
      await points(page);
      await byKeys(page);
      await flows(page);
    } else await fingers(page);
    await page.close();
    const windy = await enter(context, server.url, "#basin@24,20,0,10x,orbit");
    await until("waves are asked for", () => windy.evaluate(() => window.sluice.sentView.layers === 1));
    const first = await seen(windy);
    await until("the surface moves", async () => (await seen(windy)).sum !== first.sum);
    await shot(windy, `orbit-waves-${name}`);
    await windy.close();
    const warm = await enter(context, server.url, "#warm@24,20,0,10x,orbit");
    await layersToo(warm, name);
    if (name === "desktop") await stands(warm);
    await warm.close();
    const falls = await enter(context, server.url, "#waterfall@32,32,0,8x,orbit");
    await until("it is drawn", async () => (await seen(falls)).rock > 0.05);
    await shot(falls, `orbit-waterfall-${name}`);
    await context.close();
  }
  await elsewhere(browser, server.url);
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
