// The pipe networks that the server has sent so far, and the ways to look into them.
import type { ChunkSides, Vec3 } from "./geometry";
import {
  decodePipes, flowOfClass, keyText, nodesKey, pipeChecksum, portShows,
  type PipeKey, type PipeNode, type PipePort, type PipeSection, type PortState,
} from "./pipes";

/** A node in its section. It shows what the section says now. */
export class NodeView {
  constructor(
    readonly node: PipeNode, private readonly section: PipeSection, private readonly place: number,
  ) {}
  get amount(): number {
    return this.section.values[this.place]!;
  }
  /** 0 to 1. */
  get fill(): number {
    return Math.max(0, Math.min(1, this.amount / this.node.capacity));
  }
  get level(): number {
    const { base, height, capacity } = this.node;
    return Math.floor(base + (this.amount * height) / capacity);
  }
}

export class LinkView {
  constructor(
    readonly from: NodeView, readonly to: NodeView, readonly oneWay: boolean,
    private readonly section: PipeSection, private readonly place: number,
  ) {}
  /** From `from` to `to`, in units a tick: the middle of what the server calls one class. */
  get flow(): number {
    return flowOfClass(this.section.values[this.place]!);
  }
}

export class PortView {
  constructor(
    readonly owner: NodeView, readonly port: PipePort, private readonly section: PipeSection,
    private readonly place: number,
  ) {}
  get shows(): { state: PortState; moved: number } {
    return portShows(this.section.values[this.place]!);
  }
}

export interface Networks {
  nodes: NodeView[];
  links: LinkView[];
  ports: PortView[];
  byName: Map<string, NodeView>;
  byCell: Map<string, NodeView[]>;
}

/** From this capacity on a pipe is drawn as a tank. */
const TANK_CAPACITY = 100_000;

/** Half the side of a node's picture, in cells. */
export function nodeRadius(view: NodeView): number {
  if (view.node.capacity >= TANK_CAPACITY) return 1.4;
  // Pipes side by side must not cover each other.
  return view.node.kind === "pipe" ? 0.46 : 0.6;
}

export function cellText(cell: Vec3): string {
  return `${cell.x},${cell.y},${cell.z}`;
}

export class PipeMirror {
  /** Grows with every change but amounts and flows. */
  version = 0;
  private readonly sections = new Map<string, PipeSection>();
  private known: Networks | null = null;

  /** `turn`: places as the picture has them (turned.ts); sections go by the world's. */
  constructor(private readonly sides: ChunkSides, readonly turn: (at: Vec3) => Vec3 = (at) => at) {}

  /** The axis of the picture along which water falls. */
  get up(): "y" | "z" {
    return this.heightOf({ x: 0, y: 1, z: 0 }) === 1 ? "y" : "z";
  }

  /** How high in the world a place of the picture is. */
  heightOf(at: Vec3): number {
    return this.turn(at).y;
  }

  get sectionCount(): number {
    return this.sections.size;
  }

  update(key: PipeKey, payload: Uint8Array): void {
    const name = keyText(key);
    const held = this.sections.get(name);
    const section = decodePipes(key, this.sides, payload, held);
    if (section === held) return;
    for (const node of section.nodes) node.at &&= this.turn(node.at);
    for (const port of section.ports) port.cell = this.turn(port.cell);
    this.sections.set(name, section);
    this.planChanged();
  }

  drop(key: PipeKey): void {
    if (this.sections.delete(keyText(key))) this.planChanged();
  }

  /** Whether the section is the server's. One that is not held has the checksum 0. */
  matches(key: PipeKey, digest: bigint): boolean {
    const section = this.sections.get(keyText(key));
    return (section ? pipeChecksum(section.planBytes, section.values) : 0n) === digest;
  }

  /** All that is held; a link of which an end is not held is left out. */
  get networks(): Networks {
    return (this.known ??= this.collect());
  }

  /** Units of the last tick, over links and ports. */
  flows(view: NodeView): { into: number; out: number } {
    let into = 0;
    let out = 0;
    const count = (units: number) => {
      if (units > 0) into += units;
      else out -= units;
    };
    for (const link of this.networks.links) {
      if (link.from === view) count(-link.flow);
      if (link.to === view) count(link.flow);
    }
    for (const port of this.networks.ports) {
      if (port.owner === view) count(port.shows.moved);
    }
    return { into, out };
  }

  private planChanged(): void {
    this.known = null;
    ++this.version;
  }

  private collect(): Networks {
    const found: Networks = { nodes: [], links: [], ports: [], byName: new Map(), byCell: new Map() };
    const byRef = new Map<string, NodeView>();
    for (const section of this.sections.values()) {
      section.nodes.forEach((node, place) => {
        const view = new NodeView(node, section, place);
        found.nodes.push(view);
        found.byName.set(node.name, view);
        byRef.set(`${keyText(section.key)},${node.index}`, view);
        if (!node.at) return;
        const cell = cellText(node.at);
        const there = found.byCell.get(cell);
        if (there) there.push(view);
        else found.byCell.set(cell, [view]);
      });
    }
    for (const section of this.sections.values()) {
      const home = keyText(nodesKey(section.key));
      section.links.forEach((link, i) => {
        const from = byRef.get(`${home},${link.from}`);
        const to = byRef.get(`${keyText(link.section)},${link.to}`);
        const place = section.nodes.length + i;
        if (from && to) found.links.push(new LinkView(from, to, link.oneWay, section, place));
      });
      section.ports.forEach((port, i) => {
        const owner = byRef.get(`${home},${port.node}`);
        const place = section.nodes.length + section.links.length + i;
        if (owner) found.ports.push(new PortView(owner, port, section, place));
      });
    }
    found.nodes.sort((a, b) => (a.node.name < b.node.name ? -1 : 1));
    return found;
  }
}
