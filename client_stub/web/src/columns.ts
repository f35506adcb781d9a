// How a chunk changed, column by column: protocol/README.md has the grammar and worked examples, and
// protocol/column_coding.cpp the encoder. Functions over shared variables, as in range_decoder.ts.
import { CHUNK_CELLS } from "./geometry";
import { chance, decisionsOf } from "./range_decoder";

const FULL = 4096;
const GUESSES = 7;
const LARGEST_MISS = 4096;
const MOST_GAINED = 1 << 20;
/** Room in front of a column and behind it, so that nobody asks for its ends. */
const MARGIN = 4;

const LEVELS = [
  256, 1024, 2731, 5461, 9830, 16384, 22938, 29491, 36045, 42598, 49152, 55706, 60075, 62805, 64512, 65280,
];
/** With what the decisions of a chunk begin. */
const FIRST = Int32Array.from(
    "9b694e9ebeafbc27497c85484555341215361caa4f7f7f77777777777d7b7d78" +
    "7670737077767775737478747c7b7c7c7c7d7c7c7f777f777777777775707270" +
    "7070777773717372747076717a7876757b757b7a7ffffffff77777777f8ecdbe" +
    "b91443332a785678320335162ebcacab5cccbccc9ffffffff777777777170235" +
    "1022200556543454221113110b9c86774b68798a441222222234664433322211" +
    "1877776733442765345333444a76775543453855542111124333332334556888" +
    "7a878678a7997677aa7bc7ab77977a77977979a77a7887a97877887997767a88" +
    "65697a659de7799976787998af777779879968878f777667879978788f777656" +
    "779a99798f777655569a9987af77755455799889cf77733334579999af777222" +
    "3346789aaf77722223345789af77721122334578af77711111223356af777799" +
    "998a99998de7",
  (digit) => chance(LEVELS[parseInt(digit, 16)]!, 3),
);

/** The chances that a server tells, for the deltas that follow. Throws on what no server writes. */
export function readLesson(lesson: Uint8Array): Int32Array {
  const { decide, plain, finish } = decisionsOf(lesson, 0, Int32Array.of(chance(1 << 15, 0)));
  const told = FIRST.map((first) => (decide(0) ? chance(LEVELS[plain(4)]!, 8) : first));
  finish();
  return told;
}

// Where each kind of chance begins in the table.
const COLUMN = 1;
const GROUP = 5;
const SAME = 37;
const CHANGED = 41;
const MISSED = 297;
const NEGATIVE = 381;
const LONGER = 444;
const SECOND = 636;

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Turns `cells`, the baseline, into what the payload says from its byte 1 on; `told`: of a lesson. Throws on what no
 *  encoder writes. */
export function decodeColumns(payload: Uint8Array, logHeight: number, cells: Int32Array, told: Int32Array = FIRST): void {
  const { decide, plain, finish } = decisionsOf(payload, 1, told.slice());
  const height = 1 << logHeight;
  const width = CHUNK_CELLS >> logHeight;
  const step = decide(0) ? plain(4) : 0;
  const row = (): Int32Array => new Int32Array(64 + 2 * MARGIN);
  const misses = [row().fill(64), row().fill(64)];
  const guesses = row();
  // A column's cell y stands at MARGIN + y: in the baseline, as it changes, as the column before did.
  const base = row().fill(-1);
  let now = row();
  let before = row();
  let gained = row();
  let gainedBefore = row();
  let gainedEarlier = row();
  const refill = row();
  const goneOn = row();
  const surfaces = row();
  const floors = row();
  // A bit for each group of eight cells, shifted so that there is one below the lowest.
  let changedGroups = 0;
  let changedBefore = 0;
  let sameGroups = 0;
  let sameBefore = 0;
  // Of the run so far: whether a cell is not full, and the sum of its differences.
  let broken = false;
  let gain = 0;
  /** Of the last rest: 0 there was none, 1 it was below 0, 2. */
  let lastSign = 0;

  const cut = (gained: number): number => clamp(gained, -MOST_GAINED, MOST_GAINED);

  /** How the water would stand if its runs gained what those of the column before gained; `goesOn`: if that goes on to
   *  change from column to column, half as much. */
  const foresee = (refill: Int32Array, goesOn: boolean): void => {
    const top = MARGIN + height;
    for (let at = MARGIN; at < top;) {
      const floor = at;
      let surface = at;
      while (base[surface]! >= FULL) ++surface;
      let end = surface;
      while (base[end]! >= 0) ++end;
      if (end === floor) refill[at] = base[at++]!;
      const from = Math.min(surface, end - 1);
      let gain = cut(gainedBefore[from]!);
      if (goesOn) gain = cut(gain + ((gain - cut(gainedEarlier[from]!)) >> 1));
      const volume = (surface - floor) * FULL + (surface < end ? base[surface]! : 0) + gain;
      for (; at < end; ++at) {
        const over = volume - FULL * (at - floor);
        const cell = base[at]!;
        refill[at] = (at <= surface || over > 0) && cell <= FULL ? clamp(over, 0, FULL) : cell;
        floors[at] = floor;
        surfaces[at] = surface;
      }
    }
  };

  /** By how much a guess is wrong. */
  const rest = (guess: number, missClass: number, sign: number): number => {
    if (!decide(MISSED + guess * 12 + missClass)) return 0;
    const negative = decide(NEGATIVE + (guess * 3 + sign) * 3 + lastSign);
    lastSign = negative ? 1 : 2;
    let length = 1;
    while (length < 32 && decide(LONGER + missClass * 16 + Math.min(length, 15))) ++length;
    let told = 1;
    if (length > 1) {
      told = 2 | decide(SECOND + Math.min(length, 15));
      told = (told << (length - 2)) | plain(length - 2);
    }
    return negative ? -told : told;
  };

  const decodeCell = (at: number, left: number): void => {
    const cell = base[at]!;
    const above = base[at + 1]!;
    const last = before[at]!;
    const refilled = cell < 0 || !broken ? refill[at]! : at <= surfaces[at]! ? 0 : cell;
    const foreseen = +(refilled !== cell);
    const kind = cell < 0 ? 0 : cell === 0 ? 1 : cell < FULL ? 2 : 3;
    const context = +(last !== 0) + 2 * Number((before[at + 1]! | before[at - 1]!) !== 0) +
      4 * +(now[at - 1] !== 0) + 8 * foreseen + 16 * kind + 64 * +(above >= 0 && above !== cell) + 128 * left;
    if (!decide(CHANGED + context)) return;
    guesses[0] = refilled - cell;
    guesses[1] = last;
    for (let i = 2; i < 5; ++i) guesses[i] = Math.max(base[at + (1 << (i - 2))]!, 0) - cell;
    guesses[5] = now[at - 1]!;
    guesses[6] = (broken ? refilled : goneOn[at]!) - cell;
    const missed = misses[foreseen]!;
    let best = 0;
    for (let i = 0; i < GUESSES; ++i) {
      guesses[i]! >>= step;
      if (missed[i]! < missed[best]!) best = i;
    }
    const missClass = Math.min(32 - Math.clz32(missed[best]! >> 1), 11);
    const change = (guesses[best]! + rest(best, missClass, last === 0 ? 0 : last < 0 ? 1 : 2)) | 0;
    now[at] = change << step;
    for (let i = 0; i < GUESSES; ++i) {
      missed[i] = (missed[i]! >> 1) + Math.min(Math.abs((change - guesses[i]!) | 0), LARGEST_MISS);
    }
  };

  const decodeGroup = (group: number): void => {
    const begin = MARGIN + 8 * group;
    const end = begin + 8;
    const here = 2 << group;
    const bit = (groups: number, of: number): 0 | 1 => (groups & of ? 1 : 0);
    const left = bit(changedBefore, here);
    let changed: 0 | 1 = 0;
    if (left && decide(SAME + bit(sameGroups, here >> 1) + 2 * bit(sameBefore, here))) {
      now.set(before.subarray(begin, end), begin);
      sameGroups |= here;
      changedGroups |= here;
    } else {
      let foreseen = 0;
      let partlyFull = 0;
      for (let at = begin; at < end; ++at) {
        const cell = base[at]!;
        if (refill[at] !== cell) foreseen = 8;
        if (cell > 0 && cell !== FULL) partlyFull = 16;
      }
      const around = bit(changedBefore, (here >> 1) | (here << 1));
      changed = decide(GROUP + left + 2 * around + 4 * bit(changedGroups, here >> 1) + foreseen + partlyFull);
      if (changed) changedGroups |= here;
    }
    for (let at = begin; at < end; ++at) {
      if (at === MARGIN || base[at - 1]! < 0) {
        broken = false;
        gain = 0;
      }
      if (changed) decodeCell(at, left);
      if (base[at]! < 0) continue;
      gain = (gain + now[at]!) | 0;
      if (((base[at]! + now[at]!) | 0) < FULL) broken = true;
      if (base[at + 1]! < 0) gained.fill(gain, floors[at], at + 1);
    }
  };

  for (let x = 0, history = 0; x < width; ++x) {
    [now, before] = [before, now];
    [gained, gainedBefore, gainedEarlier] = [gainedEarlier, gained, gainedBefore];
    now.fill(0);
    gained.fill(0);
    [changedBefore, changedGroups, sameBefore, sameGroups] = [changedGroups, 0, sameGroups, 0];
    const changed = decide(COLUMN + history);
    history = ((history << 1) | changed) & 3;
    if (!changed) {
      gainedBefore.fill(0); // what was earlier than a column that stays does not count
      continue;
    }
    for (let y = 0; y < height; ++y) base[MARGIN + y] = cells[y * width + x]!;
    foresee(refill, false);
    foresee(goneOn, true);
    for (let group = 0; group < height / 8; ++group) decodeGroup(group);
    for (let y = 0; y < height; ++y) cells[y * width + x]! += now[MARGIN + y]!;
  }
  finish();
}
