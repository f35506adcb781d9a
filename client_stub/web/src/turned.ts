// A 3D world seen from its side or from above. Two axes are swapped where messages come in and go out, so that
// the rest of the page knows of an x to the right, a y up and slices by z alone:
//
//   side: x and z are swapped         top: y and z are swapped; slices are heights, and one looks down
//
// Chunks are kept as they came, since deltas and checksums go by that; what is painted is a turned copy.
import type { Fixtures } from "./fixtures";
import { CHUNK_CELLS, chunkKey, type Box, type ChunkSides, type Vec3 } from "./geometry";
import type { Lens } from "./lens";
import { depthOf, TopLooks } from "./top_looks";
import type { Changes, TickMessage, WelcomeMessage } from "./messages";
import { Mirror } from "./mirror";
import type { OverlayName } from "./overlay_kinds";
import { Painter } from "./painter";
import { PipeMirror } from "./pipe_mirror";
import type { Cell, Sight, SightName } from "./sight";
import type { Lies } from "./tools";

type Swap = (v: Vec3) => Vec3;
const fromTop: Swap = ({ x, y, z }) => ({ x, y: z, z: y });
const SWAPS: Record<Exclude<SightName, "front">, Swap> = {
  side: ({ x, y, z }) => ({ x: z, y, z: x }),
  top: fromTop,
  orbit: fromTop, // orbit.ts draws the same world in another way
};
/** The world's sides as the picture has them. */
const EDGES = {
  side: { left: "front", right: "back", front: "left", back: "right" } as Record<string, string>,
  top: { bottom: "front", top: "back", front: "bottom", back: "top" } as Record<string, string>,
};

export class Turned implements Sight {
  readonly axis: "x" | "y";
  readonly unmeant: readonly OverlayName[];
  readonly spot: { x: number; y: number } | null = null;
  readonly turn: Swap;

  get lens(): Lens | null {
    return null;
  }

  constructor(readonly name: Exclude<SightName, "front">) {
    this.axis = name === "side" ? "x" : "y";
    this.unmeant = name === "side" ? [] : ["flow"]; // its arrows are of an upright slice
    this.turn = SWAPS[name];
  }

  /** From above one looks through it all, as through glass: what is buried is to be found. */
  sees(z: number, slice: number): boolean {
    return this.name === "top" ? z <= slice : z === slice;
  }

  depth(mirror: Mirror, slice: number, cell: Cell, lies: Lies, standing: boolean): number {
    return this.name === "side" ? slice : depthOf(mirror, slice, cell, lies, standing);
  }

  /** From above everything is needed down to the floor. */
  box({ from, size }: Box): Box {
    const floor = this.name === "side" ? from.z : 0;
    return { from: this.turn({ ...from, z: floor }), size: this.turn({ ...size, z: from.z + size.z - floor }) };
  }

  welcome(message: WelcomeMessage): WelcomeMessage {
    return { ...message, size: this.turn(message.size), sides: turnedSides(message.sides, this.turn) };
  }

  /** Pipes are turned by what holds them: their sections go by the world's places. */
  tick(message: TickMessage): TickMessage {
    const turned = <T extends { coord: Vec3 }>(list: T[]) => list.map((each) => ({ ...each, coord: this.turn(each.coord) }));
    return { ...message, chunks: turned(message.chunks), dropped: message.dropped.map(this.turn),
      digests: turned(message.digests) };
  }

  /** Every place and size in it. */
  command<C extends object>(command: C): C {
    const turned = Object.entries(command).map(([key, value]) => {
      if (!Array.isArray(value) || value.length !== 3) return [key, value];
      const { x, y, z } = this.turn({ x: value[0], y: value[1], z: value[2] });
      return [key, [x, y, z]];
    });
    return Object.fromEntries(turned) as C;
  }

  fixtures({ sources, drains, heaters, open, ...rest }: Fixtures): Fixtures {
    const turned = (list: Fixtures["sources"]) => list.map((each) => ({ ...each, at: this.turn(each.at) }));
    const edges = EDGES[this.name === "side" ? "side" : "top"];
    return { ...rest, sources: turned(sources), drains: turned(drains), heaters: turned(heaters),
      open: new Set([...open].map((side) => edges[side] ?? side)) };
  }

  attach(_viewer: object): void {}
  detach(): void {}

  mirror(welcome: WelcomeMessage): Mirror {
    return new TurnedMirror(welcome, this.turn);
  }

  painter(mirror: Mirror, slice: number, still: boolean): Painter {
    return this.name === "side" ? new Painter(mirror, slice, still)
      : new Painter(mirror, slice, still, undefined, new TopLooks(mirror, slice));
  }
}

export const seenFrom = (name: Exclude<SightName, "front">) => new Turned(name);

class TurnedMirror extends Mirror {
  private readonly copies = new Map<number, Int32Array>();
  /** Of each cell of a turned chunk, where it lies in the one that came. */
  private readonly places: Uint16Array;

  constructor(welcome: WelcomeMessage, private readonly swap: Swap) {
    super(welcome, 1, new PipeMirror(turnedSides(welcome.sides, swap), swap));
    this.places = placesOf(welcome.sides, swap);
  }

  override take(message: Changes): ReturnType<Mirror["take"]> {
    const done = super.take(message);
    for (const { x, y, z } of done.changed) this.copies.delete(chunkKey(x, y, z));
    return done;
  }

  override chunk(x: number, y: number, z: number): Int32Array | undefined {
    const key = chunkKey(x, y, z);
    let copy = this.copies.get(key);
    const cells = copy ? undefined : super.chunk(x, y, z);
    if (cells) this.copies.set(key, (copy = Int32Array.from(this.places, (place) => cells[place]!)));
    return copy;
  }

  override twin(): Mirror {
    return new TurnedMirror(this.welcome, this.swap);
  }

  override real(v: Vec3): Vec3 {
    return this.swap(v);
  }
}

function turnedSides({ logX, logY, logZ }: ChunkSides, swap: Swap): ChunkSides {
  const { x, y, z } = swap({ x: logX, y: logY, z: logZ });
  return { logX: x, logY: y, logZ: z };
}

function placesOf({ logX, logY, logZ }: ChunkSides, swap: Swap): Uint16Array {
  const logs = turnedSides({ logX, logY, logZ }, swap);
  return Uint16Array.from({ length: CHUNK_CELLS }, (_, i) => {
    const there = swap({ x: i & ((1 << logX) - 1), y: i >> (logX + logZ), z: (i >> logX) & ((1 << logZ) - 1) });
    return (((there.y << logs.logZ) | there.z) << logs.logX) | there.x;
  });
}
