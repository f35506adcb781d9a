// Goal: WebGL paints what the processor paints, wherever one looks and however near; frames in motion and
// what others change arrive; where the graphics card forgets everything, or there is none, the world is seen
// all the same.
// Method: a real server and headless Chromium, whose WebGL is the processor's; both pictures of one moment
// are compared pixel by pixel.
//
//   node drawing_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { folder, launch, main, openPage, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);
/** A processor that plays a graphics card takes most of this test's time, for each pixel. */
const SMALL = { width: 800, height: 500 };

/** A landscape with a lake, a roofed chamber, a fall, part-filled cells and a step of rock. */
const WIDE = `[world]
name = "wide"
size = [900, 300, 1]
[[fill]]
from = [0, 0, 0]
size = [900, 40, 1]
cell = "#"
[[fill]]
from = [100, 15, 0]
size = [300, 20, 1]
cell = "~"
[[fill]]
from = [200, 36, 0]
size = [150, 4, 1]
cell = "."
[[fill]]
from = [420, 40, 0]
size = [4, 200, 1]
cell = "#"
[[fill]]
from = [500, 40, 0]
size = [60, 120, 1]
cell = "~"
[[fill]]
from = [610, 200, 0]
size = [60, 4, 1]
cell = "#"
[[source]]
at = [640, 210, 0]
rate = 6000
`;
const DEEP = `[world]
name = "deep"
size = [64, 64, 64]
[[fill]]
from = [0, 0, 0]
size = [64, 20, 64]
cell = "#"
[[fill]]
from = [10, 10, 10]
size = [30, 8, 30]
cell = "~"
`;

function startWorlds() {
  const parameters = Object.entries({ wide: WIDE, deep: DEEP }).flatMap(([name, text]) => {
    writeFileSync(join(folder, `${name}.toml`), text);
    return ["--world", join(folder, `${name}.toml`)];
  });
  const storm = join(dirname(fileURLToPath(import.meta.url)), "../../server/worlds/storm.toml");
  return startServer(serverPath, [...parameters, "--world", storm, "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
}

const byGl = (page) => page.waitForFunction(() => window.sluice?.screen.byGl);

/** Of both pictures of the same moment: pixels that differ by more than a shade, and how many there are; of those also
 *  that lie where something falls on a surface in that column of cells. */
function compare(page, milliseconds, column = -1) {
  return page.evaluate(([after, strandsIn]) => {
    const { far, screen, camera, canvas: { width, height, clientWidth: canvasWidth } } = window.sluice;
    const painter = far?.shown ? far : window.sluice.painter;
    const { tickTime } = far?.shown ? far.painter : painter;
    const pixels = (picture) => {
      for (let tries = 0; painter.paint(picture, width, height, camera, tickTime + after) && tries < 30;) ++tries;
      if (picture === screen) screen.flatten();
      const { data } = screen.context.getImageData(0, 0, width, height);
      return data;
    };
    const graphics = pixels(screen);
    if (!screen.byGl) throw new Error("not by WebGL");
    const processor = pixels(screen.plain);
    const { sides: { logX, logY }, size } = window.sluice.mirror;
    const seen = (y) => window.sluice.painter.lookOf?.(strandsIn >> logX, y >> logY)
      ?.[((y & ((1 << logY) - 1)) << logX) | (strandsIn & ((1 << logX) - 1))] ?? 0;
    const [FALLS, SURFACE] = [2 << 16, 4 << 16]; // as in look.ts
    const ends = Array.from({ length: size.y - 1 }, (_, y) => y)
      .filter((y) => strandsIn >= 0 && (seen(y) & SURFACE) !== 0 && (seen(y + 1) & FALLS) !== 0);
    const scale = width / canvasWidth;
    const isStrand = (x, y) => Math.floor(camera.worldX((x + 0.5) / scale)) === strandsIn &&
      ends.includes(Math.floor(camera.worldY((y + 0.5) / scale)));
    let [differ, worst, colours, strands] = [0, "", new Set(), 0];
    for (let i = 0; i < graphics.length; i += 4) {
      colours.add(graphics[i] * 65536 + graphics[i + 1] * 256 + graphics[i + 2]);
      const by = Math.max(...[0, 1, 2].map((k) => Math.abs(graphics[i + k] - processor[i + k])));
      if (by <= 6) continue;
      ++differ;
      if (strandsIn >= 0 && isStrand((i / 4) % width, Math.floor(i / 4 / width))) ++strands;
      if (worst === "") {
        worst = `[${(i / 4) % width}, ${Math.floor(i / 4 / width)}] ${graphics.slice(i, i + 3)}, not ${processor.slice(i, i + 3)}`;
      }
    }
    window.sluice.repaint();
    return { share: differ / (width * height), worst, colours: colours.size, ends, strands };
  }, [milliseconds, column]);
}

async function samePicture(page, what, milliseconds) {
  const { share, worst, colours } = await compare(page, milliseconds);
  assert.ok(share < 0.002, `${what}: ${(share * 100).toFixed(2)} % of the pixels differ, as ${worst}`);
  return colours;
}

async function placesAndScales(page) {
  console.log("both paint the same from far and near");
  await page.click('[data-tool="inspect"]'); // which wants the cells, however far
  await page.keyboard.press("f");
  await samePicture(page, "the whole world", 500);
  // No scale at which pixels lie on the borders of grains: which of the two they take is chance.
  const scales = [1 / 16, 0.3, 0.5, 0.9, 1, 1.7, 2.9, 3.01, 5.3, 12.03, 31.01];
  const places = [[530, 150], [421.3, 238.7], [250, 33], [640, 203], [3, 2], [898, 299]];
  for (const [i, scale] of scales.entries()) {
    // Two of the places at each scale, and each place at several scales, one of them near.
    for (const [x, y] of [places[i % 6], places[(i + 2) % 6]]) {
      await page.evaluate((place) => window.sluice.goTo(place), { x, y, z: 0, scale });
      await samePicture(page, `[${x}, ${y}] at ${scale}`, 500);
    }
  }
  // Strands fall on the lake from both ends of the plate under the spring, thinner than what may differ elsewhere.
  for (let y = 60, looks = 0; looks < 5;) {
    await page.evaluate((place) => window.sluice.goTo(place), { x: 609.5, y, z: 0, scale: 40 });
    await until("a strand falls on a surface", async () => {
      const { ends, strands } = await compare(page, 500, 609);
      if (ends.length === 0) return false;
      if (ends[0] === y) ++looks;
      y = ends[0];
      assert.ok(strands <= 4, `${strands} pixels of a strand over a surface differ`);
      return true;
    });
  }
  for (const colours of ["light", "contrast", "dark"]) {
    await page.selectOption("#palette", colours);
    await samePicture(page, colours, 500);
  }
  for (const scale of [0.11, 0.3, 0.8, 1.3, 2.7, 7]) {
    await page.evaluate((place) => window.sluice.goTo(place), { x: 640.2, y: 150.1, z: 0, scale });
    for (const milliseconds of [0, 12, 31]) {
      await page.evaluate(() => (window.sluice.painter.step = 50)); // ticks come late on a machine with much to do
      await samePicture(page, `${milliseconds} ms after a tick at ${scale}`, milliseconds);
    }
  }
}

/** However long the machine took to come here: the column of water begins to fall once more. */
async function standUp(page) {
  await until("the column stands", () => page.evaluate(() => {
    const stands = window.sluice.mirror.cell(530, 100, 0) === 4096;
    if (!stands) window.sluice.command({ cmd: "set_cells", from: [500, 40, 0], size: [60, 120, 1], cell: "~" });
    return stands;
  }));
  await page.waitForTimeout(500); // what was still on its way
}

/** Surfaces that go up and down from column to column, and on into other rows between two ticks: they are put into what
 *  the painters keep of four chunks of air. Pixels that differ are counted there alone, for all that goes wrong with such
 *  surfaces is less than what may differ elsewhere. */
async function slopes(page) {
  console.log("both paint slopes the same, in a tick and between two");
  for (const scale of [1.7, 5.3, 21]) {
    await page.evaluate((place) => window.sluice.goTo(place), { x: 768, y: 256, z: 0, scale });
    await until("the chunks are known", () => page.evaluate(() => {
      window.sluice.repaint();
      return window.sluice.painter.lookOf(12, 4) !== undefined && window.sluice.painter.lookOf(11, 3) !== undefined;
    }));
    for (const share of [0.3, 0.7, 1]) {
      const differ = await page.evaluate(([part, random]) => {
        const { painter, screen, camera, mirror, canvas: { width, height, clientWidth } } = window.sluice;
        const { sides: { logX, logY } } = mirror;
        const SURFACE = 4 << 16; // as in look.ts
        const levelsFrom = (first) => Array.from({ length: 2 << logX }, (_, x) => random[(x * 7 + first) % random.length])
          .reduce((levels, step) => [...levels, Math.min(1020, Math.max(-1020, (levels.at(-1) ?? 0) + step))], []);
        const now = levelsFrom(0);
        const before = now.map((level, x) => level + random[(x * 5 + 3) % random.length]);
        const [left, bottom] = [11 << logX, 3 << logY];
        const tiles = [...painter.tiles.values()].filter(({ x, y }) => (x === 11 || x === 12) && (y === 3 || y === 4));
        for (const tile of tiles) {
          const of = (levels) => Uint32Array.from({ length: 1 << (logX + logY) }, (_, i) => {
            const x = (tile.x << logX) + (i & ((1 << logX) - 1)) - left;
            const y = (tile.y << logY) + (i >> logX) - bottom;
            const fill = levels[x] + 255 * ((1 << logY) - y); // the slopes lie about where the chunks meet
            return fill > 255 ? 255 : fill > 0 ? SURFACE | fill : 0;
          });
          window.stamps = (window.stamps ?? 1e9) + 2;
          Object.assign(tile, { look: of(now), before: of(before), moves: true, stale: false,
            stamp: window.stamps, beforeStamp: window.stamps + 1 });
          tile.details.made = tile.detailsBefore.made = 0;
        }
        painter.step = 50;
        const pixels = (picture) => {
          for (let tries = 0; painter.paint(picture, width, height, camera, painter.tickTime + 50 * part) && tries < 9;) ++tries;
          if (picture === screen) screen.flatten();
          return screen.context.getImageData(0, 0, width, height).data;
        };
        const [graphics, processor] = [pixels(screen), pixels(screen.plain)];
        const cells = width / clientWidth;
        let [count, colours] = [0, new Set()];
        for (let i = 0; i < graphics.length; i += 4) {
          const x = camera.worldX(((i / 4) % width + 0.5) / cells) - left;
          const y = camera.worldY((Math.floor(i / 4 / width) + 0.5) / cells) - bottom;
          if (x < 1 || y < 1 || x > (2 << logX) - 1 || y + bottom > mirror.size.y) continue;
          // What is beside a chunk is not mixed by the processor, nor what is above or below by any.
          const nearBorder = Math.abs(x - (1 << logX)) < 2 || Math.abs(y - (1 << logY)) < 2;
          if (part < 1 && nearBorder) continue;
          colours.add(graphics[i + 2]);
          if ([0, 1, 2].some((k) => Math.abs(graphics[i + k] - processor[i + k]) > 12)) ++count;
        }
        for (const tile of tiles) {
          tile.stale = true;
          ++tile.version;
        }
        window.sluice.repaint();
        return { count, tiles: tiles.length, colours: colours.size };
      }, [share, Array.from({ length: 97 }, (_, i) => ((i * i * 31 + i * 17) % 401) - 200)]);
      assert.equal(differ.tiles, 4);
      assert.ok(differ.colours > 20, "air, water and lines are seen");
      assert.ok(differ.count <= 4, `${differ.count} pixels of slopes differ at ${scale}, ${share} of a tick`);
    }
  }
}

async function betweenTicks(page) {
  console.log("from far, too, the picture between two ticks is between the two");
  for (const scale of [0.3, 0.8, 2]) {
    await page.evaluate((place) => window.sluice.goTo(place), { x: 530, y: 100, z: 0, scale });
    await standUp(page);
    let sums = null;
    // Much of the column of water moves in any tick; not in every one does the picture of it change.
    await until(`something moves at ${scale}`, async () => (sums = await page.evaluate(() => {
      const { painter, screen, camera, canvas: { width, height } } = window.sluice;
      const at = (milliseconds) => {
        painter.step = 50;
        for (let tries = 0; painter.paint(screen.plain, width, height, camera, painter.tickTime + milliseconds) && tries < 9;) ++tries;
        return screen.context.getImageData(0, 0, width, height).data;
      };
      const [before, middle, after] = [at(0), at(25), at(50)];
      const apart = (a, b) => a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0);
      window.sluice.repaint();
      return { all: apart(before, after), first: apart(before, middle), second: apart(middle, after) };
    })).all > 2000);
    const { all, first, second } = sums;
    assert.ok(first > all * 0.2 && second > all * 0.2 && first + second < all * 1.6,
      `at ${scale}: ${all} apart, the middle ${first} and ${second} from the two`);
  }
}

async function levelsOfDetail(page) {
  console.log("levels of detail, too");
  await page.click('[data-tool="pan"]');
  for (const [scale, level] of [[0.3, 1], [0.11, 2]]) {
    await page.evaluate((place) => window.sluice.goTo(place), { x: 530, y: 150, z: 0, scale });
    await page.waitForFunction((wanted) => window.sluice.far?.shown === wanted, level);
    for (const milliseconds of [0, 500]) {
      const colours = await samePicture(page, `level ${level}, ${milliseconds} ms after a tick`, milliseconds);
      assert.ok(colours > 20, `${colours} colours`);
    }
  }
}

async function lateParts(page) {
  console.log("nothing but what it begins with is fetched before the first picture");
  const early = await page.evaluate(() => {
    const [{ startTime }] = performance.getEntriesByName("first-picture");
    const preloaded = [...document.querySelectorAll("link[rel=modulepreload]")].map(({ href }) => href);
    return performance.getEntriesByType("resource").filter((entry) => entry.startTime < startTime)
      .map(({ name }) => name).filter((name) => /part-/.test(name) && !preloaded.includes(name));
  });
  assert.deepEqual(early, []);
}

async function changes(page) {
  console.log("what is built is seen, in a window of any size, and in the picture that is saved");
  await page.keyboard.press("f");
  await page.setViewportSize({ width: 900, height: 600 });
  await samePicture(page, "another window", 500);
  await page.evaluate(() =>
    window.sluice.command({ cmd: "set_cells", from: [700, 100, 0], size: [120, 120, 1], cell: "#" }));
  await page.waitForFunction(() => window.sluice.mirror.cell(760, 160, 0) === -1);
  // Of the picture that is saved: the colour of the middle of what was built.
  const saved = async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
    return readFileSync(await download.path()).toString("base64");
  };
  const stone = async () => page.evaluate(async (file) => {
    const { camera, canvas } = window.sluice;
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0))]));
    const copy = new OffscreenCanvas(image.width, image.height).getContext("2d");
    copy.drawImage(image, 0, 0);
    const ratio = canvas.width / camera.width;
    return [...copy.getImageData(camera.screenX(760) * ratio, camera.screenY(160) * ratio, 1, 1).data];
  }, await saved());
  await until("the rock is in the picture", async () => {
    const [red, green, blue, alpha] = await stone();
    return red > blue && red + green + blue > 200 && alpha === 255;
  });
  assert.equal(await page.evaluate(() => window.sluice.screen.byGl), true);
  await samePicture(page, "with the rock", 500);
}

async function forgets(page) {
  console.log("a card that forgets everything: the world is seen meanwhile, and then by WebGL again");
  await page.evaluate(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function once(kind, ...more) {
      if (kind !== "webgl2") return getContext.call(this, kind, ...more);
      HTMLCanvasElement.prototype.getContext = getContext;
      return null; // as a card that just woke up
    };
    const { gl } = window.sluice.screen.gl;
    gl.getExtension("WEBGL_lose_context").loseContext();
    window.sluice.repaint();
  });
  // One turn: WebGL comes back by itself after a while.
  const rock = await page.evaluate(async () => {
    const { camera, canvas, screen } = window.sluice;
    while (screen.byGl) await new Promise(requestAnimationFrame);
    const ratio = canvas.width / camera.width;
    return [...screen.context.getImageData(camera.screenX(760) * ratio, camera.screenY(160) * ratio, 1, 1).data];
  });
  assert.ok(rock[0] > rock[2] && rock[3] === 255, `the rock's pixel is ${rock}`);
  await byGl(page); // the spring keeps the world in motion
  assert.equal(await page.locator(".beneath").count(), 1);
  await samePicture(page, "after it came back", 500);
}

async function without(browser, url) {
  console.log("a processor that plays a graphics card is passed over, and one can do without");
  for (const query of ["", "?draw=canvas"]) {
    const page = await openPage(await browser.newContext({ viewport: SIZES.desktop }), `${url}/${query}#wide`);
    await page.waitForFunction(() => window.sluice.mirror?.counters.water > 0);
    await page.waitForFunction(() => window.sluice.screen.due === Infinity);
    // Asked for once more, so that it has been answered.
    if (query === "") await page.evaluate(() => window.sluice.screen.lookForGl());
    assert.equal(await page.evaluate(() => window.sluice.screen.byGl), false);
    assert.equal(await page.locator(".beneath").count(), 0);
    await page.context().close();
  }
}

async function waves(page, url) {
  console.log("both paint the same waves, between two tellings, too");
  await page.goto(`${url}/?draw=webgl#storm`);
  await byGl(page);
  await page.waitForFunction(() => window.sluice?.painter?.waves?.moves(performance.now()));
  for (const scale of [0.7, 1.3, 3.7, 12.03]) {
    await page.evaluate((place) => window.sluice.goTo(place), { x: 90, y: 34, z: 0, scale });
    for (const milliseconds of [40, 500]) await samePicture(page, `waves at ${scale}, ${milliseconds} ms after a tick`, milliseconds);
  }
  await shot(page, "webgl-waves");
}

await main(async () => {
  const server = await startWorlds();
  // Neither a slow machine nor what it forgets on the way is a reason for Chromium to give WebGL up.
  const browser = await launch(packagePath, chromiumPath, ["--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-gpu-watchdog", "--disable-gpu-process-crash-limit"]);
  const context = await browser.newContext({ viewport: SMALL });
  const page = await openPage(context, `${server.url}/?draw=webgl#wide`);
  await byGl(page);
  await lateParts(page);
  await shot(page, "webgl");
  await slopes(page);
  await placesAndScales(page);
  await betweenTicks(page);
  await levelsOfDetail(page);
  await changes(page);
  await forgets(page);
  await page.goto(`${server.url}/?draw=webgl#deep`);
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "deep" && window.sluice.mirror.chunks.size > 0);
  await page.keyboard.press("f");
  await samePicture(page, "a slice", 500);
  await page.locator("#slice").fill("12");
  await samePicture(page, "another slice", 500);
  await waves(page, server.url);
  await without(browser, server.url);
  await browser.close();
  assert.equal(await stopServer(server), 0);
});
