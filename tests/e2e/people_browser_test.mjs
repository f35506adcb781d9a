// Goal: who watches a world sees the others: their cursors with names, a list of them, and the place that somebody looks
// at by following; who leaves is gone. A page that is alone shows nothing of it.
// Method: a real server, pages of headless Chromium at two sizes.
//
//   node people_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findViolations, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

const WORLD = `[world]
name = "meadow"
size = [200, 100, 1]
[[fill]]
from = [0, 0, 0]
size = [200, 20, 1]
cell = "#"
`;
const DEEP = `[world]
name = "deep"
size = [32, 32, 32]
[[fill]]
from = [0, 0, 0]
size = [32, 4, 32]
cell = "#"
`;

const others = (page) => page.evaluate(() => {
  const { people, mirror } = window.sluice;
  return people.people.filter(({ number }) => number !== mirror.welcome.person);
});
const isHere = (page, count) => page.waitForFunction((wanted) => window.sluice?.people?.people.length === wanted, count);

/** On the lower edge of what the other one sees. */
const colourAtSight = (page) => page.evaluate(() => {
  const { camera, canvas, people, mirror } = window.sluice;
  const { from, to } = people.people.find(({ number }) => number !== mirror.welcome.person).sees;
  const ratio = canvas.width / camera.width;
  const [x, y] = [camera.screenX((from.x + to.x) / 2), camera.screenY(from.y)];
  return [...canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data].slice(0, 3);
});

async function meets(browser, url, size) {
  const context = await browser.newContext({ viewport: SIZES[size] });
  const page = await openPage(context, `${url}/#meadow`);
  await isHere(page, 1);
  assert.equal(await page.locator("#people-open").isVisible(), false, "alone: nothing is shown");

  console.log(`${size}: another one comes, is listed, and takes a name`);
  const other = await openPage(await browser.newContext({ viewport: SIZES.desktop }), `${url}/#meadow`);
  for (const each of [page, other]) await isHere(each, 2);
  await page.waitForSelector("#people-open:not([hidden])");
  assert.equal(await page.textContent("#people-open"), "2 here");
  await page.click("#people-open");
  assert.match(await page.textContent("#people"), /guest \d+ \(you\)/);
  await other.click("#people-open");
  await other.fill("#people input", "Ada \u2603 <b>");
  await other.keyboard.press("Enter");
  await page.waitForFunction(() => /Ada {2}<b>/.test(document.getElementById("people").textContent));
  await other.click("#people-open");

  console.log(`${size}: the cursor of the other one is where it points, with the name`);
  const at = await place(other, 120, 60);
  await other.mouse.move(at.x, at.y);
  await until("the other one points", async () => {
    const [person] = await others(page);
    return person?.pointing && person.at.x === 120 && person.at.y === 60;
  });
  const colourThere = () => page.evaluate(() => {
    const { camera, canvas } = window.sluice;
    const ratio = canvas.width / camera.width;
    return [...canvas.getContext("2d").getImageData((camera.screenX(120.5) + 5) * ratio, (camera.screenY(60.5) + 6) * ratio, 1, 1).data];
  });
  await until("the cursor is drawn", async () => {
    const [red, green, blue] = await colourThere();
    return red + green + blue > 450;
  });
  await shot(page, `people-${size}`);
  assert.deepEqual(await findViolations(page, packagePath), []);

  console.log(`${size}: what the other one sees is framed, as an overlay`);
  await other.click("#zoom-in");
  await until("the other one tells what it sees", async () => (await others(page))[0].sees?.from.x > 0);
  const bare = await colourAtSight(page);
  await page.selectOption("#overlay", "views");
  await until("it is framed", async () => (await colourAtSight(page)).some((part, i) => Math.abs(part - bare[i]) > 60));
  await shot(page, `sights-${size}`);
  await page.selectOption("#overlay", "none");
  await until("no frame is left", async () => (await colourAtSight(page)).every((part, i) => Math.abs(part - bare[i]) < 10));
  await other.click("#fit");
  const here = await place(other, 120, 60);
  await other.mouse.move(here.x, here.y);
  await until("the other one points there again", async () => (await others(page))[0].at.x === 120);

  console.log(`${size}: following goes where the other one points, until the picture is moved`);
  await page.click("#zoom-in");
  await page.click("#people li button");
  await page.waitForFunction(() => window.sluice.camera.x === 120.5 && window.sluice.camera.y === 60.5);
  const there = await place(other, 30, 40);
  await other.mouse.move(there.x, there.y, { steps: 3 });
  await page.waitForFunction(() => window.sluice.camera.x === 30.5 && window.sluice.camera.y === 40.5);
  await page.evaluate(() => window.sluice.pan(80, 0));
  await page.waitForFunction(() => window.sluice.people.following === null);
  const x = await page.evaluate(() => window.sluice.camera.x);
  const away = await place(other, 150, 40);
  await other.mouse.move(away.x, away.y);
  await until("the other one is elsewhere", async () => (await others(page))[0].at.x === 150);
  assert.equal(await page.evaluate(() => window.sluice.camera.x), x, "nobody is followed any more");

  console.log(`${size}: who leaves is gone, also from the list`);
  await other.mouse.move(1, 1); // over the bar: it points nowhere
  await until("the other one points nowhere", async () => !(await others(page))[0].pointing);
  await other.context().close();
  await isHere(page, 1);
  await page.waitForFunction(() => document.getElementById("people-open").hidden);
  assert.equal(await page.locator("#people").isVisible(), false);
  await context.close();
}

async function inDepth(browser, url) {
  console.log("in a 3D world places are the world's, from whatever side one looks");
  const page = await openPage(await browser.newContext({ viewport: SIZES.desktop }), `${url}/#deep`);
  const other = await openPage(await browser.newContext({ viewport: SIZES.desktop }), `${url}/#deep@20,8,5,10x,side`);
  await other.waitForFunction(() => window.sluice?.sight?.name === "side" && window.sluice.slice === 5);
  for (const each of [page, other]) await isHere(each, 2);
  const at = await place(other, 25, 10);
  await other.mouse.move(at.x, at.y);
  await until("it points at x 5, z 25", async () => {
    const [{ at: seen }] = await others(page);
    return seen.x === 5 && seen.y === 10 && seen.z === 25;
  });
  await page.click("#people-open");
  await page.click("#people li button");
  await page.waitForFunction(() => window.sluice.slice === 25 && window.sluice.camera.x === 5.5);
  for (const each of [page, other]) await each.context().close();
}

await main(async () => {
  const paths = Object.entries({ meadow: WORLD, deep: DEEP }).flatMap(([name, text]) => {
    writeFileSync(join(folder, `${name}.toml`), text);
    return ["--world", join(folder, `${name}.toml`)];
  });
  const server = await startServer(serverPath, [...paths, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  for (const size of ["desktop", "phone"]) await meets(browser, server.url, size);
  await inDepth(browser, server.url);
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
