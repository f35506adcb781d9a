// The checksum by which the server's chunk is compared with ours: XXH3 (64 bits, no seed) of 16 KiB,
// the cells as little-endian numbers. Only this length is needed, so only the path of long inputs is
// here (Collet, "XXH3", xxHash 0.8). Lanes of 64 bits are two numbers of 32: BigInt would take ten
// times as long.
import { CHUNK_CELLS } from "./geometry";

const SECRET_HEX =
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f" +
  "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c" +
  "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
  "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364" +
  "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e" +
  "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e";
const SECRET = new Uint8Array(SECRET_HEX.match(/../g)!.map((digits) => parseInt(digits, 16)));
const SECRET_VIEW = new DataView(SECRET.buffer);

const LANES = 8; // of 64 bits in a stripe of 64 bytes
const STRIPE_WORDS = 16;
const STRIPES = (CHUNK_CELLS * 4) / 64;
const STRIPES_PER_BLOCK = (SECRET.length - 64) / 8;

const PRIME32_1 = 0x9e3779b1;
const PRIME64_1 = 0x9e3779b185ebca87n;
const START = [
  0xc2b2ae3dn, PRIME64_1, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n, 0x85ebca77n, 0x27d4eb2f165667c5n, 0x9e3779b1n,
];
const MASK = (1n << 64n) - 1n;

/** The upper 32 bits of the product of two unsigned 32-bit numbers. */
function highProduct(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const cross = aLow * bHigh + (middle & 0xffff);
  return (aHigh * bHigh + Math.floor(middle / 65536) + Math.floor(cross / 65536)) >>> 0;
}

class Accumulator {
  private readonly low = new Uint32Array(LANES);
  private readonly high = new Uint32Array(LANES);

  constructor() {
    START.forEach((value, i) => {
      this.low[i] = Number(value & 0xffffffffn);
      this.high[i] = Number(value >> 32n);
    });
  }

  /** One stripe: `word` indexes the 32-bit words of `cells`, `secret` the secret's bytes. */
  stripe(cells: Int32Array, word: number, secret: number): void {
    for (let i = 0; i < LANES; ++i) {
      const dataLow = cells[word + 2 * i]! >>> 0;
      const dataHigh = cells[word + 2 * i + 1]! >>> 0;
      this.add(i ^ 1, dataLow, dataHigh);
      const keyLow = (dataLow ^ SECRET_VIEW.getUint32(secret + 8 * i, true)) >>> 0;
      const keyHigh = (dataHigh ^ SECRET_VIEW.getUint32(secret + 8 * i + 4, true)) >>> 0;
      this.add(i, Math.imul(keyLow, keyHigh) >>> 0, highProduct(keyLow, keyHigh));
    }
  }

  scramble(secret: number): void {
    for (let i = 0; i < LANES; ++i) {
      // lane ^= lane >> 47; lane ^= secret; lane *= PRIME32_1
      const high = this.high[i]!;
      const mixedLow = (this.low[i]! ^ (high >>> 15) ^ SECRET_VIEW.getUint32(secret + 8 * i, true)) >>> 0;
      const mixedHigh = (high ^ SECRET_VIEW.getUint32(secret + 8 * i + 4, true)) >>> 0;
      this.low[i] = Math.imul(mixedLow, PRIME32_1);
      this.high[i] = highProduct(mixedLow, PRIME32_1) + (Math.imul(mixedHigh, PRIME32_1) >>> 0);
    }
  }

  lane(i: number): bigint {
    return (BigInt(this.high[i]!) << 32n) | BigInt(this.low[i]!);
  }

  private add(i: number, low: number, high: number): void {
    const sum = this.low[i]! + low;
    this.low[i] = sum; // the array keeps the lower 32 bits
    this.high[i] = this.high[i]! + high + (sum > 0xffffffff ? 1 : 0);
  }
}

function avalanche(value: bigint): bigint {
  let hash = value ^ (value >> 37n);
  hash = (hash * 0x165667919e3779f9n) & MASK;
  return hash ^ (hash >> 32n);
}

export function chunkChecksum(cells: Int32Array): bigint {
  const accumulator = new Accumulator();
  // The last stripe is mixed in apart, so the last block is one short of whole.
  for (let stripe = 0; stripe < STRIPES - 1; ++stripe) {
    const inBlock = stripe % STRIPES_PER_BLOCK;
    accumulator.stripe(cells, stripe * STRIPE_WORDS, inBlock * 8);
    if (inBlock === STRIPES_PER_BLOCK - 1) accumulator.scramble(SECRET.length - 64);
  }
  accumulator.stripe(cells, (STRIPES - 1) * STRIPE_WORDS, SECRET.length - 64 - 7);
  let hash = (BigInt(CHUNK_CELLS * 4) * PRIME64_1) & MASK;
  for (let pair = 0; pair < LANES / 2; ++pair) {
    const offset = 11 + 16 * pair;
    const left = accumulator.lane(2 * pair) ^ SECRET_VIEW.getBigUint64(offset, true);
    const right = accumulator.lane(2 * pair + 1) ^ SECRET_VIEW.getBigUint64(offset + 8, true);
    const product = left * right;
    hash = (hash + ((product & MASK) ^ (product >> 64n))) & MASK;
  }
  return avalanche(hash);
}
