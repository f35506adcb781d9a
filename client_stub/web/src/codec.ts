// A chunk's payload and its check sum: protocol/README.md has the grammar and worked examples.
import { CHUNK_CELLS } from "./geometry";

const KEYFRAME = 1;
const DELTA = 2;

/** Turns `cells`, what is held so far, into what the payload says. Throws on a payload that breaks
 *  the grammar: the server is then wrong or speaks another version. */
export function decodeChunk(payload: Uint8Array, cells: Int32Array): void {
  const tag = payload[0];
  if (tag !== KEYFRAME && tag !== DELTA) throw new Error(`a chunk of the unknown coding ${tag}`);
  let at = 1;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (at >= payload.length) throw new Error("a chunk's payload is cut off");
      const byte = payload[at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new Error("a number in a chunk's payload is too long");
  };
  if (tag === KEYFRAME) cells.fill(0);
  let cell = 0;
  let before = 0;
  while (at < payload.length) {
    const gap = varint();
    const count = varint();
    if (count === 0 || gap + count > CHUNK_CELLS - cell) {
      throw new Error("a chunk's payload goes past its last cell");
    }
    // In a keyframe a difference of zero repeats the cell before; in a delta it keeps the cell.
    if (tag === KEYFRAME && before !== 0) cells.fill(before, cell, cell + gap);
    cell += gap;
    for (let i = 0; i < count; ++i, ++cell) {
      const zigzag = varint();
      const difference = (zigzag >>> 1) ^ -(zigzag & 1);
      before = ((tag === KEYFRAME ? before : cells[cell]!) + difference) | 0;
      cells[cell] = before;
    }
  }
  if (tag === KEYFRAME && before !== 0) cells.fill(before, cell);
}

function step(hash: number, cell: number): number {
  let k = Math.imul(cell, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

function finish(hash: number): bigint {
  let h = hash ^ (CHUNK_CELLS * 2);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return BigInt((h ^ (h >>> 16)) >>> 0);
}

/** By which the server's chunk is compared with ours. */
export function chunkChecksum(cells: Int32Array): bigint {
  let even = 0x736c7563;
  let odd = 0x6c756963;
  for (let i = 0; i < CHUNK_CELLS; i += 2) {
    even = step(even, cells[i]!);
    odd = step(odd, cells[i + 1]!);
  }
  return (finish(even) << 32n) | finish(odd);
}
