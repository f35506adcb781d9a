// Goal: the schema of commands that the toolbox prints says yes to every line that is right and no to every
// one that is wrong, and so does the TypeScript declaration that the page is checked with.
// Method: a validator that is not ours reads all scripts here, the examples of the documents and what
// `sluice log` prints; wrong lines are given to it and to the server's own reader, which must agree.
//
//   node command_schema_test.mjs SLUICE SOURCE_DIR PACKAGE_JSON   (of the folder with ajv and typescript)
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";

const [sluice, sourceDir, packagePath] = process.argv.slice(2);
const require = createRequire(packagePath);
const Ajv = require("ajv/dist/2020").default;

const folder = mkdtempSync(join(tmpdir(), "sluice-schema-"));
after(() => rmSync(folder, { recursive: true }));

const print = (...args) => execFileSync(sluice, args, { encoding: "utf8" });
// What a file of a tick holds is beyond the whole numbers of this language: no other warning is passed over.
const ajv = new Ajv({ allErrors: true, strictTypes: false });
const isCommand = ajv.compile(JSON.parse(print("schema")));
const isScriptLine = ajv.compile(JSON.parse(print("schema", "--script")));

/** Files of the source tree with that ending. */
function filesIn(ending) {
  return readdirSync(sourceDir, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending) && !/(^|\/)(build|node_modules|\.git)\//.test(path))
    .map((path) => join(sourceDir, path));
}

/** Lines of a script in a text: each an object with a command. */
function commandsIn(text) {
  return text.split("\n").filter((line) => /^\s*\{.*"cmd"/.test(line)).map((line) => JSON.parse(line));
}

function expectValid(validate, lines, where) {
  for (const line of lines) {
    assert.ok(validate(line), `${where}: ${JSON.stringify(line)}: ${ajv.errorsText(validate.errors)}`);
  }
}

const documented = commandsIn(readFileSync(join(sourceDir, "server/formats/README.md"), "utf8"));

test("every script and every example of the documents is right", () => {
  const scripts = filesIn(".jsonl");
  assert.ok(scripts.length >= 5, `${scripts.length} scripts`);
  for (const path of scripts) expectValid(isScriptLine, commandsIn(readFileSync(path, "utf8")), path);
  assert.ok(documented.length >= 25, `${documented.length} examples`);
  expectValid(isScriptLine, documented, "server/formats/README.md");
  // Of recordings, and of how a world is run: they change no world.
  const controls = new Set(["play", "pause", "seek", "step", "speed", "alone", "operate"]);
  for (const path of filesIn(".md")) {
    const lines = commandsIn(readFileSync(path, "utf8")).filter(({ cmd }) => !controls.has(cmd));
    expectValid(isCommand, lines, path);
  }
});

test("the documents have an example of every command", () => {
  const names = new Set(JSON.parse(print("schema")).oneOf.map(({ properties }) => properties.cmd.const));
  assert.deepEqual(new Set(documented.map(({ cmd }) => cmd)), names);
});

test("what a recording's log prints is right", () => {
  const world = join(folder, "world.toml");
  const script = join(folder, "script.jsonl");
  const recording = join(folder, "world.sluice");
  writeFileSync(world, '[world]\nname = "all"\nsize = [16, 16, 1]\n[waves]\n[heat]\n');
  const extra = [{ tick: 40, cmd: "set_cells", from: [1, 1, 0], size: [1, 1, 1], cell: { water: 77 } }];
  writeFileSync(script, [...documented, ...extra].map((line) => JSON.stringify(line)).join("\n"));
  print("sim", world, "--ticks", "50", "--script", script, "--record", recording);
  const logged = commandsIn(print("log", recording));
  assert.equal(logged.length, documented.length + 1);
  assert.ok(logged.every((line) => "seq" in line));
  expectValid(isScriptLine, logged, "sluice log");
});

/** Every way to spoil an example that must be noticed. */
function spoiled(line) {
  const wrong = [];
  const { cmd } = line;
  const schemas = JSON.parse(print("schema", "--script")).oneOf.filter(({ properties }) => properties.cmd.const === cmd);
  const optional = new Set(schemas.flatMap(({ properties, required }) => Object.keys(properties).filter((key) => !required.includes(key))));
  for (const [key, value] of Object.entries(line)) {
    const without = { ...line };
    delete without[key];
    // What is left out of one form may be another one.
    if (!optional.has(key) && !schemas.some(({ title }) => title.endsWith(` with ${key}`))) wrong.push(without);
    wrong.push({ ...without, [`${key}s`]: value });
    wrong.push({ ...line, [key]: null });
    if (key !== "tick" && typeof value === "number") wrong.push({ ...line, [key]: 2147483648 }, { ...line, [key]: 1.5 }, { ...line, [key]: String(value) });
    if (Array.isArray(value)) wrong.push({ ...line, [key]: value.slice(1) }, { ...line, [key]: [...value, 0] }, { ...line, [key]: ["0", 0, 0] });
    if (typeof value === "boolean") wrong.push({ ...line, [key]: 1 });
    if (typeof value === "string") wrong.push({ ...line, [key]: 7 });
  }
  wrong.push({ ...line, colour: "red" }, { ...line, tick: 0 }, { ...line, tick: -1 });
  return wrong;
}

test("wrong lines are wrong to the schema, and to the server's reader", () => {
  const lines = [...documented.flatMap(spoiled),
    { tick: 1, cmd: "flood" }, { tick: 1 }, 7, [], "pour",
    { tick: 1, cmd: "set_cells", from: [1, 1, 0], size: [1, 1, 1], cell: "?" },
    { tick: 1, cmd: "set_cells", from: [1, 1, 0], size: [1, 1, 1], cell: "##" },
    { tick: 1, cmd: "set_cells", from: [1, 1, 0], size: [1, 1, 1], cell: { water: -1 } },
    { tick: 1, cmd: "set_cells", from: [1, 1, 0], size: [1, 1, 1], cell: { water: 1, ice: 1 } },
    { tick: 1, cmd: "add_port", node: "a", cell: [1, 1, 0], kind: "sideways", rate: 5 }];
  assert.ok(lines.length > 300, `${lines.length} wrong lines`);
  for (const line of lines) assert.ok(!isScriptLine(line), `passes: ${JSON.stringify(line)}`);
  // One process for each would take a minute: every ninth is enough to see that the two agree.
  const world = join(folder, "small.toml");
  const script = join(folder, "wrong.jsonl");
  writeFileSync(world, '[world]\nname = "small"\nsize = [16, 16, 1]\n');
  for (const line of lines.filter((_, i) => i % 9 === 0 || i > lines.length - 10)) {
    writeFileSync(script, JSON.stringify(line));
    const { status, stderr } = spawnSync(sluice, ["sim", world, "--ticks", "1", "--script", script], { encoding: "utf8" });
    assert.equal(status, 2, `${JSON.stringify(line)}: ${stderr}`);
    assert.match(stderr, /wrong\.jsonl:1: /);
  }
});

test("the page's type checker finds a wrong name, a missing field and a wrong value", () => {
  const types = join(folder, "types");
  cpSync(join(dirname(packagePath), "package.json"), join(types, "package.json"));
  symlinkSync(join(dirname(packagePath), "node_modules"), join(types, "node_modules"));
  writeFileSync(join(types, "commands.ts"), print("schema", "--typescript"));
  const right = documented.map((line, i) => {
    const { tick, ...command } = line;
    return `export const right${i}: Command = ${JSON.stringify(command)};`;
  });
  const wrong = [
    { cmd: "pour", at: [1, 1, 0], unit: 5 },
    { cmd: "pour", at: [1, 1, 0], units: 5, temprature: 5 },
    { cmd: "pour", at: [1, 1], units: 5 },
    { cmd: "pour", at: [1, 1, 0] },
    { cmd: "poor", at: [1, 1, 0], units: 5 },
    { cmd: "set_cells", from: [1, 1, 0], size: [1, 1, 1], cell: "?" },
    { cmd: "link", from: "a", to: "b", oneWay: true },
    { cmd: "add_port", node: "a", cell: [1, 1, 0], kind: "sideways", rate: 5 },
    { cmd: "set_valve", name: "v", open: "yes" },
  ].map((command, i) => `// @ts-expect-error\nexport const wrong${i}: Command = ${JSON.stringify(command)};`);
  writeFileSync(join(types, "check.ts"), ['import type { Command } from "./commands";', ...right, ...wrong, ""].join("\n"));
  const compiler = join(types, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath,
    [compiler, "--noEmit", "--strict", "--module", "esnext", "--target", "es2022", join(types, "check.ts")], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
