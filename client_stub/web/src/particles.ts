// What happens for a moment, as small things that fly: droplets from a crest, bubbles that rise to the surface and burst,
// spray where falling water lands. They are no part of the world: each is a function of its cell, its tick and its age.
//
// An event is told as a number in its cell, which says what, how strong and when (layer_values.ts). The server tells of it
// once; a number that appears, or is another one than before, is an event.
import type { Camera } from "./camera";
import { chunkKey, type Vec3 } from "./geometry";
import { EVENT_TICKS, eventOf, HIGHEST_WAVE, STRONGEST, type Event } from "./layer_values";
import type { Layers } from "./layers";
import { FULL, TRAPPED_AIR, type Mirror } from "./mirror";
import { noise, SURFACE_PIXEL } from "./palette";

/** At once. */
export const MOST_PARTICLES = 256;
/** Milliseconds from its event on after which a particle is no more. */
export const LONGEST_LIFE = 800;
/** Events of one telling begin one after the other, in so many milliseconds. */
const SPREAD = 150;
/** Cells a second, each second. */
const GRAVITY = 28;
/** Seconds that a bubble rises; it goes as fast as it must. */
const [SHORTEST_RISE, LONGEST_RISE, RISE_PER_CELL] = [0.25, 0.6, 0.12];
/** Cells under the surface from which bubbles come: they are told of where they burst. */
const DEEP = 5;
/** The share of its life in which a bubble bursts. */
const BURST = 0.3;
/** From farther away, in pixels a cell, none are seen. */
const LEAST_SCALE = 1.5;

/** Water that stands, or rock: not what falls. */
const bears = (cell: number) => cell < 0 || cell >= 0.9 * FULL;

interface Particle {
  kind: Event["kind"];
  /** Milliseconds. */
  born: number;
  life: number;
  /** Where it begins, in cells, and how fast it goes there, in cells a second. */
  x: number;
  y: number;
  right: number;
  /** Across the picture from above, where up is towards who looks. */
  back: number;
  up: number;
  /** Cells. */
  radius: number;
}

export class Particles {
  private alive: Particle[] = [];
  /** The numbers that were told last. */
  private readonly seen = new Map<number, Int32Array>();
  private slice = -1;
  private tick: number;
  /** What happened up to then is not shown: we came later, or leapt there. */
  private since: number;

  /** `above`: one looks down from a height. */
  constructor(private readonly mirror: Mirror, private readonly layers: Layers, private readonly above: boolean) {
    this.tick = this.since = mirror.tick;
  }

  get count(): number {
    return this.alive.length;
  }

  told(coords: Vec3[], tick: number, now: number): void {
    if (tick < this.tick || tick - this.tick >= EVENT_TICKS) {
      this.alive = [];
      this.since = tick;
    }
    this.tick = tick;
    if (coords.length === 0) return;
    this.bury(now);
    const fresh = coords.flatMap(({ x, y, z }) => this.take(x, y, z, now));
    // What flies goes on; of what is too much some are left out everywhere.
    const room = Math.min(fresh.length, MOST_PARTICLES - this.alive.length);
    this.alive.push(...fresh.filter((_, i) => (i * room) % fresh.length < room));
  }

  private bury(now: number): void {
    this.alive = this.alive.filter(({ born, life }) => now < born + life);
  }

  /** Returns whether the next frame will look different. */
  paint(context: CanvasRenderingContext2D, camera: Camera, slice: number, now: number): boolean {
    if (slice !== this.slice) this.alive = []; // they are of another one
    this.slice = slice;
    this.bury(now);
    if (this.alive.length === 0 || camera.scale < LEAST_SCALE) return false;
    context.save();
    const colour = `rgb(${[0, 8, 16].map((bits) => (SURFACE_PIXEL >> bits) & 255).join()})`;
    context.fillStyle = context.strokeStyle = colour;
    for (const particle of this.alive) {
      const age = (now - particle.born) / particle.life;
      if (age < 0) continue;
      if (particle.kind === "bubble") this.paintBubble(context, camera, particle, age);
      else this.paintDrop(context, camera, particle, age);
    }
    context.restore();
    return true;
  }

  private take(x: number, y: number, z: number, now: number): Particle[] {
    const key = chunkKey(x, y, z);
    const told = this.layers.chunk("events", x, y, z);
    const before = this.seen.get(key);
    if (!told) {
      this.seen.delete(key);
      return [];
    }
    const fresh: Particle[] = [];
    const { logX, logY, logZ } = this.mirror.sides;
    for (let i = 0; i < told.length; ++i) {
      const event = told[i] === 0 || told[i] === before?.[i] ? null : eventOf(told[i]!, this.tick);
      if (!event || event.tick <= this.since) continue;
      const at = { x: (x << logX) + (i & ((1 << logX) - 1)), y: (y << logY) + (i >> (logX + logZ)),
        z: (z << logZ) + ((i >> logX) & ((1 << logZ) - 1)) };
      if (this.isSeen(at, event)) fresh.push(...this.begin(at, event, now));
    }
    this.seen.set(key, told.slice());
    return fresh;
  }

  /** From above: nothing but air is over it, or over a bubble water. Rain that boils as it falls has no bubbles. */
  private isSeen({ x, y, z }: Vec3, { kind }: Event): boolean {
    const up = this.mirror.real({ x: 0, y: 1, z: 0 });
    if (kind === "bubble" && !bears(this.mirror.cell(x, y - up.y, z - up.z))) return false;
    if (!this.above) return z === this.slice;
    for (let over = z + 1; over <= this.slice; ++over) {
      const cell = this.mirror.cell(x, y, over);
      if (cell !== 0 && cell !== TRAPPED_AIR && (kind !== "bubble" || cell < 0)) return false;
    }
    return z <= this.slice;
  }

  private begin(at: Vec3, { kind, strength, tick }: Event, now: number): Particle[] {
    const force = strength / STRONGEST;
    const count = kind === "droplet" ? 1 + Math.floor(3 * force) : kind === "bubble" ? 1 + Math.floor(2 * force) : 3 + Math.floor(6 * force);
    return Array.from({ length: count }, (_, i): Particle => {
      // 0 to 1, the same wherever the event is seen.
      const chance = (what: number) => noise(at.x * 31 + at.z * 7 + what * 1013, at.y * 131 + (tick % EVENT_TICKS) * 17 + i * 4099) / 255;
      const born = now + chance(0) * SPREAD;
      const radius = (0.06 + 0.06 * force) * (0.7 + 0.6 * chance(1));
      const x = at.x + 0.2 + 0.6 * chance(2);
      if (kind === "bubble") return { kind, born, ...this.rise(at, chance(6)), x, right: 0, back: 0, radius: radius * 2 };
      const speed = (kind === "droplet" ? 4 + 5 * force : 3 + 4.5 * force) * (0.75 + 0.25 * chance(3));
      // A fan for spray; droplets go nearly straight up.
      const lean = kind === "droplet" ? chance(4) - 0.5 : (2 * (i + chance(4))) / count - 1;
      const [aside, up] = [speed * Math.sin(lean), speed * Math.cos(lean)];
      const turned = this.above ? Math.PI * chance(5) : 0;
      return { kind, born, life: Math.min(LONGEST_LIFE - SPREAD, (2000 * up) / GRAVITY), x, y: at.y + this.level(at),
        right: aside * Math.cos(turned), back: aside * Math.sin(turned), up, radius };
    });
  }

  /** How high water stands in the cell, with its wave; what flies begins there. */
  private level(at: Vec3): number {
    if (this.above) return 0.5;
    const cell = this.mirror.cell(at.x, at.y, at.z);
    return cell > 0 ? Math.min(1, cell / FULL) + (this.layers.waveAt(at) ?? 0) : 0;
  }

  /** Of a bubble: where it begins, how fast it goes, and how long: to the surface. */
  private rise({ x, y, z }: Vec3, chance: number): Pick<Particle, "y" | "up" | "life"> {
    if (this.above) return { y: y + 0.5, up: 0, life: 1000 * SHORTEST_RISE };
    const deep = 1 + (DEEP - 1) * chance;
    let [top, low] = [y, y];
    while (bears(this.mirror.cell(x, top, z)) && this.mirror.cell(x, top + 1, z) > 0) ++top;
    while (top - low < deep && this.mirror.cell(x, low - 1, z) > 0) --low;
    const height = Math.max(0, top + this.level({ x, y: top, z }) - low - 0.5);
    const seconds = Math.max(SHORTEST_RISE, Math.min(LONGEST_RISE, height * RISE_PER_CELL));
    return { y: low + 0.5, up: height / seconds / (1 - BURST), life: 1000 * seconds };
  }

  /** A drop, which from above grows as it comes nearer. */
  private paintDrop(context: CanvasRenderingContext2D, camera: Camera, { life, x, y, right, back, up, radius }: Particle, age: number): void {
    const seconds = (age * life) / 1000;
    const height = up * seconds - (GRAVITY * seconds * seconds) / 2;
    const place = { x: x + right * seconds, y: y + (this.above ? back * seconds : height) };
    if (!this.isOpen(place.x, place.y)) return;
    const size = Math.max(0.9, radius * camera.scale * (this.above ? 1 + 0.5 * height : 1));
    context.globalAlpha = age < 0.7 ? 0.95 : 0.95 * (1 - (age - 0.7) / 0.3);
    context.beginPath();
    context.arc(camera.screenX(place.x), camera.screenY(place.y), size, 0, 2 * Math.PI);
    context.fill();
  }

  /** Whether a drop is seen there: in air, over the waves, which may have risen meanwhile. */
  private isOpen(x: number, y: number): boolean {
    const at = { x: Math.floor(x), y: Math.floor(y), z: this.slice };
    if (this.above) return this.mirror.inside(at.x, at.y, 0);
    let cell = this.mirror.cell(at.x, at.y, at.z);
    if (cell < 0 && cell !== TRAPPED_AIR) return false;
    // A crest may stand some cells over its water at rest, and a trough as deep under it.
    for (let i = 0; cell <= 0 && i < HIGHEST_WAVE; ++i) cell = this.mirror.cell(at.x, --at.y, at.z);
    for (let i = 0; i < HIGHEST_WAVE && this.mirror.cell(at.x, at.y + 1, at.z) > 0; ++i) ++at.y;
    return this.mirror.cell(at.x, at.y, at.z) <= 0 || y >= at.y + this.level(at);
  }

  /** A ring that rises, and widens and fades where it bursts. */
  private paintBubble(context: CanvasRenderingContext2D, camera: Camera, { life, x, y, up, radius }: Particle, age: number): void {
    const burst = Math.max(0, (age - (1 - BURST)) / BURST);
    const risen = (Math.min(age, 1 - BURST) * life * up) / 1000;
    context.globalAlpha = 0.9 * (1 - burst);
    context.lineWidth = Math.max(1, 0.07 * camera.scale);
    context.beginPath();
    context.arc(camera.screenX(x), camera.screenY(y + risen), Math.max(1.5, radius * camera.scale) * (1 + burst), 0, 2 * Math.PI);
    context.stroke();
  }
}
