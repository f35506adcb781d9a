// What the browser tests share: programs, a headless Chromium, and reading the picture.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const folder = mkdtempSync(join(tmpdir(), "sluice-browser-"));
let running = null; // the server's process

/** A world that takes long for a tick refuses what sets more in motion: not on a machine with much to do. */
const PATIENT = ["--tick-budget", "1000"];

/** Starts a program that serves; resolves when it says where it listens. */
export function startServer(program, parameters) {
  const all = parameters[0] === "replay" ? parameters : [...parameters, ...PATIENT];
  const child = spawn(program, all, { stdio: ["ignore", "pipe", "inherit"] });
  running = child;
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (bytes) => {
      output += bytes;
      const match = /listening on (http:\/\/([^\s]+))/.exec(output);
      if (match) resolve({ child, url: match[1], address: match[2] });
    });
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
}

export function stopServer(server) {
  return new Promise((resolve) => {
    server.child.removeAllListeners("exit");
    server.child.on("exit", (code) => resolve(code));
    server.child.kill("SIGTERM");
  });
}

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** `packagePath`: the package.json of the folder with playwright-core. */
export function launch(packagePath, chromiumPath, more = []) {
  const { chromium } = createRequire(packagePath)("playwright-core");
  return chromium.launch({ executablePath: chromiumPath, args: [...FLAGS, ...more] });
}

/** A browser of its own, as somebody else's. */
export function openBrowser(packagePath, chromiumPath, name, viewport = { width: 1000, height: 700 }) {
  const { chromium } = createRequire(packagePath)("playwright-core");
  return chromium.launchPersistentContext(join(folder, name), {
    executablePath: chromiumPath,
    viewport,
    args: FLAGS,
  });
}

/** Milliseconds for what a page is waited for: how long a machine takes is never a reason to fail. */
const PATIENCE = 150_000;

// What a page throws fails the test as whatever else does: thrown here it would end Node, and leave the server behind.
let pageThrew;
const thrown = new Promise((_, reject) => (pageThrew = reject));
thrown.catch(() => undefined);

export async function openPage(context, url) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", pageThrew);
  page.on("console", (message) => {
    if (message.type() === "warning" || message.type() === "error") console.log(`the page says: ${message.text()}`);
  });
  await page.goto(url);
  await page.waitForSelector('body[data-state="ready"]');
  return page;
}

/** What every part of the page is to be good at. */
export const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/** A picture of the page for somebody who wants to look at it: in the folder SLUICE_SHOTS. */
export async function shot(page, name) {
  const shots = process.env.SLUICE_SHOTS;
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Where on the page the middle of a cell is. */
export function place(page, x, y, pane = "view") {
  return page.evaluate(([cellX, cellY, id]) => {
    const { camera } = window.sluice;
    const { left, top } = document.getElementById(id).getBoundingClientRect();
    return { x: left + camera.screenX(cellX + 0.5), y: top + camera.screenY(cellY + 0.5) };
  }, [x, y, pane]);
}

/** Red, green and blue of the pixel in the middle of a cell. */
export function colour(page, x, y, pane = "view") {
  return page.evaluate(([cellX, cellY, id]) => {
    const canvas = document.getElementById(id);
    const { camera } = window.sluice;
    const scale = canvas.width / canvas.clientWidth;
    return [...canvas.getContext("2d").getImageData(camera.screenX(cellX + 0.5) * scale,
      camera.screenY(cellY + 0.5) * scale, 1, 1).data];
  }, [x, y, pane]);
}

/** Waits until `holds` does. */
export async function until(what, holds) {
  for (const begin = performance.now(); performance.now() - begin < PATIENCE;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`this never came: ${what}`);
}

/** Until the page says this to its user: words, or a pattern. If it never does, what it said instead is told. */
export async function expectToast(page, wanted) {
  const [words, flags] = wanted instanceof RegExp ? [wanted.source, wanted.flags] : [wanted, null];
  try {
    await page.waitForFunction(([text, how]) => {
      const said = document.getElementById("toast").textContent;
      return how === null ? said.includes(text) : new RegExp(text, how).test(said);
    }, [words, flags]);
  } catch {
    const said = await page.textContent("#toast");
    const { state } = await page.evaluate(() => ({ ...document.body.dataset }));
    throw new Error(`the page, which is ${state}, says "${said}", not ${wanted}`);
  }
}

/** The middle of a cell comes to nearly that colour. */
export function expectColour(page, x, y, [red, green, blue], what = "") {
  return until(`${what} [${x}, ${y}] has the colour ${[red, green, blue]}`, async () => {
    const seen = await colour(page, x, y);
    return Math.abs(seen[0] - red) + Math.abs(seen[1] - green) + Math.abs(seen[2] - blue) < 45;
  });
}

/** What that pixel looks like. */
export async function look(page, x, y, pane = "view") {
  const [red, green, blue] = await colour(page, x, y, pane);
  if (red > green + 40) return "marked";
  if (red + green + blue < 130) return "air";
  if (blue > red + 40) return "water";
  return red >= blue ? "rock" : `something of colour ${red}, ${green}, ${blue}`;
}

export async function expectLook(page, x, y, expected, pane = "view") {
  let seen = "";
  const what = `cell [${x}, ${y}] of ${pane} looks like ${expected}`;
  await until(what, async () => (seen = await look(page, x, y, pane)) === expected).catch((error) => {
    throw new Error(`it looks like ${seen}`, { cause: error });
  });
}

/** Runs a test to its end, and leaves nothing behind. A test that fails is run once more, from its beginning: where
 *  the machine has much to do, a browser's timers, frames and sockets come in orders that no test can name. What is
 *  broken fails both times. SLUICE_ONCE=1 looks for those that fail now and then. */
export async function main(run) {
  try {
    const ended = run();
    ended.catch(() => undefined); // it may fail once more after a page threw
    await Promise.race([ended, thrown]);
    console.log("all well");
  } catch (error) {
    console.error(error);
    console.error(`failed: ${error.message}`); // at the end, where a log that was cut still has it
    running?.kill("SIGKILL");
    process.exitCode = process.env.SLUICE_ONCE ? 1 : again();
  } finally {
    running?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
    // Browsers that a failure left behind end with this process.
    setTimeout(() => process.exit(), 500).unref();
  }
}

function again() {
  console.error("once more, from the beginning:");
  const [program, ...parameters] = process.argv;
  const { status } = spawnSync(program, parameters, { stdio: "inherit", env: { ...process.env, SLUICE_ONCE: "1" } });
  return status ?? 1;
}

/** Waits until what fades or slides in is there. */
function allInPlace(page) {
  return page.evaluate(() => Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime)).map(({ finished }) => finished)));
}

/** Every control can be seen as it is, or scrolled to inside of its bar. */
export async function expectOnScreen(page, selector) {
  await allInPlace(page);
  const places = await page.locator(selector).evaluateAll((controls) => controls.map((control) => {
    control.scrollIntoViewIfNeeded();
    const { left, top, right, bottom } = control.getBoundingClientRect();
    const seen = control.checkVisibility({ visibilityProperty: true }) && left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
    return { seen, name: `${control.id || control.title || control.name} at ${[left, top, right, bottom]}` };
  }));
  assert.ok(places.length > 0, `there is no ${selector}`);
  assert.deepEqual(places.filter(({ seen }) => !seen).map(({ name }) => name), [], "off the screen");
}

/** What axe-core finds wrong with the page as it is, or with a part of it, as text. */
export async function findViolations(page, packagePath, part = "html") {
  await allInPlace(page);
  if (!(await page.evaluate(() => "axe" in window))) {
    // Not as a script of the page, which allows none but its own.
    await page.evaluate(readFileSync(createRequire(packagePath).resolve("axe-core/axe.min.js"), "utf8"));
  }
  return page.evaluate(async (within) => {
    const { violations } = await window.axe.run(within, { resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html, failureSummary }) =>
      `    ${html.slice(0, 160)}\n      ${failureSummary.replaceAll("\n", " ")}`).join("\n")}`);
  }, part);
}
