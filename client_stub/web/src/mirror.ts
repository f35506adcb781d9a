// The world as the server has sent it so far.
import { chunkChecksum } from "./checksum";
import { decodeChunk } from "./codec";
import { readLesson } from "./columns";
import { CHUNK_CELLS, chunkKey, chunkOfKey, type ChunkSides, type Vec3 } from "./geometry";
import type { Changes, Counters, Playback, TickMessage, WelcomeMessage } from "./messages";
import { PipeMirror } from "./pipe_mirror";
import type { PipeKey } from "./pipes";

export const ROCK = -1;
export const OUTSIDE = -2;
/** Air that cannot leave: water does not get in. */
export const TRAPPED_AIR = -3;
/** Ice: this or less. The units of water in it are what it is below ICE_BASE. */
export const ICE_BASE = -16;
export const THINNEST_ICE = ICE_BASE - 1;
export const FULL = 4096;

const AIR_CHECKSUM = chunkChecksum(new Int32Array(CHUNK_CELLS));

export class Mirror {
  readonly size: Vec3;
  readonly sides: ChunkSides;
  tick: number;
  counters: Counters = {
    water: 0, pipes: 0, sourced: 0, drained: 0, evaporated: 0, activeChunks: 0,
  };
  /** Null: the world is a live one. */
  playback: Playback | null = null;
  /** Chunks and pipe sections whose digest differed from the server's, ever. */
  mismatches = 0;
  /** Digests of pipe sections that were compared. */
  sectionsChecked = 0;
  private readonly chunks = new Map<number, Int32Array>();
  /** Of the last lesson. */
  private told: Int32Array | undefined;

  /** `side`: so many of the world's cells each way one of these stands for (far.ts). */
  constructor(readonly welcome: WelcomeMessage, readonly side = 1, readonly pipes = new PipeMirror(welcome.sides)) {
    this.size = welcome.size;
    this.sides = welcome.sides;
    this.tick = welcome.tick;
  }

  /** Takes in a message; returns the chunks that changed and those to be asked for again. */
  apply(message: TickMessage): { changed: Vec3[]; resyncs: Vec3[] } {
    this.tick = message.tick;
    this.counters = message.counters;
    this.playback = message.playback;
    return this.take(message);
  }

  /** Likewise for what changed alone, of cells or of a layer. */
  take(message: Changes): { changed: Vec3[]; resyncs: Vec3[] } {
    const changed: Vec3[] = [];
    if (message.lesson) this.told = readLesson(message.lesson);
    for (const coord of message.dropped) {
      this.chunks.delete(chunkKey(coord.x, coord.y, coord.z));
      changed.push(coord);
    }
    for (const { coord, payload } of message.chunks) {
      const key = chunkKey(coord.x, coord.y, coord.z);
      let cells = this.chunks.get(key);
      if (!cells) this.chunks.set(key, (cells = new Int32Array(CHUNK_CELLS)));
      decodeChunk(payload, cells, this.told);
      changed.push(coord);
    }
    const resyncs: Vec3[] = [];
    for (const { coord, digest } of message.digests) {
      const cells = this.chunks.get(chunkKey(coord.x, coord.y, coord.z));
      if ((cells ? chunkChecksum(cells) : AIR_CHECKSUM) === digest) continue;
      ++this.mismatches;
      resyncs.push(coord);
    }
    return { changed, resyncs };
  }

  /** Likewise for pipes; returns whether any changed, and the sections to be asked for again. */
  applyPipes(message: TickMessage): { changed: boolean; resyncs: PipeKey[] } {
    for (const key of message.pipesDropped) this.pipes.drop(key);
    for (const { key, payload } of message.pipes) this.pipes.update(key, payload);
    const resyncs: PipeKey[] = [];
    for (const { key, digest } of message.pipeDigests) {
      ++this.sectionsChecked;
      if (this.pipes.matches(key, digest)) continue;
      ++this.mismatches;
      resyncs.push(key);
    }
    return { changed: message.pipes.length + message.pipesDropped.length > 0, resyncs };
  }

  /** The chunks that are held. */
  coords(): Vec3[] {
    return [...this.chunks.keys()].map(chunkOfKey);
  }

  /** Undefined where nothing is held: all air, or not in view. */
  chunk(x: number, y: number, z: number): Int32Array | undefined {
    return this.chunks.get(chunkKey(x, y, z));
  }

  inside(x: number, y: number, z: number): boolean {
    const { size } = this;
    return x >= 0 && y >= 0 && z >= 0 && x < size.x && y < size.y && z < size.z;
  }

  /** One for other numbers of the same world: a layer's. */
  twin(): Mirror {
    return new Mirror(this.welcome);
  }

  /** The axis of the picture along which water falls. */
  get up(): "y" | "z" {
    return this.pipes.up;
  }

  /** The place in the world, where the picture is turned (turned.ts). */
  real(v: Vec3): Vec3 {
    return v;
  }

  /** Units of water, ROCK, TRAPPED_AIR, ice, or OUTSIDE. */
  cell(x: number, y: number, z: number): number {
    if (!this.inside(x, y, z)) return OUTSIDE;
    const { logX, logY, logZ } = this.sides;
    const cells = this.chunk(x >> logX, y >> logY, z >> logZ);
    if (!cells) return 0;
    const localX = x & ((1 << logX) - 1);
    const localY = y & ((1 << logY) - 1);
    const localZ = z & ((1 << logZ) - 1);
    return cells[(((localY << logZ) | localZ) << logX) | localX]!;
  }
}
