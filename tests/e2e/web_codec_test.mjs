// Goal: the browser's own decoder and check sum are those of the protocol's document, which the C++
// ones are tested against too.
// Method: the tables of protocol/README.md are read and tried.
//
//   node web_codec_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [sourceDir, packagePath] = process.argv.slice(2);
const esbuild = createRequire(packagePath)("esbuild");
const CELLS = 4096;

async function load(name) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(sourceDir, "client_stub/web/src", name)],
    bundle: true, write: false, format: "esm",
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { decodeChunk } = await load("codec.ts");
const { chunkChecksum } = await load("checksum.ts");
const document = readFileSync(join(sourceDir, "protocol/README.md"), "utf8");
const cellsOf = (value) => Int32Array.from({ length: CELLS }, (_, i) => value(i));

function row(label) {
  const line = document.split("\n").find((text) => text.startsWith(`| ${label} |`));
  assert.ok(line, `protocol/README.md has no row "${label}"`);
  return /`([^`]*)`/.exec(line)[1];
}

const SUMS = {
  "all air": () => 0,
  "all rock": () => -1,
  "cell i holds i": (i) => i,
};
for (const [label, value] of Object.entries(SUMS)) {
  assert.equal(chunkChecksum(cellsOf(value)).toString(16).padStart(16, "0"), row(label), label);
}

function decode(label, baseline) {
  const cells = Int32Array.from(baseline);
  decodeChunk(Uint8Array.from(row(label).split(" ").map((byte) => parseInt(byte, 16))), cells);
  return cells;
}
const junk = cellsOf((i) => i * 7);
assert.deepEqual(decode("keyframe, all air", junk), cellsOf(() => 0));
assert.deepEqual(decode("keyframe, all rock", junk), cellsOf(() => -1));
const one = decode("keyframe, 64 cells of rock, two of air, one full, air", junk);
assert.deepEqual(one, cellsOf((i) => (i < 64 ? -1 : i === 66 ? 4096 : 0)));
const spread = decode("delta of that: the full cell (66) spreads to 1024, 2048, 1024", one);
assert.deepEqual([...spread.subarray(64, 69)], [0, 1024, 2048, 1024, 0]);

for (const wrong of [[], [9], [1, 0], [1, 0, 0], [1, 0xff], [2, 0x80, 0x80, 0x80, 0x80, 0x80, 1]]) {
  assert.throws(() => decodeChunk(Uint8Array.from(wrong), new Int32Array(CELLS)), Error, `${wrong}`);
}
const start = performance.now();
for (let i = 0; i < 200; ++i) chunkChecksum(junk);
console.log(`all well; ${((performance.now() - start) / 200).toFixed(3)} ms a check sum`);
