// Goal: keys go to the world after menus and sliders were used, and to a menu while it is open; tools go along
// to another world; edits that cannot be sent are reported; springs, drains and open edges are seen; frames between two
// ticks differ and a resting world is not looked at anew; edits are taken back; the map, the shortcuts, the colours.
// Method: a real server and headless Chromium; the picture is read as pixels, work is counted.
//
//   node viewer_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  colour, expectColour, expectLook, expectToast, folder, launch, main, openPage, place, shot, startServer,
  stopServer, until,
} from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

const WORLDS = {
  still: `[world]
name = "still"
size = [200, 120, 1]
water = "hydro"
[world.edges]
right = "open"
[[fill]]
from = [0, 0, 0]
size = [200, 40, 1]
cell = "#"
[[fill]]
from = [20, 10, 0]
size = [100, 30, 1]
cell = "~"
[[source]]
at = [60, 5, 0]
rate = 10
[[drain]]
at = [180, 60, 0]
rate = 10
`,
  moving: `[world]
name = "moving"
size = [120, 80, 1]
[[fill]]
from = [0, 0, 0]
size = [120, 4, 1]
cell = "#"
[[fill]]
from = [4, 4, 0]
size = [40, 60, 1]
cell = "~"
[[source]]
at = [90, 70, 0]
rate = 3000
`,
};

function startWorlds(listen) {
  const parameters = Object.entries(WORLDS).flatMap(([name, text]) => {
    writeFileSync(join(folder, `${name}.toml`), text);
    return ["--world", join(folder, `${name}.toml`)];
  });
  return startServer(serverPath, [...parameters, "--listen", listen, "--data", join(folder, "data")]);
}

const activeTool = (page) => page.evaluate(() => document.querySelector("[data-tool].active")?.dataset.tool);
const shows = (page, world) => page.waitForFunction((name) => window.sluice.mirror?.welcome.world === name, world);

async function keysAndTools(page) {
  console.log("keys work after the world's menu and the sliders were used, and are an open menu's own");
  await page.focus("#world");
  await page.keyboard.press("2");
  assert.equal(await activeTool(page), "rock");
  assert.equal(await page.inputValue("#world"), "moving");
  // A browser without a screen opens no menu; what the page sees of one that opens is this.
  await page.evaluate(() => document.getElementById("world").dispatchEvent(new PointerEvent("pointerdown", { bubbles: true })));
  await page.keyboard.press("3");
  assert.equal(await activeTool(page), "rock", "the menu is open");
  await page.evaluate(() => document.getElementById("view").dispatchEvent(new PointerEvent("pointermove", { bubbles: true })));
  await page.keyboard.press("3");
  assert.equal(await activeTool(page), "air", "it is not any more");
  await page.keyboard.press("2");
  await page.click("#size");
  await page.keyboard.press("4");
  assert.equal(await activeTool(page), "water");
  await page.focus("#size");
  await page.keyboard.press("3");
  assert.equal(await activeTool(page), "air");
  await page.keyboard.press("ArrowRight"); // the slider's own
  const size = Number(await page.inputValue("#size"));
  await page.keyboard.press("]");
  assert.equal(Number(await page.inputValue("#size")), size + 1);

  console.log("tool and size go along to another world, and a world keeps its place");
  await page.keyboard.press("4");
  await page.click("#zoom-in");
  const camera = () => page.evaluate(() => [window.sluice.camera.x, window.sluice.camera.scale]);
  const before = await camera();
  await page.selectOption("#world", "still");
  await shows(page, "still");
  assert.equal(await activeTool(page), "water");
  assert.equal(await page.evaluate(() => window.sluice.hand.brush.size), size + 1);
  await page.keyboard.press("2");
  assert.equal(await activeTool(page), "rock");
  await page.selectOption("#world", "moving");
  await shows(page, "moving");
  assert.deepEqual(await camera(), before);
  assert.equal(await activeTool(page), "rock");
}

async function rightButton(page) {
  console.log("the right button digs, whatever the tool is");
  await page.keyboard.press("f");
  await page.keyboard.press("2");
  await page.waitForFunction(() => window.sluice.mirror.cell(100, 1, 0) === -1);
  const at = await place(page, 100, 2);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down({ button: "right" });
  await page.mouse.up({ button: "right" });
  await page.waitForFunction(() => window.sluice.mirror.cell(100, 2, 0) !== -1);
}

async function drawing(page) {
  console.log("between two ticks the picture moves on");
  const frames = await page.evaluate(async () => {
    const viewer = window.sluice;
    const { painter, screen, camera, canvas: { width, height } } = viewer;
    // As it is painted at two moments after one and the same tick.
    await new Promise((done) => {
      const ticked = painter.ticked.bind(painter);
      painter.ticked = (...all) => {
        ticked(...all);
        painter.ticked = ticked;
        done();
      };
    });
    painter.step = 50; // ticks come late on a machine with much to do
    const at = (milliseconds) => {
      const more = painter.paint(screen, width, height, camera, painter.tickTime + milliseconds);
      const { data } = screen.context.getImageData(0, 0, width, height);
      let sum = 0;
      for (let i = 0; i < data.length; ++i) sum = (Math.imul(sum, 31) + data[i]) | 0;
      return { more, sum };
    };
    at(0); // all is brought up to date
    return [at(5), at(25), at(45), at(200), at(300)];
  });
  assert.equal(new Set(frames.slice(0, 4).map(({ sum }) => sum)).size, 4, "four moments, four pictures");
  assert.deepEqual(frames.map(({ more }) => more), [true, true, true, false, false]);
  assert.equal(frames[3].sum, frames[4].sum);

  console.log("panning and zooming a resting world looks at no chunk anew");
  await page.selectOption("#world", "still");
  await shows(page, "still");
  await page.waitForFunction(() => window.sluice.mirror.counters.activeChunks === 0);
  await page.keyboard.press("1");
  const counts = await page.evaluate(async () => {
    const viewer = window.sluice;
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    viewer.fit();
    for (let i = 0; i < 5; ++i) await frame();
    let [paints, refreshed] = [0, 0];
    const { painter } = viewer;
    const [paint, refresh] = [painter.paint.bind(painter), painter.refresh.bind(painter)];
    painter.paint = (...all) => (++paints, paint(...all));
    painter.refresh = (...all) => (++refreshed, refresh(...all));
    for (let i = 0; i < 20; ++i) {
      viewer.pan(i % 2 ? 30 : -30, 5);
      viewer.zoom(i % 2 ? 1.3 : 1 / 1.3);
      await frame();
    }
    return { paints, refreshed };
  });
  assert.ok(counts.paints >= 15, `${counts.paints} frames`);
  assert.equal(counts.refreshed, 0);
}

async function fixtures(page) {
  console.log("springs, drains and open edges are seen, and named");
  await page.keyboard.press("f");
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 1);
  const near = (x, y, expected) => expectColour(page, x, y, expected);
  await near(60, 5, [143, 240, 192]);
  await near(180, 60, [255, 184, 107]);
  assert.deepEqual(await page.evaluate(() => [...window.sluice.fixtures.open]), ["right"]);
  const at = await place(page, 60, 5);
  await page.mouse.move(at.x, at.y);
  await page.waitForFunction(() => /spring, 10 a tick/.test(document.getElementById("hover").textContent));

  console.log("a spring that somebody adds is seen soon");
  await page.evaluate(() => window.sluice.command({ cmd: "add_source", at: [150, 100, 0], rate: 7 }));
  await page.waitForFunction(() => window.sluice.fixtures.sources.length === 2);
}

async function editing(page) {
  console.log("a box is drawn, undone and redone; a fill; the pick");
  await page.selectOption("#world", "still");
  await shows(page, "still");
  await page.keyboard.press("f");
  const cells = (value) => page.waitForFunction((wanted) => {
    for (const [x, y] of [[130, 60], [145, 60], [130, 70], [145, 70], [140, 65]]) {
      if (window.sluice.mirror.cell(x, y, 0) !== wanted) return false;
    }
    return true;
  }, value);
  await page.keyboard.press("2");
  await page.keyboard.press("r");
  assert.equal(await page.inputValue("#shape"), "box");
  const [from, to] = [await place(page, 130, 60), await place(page, 145, 70)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 3 });
  assert.equal(await page.evaluate(() => window.sluice.mirror.cell(140, 65, 0)), 0, "only when it is let go");
  await page.mouse.up();
  await cells(-1);
  await page.keyboard.press("Control+z");
  await cells(0);
  await page.keyboard.press("Control+Shift+z");
  await cells(-1);
  await page.click("#undo");
  await cells(0);
  await page.click("#redo");
  await cells(-1);
  await page.keyboard.press("3");
  await page.mouse.move(to.x, to.y);
  await page.keyboard.press("i");
  assert.equal(await activeTool(page), "rock");
  await page.keyboard.press("b");
  await page.keyboard.press("Control+z");
  await cells(0);

  console.log("hovering tells how deep it is");
  const deep = await place(page, 40, 20);
  await page.mouse.move(deep.x, deep.y);
  const told = /surface at 40\.0, 19\.5 deep/;
  await until(`hovering tells ${told}`, async () => told.test(await page.textContent("#hover")));
}

async function pouring(page) {
  console.log("pouring deep into a lake makes it rise, and drains nothing");
  await page.keyboard.press("4");
  const before = await page.evaluate(() => {
    const { connection, mirror } = window.sluice;
    const { command } = connection;
    window.poured = [];
    connection.command = function (...all) {
      window.poured.push(all[0]);
      return command.apply(this, all);
    };
    return { ...mirror.counters, deep: mirror.cell(40, 12, 0) };
  });
  assert.ok(before.deep >= 4096, `a cell of this lake holds ${before.deep}`);
  const at = await place(page, 40, 12);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.up();
  const poured = () => page.evaluate(() => window.poured.reduce((sum, { cmd, units }) => sum + (cmd === "pour" ? units : 0), 0));
  await until("something is poured", async () => await poured() > 0);
  await page.waitForFunction((sum) => window.sluice.mirror.counters.sourced >= sum, before.sourced + await poured());
  assert.equal(await page.evaluate(() => window.sluice.mirror.counters.drained), before.drained);
  assert.deepEqual(await page.evaluate(() => window.poured.filter(({ cmd, at }) => cmd !== "pour" || at[1] < 38)), []);
  await shot(page, "poured");
}

async function around(page) {
  console.log("a world that is larger than the screen has a map in the corner, which leads anywhere");
  assert.equal(await page.locator("#minimap").isVisible(), false);
  for (let i = 0; i < 8; ++i) await page.click("#zoom-in");
  await page.waitForSelector("#minimap:not([hidden])");
  const map = await page.locator("#minimap canvas").boundingBox();
  await page.mouse.click(map.x + map.width * 0.9, map.y + map.height * 0.2);
  const camera = await page.evaluate(() => [window.sluice.camera.x / 200, window.sluice.camera.y / 120]);
  assert.ok(Math.abs(camera[0] - 0.9) < 0.03 && Math.abs(camera[1] - 0.8) < 0.03, `${camera}`);
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.getElementById("minimap").hidden);

  console.log("? lists the shortcuts, which are not taken meanwhile");
  await page.keyboard.press("1");
  await page.keyboard.press("?");
  await page.waitForSelector("#help[open]"); // it is fetched when it is first wanted
  assert.match(await page.textContent("#help"), /Ctrl\+Z/);
  await page.keyboard.press("2");
  assert.equal(await activeTool(page), "pan");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#help").isVisible(), false);

  console.log("other colours, which are kept");
  const sky = async () => (await colour(page, 100, 110)).slice(0, 3).reduce((sum, byte) => sum + byte, 0);
  assert.ok(await sky() < 150);
  await page.selectOption("#palette", "light");
  await until("the sky is light", async () => await sky() > 600);
  await until("the address names the whole world", () => page.evaluate(() => !location.hash.includes("@")));
  await page.reload();
  await page.waitForSelector('body[data-state="ready"]');
  await until("it is light again", async () => await sky() > 600);
  await page.selectOption("#palette", "dark");
}

async function disconnected(page, server) {
  console.log("an edit without a connection is reported");
  await stopServer(server);
  await page.waitForFunction(() => document.body.dataset.state !== "ready");
  await page.keyboard.press("2");
  const at = await place(page, 150, 80);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.up();
  await expectToast(page, /Not connected: nothing was changed/);

  console.log("edits that were on their way when it was lost are asked for, and told of");
  const again = await startWorlds(server.address);
  await page.waitForSelector('body[data-state="ready"]');
  await page.evaluate(() => {
    const { queue, connection } = window.sluice;
    const rock = (x) => queue.send({ cmd: "set_cells", from: [x, 70, 0], size: [1, 1, 1], cell: "#" }, queue);
    rock(20);
    connection.socket.close(); // what was sent before still leaves, what is sent now does not
    rock(22);
  });
  await expectToast(page, /2 edits were on their way; the server will be asked/);
  await page.waitForSelector('body[data-state="ready"]');
  await expectToast(page, /Of the 2 edits that were on their way, 1 was made, 1 was lost on the way and not made/);
  await expectLook(page, 20, 70, "rock");
  await expectLook(page, 22, 70, "air");
  await expectLook(page, 10, 5, "rock");
  assert.equal(await stopServer(again), 0);
}

await main(async () => {
  const server = await startWorlds("127.0.0.1:0");
  const browser = await launch(packagePath, chromiumPath);
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  const page = await openPage(context, `${server.url}/#moving`);
  await keysAndTools(page);
  await rightButton(page);
  await drawing(page);
  await fixtures(page);
  await editing(page);
  await pouring(page);
  await around(page);
  await disconnected(page, server);
  await browser.close();
});
