// What a world has beside its cells, as far as the page asks for it: one number for each cell, in chunks that
// come as those of the cells do. Fetched once the first water is there, and only for worlds that have any.
import { LayerChanges } from "@wire/layer-changes";
import { chunkKey, type Box, type Vec3 } from "./geometry";
import { LayerMarks } from "./layer_marks";
import { degreesOf, degreesText, shareOf, shareText, steamOf, steamText, tracerOf, waveOf, waveText } from "./layer_values";
import { readChanges, type TickMessage } from "./messages";
import { THINNEST_ICE, type Mirror } from "./mirror";
import type { SightName } from "./sight";
import { changesInside } from "./told_changes";
import { WaveLooks } from "./wave_looks";

/** Those that the page knows what to do with; other names are passed over. */
export type TracerName = `tracer:${string}`;
const NAMES = ["temperature", "waves", "steam", "events"] as const;
export type LayerName = (typeof NAMES)[number] | TracerName;

function isTracer(name: string): name is TracerName {
  return name.startsWith("tracer:");
}

/** A view's bits: what the welcome has behind them cannot be asked for. */
const MOST_LAYERS = 32;
/** After so many messages a chunk that did not come is all 0, and not on its way. */
const ANSWERED = 2;

/** The height of the wave in a cell of the slice as it is drawn; undefined: it is not. */
export type Shown = (x: number, y: number) => number | undefined;

/** A chunk that is to be asked for again. */
interface Wrong {
  coord: Vec3;
  /** Its layer's place in the welcome, counted from 1. */
  layer: number;
}

export class Layers {
  /** What came of each. Kept when nobody looks any more, until the server says that it goes no further. */
  private readonly held = new Map<LayerName, Mirror>();
  /** How often something changed in a stack of chunks. */
  private readonly versions = new Map<number, number>();
  /** Messages since it was asked for. */
  private readonly messages = new Map<LayerName, number>();
  private asked = 0;
  /** How often all of them became another one. */
  private turns = 0;
  private end: Vec3 = { x: 0, y: 0, z: 0 };
  /** What is drawn of them over the picture. */
  readonly marks: LayerMarks;

  /** `warn`: of what cannot be read. `still`: nothing moves by itself. `first`: the number of the welcome's first layer in
   *  messages, if these are layers of coarse cells. */
  constructor(
    private readonly cells: Mirror, private readonly warn: (text: string) => void, private readonly sight: SightName = "front",
    private readonly still = false, private readonly first = 0,
  ) {
    for (const name of cells.welcome.layers as LayerName[]) {
      const isKnown = isTracer(name) || NAMES.some((known) => known === name);
      if (isKnown && this.place(name) >= 0) this.held.set(name, cells.twin());
    }
    this.marks = new LayerMarks(cells, this, sight, still);
  }

  /** Those of a level of detail, which has these coarse cells. */
  coarse(cells: Mirror, level: number): Layers {
    const { layers, levelsOfDetail } = this.cells.welcome;
    return new Layers(cells, this.warn, this.sight, this.still, layers.length + levelsOfDetail + (level - 1) * layers.length);
  }

  /** Whether the world has it, and it can be read. */
  has(name: string): name is LayerName {
    return this.held.has(name as LayerName);
  }

  /** What is to be asked for in that box: what is drawn anyway, what the overlay shows, and of whom inspects whatever there
   *  is to tell. `isFar`: no surface is drawn cell by cell, and of coarse cells come (far.ts) what the overlay shows, steam and foam. */
  wanted(box: Box, overlay: string, inspects: boolean, isFar = false): number {
    const { coarseLayers } = this.cells.welcome;
    if (isFar) return this.bits(box, (name) => this.marks.needs(name) && (name === "events" || (name === "steam" && !coarseLayers)));
    return this.bits(box, (name) => name === overlay || (inspects && name !== "events") ||
      (name === "waves" && this.sight !== "top") || this.marks.needs(name));
  }

  /** What a view of that box asks for, as bits of it. */
  bits({ from, size }: Box, wanted: (name: LayerName) => boolean): number {
    this.end = { x: from.x + size.x, y: from.y + size.y, z: from.z + size.z };
    let bits = 0;
    for (const name of this.held.keys()) {
      const bit = 2 ** this.place(name);
      if (!wanted(name)) continue;
      bits += bit;
      if (Math.floor(this.asked / bit) % 2 === 0) this.messages.set(name, 0);
    }
    return (this.asked = bits);
  }

  /** Takes in a message; returns the chunks that changed, by layer, and those that are wrong. */
  apply({ wire, tick }: TickMessage): { changed: Map<LayerName, Vec3[]>; resyncs: Wrong[] } {
    const changed = new Map<LayerName, Vec3[]>();
    const resyncs: Wrong[] = [];
    for (const [name, count] of this.messages) {
      this.messages.set(name, count + 1);
      if (count + 1 !== ANSWERED) continue;
      ++this.turns; // what did not come is at rest
      changed.set(name, []);
    }
    for (let i = 0; i < wire.layersLength(); ++i) {
      const changes = wire.layers(i, new LayerChanges())!;
      const name = this.cells.welcome.layers[changes.layer() - this.first] as LayerName;
      const held = this.held.get(name);
      if (!held) continue;
      try {
        const done = held.take(changesInside(this.cells, readChanges(changes)));
        changed.set(name, [...changed.get(name) ?? [], ...done.changed]);
        for (const { x, y } of done.changed) this.versions.set(chunkKey(x, y, 0), this.version(x, y) + 1 - this.turns);
        for (const coord of done.resyncs) resyncs.push({ coord: this.cells.real(coord), layer: changes.layer() + 1 });
      } catch (error) {
        // The world itself goes on: without what cannot be read.
        this.held.delete(name);
        ++this.turns;
        this.warn(`The layer “${name}” of this server cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    this.marks.told(changed, tick, performance.now());
    return { changed, resyncs };
  }

  /** Grows whenever something of the layers may be another one in that stack of chunks. */
  version(x: number, y: number): number {
    return (this.versions.get(chunkKey(x, y, 0)) ?? 0) + this.turns;
  }

  /** What was told of the chunk's cells; undefined: nothing, so all 0. */
  chunk(name: LayerName, x: number, y: number, z: number): Int32Array | undefined {
    return this.held.get(name)?.chunk(x, y, z);
  }

  /** Chunks of which something was told. */
  coords(name: LayerName): Vec3[] {
    return this.held.get(name)?.coords() ?? [];
  }

  /** What moves the surfaces of a slice; null: nothing does, or from above they are not seen. */
  waveLooks(slice: number, still = this.still): WaveLooks | null {
    return this.has("waves") && this.sight !== "top" ? new WaveLooks(this.cells, this, slice, still) : null;
  }

  /** Degrees; null: none, or it is not known. */
  temperatureAt({ x, y, z }: Vec3): number | null {
    return degreesOf(this.held.get("temperature")?.cell(x, y, z) ?? 0);
  }

  /** Those that the world has, and that can be read. */
  get tracers(): TracerName[] {
    return [...this.held.keys()].filter(isTracer);
  }

  /** Units in a unit of the cell's water; null: none, or it is not known. */
  shareAt(name: TracerName, { x, y, z }: Vec3): number | null {
    return shareOf(this.held.get(name)?.cell(x, y, z) ?? 0);
  }

  /** Of a full cell's water; null: none, or it is not known. */
  steamAt({ x, y, z }: Vec3): number | null {
    return steamOf(this.held.get("steam")?.cell(x, y, z) ?? 0);
  }

  /** Of the water that the cell belongs to, at its surface, in cells; null: there is none, or it is not known. */
  waveAt({ x, y, z }: Vec3, shown?: Shown): number | null {
    const waves = this.held.get("waves");
    if (!waves || !this.answered("waves")) return null;
    if (this.cells.cell(x, y, z) <= THINNEST_ICE) return waveOf(waves.cell(x, y, z)); // that which it froze
    if (!(this.cells.cell(x, y, z) > 0)) return null;
    // The picture's y is not up in the world where one looks down.
    const up = this.cells.real({ x: 0, y: 1, z: 0 });
    // Where water that stands ends, and what falls on it begins, is the server's to say: the lowest wave counts.
    for (; this.cells.cell(x, y, z) > 0; y += up.y, z += up.z) {
      const told = waves.cell(x, y, z);
      if (told !== 0) return shown?.(x, y) ?? waveOf(told);
    }
    // A surface out of view may be anywhere.
    return this.cells.inside(x, y, z) && (y >= this.end.y || z >= this.end.z) ? null : 0;
  }

  /** What is known of the cell, to go on a line. */
  text(at: Vec3): string {
    const [degrees, wave, steam] = [this.temperatureAt(at), this.waveAt(at), this.steamAt(at)];
    const tracers = this.tracers.map((name) => {
      const share = this.shareAt(name, at);
      return share === null ? "" : ` · ${tracerOf(name)} ${shareText(share)}`;
    });
    return (degrees === null ? "" : ` · ${degreesText(degrees)}`) + (wave === null ? "" : ` · wave ${waveText(wave)}`) +
      (steam === null ? "" : ` · steam ${steamText(steam)}`) + tracers.join("");
  }

  /** Whether what did not come is 0. */
  private answered(name: LayerName): boolean {
    return (this.messages.get(name) ?? 0) >= ANSWERED;
  }

  private place(name: LayerName): number {
    const place = this.cells.welcome.layers.indexOf(name);
    return place < MOST_LAYERS ? place : -1;
  }
}
