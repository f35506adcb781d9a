// Goal: who watches a recording can look elsewhere on their own while the others stay, and comes back to them;
// the page says which it is, and keeps to it when the server was away.
// Method: as in replay_browser_test.mjs, with two pages.
//
//   node own_position_browser_test.mjs SLUICE CHROMIUM PACKAGE_JSON   (of the folder with playwright-core)
import assert from "node:assert/strict";
import { expectLook, expectToast, main, openBrowser, openPage, shot, SIZES, startServer, stopServer } from "./browser_support.mjs";
import { expectTick, record, wall } from "./replay_support.mjs";

const [tool, chromiumPath, packagePath] = process.argv.slice(2);

const serve = (address, ...files) => startServer(tool, ["replay", ...files, "--serve", address]);
const ANY = "127.0.0.1:0";

const seek = async (page, tick) => {
  await page.fill("#tl-tick", String(tick));
  await page.keyboard.press("Enter");
  await expectTick(page, tick);
};

/** Waits until the page says that it is on its own, or with the others, and is connected. */
const expectAlone = (page, alone) => page.waitForFunction((wanted) =>
  document.getElementById("tl-alone").getAttribute("aria-pressed") === String(wanted) &&
    window.replay.viewers.every((viewer) => viewer.ready && (viewer.connection.query !== "") === wanted), alone);

async function oneLooksElsewhere(context, file) {
  const server = await serve(ANY, file);
  const [me, other] = [await openPage(context, server.url), await openPage(context, server.url)];
  await seek(other, 150);
  await expectTick(me, 150);

  console.log("a button leads to a position of one's own, where the others were");
  await expectAlone(me, false);
  await me.click("#tl-alone");
  await expectAlone(me, true);
  await expectToast(me, /On your own/);
  await expectTick(me, 150);
  await expectLook(me, 11, 20, "rock");
  await seek(me, 310);
  await expectLook(me, 51, 20, "rock");
  await shot(me, "alone-desktop");
  await expectTick(other, 150);
  await expectLook(other, 51, 20, "air");
  await expectAlone(other, false);

  console.log("where the others are shows on the timeline");
  await me.waitForFunction(() => window.replay.timeline.others === 150);
  const { x, y, width } = await me.locator("#seek").boundingBox();
  await me.mouse.move(x + 10 + (150 / 400) * (width - 20), y + 16);
  await me.waitForFunction(() => /tick 150 · the others are here/.test(document.getElementById("tl-tip").textContent));
  await shot(me, "alone-others");
  await other.keyboard.press("ArrowLeft");
  await me.waitForFunction(() => window.replay.timeline.others === 149);
  await other.keyboard.press("ArrowRight");

  console.log("each plays at a speed of its own, and the others' steps are not seen");
  await me.selectOption("#tl-speed", "0");
  await me.keyboard.press("Space");
  await expectTick(me, 400);
  await other.keyboard.press("ArrowRight");
  await expectTick(other, 151);
  await expectTick(me, 400);
  assert.equal(await other.inputValue("#tl-speed"), "1000");
  const late = await openPage(context, server.url);
  await expectTick(late, 151);
  await late.close();

  console.log("the address has the tick of one's own");
  await me.waitForFunction(() => location.hash === "#room@t400");

  console.log("a key leads back to the others, and away again from where they are");
  await me.keyboard.press("a");
  await expectAlone(me, false);
  await expectTick(me, 151);
  await me.waitForFunction(() => window.replay.timeline.others === null);
  await expectLook(me, 51, 20, "air");
  await other.keyboard.press("Home");
  await expectTick(me, 0);
  for (let i = 0; i < 20; ++i) { // more often than there are positions
    await me.keyboard.press("a");
    await expectAlone(me, i % 2 === 0);
  }
  await expectTick(me, 0);

  console.log("what the server refuses is told, and changes nothing");
  await me.evaluate(() => window.replay.own.ask(401));
  await expectToast(me, /Refused: alone: there is no tick 401/);
  await expectAlone(me, false);
  await me.keyboard.press("?");
  await me.waitForFunction(() => /on your own, or with the others/.test(document.getElementById("help").textContent));
  await me.keyboard.press("Escape");
  for (const page of [me, other]) assert.equal(await page.evaluate(() => window.sluice.mirror.mismatches), 0);
  await me.close();
  await other.close();
  assert.equal(await stopServer(server), 0);
}

async function bothPanesAndAServerThatWasAway(context, first, second) {
  const server = await serve(ANY, first, second);
  const [me, other] = [await openPage(context, server.url), await openPage(context, server.url)];
  await expectTick(other, 0);

  console.log("both panes of a comparison go along");
  await me.keyboard.press("a");
  await expectAlone(me, true);
  await seek(me, 200);
  const marked = (page, cells) => page.waitForFunction((count) => window.replay.differences.count === count &&
    window.replay.viewers.every(({ mirror }) => mirror.playback.differingCells === count), cells);
  await marked(me, 160);
  for (const pane of ["view", "view-b"]) await expectLook(me, 31, 20, "marked", pane);
  await me.selectOption("#tl-speed", "64000");
  await me.keyboard.press("Space");
  await expectTick(me, 350);
  await marked(me, 80);
  await expectTick(other, 0);
  await shot(me, "alone-pair-desktop");

  console.log("a server that was away knows nothing of it: the page goes back to the tick of its own");
  await stopServer(server);
  await me.waitForFunction(() => document.body.dataset.state !== "ready");
  const again = await serve(server.address, first, second);
  await expectAlone(me, true);
  await expectTick(me, 350);
  await marked(me, 80);
  await expectAlone(other, false);
  await expectTick(other, 0);
  for (const page of [me, other]) await page.close();
  assert.equal(await stopServer(again), 0);
}

async function onAPhone(context, file) {
  console.log("on a phone the button is there, and says which it is");
  const server = await serve(ANY, file);
  const page = await openPage(context, server.url);
  await page.setViewportSize(SIZES.phone);
  await page.click("#tl-alone");
  await expectAlone(page, true);
  const { x, y, width, height } = await page.locator("#tl-alone").boundingBox();
  assert.ok(x >= 0 && x + width <= SIZES.phone.width && y + height <= SIZES.phone.height, "it is on the screen");
  await shot(page, "alone-phone");
  await page.close();
  assert.equal(await stopServer(server), 0);
}

await main(async () => {
  const one = record(tool, "one", 400, [wall(100, 10), wall(200, 30), wall(300, 50)]);
  const two = record(tool, "two", 350, [wall(100, 10), wall(200, 40), wall(250, 30), wall(300, 50)]);
  const context = await openBrowser(packagePath, chromiumPath, "one", { width: 1200, height: 700 });
  await oneLooksElsewhere(context, one);
  await bothPanesAndAServerThatWasAway(context, one, two);
  await onAPhone(context, one);
  await context.close();
});
