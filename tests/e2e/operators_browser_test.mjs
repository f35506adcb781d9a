// Goal: who may run a world does so from the page: pause, step, speed, save, read-only, ending connections, and, as an
// admin, resetting it; others see nothing of it. What the server refuses is shown with its reason.
// Method: a real server with accounts, and a browser for each of them.
//
//   node operators_browser_test.mjs SLUICE_SERVER SLUICE CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  expectOnScreen, expectToast, findViolations, folder, launch, main, openPage, shot, SIZES, startServer, stopServer,
  until,
} from "./browser_support.mjs";

const [serverPath, toolPath, chromiumPath, packagePath] = process.argv.slice(2);

const tokens = join(folder, "tokens.toml");
const tokenOf = Object.fromEntries(["operate", "admin", "build"].map((role) =>
  [role, execFileSync(toolPath, ["token", "add", `${role}-ann`, "--role", role, "--file", tokens]).toString().trim()]));
writeFileSync(join(folder, "pond.toml"), `[world]
name = "pond"
size = [64, 40, 1]
[[fill]]
from = [0, 0, 0]
size = [64, 8, 1]
cell = "#"
`);

async function signedIn(browser, url, role, viewport = SIZES.desktop) {
  const page = await openPage(await browser.newContext({ viewport }), `${url}/#pond`);
  const status = await page.evaluate(async (token) =>
    (await fetch("/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } })).status, tokenOf[role]);
  assert.equal(status, 200);
  await page.reload();
  await page.waitForSelector('body[data-state="ready"]');
  await page.waitForFunction(() => window.sluice?.mirror);
  return page;
}

const tick = (page) => page.evaluate(() => window.sluice.mirror.tick);
const press = (page, name) => page.locator("#operators-panel button", { hasText: name }).click();
const state = (page) => page.textContent("#operators-panel .about");

async function time(page) {
  console.log("pause, step, go on, faster");
  assert.equal(await page.locator("#operators-open").isVisible(), true);
  await page.click("#operators-open");
  await page.waitForSelector("#operators-panel");
  await press(page, "Pause");
  await expectToast(page, "Paused");
  await until("the panel knows", async () => (await state(page)).startsWith("Paused"));
  await page.waitForFunction(() => document.getElementById("state").textContent === "paused by an operator");
  await shot(page, "operators-paused");
  // As the server has it: the page may be behind.
  const stands = await page.evaluate(async () => (await (await fetch("/worlds")).json())[0].tick);
  await page.fill('#operators-panel input[type="number"]', "7");
  await press(page, "Step");
  await until("seven ticks were taken", async () => (await tick(page)) === stands + 7);
  await press(page, "Go on");
  await until("it runs", async () => (await tick(page)) > stands + 20);
  await until("the panel knows", async () => (await state(page)).startsWith("Runs"));
  await page.selectOption("#operators-panel select", "2");
  await until("twice as fast", async () => /Runs at 2×/.test(await state(page)));
  await page.selectOption("#operators-panel select", "1");
  await until("as fast as its own", async () => /^Runs\./.test(await state(page)));
  await press(page, "Save");
  await expectToast(page, "Saved");
}

async function refusals(page) {
  console.log("what is refused is shown with the reason");
  await page.evaluate(() => window.sluice.queue.send({ cmd: "operate", action: "step", ticks: 1 }, {}));
  await expectToast(page, "Refused: the world is not paused; only a paused one is stepped");
  await page.evaluate(() => window.sluice.queue.send({ cmd: "operate", action: "reset", recording: "keep" }, {}));
  await expectToast(page, "Refused: not allowed: the role of \"operate-ann\" in pond is operate; this needs admin");
  assert.equal(await page.locator("#operators-panel button", { hasText: "Reset" }).isVisible(), false);
}

async function readOnly(page, builder) {
  console.log("read-only: nobody builds, who runs the world still does; and open again");
  await press(page, "Read-only");
  await page.waitForFunction(() => document.body.classList.contains("watching"));
  await until("the panel knows", async () => /read-only/.test(await state(page)));
  const dig = async () => {
    await builder.evaluate(() => window.sluice.queue.send({ cmd: "set_cells", from: [5, 5, 0], size: [1, 1, 1], cell: "." }, {}));
  };
  await dig();
  await expectToast(builder, "Refused: not allowed: this world is read-only");
  await builder.waitForFunction(() => document.body.classList.contains("watching"));
  await press(page, "Pause");
  await until("paused all the same", async () => /^Paused, read-only/.test(await state(page)));
  await press(page, "Go on");
  await until("it runs", async () => /^Runs, read-only/.test(await state(page)));
  await press(page, "Let people build");
  await page.waitForFunction(() => !document.body.classList.contains("watching"));
  await builder.reload();
  await builder.waitForFunction(() => window.sluice?.mirror && window.sluice.ready);
  await dig();
  await builder.waitForFunction(() => window.sluice.mirror.cell(5, 5, 0) === 0);
}

async function others(builder) {
  console.log("who may build sees nothing of it, and is refused");
  assert.equal(await builder.locator("#operators-open").isVisible(), false);
  await builder.evaluate(() => window.sluice.queue.send({ cmd: "operate", action: "pause" }, {}));
  await expectToast(builder, "running it needs the role operate");
}

async function kick(page, builder) {
  console.log("an account's connections are ended, with the reason");
  await builder.evaluate(() => {
    window.told = false; // it is said until the page is back, which is soon
    new MutationObserver(() => (window.told ||= /an operator ended this connection/.test(document.body.textContent)))
      .observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await page.fill("#operators-panel input:not([type])", "build-ann");
  await press(page, "End their connections");
  await expectToast(page, "Ended the connections of build-ann");
  await builder.waitForFunction(() => window.told);
}

async function reset(admin, page) {
  console.log("an admin resets the world, in two clicks; all are told and come back to its start");
  await admin.click("#operators-open");
  await admin.waitForSelector("#operators-panel");
  assert.equal(await page.evaluate(() => window.sluice.mirror.cell(5, 5, 0)), 0);
  await press(admin, "Reset to start");
  await shot(admin, "operators-sure");
  await press(admin, "Yes, reset it");
  for (const each of [admin, page]) {
    // What was dug is rock again.
    await each.waitForFunction(() => window.sluice?.mirror?.cell(5, 5, 0) === -1);
  }
}

async function looks(browser, url) {
  for (const [name, viewport] of Object.entries({ ...SIZES, zoomed: { width: 640, height: 400 } })) {
    console.log(`${name}: nothing is cut off, and axe-core finds nothing`);
    const page = await signedIn(browser, url, "admin", viewport);
    await page.click("#operators-open");
    await page.waitForSelector("#operators-panel");
    await expectOnScreen(page, "#operators-panel button, #operators-panel input, #operators-open");
    for (const colours of ["dark", "light"]) {
      await page.selectOption("#palette", colours);
      assert.deepEqual(await findViolations(page, packagePath), [], `${name}, ${colours}`);
      await shot(page, `operators-${name}-${colours}`);
    }
    await page.context().close();
  }
}

await main(async () => {
  const server = await startServer(serverPath, ["--world", join(folder, "pond.toml"), "--listen", "127.0.0.1:0",
    "--data", join(folder, "data"), "--tokens", tokens]);
  const browser = await launch(packagePath, chromiumPath);
  const operator = await signedIn(browser, server.url, "operate");
  const builder = await signedIn(browser, server.url, "build");
  await time(operator);
  await refusals(operator);
  await others(builder);
  await readOnly(operator, builder);
  await kick(operator, builder);
  const admin = await signedIn(browser, server.url, "admin");
  await reset(admin, operator);
  await looks(browser, server.url);
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
