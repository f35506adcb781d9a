// What the server sent of each chunk lately: which are awake, and what they cost.
import { chunkKey, chunkOfKey, type Vec3 } from "./geometry";
import type { Mirror } from "./mirror";
import type { TickMessage } from "./messages";

/** Seconds over which bytes are averaged. */
const SPAN = 3;
/** Milliseconds after its last change that a chunk still counts as awake. */
export const AWAKE_FOR = 1000;

interface Entry {
  /** Of the last change, in milliseconds; -Infinity: it was only sent. */
  changed: number;
  /** Bytes, each worth less the longer ago it came. */
  bytes: number;
  /** When `bytes` was right. */
  at: number;
}

export class Activity {
  private readonly entries = new Map<number, Entry>();

  constructor(private readonly mirror: Mirror) {}

  /** To be called before the mirror takes the message in. */
  note(message: TickMessage, now: number): void {
    for (const { x, y, z } of message.dropped) this.entries.delete(chunkKey(x, y, z));
    for (const { coord, payload } of message.chunks) {
      const { x, y, z } = coord;
      const key = chunkKey(x, y, z);
      const entry = this.entries.get(key);
      // A chunk that comes into view is sent as it is, and may have been at rest for long.
      const changed = this.mirror.chunk(x, y, z) ? now : -Infinity;
      const bytes = (entry ? entry.bytes * fading(now - entry.at) : 0) + payload.length;
      this.entries.set(key, { changed: Math.max(changed, entry?.changed ?? -Infinity), bytes, at: now });
    }
  }

  /** Milliseconds since the chunk changed; null: it did not while it was watched. */
  sinceChange(x: number, y: number, z: number, now: number): number | null {
    const changed = this.entries.get(chunkKey(x, y, z))?.changed ?? -Infinity;
    return changed === -Infinity ? null : now - changed;
  }

  /** Of the last seconds. */
  bytesPerSecond(x: number, y: number, z: number, now: number): number {
    const entry = this.entries.get(chunkKey(x, y, z));
    return entry ? (entry.bytes * fading(now - entry.at)) / SPAN : 0;
  }

  /** The chunks of which anything is known. */
  coords(): Vec3[] {
    return [...this.entries.keys()].map(chunkOfKey);
  }
}

function fading(milliseconds: number): number {
  return Math.exp(-milliseconds / 1000 / SPAN);
}
