// Goal: two pages and a terminal that edit one world see each other's edits, and end with the same world, bit for bit, which
// is the one that the server recorded.
// Method: a real server, headless Chromium, and the terminal viewer on a terminal of its own, driven by keys.
//
//   node together_browser_test.mjs SLUICE_SERVER SLUICE_VIEW SLUICE CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, launch, main, openPage, place, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, viewPath, toolPath, chromiumPath, packagePath] = process.argv.slice(2);

/** A floor, and a basin in it. */
const WORLD = `[world]
name = "shared"
size = [64, 48, 1]
[[fill]]
from = [0, 0, 0]
size = [64, 16, 1]
cell = "#"
[[fill]]
from = [20, 6, 0]
size = [24, 10, 1]
cell = "."
`;

/** The terminal viewer, with letters alone, on a terminal that knows what it has to: where the cursor goes, and letters. */
class Terminal {
  rows = Array.from({ length: 40 }, () => Array(100).fill(" "));
  rest = "";
  at = [0, 0];
  constructor(url) {
    const command = `stty cols 100 rows 40; TERM=xterm NO_COLOR=1 LC_ALL=C exec ${viewPath} ${url}`;
    this.child = spawn("script", ["-qfec", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
    this.child.stdout.on("data", (bytes) => this.take(this.rest + bytes.toString("latin1")));
    this.ended = new Promise((resolve) => this.child.on("exit", resolve));
  }
  take(text) {
    const cut = /\x1b(\[[0-9;?]*)?$/.exec(text);
    this.rest = cut ? cut[0] : "";
    for (const [all, parameters, final] of text.slice(0, text.length - this.rest.length).matchAll(/\x1b\[([0-9;?]*)([A-Za-z])|[^\x1b]/g)) {
      if (final === "H") this.at = (parameters || "1;1").split(";").map((number) => Number(number) - 1);
      else if (final === undefined && all >= " ") {
        const [row, column] = this.at;
        if (this.rows[row]) this.rows[row][column] = all;
        this.at = [row, column + 1];
      }
    }
  }
  keys(text) {
    this.child.stdin.write(text);
  }
  /** The cell under its cursor, as the status line tells. */
  tells(x, y, what) {
    return until(`the terminal tells of [${x}, ${y}] ${what}`, () => this.rows[39].join("").includes(`[${x}, ${y}] ${what}`));
  }
}

const open = async (browser, url) => {
  const page = await openPage(await browser.newContext({ viewport: { width: 1000, height: 700 } }), url);
  await page.waitForFunction(() => window.sluice?.mirror?.chunks.size > 0);
  return page;
};
async function stroke(page, tool, from, to) {
  await page.click(`[data-tool=${tool}]`);
  await page.locator("#size").fill("1");
  await page.evaluate(() => document.getElementById("size").blur());
  const [a, b] = [await place(page, ...from), await place(page, ...to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(b.x, b.y, { steps: 8 });
  await page.mouse.up();
}
/** Of all cells that a page holds, and whether the server ever differed. */
const digest = (page) => page.evaluate(() => {
  const { mirror } = window.sluice;
  let sum = 0n;
  for (let y = 0; y < mirror.size.y; ++y) {
    for (let x = 0; x < mirror.size.x; ++x) sum = (sum * 1000003n + BigInt(mirror.cell(x, y, 0) + 16)) & ((1n << 64n) - 1n);
  }
  return `${sum} ${mirror.mismatches} ${mirror.counters.water}`;
});
/** Others' cursors are drawn over the cells: these are told of by number. */
const holds = (page, x, y, wanted) => until(`[${x}, ${y}] is ${wanted}`, () =>
  page.evaluate(([cellX, cellY, cell]) => window.sluice.mirror.cell(cellX, cellY, 0) === cell, [x, y, { rock: -1, air: 0 }[wanted]]));
const rests = (page) => page.evaluate(() => window.sluice.mirror.counters.activeChunks === 0);

await main(async () => {
  writeFileSync(join(folder, "shared.toml"), WORLD);
  const server = await startServer(serverPath, ["--world", join(folder, "shared.toml"), "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  const terminal = new Terminal(`ws://${server.address}/worlds/shared`);
  const [ann, bob] = [await open(browser, `${server.url}/#shared`), await open(browser, `${server.url}/#shared`)];

  console.log("each builds, and all see it");
  await terminal.tells(32, 24, "air");
  terminal.keys("r");
  await holds(ann, 32, 24, "rock");
  await holds(bob, 32, 24, "rock");
  await terminal.tells(32, 24, "rock");
  await stroke(ann, "rock", [24, 24], [30, 24]);
  await holds(bob, 27, 24, "rock");
  terminal.keys("aaaaa");
  await terminal.tells(27, 24, "rock");
  await stroke(bob, "air", [27, 24], [28, 24]);
  await holds(ann, 27, 24, "air");
  await terminal.tells(27, 24, "air");

  console.log("all of them at once, and water runs through it");
  await Promise.all([
    stroke(ann, "water", [22, 30], [40, 30]),
    stroke(bob, "rock", [36, 10], [36, 14]),
    (async () => {
      for (let i = 0; i < 12; ++i) {
        terminal.keys("px"[i % 2] + "d");
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    })(),
  ]);
  await ann.keyboard.press("Control+z");
  await stroke(ann, "water", [24, 34], [34, 34]);

  console.log("in the end it is one world");
  await until("it rests", async () => await rests(ann) && await rests(bob));
  await until("both pages hold the same", async () => await digest(ann) === await digest(bob));
  const [, mismatches, water] = (await digest(ann)).split(" ");
  assert.equal(mismatches, "0");
  assert.ok(Number(water) > 4 * 4096, `water was poured: ${water}`);
  // A place that all of them tell of: the surface in the basin.
  const [x, y, units] = await ann.evaluate(() => {
    const { mirror } = window.sluice;
    for (let row = 15; row > 5; --row) if (mirror.cell(30, row, 0) > 0) return [30, row, mirror.cell(30, row, 0)];
    return null;
  });
  assert.equal(await bob.evaluate(([cellX, cellY]) => window.sluice.mirror.cell(cellX, cellY, 0), [x, y]), units);
  terminal.keys("q");
  assert.equal(await terminal.ended, 0);
  await browser.close();
  assert.equal(await stopServer(server), 0);

  const recording = join(folder, "data/shared.sluice");
  const verified = execFileSync(toolPath, ["verify", recording]).toString();
  assert.match(verified, /replay bit for bit/);
  const csv = execFileSync(toolPath, ["replay", recording, "--dump", "-"]).toString();
  assert.match(csv, new RegExp(`^cell,,${x},${y},0,water,${units}$`, "m"));
});
