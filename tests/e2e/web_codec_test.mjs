// Goal: the browser's own decoder and checksum are those of the protocol's document, which the C++
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
const { readLesson } = await load("columns.ts");
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

// Columns: the document's examples, and a chain of payloads that C++ made.
const COLUMNS = "columns: 64 cells of rock, 64 full, 64 of 3000, 3003, 3006 ..., air";
const air = cellsOf(() => 0);
assert.deepEqual(decode("columns: one unit in cell 2", air), cellsOf((i) => Number(i === 2)));
const pond = decode(COLUMNS, junk);
assert.deepEqual(pond, cellsOf((i) => (i < 64 ? -1 : i < 128 ? 4096 : i < 192 ? 3000 + 3 * (i - 128) : 0)));
const sunk = decode("columns: those 64 lose 40 units each, cell 175 gets 7 of them back", pond);
assert.deepEqual(sunk, pond.map((cell, i) => cell - (i >= 128 && i < 192 ? 40 : 0) + (i === 175 ? 7 : 0)));
const hill = decode("columns of 16: cell [x, y, z] is rock if y <= (x + z) / 4", junk);
assert.deepEqual(hill, cellsOf((i) => -Number((i >> 8) <= (((i & 15) + ((i >> 4) & 15)) >> 2))));
const rain = decode("columns of 16: each third cell from 3,840 on of that gets 512 units", hill);
assert.deepEqual(rain, hill.map((cell, i) => (i >= 3840 && i % 3 === 0 ? 512 : cell)));

const hexBytes = (text) => Uint8Array.from(text.match(/../g), (byte) => parseInt(byte, 16));
const chain = readFileSync(join(sourceDir, "tests/protocol/chunk_chain.txt"), "utf8").split("\n")
  .filter((line) => line && !line.startsWith("#")).map((line) => line.split(" "));
const tags = new Set();
const held = cellsOf(() => 0);
let told;
for (const [payload, sum] of chain) {
  if (payload === "lesson") {
    told = readLesson(hexBytes(sum));
    continue;
  }
  decodeChunk(hexBytes(payload), held, told);
  tags.add(hexBytes(payload)[0]);
  assert.equal(chunkChecksum(held).toString(16).padStart(16, "0"), sum, payload);
}
assert.deepEqual([...tags].sort((a, b) => a - b), [2, 7, 8, 9, 10]);
assert.ok(told, "the chain has lessons");
const lesson = readLesson(hexBytes("7c001d6673"));
assert.ok(document.includes("`7c 00 1d 66 73`"));
assert.deepEqual([1, 300, 2].map((i) => [lesson[i] >> 5, lesson[i] & 31]), [[64512, 8], [256, 8], [22938, 3]]);
for (const wrong of ["7c", "7c001d667300000000000001"]) assert.throws(() => readLesson(hexBytes(wrong)), Error);
// Any damage is an error or a chunk, never a hang.
for (const [payload] of chain.filter(([kind]) => kind !== "lesson").slice(0, 12)) {
  const bytes = hexBytes(payload);
  for (let at = 1; at < bytes.length; at += 1 + (bytes.length >> 5)) {
    const damaged = bytes.slice();
    damaged[at] ^= 1 << (at & 7);
    try {
      decodeChunk(damaged, new Int32Array(CELLS));
    } catch (error) {
      assert.equal(error.constructor, Error);
    }
  }
}

for (const wrong of [[], [3], [11], [7, 0, 0, 0, 0, 0, 0, 0, 0, 0], [8, 255, 255, 255, 255], [1, 0], [1, 0, 0], [1, 0xff], [2, 0x80, 0x80, 0x80, 0x80, 0x80, 1]]) {
  assert.throws(() => decodeChunk(Uint8Array.from(wrong), new Int32Array(CELLS)), Error, `${wrong}`);
}
// Pipe sections: the documented bytes, and the damaged ones.
const { decodePipes, pipeChecksum, flowOfClass, portShows } = await load("pipes.ts");
const SIDES = { logX: 6, logY: 6, logZ: 0 };
const KEY = { coord: { x: 0, y: 0, z: 0 }, part: 0 };
const bytesOf = (label) => Uint8Array.from(row(label).split(" ").map((byte) => parseInt(byte, 16)));
const keyframe = bytesOf("keyframe: a tank, a pump, two links, a port");
const section = decodePipes(KEY, SIDES, keyframe, undefined);
assert.deepEqual(section.nodes, [
  { index: 0, kind: "pipe", open: true, name: "tank", fluid: "water", capacity: 20000, height: 10000,
    base: 0, throughput: 0, rate: 0, at: { x: 3, y: 4, z: 0 } },
  { index: 1, kind: "pump", open: true, name: "p", fluid: "water", capacity: 2000, height: 4096,
    base: -1, throughput: 0, rate: 500, at: { x: 4, y: 4, z: 0 } },
]);
assert.deepEqual(section.links, [
  { from: 0, section: KEY, to: 1, oneWay: true },
  { from: 1, section: { coord: { x: 1, y: 0, z: 0 }, part: 0 }, to: 7, oneWay: true },
]);
assert.deepEqual(section.ports, [{ node: 0, kind: "inlet", cell: { x: 3, y: 5, z: 0 }, rate: 1000 }]);
assert.deepEqual([...section.values], [4096, 0, 0, 0, 0]);
const later = decodePipes(KEY, SIDES, bytesOf("delta of that: the pump drew, the port runs"), section);
assert.equal(later, section);
assert.deepEqual([...later.values], [3696, 500, 18, 0, 57]);
assert.deepEqual(portShows(57), { state: "running", moved: 112 });
assert.deepEqual([0, 1, 3, 4, -5, 18].map(flowOfClass), [0, 1, 2, 3, -5, 448]);
const sum = pipeChecksum(later.planBytes, later.values).toString(16).padStart(16, "0");
assert.ok(document.includes(`\`${sum}\``), `protocol/README.md does not show ${sum}`);
for (const wrong of [[], [9], [1], [1, 0x81, 2], [1, 1, 2, 97, 10], [1, 0, 1, 0, 1, 97],
  [1, 0, 0, 1, 0, 4, 0], [1, 0, 0, 0, 0, 0, 1, 2], [2, 0, 1, 2]]) {
  assert.throws(() => decodePipes(KEY, SIDES, Uint8Array.from(wrong), undefined), Error, `${wrong}`);
}
// Any damage is an error or a section, never a hang.
for (let at = 0; at < keyframe.length; ++at) {
  for (let bit = 0; bit < 8; ++bit) {
    const damaged = Uint8Array.from(keyframe);
    damaged[at] ^= 1 << bit;
    try {
      const { nodes, links, ports, values } = decodePipes(KEY, SIDES, damaged, undefined);
      assert.equal(values.length, nodes.length + links.length + ports.length);
    } catch (error) {
      assert.equal(error.constructor, Error);
    }
  }
}
const timed = chain.filter(([payload]) => /^0[79]/.test(payload)).map(([payload]) => hexBytes(payload));
const startColumns = performance.now();
for (let i = 0; i < 20; ++i) for (const payload of timed) decodeChunk(payload, held);
console.log(`${((performance.now() - startColumns) / 20 / timed.length).toFixed(3)} ms a chunk by columns`);
const start = performance.now();
for (let i = 0; i < 200; ++i) chunkChecksum(junk);
console.log(`all well; ${((performance.now() - start) / 200).toFixed(3)} ms a checksum`);
