// Goal: all worlds stand side by side as they are now, large ones as a whole and for few bytes; a click or a key leads to
// one; a world that may not be watched is named and not asked for; nothing is asked of the server for what nobody sees.
// Method: a real server and headless Chromium on a desktop and a phone; cards are read as pixels, connections and their
// bytes counted by the browser's own protocol; axe-core from npm.
//
//   node gallery_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findViolations, folder, launch, main, openPage, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

/** A world whose lower half is of the cell. */
const world = (name, size, cell) => `[world]
name = "${name}"
size = [${size}]
water = "hydro"
[[fill]]
from = [0, 0, 0]
size = [${size.split(",")[0]}, ${Math.floor(Number(size.split(",")[1]) / 2)}, ${size.split(",")[2]}]
cell = "${cell}"
`;
/** A lake over a rough bed, between two cliffs at its far ends. */
const SHORE = 200;
const rough = Array.from({ length: 280 }, (_, i) => `[[fill]]
from = [${SHORE + i * 9}, 0, 0]
size = [9, ${20 + ((i * 7919) % 173)}, 1]
cell = "#"
`).join("");
const cliffs = [0, 3000 - SHORE].map((x) => `[[fill]]
from = [${x}, 0, 0]
size = [${SHORE}, 900, 1]
cell = "#"
`).join("");
const WORLDS = { rocks: ["100, 60, 1", "#"], lake: ["100, 60, 1", "~"], deep: ["40, 40, 40", "#"], vast: ["3000, 1000, 1", "~", rough + cliffs] };

function startWorlds() {
  const parameters = Object.entries(WORLDS).flatMap(([name, [size, cell, more = ""]]) => {
    writeFileSync(join(folder, `${name}.toml`), world(name, size, cell) + more);
    return ["--world", join(folder, `${name}.toml`)];
  });
  return startServer(serverPath, [...parameters, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
}

/** What the card of the world looks like a little below its middle, and in its upper part; `across`: how far to the right. */
async function looks(page, name, across = 0.5) {
  return page.evaluate(([wanted, share]) => {
    const canvas = document.querySelector(`[data-world="${wanted}"] canvas`);
    const at = (down) => [...canvas.getContext("2d").getImageData(canvas.width * share, canvas.height * down, 1, 1).data];
    const kind = ([red, green, blue]) => (red + green + blue < 130 ? "air" : blue > red + 40 ? "water" : "rock");
    return `${kind(at(0.42))} over ${kind(at(0.6))}`;
  }, [name, across]);
}
const expectLooks = (page, name, wanted) => until(`the card of ${name} shows ${wanted}`, async () => await looks(page, name) === wanted);

/** Bytes that came over the page's WebSockets, by the worlds that they lead to. */
async function countBytes(page) {
  const [worlds, bytes] = [new Map(), {}];
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.webSocketCreated", ({ requestId, url }) => worlds.set(requestId, decodeURIComponent(url.split("/").at(-1))));
  session.on("Network.webSocketFrameReceived", ({ requestId, response }) => {
    const world = worlds.get(requestId);
    bytes[world] = (bytes[world] ?? 0) + Buffer.from(response.payloadData, "base64").length;
  });
  return bytes;
}

/** The page's WebSockets that are open, by the worlds that they lead to. */
async function watchSockets(page) {
  const open = new Map();
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.webSocketCreated", ({ requestId, url }) => open.set(requestId, decodeURIComponent(url.split("/").at(-1))));
  session.on("Network.webSocketClosed", ({ requestId }) => open.delete(requestId));
  return () => [...open.values()].sort().join(" ");
}

async function cards(browser, url, name) {
  const page = await openPage(await browser.newContext({ viewport: SIZES[name], reducedMotion: "reduce" }), `${url}/#rocks`);
  const sockets = await watchSockets(page);

  console.log(`${name}: all worlds are shown as they are`);
  await page.click("#gallery-open");
  await page.waitForSelector("#gallery[open]");
  assert.deepEqual(await page.locator("#gallery li b").allTextContents(), Object.keys(WORLDS).sort());
  assert.equal(await page.evaluate(() => document.activeElement.dataset.world), "rocks");
  for (const [world, looks] of [["rocks", "air over rock"], ["lake", "air over water"], ["deep", "air over rock"], ["vast", "air over water"]]) {
    await page.locator(`[data-world="${world}"]`).scrollIntoViewIfNeeded();
    await expectLooks(page, world, looks);
  }
  const below = await page.evaluate(() => {
    const canvas = document.querySelector('[data-world="vast"] canvas');
    return [...canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height * 0.9, 1, 1).data].slice(0, 3);
  });
  assert.deepEqual(below, [6, 8, 11], "what is not asked for does not look like air");
  assert.match(await page.textContent('[data-world="deep"]'), /40 × 40 × 40 · hydro/);
  await page.evaluate(() => document.querySelector("#gallery").scrollTo(0, 0));
  await shot(page, `gallery-${name}`);
  assert.deepEqual(await findViolations(page, packagePath), []);

  console.log(`${name}: a large world is shown as a whole, from one end to the other`);
  await page.locator('[data-world="vast"]').scrollIntoViewIfNeeded();
  for (const across of [0.07, 0.93]) await until(`the cliff at ${across}`, async () => await looks(page, "vast", across) === "rock over rock");
  await page.evaluate(() => document.querySelector("#gallery").scrollTo(0, 0));

  console.log(`${name}: they are live`);
  await page.evaluate(() =>
    window.sluice.command({ cmd: "set_cells", from: [0, 30, 0], size: [100, 30, 1], cell: "#" }));
  await expectLooks(page, "rocks", "rock over rock");
  await page.evaluate(() =>
    window.sluice.command({ cmd: "set_cells", from: [0, 30, 0], size: [100, 30, 1], cell: "." }));
  await expectLooks(page, "rocks", "air over rock");

  console.log(`${name}: keys for the world behind it are not taken; a click leads to a world, and nothing more is asked for`);
  await page.keyboard.press("2");
  assert.equal(await page.evaluate(() => window.sluice.hand.brush.tool), "pan");
  await page.click('[data-world="lake"]');
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "lake");
  assert.equal(await page.locator("#gallery").isVisible(), false);
  await until("one connection is left", async () => sockets() === "lake");
  await page.keyboard.press("w");
  await page.waitForSelector("#gallery[open]");
  await until("cards are asked for again", async () => sockets().includes("rocks"));
  await page.keyboard.press("Escape");
  await until("and no more", async () => sockets() === "lake");
  await page.context().close();
}

/** A card of a large world against the page that holds its cells. */
async function costsLess(browser, url) {
  console.log("a card of a large world takes a small part of the bytes of its cells");
  const page = await openPage(await browser.newContext({ viewport: SIZES.desktop, reducedMotion: "reduce" }), `${url}/#rocks`);
  const bytes = await countBytes(page);
  await page.click("#gallery-open");
  await page.waitForSelector("#gallery[open]");
  await page.locator('[data-world="vast"]').scrollIntoViewIfNeeded();
  await until("the whole of it is there", async () => await looks(page, "vast", 0.07) === "rock over rock" && await looks(page, "vast") === "air over water");
  await page.waitForTimeout(2000); // whatever is sent beside that
  const card = bytes.vast;
  await page.keyboard.press("Escape");
  await page.evaluate(() => (location.hash = "#vast"));
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "vast");
  await page.click("[data-tool=rock]"); // which needs the cells
  await page.waitForFunction(() => window.sluice.mirror.coords().length > 300);
  await page.waitForTimeout(2000);
  const cells = await page.evaluate(() => window.sluice.connection.bytes);
  console.log(`  ${card} bytes for the card, ${cells} for the cells`);
  assert.ok(card * 4 < cells);
  await page.context().close();
}

/** Cards of worlds that nobody may watch, as the page would be told by a server with accounts. */
async function locked(browser, url) {
  console.log("a world that may not be watched is named, and not asked for");
  const context = await browser.newContext({ viewport: SIZES.desktop });
  await context.route("**/session", (route) => route.fulfill({ json:
    { account: "guest", accounts: true, worlds: { rocks: "build", lake: "watch", deep: "none", vast: "none" } } }));
  const page = await openPage(context, `${url}/#rocks`);
  const sockets = await watchSockets(page);
  await page.click("#gallery-open");
  await page.waitForSelector("#gallery[open]");
  await expectLooks(page, "lake", "air over water");
  assert.match(await page.textContent('[data-world="deep"]'), /locked/);
  assert.ok(!/deep|vast/.test(sockets()), sockets());
  await context.close();
}

await main(async () => {
  const server = await startWorlds();
  const browser = await launch(packagePath, chromiumPath);
  for (const name of ["desktop", "phone"]) await cards(browser, server.url, name);
  await costsLess(browser, server.url);
  await locked(browser, server.url);
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
