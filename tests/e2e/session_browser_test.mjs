// Goal: where a server knows accounts, the page asks for a token once, shows who is signed in, and lets
// everybody do what they may, saying why not where they may not; where it knows none, nothing of that is
// seen. The token stays out of addresses, storage and logs.
// Method: a real server behind a small one that answers /session; headless Chromium at two sizes.
//
//   node session_browser_test.mjs SLUICE_SERVER CHROMIUM PACKAGE_JSON
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findViolations, folder, launch, main, openPage, place, shot, SIZES, startServer, stopServer, until } from "./browser_support.mjs";
import { startProxy } from "./proxy.mjs";

const [serverPath, chromiumPath, packagePath] = process.argv.slice(2);

const WORLDS = ["cave", "vault"].map((name) => {
  const path = join(folder, `${name}.toml`);
  writeFileSync(path, `[world]
name = "${name}"
size = [64, 40, 1]
[[fill]]
from = [0, 0, 0]
size = [64, 8, 1]
cell = "#"
[[pipe]]
name = "reserve"
`);
  return path;
});
const TOKEN = "slu_ann-0123456789abcdef";
const ACCOUNTS = {
  nobody: { account: null, worlds: { cave: "watch", vault: "none" } },
  ann: { account: "ann", worlds: { cave: "build", vault: "watch" } },
};

/** Answers /session by the contract; what it was asked is kept. */
function accounts() {
  const asked = [];
  const seen = []; // addresses, for a token that should not be in them
  const of = (request) => (/(^|; )session=ann-s($|;)/.test(request.headers.cookie ?? "") ? "ann" : "nobody");
  const answer = (request, response) => {
    seen.push(request.url);
    if (request.url !== "/session") return false;
    asked.push(request.method);
    const send = (status, body, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(body && JSON.stringify(body));
    };
    if (request.method === "GET") send(200, ACCOUNTS[of(request)]);
    else if (request.method === "DELETE") send(204, "", { "set-cookie": "session=; Max-Age=0; Path=/" });
    else if (request.headers.authorization === `Bearer ${TOKEN}`) {
      send(200, ACCOUNTS.ann, { "set-cookie": "session=ann-s; HttpOnly; SameSite=Strict; Path=/" });
    } else send(401, { error: "no account has this token" });
    return true;
  };
  const lets = (request) => {
    seen.push(request.url);
    return ACCOUNTS[of(request)].worlds[request.url.split("/").pop()] !== "none";
  };
  return { asked, seen, answer, lets };
}

const text = (page, selector) => page.locator(selector).textContent();

async function withoutAccounts(browser, url) {
  console.log("a server without accounts: everybody builds, and nothing tells of signing in");
  const context = await browser.newContext();
  const page = await openPage(context, `${url}/#cave`);
  assert.equal(await page.locator("#account").isVisible(), false);
  assert.equal(await page.locator("#rights").isVisible(), false);
  assert.equal(await page.locator('[data-tool="rock"]').isEnabled(), true);
  await context.close();
}

async function watches(page, name) {
  console.log(`${name}: who may only watch sees the world, and why the tools rest`);
  await page.waitForSelector('body[data-state="ready"]');
  assert.match(await text(page, "#rights"), /^You may watch this world; sign in to build$/);
  assert.equal(await page.locator("#rights").isVisible(), true);
  for (const tool of ["rock", "air", "water", "paste"]) {
    assert.equal(await page.locator(`[data-tool="${tool}"]`).isDisabled(), true);
    assert.equal(await page.locator(`[data-tool="${tool}"]`).getAttribute("title"), "you may watch this world; sign in to build");
  }
  assert.equal(await page.locator('[data-tool="pan"]').isEnabled(), true);
  await page.keyboard.press("2");
  assert.match(await text(page, "#toast"), /sign in to build/);
  assert.equal(await page.evaluate(() => window.sluice.hand.brush.tool), "pan");
  const before = await page.evaluate(() => window.sluice.connection.recovery.lastSeq);
  const at = await place(page, 30, 20);
  await page.mouse.click(at.x, at.y, { button: "right" });
  await page.keyboard.press("Control+z");
  // Copying changes nothing; what is held can be put where one may build.
  await page.keyboard.press("7");
  await page.mouse.click(at.x, at.y);
  await until("a cell is held", () => page.evaluate(() => window.sluice.hand.stamp.region !== null));
  await page.keyboard.press("8");
  await page.mouse.click(at.x, at.y);
  assert.equal(await page.evaluate(() => window.sluice.hand.brush.tool), "copy");
  await page.keyboard.press("1");
  assert.equal(await page.evaluate(() => window.sluice.connection.recovery.lastSeq), before, "no command is sent");
  await shot(page, `watch-${name}`);
  assert.deepEqual(await findViolations(page, packagePath), []);

  console.log(`${name}: pipes can be looked at, not worked on`);
  await page.click("#pipes-toggle");
  await page.locator("#pipe-list button").first().click();
  await until("the card tells of the pipe", async () => /reserve · pipe/.test(await text(page, "#pipe-card")));
  assert.equal(await page.locator("#pipe-card .actions").isVisible(), false);
  assert.equal(await page.locator('[data-pipe="pump"]').isDisabled(), true);
  await page.click("#pipes-close");
}

async function signsIn(page, name) {
  console.log(`${name}: a world that is not for everybody asks who we are; a wrong token is refused in the server's words`);
  await page.selectOption("#world", "vault");
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await text(page, "#notice h2"), /Sign in to see “vault”/);
  assert.equal(await page.evaluate(() => document.body.dataset.state), "locked");
  await shot(page, `locked-${name}`);
  assert.deepEqual(await findViolations(page, packagePath), []);
  await page.click("#notice button");
  assert.equal(await page.getAttribute("#token", "type"), "password");
  assert.equal(await page.evaluate(() => document.activeElement.id), "token");
  await page.fill("#token", "wrong");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#sign-in-trouble:not([hidden])");
  assert.equal(await text(page, "#sign-in-trouble"), "no account has this token");
  await shot(page, `sign-in-${name}`);
  for (const colours of ["light", "dark"]) {
    await page.evaluate((wanted) => (document.documentElement.dataset.palette = wanted), colours);
    assert.deepEqual(await findViolations(page, packagePath), [], `signing in, ${colours}`);
  }
  await page.fill("#token", `  ${TOKEN}\n`);
  await page.keyboard.press("Enter");
  await page.waitForSelector('body[data-state="ready"]');
  assert.equal(await page.locator("#sign-in").isVisible(), false);
  assert.equal(await page.inputValue("#token"), "");
  assert.equal(await text(page, "#account-name"), "ann");
  assert.equal(await page.locator("#notice").isVisible(), false);
  assert.match(await text(page, "#rights"), /You may watch this world; ann may not build in it/);
  await page.selectOption("#world", "cave");
  await page.waitForFunction(() => window.sluice?.mirror?.welcome.world === "cave");
  assert.equal(await page.locator("#rights").isVisible(), false);
  await page.keyboard.press("2");
  const at = await place(page, 30, 20);
  await page.mouse.click(at.x, at.y);
  await page.waitForFunction(() => window.sluice.mirror.cell(30, 20, 0) === -1);
  await shot(page, `signed-in-${name}`);
}

async function loses(page, server) {
  console.log("who loses a right is told by the refusal, and the tools rest again");
  server.rightsOf("watch");
  await page.evaluate(() => window.sluice.answered({ kind: "result", seq: 0, applied: false, tick: 0,
    reason: "not allowed: ann may watch this world" }));
  await page.waitForSelector("#rights:not([hidden])");
  assert.match(await text(page, "#toast"), /Refused: not allowed: ann may watch this world/);
  server.rightsOf("build");
  await page.reload();
  await page.waitForSelector('body[data-state="ready"]');
  assert.equal(await text(page, "#account-name"), "ann", "asked once, not after a reload");
  assert.equal(await page.locator("#rights").isVisible(), false);

  console.log("where a role is bound in what it may own, the page says how much that is, and goes along");
  server.owns({ cells: [12, 5000], pipes: [3, 200] });
  await page.reload();
  await page.waitForSelector("#rights:not([hidden])");
  assert.equal(await text(page, "#rights"), "You own 12 of 5,000 cells and 3 of 200 pipes here");
  assert.equal(await page.locator("[data-tool=rock]").isDisabled(), false);
  server.owns({ pipes: [4, 200] });
  await until("it tells of the fourth pipe", async () => await text(page, "#rights") === "You own 4 of 200 pipes here");
  await shot(page, "owned");
  server.owns(undefined);
  await until("nothing is bound", async () => !(await page.locator("#rights").isVisible()));

  console.log("signing out");
  await page.click("#sign-out");
  await page.waitForSelector("#rights:not([hidden])");
  assert.equal(await page.locator("#account-name").isVisible(), false);
  assert.equal(await page.locator("#sign-in-open").isVisible(), true);

  console.log("who shows no token owns together with all of one address");
  server.addressOwns({ cells: [1, 10] });
  await page.reload();
  await page.waitForSelector("#rights:not([hidden])");
  assert.equal(await text(page, "#rights"), "Your address owns 1 of 10 cells here");
  server.addressOwns(undefined);
}

await main(async () => {
  const real = await startServer(serverPath, [...WORLDS.flatMap((path) => ["--world", path]),
    "--listen", "127.0.0.1:0", "--data", join(folder, "data")]);
  const browser = await launch(packagePath, chromiumPath);
  await withoutAccounts(browser, real.url);
  for (const [name, size] of Object.entries({ desktop: SIZES.desktop, phone: SIZES.phone })) {
    const fake = accounts();
    const proxy = await startProxy(real.address, fake.answer, fake.lets);
    const context = await browser.newContext({ viewport: size });
    const page = await context.newPage();
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(`${proxy.url}/#cave`);
    await watches(page, name);
    await signsIn(page, name);
    await loses(page, { rightsOf: (role) => (ACCOUNTS.ann.worlds.cave = role),
      owns: (share) => (ACCOUNTS.ann.owned = share && { cave: share }),
      addressOwns: (share) => {
        ACCOUNTS.nobody.owned = share && { cave: share };
        ACCOUNTS.nobody.worlds.cave = share ? "build" : "watch";
      } });
    assert.deepEqual([...new Set(fake.asked)].sort(), ["DELETE", "GET", "POST"]);

    console.log("the token is nowhere to be found");
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage },
      document.cookie, location.href, document.documentElement.outerHTML, history.length]));
    for (const trace of [kept, ...fake.seen, ...said]) assert.ok(!trace.includes(TOKEN) && !trace.includes("ann-s"), trace.slice(0, 300));
    assert.ok(!said.some((line) => /Error:/.test(line)), said.join("\n"));
    await context.close();
    await proxy.close();
  }
  assert.equal(await stopServer(real), 0);
  await browser.close();
});
