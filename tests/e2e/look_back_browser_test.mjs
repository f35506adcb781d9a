// Goal: whoever watches a living world can look back at what was, alone, with the timeline of a replay, and goes back
// to live by one key or button; nothing can be built meanwhile, and the page says why; others notice nothing.
// Method: a server goes on from a recording whose picture is known for every tick, with two pages.
//
//   node look_back_browser_test.mjs SLUICE_SERVER SLUICE CHROMIUM PACKAGE_JSON   (of the folder with playwright-core)
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  expectLook, expectToast, findViolations, folder, main, openBrowser, openPage, shot, SIZES, startServer, stopServer,
} from "./browser_support.mjs";
import { expectTick, record, wall } from "./replay_support.mjs";

const [serverPath, tool, chromiumPath, packagePath] = process.argv.slice(2);

const data = join(folder, "look-back-data");
const serve = (address, ...more) =>
  startServer(serverPath, ["--world", join(folder, "room.toml"), "--data", data, "--listen", address, "--no-verify", ...more]);
const ANY = "127.0.0.1:0";

/** Waits until the page looks at the past, or is live, and is connected. */
const expectPast = (page, past) => page.waitForFunction((wanted) => window.sluice?.ready &&
  (window.sluice.connection.query !== "") === wanted && document.body.classList.contains("past") === wanted &&
  document.getElementById("timeline").hidden !== wanted && window.sluice.replays === wanted &&
  document.getElementById("look-back").getAttribute("aria-pressed") === String(wanted), past);

const seek = async (page, tick) => {
  await page.fill("#tl-tick", String(tick));
  await page.keyboard.press("Enter");
  await expectTick(page, tick);
};

async function looksBack(context) {
  const server = await serve(ANY);
  const [me, other] = [await openPage(context, server.url), await openPage(context, server.url)];
  await expectLook(me, 51, 20, "rock");

  console.log("a key leads to a position of one's own in what the world has recorded");
  await me.waitForSelector("#look-back:not([hidden])");
  await me.keyboard.press("?");
  await me.waitForFunction(() => /look back at what was/.test(document.getElementById("help").textContent));
  await me.keyboard.press("Escape");
  await me.keyboard.press("h");
  await expectPast(me, true);
  await me.waitForFunction(() => /^You look at tick [\d,]+ of [\d,]+ \(.+\)$/.test(document.querySelector("#past span").textContent));
  await seek(me, 150);
  await expectLook(me, 11, 20, "rock");
  await expectLook(me, 31, 20, "air");
  await me.waitForFunction(() => /tick 150 of [\d,]+ \(\d+ s ago\)/.test(document.querySelector("#past span").textContent));
  await shot(me, "past-desktop");

  console.log("it is steered as a replay is");
  await me.keyboard.press("ArrowRight");
  await expectTick(me, 151);
  await me.keyboard.press("Shift+ArrowLeft");
  await expectTick(me, 131);
  await me.keyboard.press("Home");
  await expectTick(me, 0);
  await expectLook(me, 11, 20, "air");
  await me.selectOption("#tl-speed", "64000");
  await me.keyboard.press("Space");
  await me.waitForFunction(() => window.sluice.mirror.tick > 320);
  await me.keyboard.press("Space");
  await me.waitForFunction(() => window.sluice.mirror.playback && !window.sluice.mirror.playback.playing);

  console.log("the others notice nothing, and the world goes on");
  const before = await other.evaluate(() => window.sluice.mirror.tick);
  await other.waitForFunction((tick) => window.sluice.mirror.tick > tick + 20, before);
  await expectLook(other, 51, 20, "rock");
  await expectPast(other, false);

  console.log("nothing can be built, and the page says why");
  assert.equal(await me.locator('[data-tool="rock"]').isDisabled(), true);
  assert.match(await me.locator('[data-tool="rock"]').getAttribute("title"), /you look at the past/);
  assert.match(await me.textContent("#rights"), /You look at the past, which nobody can change; go back to live to build/);
  await me.keyboard.press("2");
  await expectToast(me, "You look at the past");
  assert.equal(await me.evaluate(() => window.sluice.hand.brush.tool), "pan");
  await me.evaluate(() => window.sluice.command({ cmd: "pour", at: [5, 30, 0], units: 9 }));
  await expectToast(me, "Refused: this is the past: what happened cannot be changed");
  assert.deepEqual(await findViolations(me, packagePath), []);
  await me.keyboard.press("?");
  await me.waitForFunction(() => /back to live/.test(document.getElementById("help").textContent) &&
    /play, pause/.test(document.getElementById("help").textContent));
  await me.keyboard.press("Escape");

  console.log("a button leads back, and what could be built can be built again");
  await me.click("#back-to-live");
  await expectPast(me, false);
  await me.waitForFunction((tick) => window.sluice.mirror.tick > tick, before);
  await expectLook(me, 51, 20, "rock");
  assert.equal(await me.locator('[data-tool="rock"]').isDisabled(), false);
  assert.equal(await me.locator("#rights").isVisible(), false);
  await me.keyboard.press("2");
  assert.equal(await me.evaluate(() => window.sluice.hand.brush.tool), "rock");
  await me.evaluate(() => window.sluice.queue.send(
    { cmd: "set_cells", from: [20, 30, 0], size: [4, 4, 1], cell: "#" }, {}));
  await expectLook(other, 21, 31, "rock");
  await me.keyboard.press("1");

  console.log("again and again, more often than there are positions");
  for (let i = 0; i < 12; ++i) {
    await me.click("#look-back");
    await expectPast(me, true);
    await me.keyboard.press(i % 2 === 0 ? "h" : "a");
    await expectPast(me, false);
  }
  for (const page of [me, other]) assert.equal(await page.evaluate(() => window.sluice.mirror.mismatches), 0);
  await other.close();
  return { server, me };
}

async function aServerThatWasAway({ server, me }, context) {
  console.log("the address leads others to the tick");
  await me.keyboard.press("h");
  await expectPast(me, true);
  await seek(me, 250);
  await me.waitForFunction(() => location.hash === "#room@t250");
  const friend = await openPage(context, `${server.url}/#room@t250`);
  await expectPast(friend, true);
  await expectTick(friend, 250);
  await friend.close();

  console.log("a server that was away knows nothing of it: the page goes back to the tick of its own");
  await stopServer(server);
  await me.waitForFunction(() => document.body.dataset.state !== "ready");
  const again = await serve(server.address);
  await expectPast(me, true);
  await expectTick(me, 250);
  await expectLook(me, 31, 20, "rock");
  await me.close();
  assert.equal(await stopServer(again), 0);
}

async function onAPhone(context) {
  console.log("on a phone the button, the timeline and the way back are on the screen");
  const server = await serve(ANY);
  const page = await openPage(context, server.url);
  await page.setViewportSize(SIZES.phone);
  await page.click("#look-back");
  await expectPast(page, true);
  await seek(page, 150);
  await expectLook(page, 11, 20, "rock");
  for (const id of ["#look-back", "#back-to-live", "#tl-play", "#seek", "#past span"]) {
    const { x, y, width, height } = await page.locator(id).boundingBox();
    assert.ok(x >= 0 && x + width <= SIZES.phone.width && y >= 0 && y + height <= SIZES.phone.height, `${id} is on the screen`);
  }
  const { height } = await page.locator("#view").boundingBox();
  assert.ok(height > 250, `the picture has ${height} pixels`);
  await shot(page, "past-phone");
  await page.click("#back-to-live");
  await expectPast(page, false);
  await shot(page, "past-phone-live");
  await page.close();
  assert.equal(await stopServer(server), 0);
}

async function otherSidesAndWorlds(context) {
  console.log("another side of a 3D world is looked at in the same moment of the past");
  const deep = join(folder, "deep.toml");
  writeFileSync(deep, '[world]\nname = "deep"\nsize = [32, 32, 32]\n');
  const server = await serve(ANY, "--world", deep);
  const page = await openPage(context, `${server.url}/#deep`);
  await page.waitForSelector("#look-back:not([hidden])"); // though there is nothing but air to be seen
  const sight = (name) => page.waitForFunction((wanted) => document.getElementById("sight").value === wanted, name);
  await page.waitForFunction(() => window.sluice.mirror.tick > 60);
  await page.keyboard.press("h");
  await expectPast(page, true);
  await seek(page, 5);
  await page.keyboard.press("v");
  await sight("side");
  await expectPast(page, true);
  await expectTick(page, 5);
  await page.click("#back-to-live");
  await expectPast(page, false);
  assert.equal(await page.locator('[data-tool="rock"]').isDisabled(), false, "what the side lets us do is as before");

  console.log("who is shown another side while a position is made gets there all the same");
  await page.evaluate(() => window.lookBack.toggle());
  await page.keyboard.press("v");
  await sight("top");
  await expectPast(page, true);
  await page.keyboard.press("h");
  await expectPast(page, false);
  assert.equal(await page.locator('[data-tool="rock"]').isDisabled(), false);

  console.log("another world is live");
  await page.keyboard.press("h");
  await expectPast(page, true);
  await page.selectOption("#world", "room");
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "room");
  await expectPast(page, false);
  await page.close();
  assert.equal(await stopServer(server), 0);
}

async function notOffered(context) {
  console.log("where nobody looks back there is no button, and a link says so");
  const server = await serve(ANY, "--look-back", "0");
  const page = await openPage(context, `${server.url}/#room@t150`);
  await expectToast(page, "This server lets nobody look back");
  assert.equal(await page.locator("#look-back").isVisible(), false);
  await expectPast(page, false);
  await page.close();
  assert.equal(await stopServer(server), 0);
}

await main(async () => {
  mkdirSync(data);
  copyFileSync(record(tool, "room", 400, [wall(100, 10), wall(200, 30), wall(300, 50)]), join(data, "room.sluice"));
  const context = await openBrowser(packagePath, chromiumPath, "one", { width: 1200, height: 700 });
  await aServerThatWasAway(await looksBack(context), context);
  await onAPhone(context);
  await otherSidesAndWorlds(context);
  await notOffered(context);
  await context.close();
});
