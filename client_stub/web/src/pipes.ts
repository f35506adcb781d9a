// A section of the pipe networks and its bytes: protocol/README.md has the grammar and examples.
import { chunkChecksum } from "./checksum";
import { CHUNK_CELLS, type ChunkSides, type Vec3 } from "./geometry";
import { PayloadReader } from "./payload_reader";

export type NodeKind = "pipe" | "pump" | "valve";
export type PortKind = "inlet" | "outlet" | "open";
export type PortState = "idle" | "running" | "blocked" | "outside";
const NODE_KINDS: NodeKind[] = ["pipe", "pump", "valve"];
const PORT_KINDS: PortKind[] = ["inlet", "outlet", "open"];
const PORT_STATES: PortState[] = ["idle", "running", "blocked", "outside"];

const NOWHERE = -0x80000000;
const MAX_NODES = 256;
const MAX_LINKS = 4096;
const MAX_PORTS = 4096;
const MAX_NAME_BYTES = 64;

export interface PipeKey {
  coord: Vec3;
  part: number;
}

export interface PipeNode {
  index: number;
  kind: NodeKind;
  open: boolean;
  name: string;
  fluid: string;
  capacity: number;
  height: number;
  base: number;
  throughput: number;
  rate: number;
  /** Null: it has no place. */
  at: Vec3 | null;
}

export interface PipeLink {
  from: number;
  section: PipeKey;
  to: number;
  oneWay: boolean;
}

export interface PipePort {
  node: number;
  kind: PortKind;
  cell: Vec3;
  rate: number;
}

export interface PipeSection {
  key: PipeKey;
  nodes: PipeNode[];
  links: PipeLink[];
  ports: PipePort[];
  planBytes: Uint8Array;
  /** Amounts of nodes, flow classes of links, states of ports. */
  values: Int32Array;
}

export function isPlaced(key: PipeKey): boolean {
  return key.coord.x !== NOWHERE || key.coord.y !== NOWHERE || key.coord.z !== NOWHERE;
}

/** The section that holds the nodes. */
export function nodesKey(key: PipeKey): PipeKey {
  return { coord: key.coord, part: key.part & 0xffff };
}

export function keyText(key: PipeKey): string {
  return `${key.coord.x},${key.coord.y},${key.coord.z},${key.part}`;
}

/** The middle of a class of flows, in units a tick. */
export function flowOfClass(number: number): number {
  const size = Math.abs(number);
  if (size === 0) return 0;
  const power = Math.floor((size - 1) / 2);
  const half = Math.floor(2 ** power / 2);
  const middle = 2 ** power + ((size - 1) % 2) * half + Math.floor(half / 2);
  return number < 0 ? -middle : middle;
}

export function portShows(value: number): { state: PortState; moved: number } {
  return { state: PORT_STATES[value & 3]!, moved: flowOfClass(value >> 2) };
}

class Reader extends PayloadReader {
  amount(): number {
    return this.number(0x7fffffff);
  }
  text(): string {
    const length = this.number(MAX_NAME_BYTES);
    if (length === 0 || this.at + length > this.bytes.length) throw new Error("a name is cut off");
    const text = String.fromCharCode(...this.bytes.subarray(this.at, this.at + length));
    if (!/^[!-~]+$/.test(text)) throw new Error("a name is not printable ASCII");
    this.at += length;
    return text;
  }
  sum(from: Vec3): Vec3 {
    const x = (from.x + this.whole()) | 0;
    const y = (from.y + this.whole()) | 0;
    return { x, y, z: (from.z + this.whole()) | 0 };
  }
  list<T>(most: number, read: () => T): T[] {
    const list: T[] = [];
    for (let left = this.number(most); left > 0; --left) list.push(read());
    return list;
  }
}

function readNodes(reader: Reader, key: PipeKey, sides: ChunkSides): PipeNode[] {
  const fluids = reader.list(MAX_NODES, () => reader.text());
  let next = 0;
  return reader.list(MAX_NODES, () => {
    const index = next + reader.number(MAX_NODES - 1);
    if (index >= MAX_NODES) throw new Error("a node past its section's end");
    next = index + 1;
    const name = reader.text();
    const fluid = fluids[reader.number(MAX_NODES)];
    if (fluid === undefined) throw new Error("a node without a fluid");
    const flags = reader.number(7);
    const kind = NODE_KINDS[flags & 3];
    if (!kind) throw new Error("no kind of node");
    const capacity = reader.amount();
    if (capacity === 0) throw new Error("a node without capacity");
    const height = reader.amount();
    const base = reader.whole();
    const throughput = reader.amount();
    const rate = kind === "pump" ? reader.amount() : 0;
    const at = isPlaced(key) ? cellAt(reader.number(CHUNK_CELLS - 1), key.coord, sides) : null;
    return { index, kind, open: (flags & 4) === 0, name, fluid, capacity, height, base, throughput,
      rate, at };
  });
}

function cellAt(index: number, coord: Vec3, sides: ChunkSides): Vec3 {
  const { logX, logY, logZ } = sides;
  return {
    x: (coord.x << logX) + (index & ((1 << logX) - 1)),
    y: (coord.y << logY) + (index >> (logX + logZ)),
    z: (coord.z << logZ) + ((index >> logX) & ((1 << logZ) - 1)),
  };
}

function readLinks(reader: Reader, key: PipeKey): PipeLink[] {
  const base = isPlaced(key) ? key.coord : { x: 0, y: 0, z: 0 };
  return reader.list(MAX_LINKS, () => {
    const from = reader.number(MAX_NODES - 1);
    const flags = reader.number(7);
    let section = nodesKey(key);
    if (flags & 2) {
      const coord = flags & 4 ? { x: NOWHERE, y: NOWHERE, z: NOWHERE } : reader.sum(base);
      section = { coord, part: reader.number(0xffff) };
    } else if (flags & 4) {
      throw new Error("a link's flags contradict each other");
    }
    return { from, section, to: reader.number(MAX_NODES - 1), oneWay: (flags & 1) !== 0 };
  });
}

function readPorts(reader: Reader, key: PipeKey, sides: ChunkSides): PipePort[] {
  const origin = isPlaced(key) ? cellAt(0, key.coord, sides) : { x: 0, y: 0, z: 0 };
  return reader.list(MAX_PORTS, () => {
    const node = reader.number(MAX_NODES - 1);
    const kind = PORT_KINDS[reader.number(2)]!;
    return { node, kind, cell: reader.sum(origin), rate: reader.amount() };
  });
}

/** What is held so far and what the payload says make the section as it is now. Throws on a payload
 *  that breaks the grammar: the server is then wrong or speaks another version. */
export function decodePipes(
  key: PipeKey, sides: ChunkSides, payload: Uint8Array, held: PipeSection | undefined,
): PipeSection {
  const tag = payload[0];
  const reader = new Reader(payload, 1);
  if (tag === 2) {
    const section = held ??
      { key, nodes: [], links: [], ports: [], planBytes: new Uint8Array(0), values: new Int32Array(0) };
    reader.row(section.values);
    return section;
  }
  if (tag !== 1) throw new Error(`a pipe section of the unknown coding ${tag}`);
  const nodes = readNodes(reader, key, sides);
  const links = readLinks(reader, key);
  const ports = readPorts(reader, key, sides);
  const planBytes = payload.slice(1, reader.at);
  const values = new Int32Array(nodes.length + links.length + ports.length);
  reader.row(values);
  return { key, nodes, links, ports, planBytes, values };
}

/** By which the server's section is compared with ours. */
export function pipeChecksum(planBytes: Uint8Array, values: Int32Array): bigint {
  const planWords = Math.ceil(planBytes.length / 4);
  const count = 2 + planWords + values.length;
  // A last piece that is full is followed by an empty one.
  const words = new Int32Array((Math.floor(count / CHUNK_CELLS) + 1) * CHUNK_CELLS);
  words[0] = planBytes.length;
  words[1] = values.length;
  for (let i = 0; i < planBytes.length; ++i) {
    words[2 + (i >> 2)]! |= planBytes[i]! << (8 * (i & 3));
  }
  words.set(values, 2 + planWords);
  let sum = 0n;
  for (let at = 0; at < words.length; at += CHUNK_CELLS) {
    const turned = ((sum << 1n) | (sum >> 63n)) & 0xffffffffffffffffn;
    sum = turned ^ chunkChecksum(words.subarray(at, at + CHUNK_CELLS));
  }
  return sum;
}
