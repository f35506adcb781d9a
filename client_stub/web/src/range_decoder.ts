// Yes-or-no decisions out of bytes: the adaptive range coder of protocol/README.md. Functions over shared
// variables instead of a class: the minifier shortens their names, and this is loaded before any water shows.

const LEAST_RANGE = 2 ** 24;

export interface Decisions {
  /** By the chance with this number. */
  decide(which: number): 0 | 1;
  /** A number of `count` bits (0 to 30), each as likely 0 as 1. */
  plain(count: number): number;
  /** Throws when there were fewer bytes than an encoder writes, or more. */
  finish(): void;
}

/** How likely is "no", in 1/65536, by so many decisions (up to 31), as one number. */
export const chance = (no: number, seen: number): number => (no << 5) | seen;

/** `chances` are changed. */
export function decisionsOf(bytes: Uint8Array, at: number, chances: Int32Array): Decisions {
  let code = 0;
  let range = 0xffffffff;
  const next = (): void => {
    code = ((code << 8) | (bytes[at++] ?? 0)) >>> 0;
  };
  /** Goes on in the part below `part` or, if yes, in that above it, which is `above` long. */
  const take = (part: number, above: number): 0 | 1 => {
    const yes = code >= part ? 1 : 0;
    if (yes) code -= part;
    range = yes ? above : part;
    while (range < LEAST_RANGE) {
      next();
      range = (range << 8) >>> 0;
    }
    return yes;
  };
  for (let i = 0; i < 4; ++i) next();
  return {
    decide: (which) => {
      const no = chances[which]! >> 5;
      const count = chances[which]! & 31;
      const shift = count < 8 ? (count >> 1) + 1 - (count > 5 ? 1 : 0) : count < 20 ? 4 : 5;
      // Under 2^32, as the range has 20 bits here and the chance 12: exact in a double.
      const part = (range >>> 12) * (no >>> 4);
      const yes = take(part, range - part);
      chances[which] = chance(
        yes ? Math.max(no - (no >> shift), 32) : Math.min(no + ((65536 - no) >> shift), 65504),
        Math.min(count + 1, 31),
      );
      return yes;
    },
    plain: (count) => {
      let bits = 0;
      while (count-- > 0) bits = (bits << 1) | take(range >>> 1, range >>> 1);
      return bits;
    },
    finish: () => {
      if (at < bytes.length || at > bytes.length + 4) throw new Error("a payload is cut off");
    },
  };
}
