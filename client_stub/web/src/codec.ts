// A chunk's payload: protocol/README.md has the grammar and worked examples.
import { decodeColumns } from "./columns";
import { CHUNK_CELLS } from "./geometry";

const KEYFRAME = 1;
/** From here on by columns of 2^6, then of 2^4 cells; an odd tag is a keyframe. */
const COLUMNS_OF_64 = 3;
const COLUMNS_OF_16 = 5;
const MOST = 6;

/** Turns `cells`, what is held so far, into what the payload says. Throws on a payload that breaks
 *  the grammar: the server is then wrong or speaks another version. */
export function decodeChunk(payload: Uint8Array, cells: Int32Array): void {
  const tag = payload[0];
  if (!tag || tag > MOST) throw new Error(`a chunk of the unknown coding ${tag}`);
  if (tag >= COLUMNS_OF_64) {
    if (tag % 2 === 1) cells.fill(0);
    return decodeColumns(payload, tag < COLUMNS_OF_16 ? 6 : 4, cells);
  }
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
