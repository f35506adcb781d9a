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

/** `chances`: how likely is "no", in 1/65536; `seen`: from how many decisions. Both are changed. */
export function decisionsOf(bytes: Uint8Array, at: number, chances: Uint16Array, seen: Uint8Array): Decisions {
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
      const chance = chances[which]!;
      const count = seen[which]!;
      const shift = count < 8 ? (count >> 1) + 1 - (count > 5 ? 1 : 0) : count < 20 ? 4 : 5;
      if (count < 31) seen[which] = count + 1;
      // Under 2^32, as the range has 20 bits here and the chance 12: exact in a double.
      const part = (range >>> 12) * (chance >>> 4);
      const yes = take(part, range - part);
      chances[which] = yes
        ? Math.max(chance - (chance >> shift), 32)
        : Math.min(chance + ((65536 - chance) >> shift), 65504);
      return yes;
    },
    plain: (count) => {
      let bits = 0;
      while (count-- > 0) bits = (bits << 1) | take(range >>> 1, range >>> 1);
      return bits;
    },
    finish: () => {
      if (at < bytes.length || at > bytes.length + 4) throw new Error("a chunk's payload is cut off");
    },
  };
}
