// What the page costs whoever looks: how soon it shows anything, frames while it is moved over a world in motion, and memory
// over minutes. Measured, not judged: the figures are of the machine, of its browser, and of whether that has a graphics card.
//
//   ./dev bench-page [MINUTES]        for memory; 1, if not given
//
//   node page.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON SOURCE_DIR [MINUTES]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, launch, main, startServer, stopServer } from "../e2e/browser_support.mjs";

const [serverPath, chromiumPath, packagePath, sourceDir, minutes = "1"] = process.argv.slice(2);
const STARTS = 7;
/** Milliseconds of each look at frames, and of the pauses between looks at memory. */
const [LOOK, PAUSE] = [8000, 15000];

/** 4,000 x 2,000 cells: a lake over its whole width that two springs keep in motion, over ground with shafts in it. */
const LARGE = `[world]
name = "large"
size = [4000, 2000, 1]
[[fill]]
from = [0, 0, 0]
size = [4000, 600, 1]
cell = "#"
[[fill]]
from = [0, 600, 0]
size = [1500, 500, 1]
cell = "~"
${Array.from({ length: 12 }, (_, i) => `[[fill]]
from = [${200 + 300 * i}, 100, 0]
size = [40, 500, 1]
cell = "."
`).join("")}${[700, 3000].map((x) => `[[source]]
at = [${x}, 1800, 0]
rate = 16777216
`).join("")}`;

const say = (what, figure) => console.log(`${what.padEnd(58)} ${figure}`);
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function open(browser, url, viewport = { width: 1280, height: 800 }) {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("first-picture").length > 0, undefined, { timeout: 120_000 });
  return page;
}

async function starts(browser, url) {
  const found = [];
  for (let i = 0; i < STARTS; ++i) {
    const page = await open(browser, `${url}/#waterfall`);
    found.push(await page.evaluate(() => ["first-contentful-paint", "first-picture"].map((name) => performance.getEntriesByName(name)[0].startTime)));
    await page.context().close();
  }
  const text = (i) => `${Math.round(median(found.map((each) => each[i])))} ms (${found.map((each) => Math.round(each[i])).join(", ")})`;
  say("first paint, from the click on", text(0));
  say("first water", text(1));
}

/** Frames while `move` is called again and again. */
async function frames(page, what, move) {
  await page.evaluate(() => {
    window.gaps = [];
    let last = performance.now();
    const note = (now) => {
      window.gaps.push(now - last);
      last = now;
      window.noting = requestAnimationFrame(note);
    };
    window.noting = requestAnimationFrame(note);
  });
  for (const begin = performance.now(); performance.now() - begin < LOOK;) await move();
  const gaps = await page.evaluate(() => (cancelAnimationFrame(window.noting), window.gaps.slice(2)));
  const seconds = gaps.reduce((sum, gap) => sum + gap, 0) / 1000;
  say(what, `${(gaps.length / seconds).toFixed(1)} frames a second, the longest ${Math.round(Math.max(...gaps))} ms`);
}

async function moves(browser, url, world, viewport) {
  const page = await open(browser, `${url}/#${world}`, viewport);
  await page.focus("#view");
  const size = `${world}, ${viewport.width} x ${viewport.height}`;
  let turn = 0;
  const key = (name) => page.keyboard.press(name);
  await frames(page, `${size}: at rest in place`, () => page.waitForTimeout(100));
  await frames(page, `${size}: zoomed in and out`, () => key(++turn % 40 < 20 ? "+" : "-"));
  await key("f");
  for (let i = 0; i < 8; ++i) await key("+");
  await frames(page, `${size}: moved`, () => key(++turn % 60 < 30 ? "Shift+ArrowRight" : "Shift+ArrowLeft"));
  await page.context().close();
}

/** Of a page that is moved over water in motion: after its rubbish is gone. */
async function memory(browser, url) {
  const page = await open(browser, `${url}/#waterfall`);
  const session = await page.context().newCDPSession(page);
  await page.focus("#view");
  const used = [];
  const begin = performance.now();
  for (let turn = 0; performance.now() - begin < Number(minutes) * 60_000;) {
    const until = performance.now() + PAUSE;
    while (performance.now() < until) {
      await page.keyboard.press(["+", "Shift+ArrowRight", "Shift+ArrowUp", "-", "Shift+ArrowLeft", "Shift+ArrowDown", "o"][++turn % 7]);
      await page.waitForTimeout(40);
    }
    await session.send("HeapProfiler.collectGarbage");
    used.push((await session.send("Runtime.getHeapUsage")).usedSize / 2 ** 20);
  }
  say(`memory over ${minutes} minutes, MiB, every ${PAUSE / 1000} s`, used.map((each) => each.toFixed(1)).join(" "));
}

await main(async () => {
  writeFileSync(join(folder, "large.toml"), LARGE);
  const worlds = [join(folder, "large.toml"), join(sourceDir, "server/worlds/waterfall.toml")].flatMap((path) => ["--world", path]);
  const server = await startServer(serverPath, [...worlds, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  await starts(browser, server.url);
  await moves(browser, server.url, "waterfall", { width: 1280, height: 800 });
  await moves(browser, server.url, "large", { width: 1280, height: 800 });
  await moves(browser, server.url, "large", { width: 2560, height: 1600 });
  await memory(browser, server.url);
  await browser.close();
  await stopServer(server);
});
