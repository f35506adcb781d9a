// A chunk's payload: protocol/README.md has the grammar and worked examples.
import { decodeColumns } from "./columns";
import { PayloadReader } from "./payload_reader";

const KEYFRAME = 1;
/** From here on by columns of 2^6, then of 2^4 cells; an odd tag is a keyframe. */
const COLUMNS_OF_64 = 7;
const COLUMNS_OF_16 = 9;
const MOST = 10;

/** Turns `cells`, what is held so far, into what the payload says; `told`: of the last lesson that came. Throws on a
 *  payload that breaks the grammar: the server is then wrong or speaks another version. */
export function decodeChunk(payload: Uint8Array, cells: Int32Array, told?: Int32Array): void {
  const tag = payload[0];
  if (!tag || tag > MOST || (tag > 2 && tag < COLUMNS_OF_64)) throw new Error(`a chunk of the unknown coding ${tag}`);
  if (tag >= COLUMNS_OF_64) {
    const isKeyframe = tag % 2 === 1;
    if (isKeyframe) cells.fill(0);
    return decodeColumns(payload, tag < COLUMNS_OF_16 ? 6 : 4, cells, isKeyframe ? undefined : told);
  }
  if (tag === KEYFRAME) cells.fill(0);
  new PayloadReader(payload, 1).row(cells);
  // A keyframe's differences are those from cell to cell.
  if (tag === KEYFRAME) for (let i = 1; i < cells.length; ++i) cells[i]! += cells[i - 1]!;
}
