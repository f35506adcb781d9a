// Goal: the page looks as somebody who looked at it found it good: worlds from every side, overlays, palettes and
// panels, on a desktop, on phones and at 200 %.
// Method: recordings at a tick and worlds at rest, so that each picture has one value; headless Chromium; pictures
// are compared with those in tests/e2e/pictures. The world's part has to be the same but for single pixels; the rest
// may have other letters, whose shapes are the machine's. What differs is written to the folder SLUICE_SHOTS.
//
//   node pictures_browser_test.mjs SLUICE_SERVER SLUICE CHROMIUM PACKAGE_JSON
//
// Where the page changes, SLUICE_NEW_PICTURES=1 writes the pictures anew, for somebody to look at.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { folder, launch, main, openPage, SIZES, startServer, stopServer } from "./browser_support.mjs";
import { expectTick } from "./replay_support.mjs";

const [serverPath, toolPath, chromiumPath, packagePath] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(packagePath);
const { PNG } = require("pngjs");
const { default: pixelmatch } = await import(pathToFileURL(require.resolve("pixelmatch")));

/** Shares of pixels that may differ. */
const OF_THE_WORLD = 0.002;
const OF_THE_PAGE = 0.04;

const DESKTOP = { viewport: { width: 1024, height: 640 } };
const PHONE = { viewport: SIZES.phone, hasTouch: true };
const PHONE_ON_ITS_SIDE = { viewport: { width: 844, height: 390 }, hasTouch: true };
const LARGE = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };

/** At rest, with all that can be built. */
const TUB = `[world]
name = "tub"
size = [96, 54, 1]
water = "hydro"
[[fill]]
from = [0, 0, 0]
size = [96, 12, 1]
cell = "#"
[[fill]]
from = [10, 4, 0]
size = [40, 8, 1]
cell = "~"
[[fill]]
from = [30, 6, 0]
size = [12, 4, 1]
cell = "#"
[[source]]
at = [20, 8, 0]
rate = 100
head = 4096
[[drain]]
at = [80, 30, 0]
rate = 100
[[pipe]]
name = "riser"
at = [60, 20, 0]
base = 81920
[[pump]]
name = "pump"
at = [66, 20, 0]
base = 81920
rate = 0
[[valve]]
name = "tap"
at = [66, 26, 0]
base = 106496
open = false
[[link]]
from = "riser"
to = "pump"
[[link]]
from = "pump"
to = "tap"
[[port]]
node = "riser"
cell = [45, 8, 0]
kind = "open"
rate = 70
`;

/** A pool with steps, a pillar and a bridge, at rest. */
const POOL = `[world]
name = "pool"
size = [32, 20, 32]
water = "hydro"
[[fill]]
from = [0, 0, 0]
size = [32, 8, 32]
cell = "#"
[[fill]]
from = [4, 3, 4]
size = [24, 5, 18]
cell = "~"
[[fill]]
from = [4, 0, 4]
size = [8, 5, 18]
cell = "#"
[[fill]]
from = [18, 0, 12]
size = [3, 16, 3]
cell = "#"
[[fill]]
from = [21, 12, 12]
size = [11, 1, 3]
cell = "#"
`;

const choose = (id, value) => (page) => page.selectOption(`#${id}`, value);
/** A layer comes after it was asked for, and its legend with it. */
const chooseLayer = (value) => async (page) => {
  await choose("overlay", value)(page);
  await page.waitForSelector("#legend-body:not([hidden])");
};
const press = (...keys) => async (page) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** `world`: of server/worlds, at a tick of its recording. `live`: one at rest, with tools. */
const SCENES = [
  { name: "dam-break", world: "dam-break", tick: 60, size: DESKTOP },
  { name: "dam-break-light", world: "dam-break", tick: 60, size: DESKTOP, set: choose("palette", "light") },
  { name: "dam-break-contrast", world: "dam-break", tick: 60, size: DESKTOP, set: choose("palette", "contrast") },
  { name: "dam-break-depth", world: "dam-break", tick: 60, size: DESKTOP, set: choose("overlay", "depth") },
  { name: "dam-break-phone", world: "dam-break", tick: 60, size: PHONE },
  { name: "cave-large", world: "cave", tick: 120, size: LARGE },
  { name: "frost-temperature", world: "frost", tick: 100, size: DESKTOP, set: chooseLayer("temperature") },
  { name: "pool", live: "pool", size: DESKTOP },
  { name: "pool-above", live: "pool", size: DESKTOP, set: choose("sight", "top") },
  { name: "pool-orbit", live: "pool", size: DESKTOP, set: choose("sight", "orbit") },
  { name: "tub", live: "tub", size: DESKTOP },
  { name: "tub-pipes", live: "tub", size: DESKTOP, set: press("5") },
  { name: "tub-shortcuts", live: "tub", size: DESKTOP, set: press("?") },
  { name: "tub-phone", live: "tub", size: PHONE },
  { name: "tub-phone-on-its-side", live: "tub", size: PHONE_ON_ITS_SIDE },
  { name: "tub-large", live: "tub", size: LARGE },
];

function record(world, ticks) {
  const file = join(folder, `${world}.sluice`);
  if (existsSync(file)) return file;
  const source = join(here, "../../server/worlds", `${world}.toml`);
  execFileSync(toolPath, ["sim", source, "--ticks", String(ticks), "--record", file]);
  return file;
}

function serve({ world, tick }) {
  if (world) return startServer(toolPath, ["replay", record(world, tick), "--serve", "127.0.0.1:0"]);
  const worlds = Object.entries({ tub: TUB, pool: POOL }).flatMap(([name, text]) => {
    writeFileSync(join(folder, `${name}.toml`), text);
    return ["--world", join(folder, `${name}.toml`)];
  });
  return startServer(serverPath, [...worlds, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
}

/** The page when it stands still: figures that change by themselves are covered. */
async function picture(page) {
  const mask = [page.locator("#status"), page.locator("#facts")];
  for (let before = null; ;) {
    const now = await page.screenshot({ mask, maskColor: "#404040", animations: "disabled" });
    if (before?.equals(now)) return PNG.sync.read(now);
    before = now;
    await page.waitForTimeout(200);
  }
}

/** The world's part of a page, in pixels of its picture. */
async function worldBox(page, { width }) {
  return page.evaluate((wide) => {
    const { left, top, width: w, height: h } = document.getElementById("view").getBoundingClientRect();
    const ratio = wide / innerWidth;
    return { x: Math.ceil(left * ratio), y: Math.ceil(top * ratio), width: Math.floor(w * ratio), height: Math.floor(h * ratio) };
  }, width);
}

function part(of, { x, y, width, height }) {
  const out = new PNG({ width, height });
  PNG.bitblt(of, out, x, y, width, height, 0, 0);
  return out;
}

/** The share of pixels that differ by more than what smooth edges do. */
function share(seen, wanted, name) {
  const { width, height } = wanted;
  const differences = new PNG({ width, height });
  const count = pixelmatch(seen.data, wanted.data, differences.data, width, height, { threshold: 0.15 });
  const shots = process.env.SLUICE_SHOTS;
  if (shots && count > 0) writeFileSync(join(shots, `${name}-differs.png`), PNG.sync.write(differences));
  return count / (width * height);
}

const percent = (value) => `${(value * 100).toFixed(2)} %`;

async function compare(page, name) {
  const seen = await picture(page);
  const path = join(here, "pictures", `${name}.png`);
  if (process.env.SLUICE_SHOTS) writeFileSync(join(process.env.SLUICE_SHOTS, `${name}.png`), PNG.sync.write(seen));
  if (process.env.SLUICE_NEW_PICTURES) return writeFileSync(path, PNG.sync.write(seen, { colorType: 2, deflateLevel: 9 }));
  const wanted = PNG.sync.read(readFileSync(path));
  assert.deepEqual([seen.width, seen.height], [wanted.width, wanted.height], `${name}: its size`);
  const box = await worldBox(page, seen);
  const [world, whole] = [share(part(seen, box), part(wanted, box), `${name}-world`), share(seen, wanted, name)];
  console.log(`${name}: ${percent(world)} of the world's pixels differ, ${percent(whole)} of all`);
  assert.ok(world <= OF_THE_WORLD, `${name}: ${percent(world)} of the world's pixels differ`);
  assert.ok(whole <= OF_THE_PAGE, `${name}: ${percent(whole)} of all pixels differ`);
}

async function look(browser, { name, live, tick, size, set }, url) {
  const context = await browser.newContext({ ...size, reducedMotion: "reduce" });
  const page = await openPage(context, live ? `${url}#${live}` : url);
  if (tick) {
    await page.fill("#tl-tick", String(tick));
    await page.keyboard.press("Enter");
    await expectTick(page, tick);
  } else if (live === "tub") {
    await page.waitForFunction(() => window.sluice.mirror.pipes.networks.links.length === 2);
  }
  await page.waitForLoadState("networkidle"); // what is loaded late changes the picture
  await set?.(page);
  await page.mouse.move(2, 2);
  await compare(page, name);
  await context.close();
}

/** A comparison that could not fail would prove nothing. */
function sees() {
  const size = { width: 100, height: 100 };
  const [white, spotted] = [new PNG(size), new PNG(size)];
  for (const { data } of [white, spotted]) data.fill(255);
  for (let y = 40; y < 50; ++y) spotted.data.fill(160, 4 * (100 * y + 40), 4 * (100 * y + 50));
  assert.equal(share(white, white, "same"), 0);
  assert.equal(share(white, spotted, "spotted"), 0.01);
}

await main(async () => {
  sees();
  const browser = await launch(packagePath, chromiumPath);
  const served = [...new Set(SCENES.map(({ world }) => world))];
  for (const world of served) {
    const scenes = SCENES.filter((scene) => scene.world === world);
    const server = await serve(scenes[0]);
    for (const scene of scenes) await look(browser, scene, server.url);
    await stopServer(server);
  }
  await browser.close();
});
