// Goal: links lead to a place, zoom, slice, tool and overlay, and the address keeps them; a picture can be
// saved, a film recorded; how the page stands with its server is always said: connecting, slow, gone, back, refused,
// another version, parts that a newer server has no more,
// and nobody there when the page is opened.
// Method: a real server that is stopped, held and started anew; headless Chromium at two sizes.
//
//   node states_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { colour, expectToast, folder, launch, main, openPage, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

const WORLDS = [["flat", "100, 60, 1"], ["deep", "32, 32, 32"]].map(([name, size]) => {
  const path = join(folder, `${name}.toml`);
  const [x, , z] = size.split(", ");
  writeFileSync(path, `[world]
name = "${name}"
size = [${size}]
[[fill]]
from = [0, 0, 0]
size = [${x}, 6, ${z}]
cell = "#"
[[fill]]
from = [10, 6, 0]
size = [10, 8, ${z}]
cell = "~"
`);
  return path;
});

const start = (listen) => startServer(serverPath, [...WORLDS.flatMap((path) => ["--world", path]), "--listen", listen,
  "--data", join(folder, "data")]);
const hash = (page) => page.evaluate(() => location.hash);
const state = (page) => page.evaluate(() => {
  const { camera, slice, hand: { brush } } = window.sluice;
  return { x: camera.x, y: camera.y, z: slice, scale: camera.scale, tool: brush.tool };
});

async function links(page, url) {
  console.log("a link leads to its place, zoom, slice, tool and overlay");
  await page.goto(`${url}/#flat@25.5,12,0,16x,inspect,depth`);
  await page.waitForFunction(() => window.sluice.camera.x === 25.5); // the page was there: only its hash changed
  assert.deepEqual(await state(page), { x: 25.5, y: 12, z: 0, scale: 16, tool: "inspect" });
  assert.equal(await page.inputValue("#overlay"), "depth");
  await page.evaluate(() => (location.hash = "#flat@60,30,0,8x,rock"));
  await page.waitForFunction(() => window.sluice.camera.x === 60);
  assert.deepEqual(await state(page), { x: 60, y: 30, z: 0, scale: 8, tool: "rock" });
  await page.evaluate(() => { // a link is not lost where the address is kept before the page hears of it
    location.hash = "#flat@40,20,0,8x";
    document.getElementById("copy-link").click();
  });
  await page.waitForFunction(() => window.sluice.camera.x === 40);
  await page.evaluate(() => (location.hash = "#deep@16,8,20,10x"));
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "deep");
  assert.equal((await state(page)).z, 20);

  console.log("the address keeps up, and leads back to the same after a reload");
  await page.evaluate(() => (location.hash = "#flat"));
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "flat");
  await page.keyboard.press("f");
  await page.keyboard.press("1");
  await page.selectOption("#overlay", "none");
  await page.waitForFunction(() => location.hash === "#flat");
  await page.click("#zoom-in");
  await page.keyboard.press("o");
  await page.waitForFunction(() => /^#flat@50,30,0,[\d.]+x,amount$/.test(location.hash));
  const before = await state(page);
  await page.reload();
  await page.waitForSelector('body[data-state="ready"]');
  const after = await state(page);
  assert.ok(Math.abs(after.scale - before.scale) < 0.001 && after.x === before.x && after.y === before.y);
  assert.equal(await page.inputValue("#overlay"), "amount");
  await page.selectOption("#overlay", "none");

  await page.evaluate(() => (location.hash = "#flat@50,30,0,8x,t17"));
  await page.waitForFunction(() => /^You look at tick 17 of /.test(document.querySelector("#past span")?.textContent ?? ""));
  await page.keyboard.press("h");
  await page.waitForFunction(() => window.sluice.ready && !document.body.classList.contains("past") && !location.hash.includes("t17"));

  console.log("a damaged link still leads to its world, one to no world says so");
  for (const damaged of ["#flat@", "#flat@1,2", "#flat@a,b,c,dx", "#flat@1,2,3,0x", "#flat@9e9,1,0,4x,nothing"]) {
    await page.evaluate((text) => (location.hash = text), damaged);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await page.evaluate(() => window.sluice.mirror?.welcome.world ?? "flat"), "flat", damaged);
  }
  await page.evaluate(() => (location.hash = "#nowhere%"));
  await expectToast(page, /There is no world "nowhere%" here/);
  await page.evaluate(() => (location.hash = "#flat"));
  await page.waitForSelector('body[data-state="ready"]');
}

async function missingParts(browser, name, url) {
  console.log(`${name}: a part of the page that does not come is told of, with what to do about it`);
  // All routes stand before a page is opened: one that comes later may be passed by, as it may by service workers.
  const context = await browser.newContext({ viewport: SIZES[name], serviceWorkers: "block" });
  let answer = null; // what the server has in the page's place; null: the page
  await context.route("**/part-*.js", (route) => answer ? route.fulfill({ status: 404, body: "" }) : route.continue());
  await context.route(`${url}/`, (route) => answer ? answer(route) : route.continue());
  const toast = (page, text) => expectToast(page, new RegExp(`^${text.replaceAll(".", "\\.")}$`));
  /** The page, and then a server that has none of its later parts any more. */
  const open = async (then) => {
    answer = null;
    const page = await openPage(context, `${url}/#flat`);
    await page.waitForFunction(() => window.sluice.people !== null); // fetched by itself
    answer = then;
    return page;
  };
  const updated = await open((route) => route.fulfill({ contentType: "text/html", body: "<html>another one</html>" }));
  await updated.click("body", { position: { x: 2, y: 2 } });
  await updated.keyboard.press("o");
  await toast(updated, "The overlay could not be fetched. The server was updated: reload the page.");
  await shot(updated, `updated-${name}`);
  await updated.keyboard.press("?");
  await toast(updated, "The list of shortcuts could not be fetched. The server was updated: reload the page.");
  await updated.keyboard.press("w");
  await toast(updated, "The list of worlds could not be fetched. The server was updated: reload the page.");
  await updated.keyboard.press("6");
  const { x, y } = await updated.evaluate(() => ({ x: window.sluice.camera.width / 2, y: window.sluice.camera.height / 2 }));
  await updated.mouse.move(x, y + 80);
  await toast(updated, "The inspector could not be fetched. The server was updated: reload the page.");
  await updated.close();
  const damaged = await open((route) => route.continue());
  await damaged.keyboard.press("?");
  await toast(damaged, "The list of shortcuts could not be fetched. Reload the page.");
  await damaged.close();
  const alone = await open((route) => route.abort());
  await alone.keyboard.press("?");
  await toast(alone, "The list of shortcuts could not be fetched. The server does not answer.");
  await context.close();
}

async function sharing(page, name) {
  console.log(`${name}: a link is copied, a picture saved`);
  await page.waitForFunction(() => window.sluice?.mirror);
  await page.click("#copy-link");
  await expectToast(page, /Link to this place copied/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#screenshot")]);
  assert.match(download.suggestedFilename(), /^flat-\d+\.png$/);
  const bytes = readFileSync(await download.path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  const view = await page.locator("#view").boundingBox();
  assert.equal(bytes.readUInt32BE(16), Math.round(view.width));
  assert.ok(bytes.length > 2000, `${bytes.length} bytes of a picture`);
}

// Whether this browser's encoders give anything, without a page of ours.
async function encodes(context) {
  const page = await context.newPage();
  const bytes = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    const paint = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(30));
    let bytes = 0;
    recorder.ondataavailable = ({ data }) => (bytes += data.size);
    recorder.start(500);
    for (let frame = 0; frame < 60; ++frame) {
      paint.fillRect(frame, frame, 10, 10);
      await new Promise((resolve) => setTimeout(resolve, 33));
    }
    recorder.stop();
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    return bytes;
  });
  await page.close();
  return bytes > 0;
}

// The download; or null, where no encoder gave anything, and the page said so each time.
async function film(page) {
  const pressed = () => page.getAttribute("#record", "aria-pressed");
  for (let encoder = 0; encoder < 3; ++encoder) {
    let download = null;
    page.once("download", (got) => (download = got));
    await page.click("#record");
    await until("it records", async () => await pressed() === "true");
    for (const key of ["+", "+", "f"]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(400);
    }
    await page.keyboard.press("m");
    await until("the film ends", async () => await pressed() === "false");
    const said = await page.textContent("#toast");
    if (!/^The browser recorded nothing/.test(said)) {
      await until("the film is saved", () => download);
      return download;
    }
    console.log(said);
  }
  return null;
}

async function filming(page, name) {
  console.log(`${name}: a film is recorded, and shows what was on the screen`);
  const download = await film(page);
  if (!download) {
    assert.equal(await encodes(page.context()), false, "the browser records, the page does not");
    return console.log("this browser encodes nothing at all: the page says so");
  }
  assert.match(download.suggestedFilename(), /^flat-\d+\.webm$/);
  await expectToast(page, /^Saved flat/);
  const bytes = readFileSync(await download.path());
  const player = await page.context().newPage();
  const seen = await player.evaluate(async (source) => {
    const video = document.createElement("video");
    await new Promise((resolve, reject) => {
      video.onloadeddata = () => (video.currentTime = 0.3);
      video.onseeked = resolve;
      video.onerror = () => reject(new Error(video.error.message));
      video.src = source;
    });
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0);
    const colours = new Set(new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer));
    return { width: canvas.width, height: canvas.height, colours: colours.size };
  }, `data:video/webm;base64,${bytes.toString("base64")}`);
  const view = await page.locator("#view").boundingBox();
  assert.ok(Math.abs(seen.width - view.width) <= 2 && Math.abs(seen.height - view.height) <= 2, JSON.stringify(seen));
  assert.ok(seen.colours > 8, `a film of ${seen.colours} colours`);
  await player.close();
}

async function goneAndBack(page, name, server) {
  console.log(`${name}: a server that is silent is called slow, then gone, then back`);
  assert.equal(await page.locator("#notice").isVisible(), false);
  await page.click("#fit");
  server.child.kill("SIGSTOP");
  await page.waitForFunction(() => /slow: nothing for \d+ s/.test(document.getElementById("state").textContent));
  await shot(page, `slow-${name}`);
  server.child.kill("SIGCONT");
  await page.waitForFunction(() => document.getElementById("state").textContent === "");
  assert.equal(await stopServer(server), 0);
  await page.waitForSelector("#notice.strip:not([hidden])");
  assert.match(await page.textContent("#notice"), /Connection lost.*You see the world as it was/);
  await page.mouse.move(1, 1);
  assert.equal(await page.evaluate(() => document.body.classList.contains("stale")), true);
  const [red, green, blue] = await colour(page, 50, 2);
  assert.ok(red + green + blue > 150, "the picture stays");
  await shot(page, `gone-${name}`);
  const again = await start(server.address);
  await page.evaluate(() => document.querySelector("#notice button")?.click()); // unless it is back by itself
  await page.waitForSelector('body[data-state="ready"]');
  await expectToast(page, /^Connected again$/);
  assert.equal(await page.locator("#notice").isVisible(), false);
  await shot(page, `back-${name}`);
  return again;
}

async function refusals(page, name) {
  console.log(`${name}: refusals are said with their reason; another version asks to reload`);
  await page.evaluate(() => {
    window.sluice.connection.handle({ kind: "refused", code: 2, reason: "a message that makes no sense" });
    window.sluice.connection.socket.close();
  });
  await page.waitForFunction(() => /refused: a message that makes no sense/i.test(document.getElementById("notice").textContent));
  await page.waitForSelector('body[data-state="ready"]');
  await page.evaluate(() => window.sluice.connection.handle({ kind: "welcome", protocolVersion: 99 }));
  await page.waitForSelector('body[data-state="stopped"]');
  assert.match(await page.textContent("#notice"), /The server has another version.*version 99, this page version \d+.*Reload the page/);
  await shot(page, `version-${name}`);
  await Promise.all([page.waitForNavigation(), page.click("#notice button")]);
  await page.waitForSelector('body[data-state="ready"]');
}

async function installed(page, name, server) {
  console.log(`${name}: a manifest with its icon; opened without a server the page waits for it`);
  const manifest = await page.evaluate(async () => {
    const answer = await fetch(document.querySelector('link[rel="manifest"]').href);
    const json = await answer.json();
    const icon = await fetch(json.icons[0].src);
    return { type: answer.headers.get("content-type"), json, icon: [icon.status, icon.headers.get("content-type")] };
  });
  assert.match(manifest.type, /manifest\+json/);
  assert.deepEqual([manifest.json.display, manifest.json.start_url], ["standalone", "/"]);
  assert.deepEqual(manifest.icon, [200, "image/svg+xml"]);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  assert.deepEqual(await page.evaluate(async () => {
    const cache = await caches.open("sluice-offline");
    return (await cache.keys()).map(({ url }) => new URL(url).pathname);
  }), ["/offline.html", "/offline.js"], "nothing else is kept");
  assert.equal(await stopServer(server), 0);
  await page.goto(`${server.url}/?again#flat`);
  assert.match(await page.textContent("h1"), /The server does not answer/);
  await shot(page, `offline-${name}`);
  const again = await start(server.address);
  await page.waitForSelector('body[data-state="ready"]');
  return again;
}

await main(async () => {
  let server = await start("127.0.0.1:0");
  const browser = await launch(packagePath, chromiumPath);
  for (const name of ["desktop", "phone"]) {
    const context = await browser.newContext({ viewport: SIZES[name], permissions: ["clipboard-write"] });
    const page = await openPage(context, `${server.url}/#flat`);
    if (name === "desktop") await links(page, server.url);
    await sharing(page, name);
    await filming(page, name);
    await missingParts(browser, name, server.url);
    server = await goneAndBack(page, name, server);
    await refusals(page, name);
    server = await installed(page, name, server);
    await context.close();
  }
  assert.equal(await stopServer(server), 0);
  await browser.close();
});
