// Numbers of a payload, of a chunk or of a section of pipes: protocol/README.md has the grammar.

/** Reads a payload byte by byte; throws where it breaks the grammar. */
export class PayloadReader {
  constructor(protected readonly bytes: Uint8Array, public at: number) {}

  number(most = 0xffffffff): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.at >= this.bytes.length) throw new Error("a payload is cut off");
      const byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte >= 0x80) continue;
      if (value > most) throw new Error(`a number in a payload is ${value}, at most ${most}`);
      return value;
    }
    throw new Error("a number in a payload is too long");
  }
  whole(): number {
    const zigzag = this.number();
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }
  /** Adds the row, which is all that is left, to `values`. */
  row(values: Int32Array): void {
    let place = 0;
    while (this.at < this.bytes.length) {
      const gap = this.number();
      const count = this.number();
      if (count === 0 || gap + count > values.length - place) throw new Error("a payload's row goes past its end");
      place += gap;
      for (let i = 0; i < count; ++i, ++place) values[place]! += this.whole();
    }
  }
}
