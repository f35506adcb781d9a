// The tools that build and run pipe networks. Each click or drag becomes commands; the server's word
// decides, and its refusals are shown as they are.
import type { Command, Place } from "@commands";
import type { CommandQueue } from "./command_queue";
import type { Vec3 } from "./geometry";
import { cellText, type LinkView, type NodeView, type PipeMirror } from "./pipe_mirror";
import type { PortKind } from "./pipes";

export type PipeTool =
  | "pipe" | "pump" | "valve" | "link" | "unlink" | "port" | "unport" | "switch" | "upgrade" | "remove";

export interface PipeOptions {
  name: string;
  fluid: string;
  capacity: number;
  height: number;
  throughput: number;
  /** The level of a node's bottom; null: that of its cell. */
  base: number | null;
  /** Of pumps and ports. */
  rate: number;
  oneWay: boolean;
  portKind: PortKind;
}

/** Level units in one cell. */
const CELL_LEVEL = 4096;
/** How near, in cells, a click must be to a link to mean it. */
const LINK_REACH = 0.6;

export class PipeTools {
  tool: PipeTool | null = null;
  options: PipeOptions = {
    name: "", fluid: "water", capacity: 20000, height: 10000, throughput: 0, base: null, rate: 500,
    oneWay: false, portKind: "open",
  };
  /** The node that is shown in the panel, by name. */
  chosen: string | null = null;
  private start: { cell: Vec3; node: string | null } | null = null;
  private last: Vec3 | null = null;
  /** Names given out and not yet seen in the world. */
  private readonly pending = new Map<string, string>();
  private nextNumber = 1;

  constructor(
    private readonly queue: CommandQueue, private readonly warn: (text: string) => void,
  ) {}

  /** From where to draw a rubber band, while a link or a port is being dragged. */
  rubberFrom(): Vec3 | null {
    return this.start?.node && (this.tool === "link" || this.tool === "unlink" || this.tool === "port")
      ? this.start.cell : null;
  }

  begin(pipes: PipeMirror, cell: Vec3): void {
    const node = this.nodeAt(pipes, cell);
    this.start = { cell, node };
    this.last = cell;
    switch (this.tool) {
      case "pipe": this.layPipe(pipes, null, cell); break;
      case "pump":
      case "valve": this.add(pipes, this.tool, cell); break;
      case "switch": this.switchNode(pipes, node); break;
      case "upgrade": this.upgrade(node); break;
      case "remove":
        if (node) this.send({ cmd: "remove_pipe", name: node });
        else this.warn("There is no pipe to remove here");
        break;
      case "unport": this.removePort(pipes, cell); break;
      case "link":
        if (!node && this.chosen === null) this.warn("Drag from one pipe to another");
        break;
    }
  }

  /** To the cell under the pointer, leaving out none on the way. */
  move(pipes: PipeMirror, to: Vec3): void {
    if (this.tool !== "pipe" || !this.last) return;
    while (this.last.x !== to.x || this.last.y !== to.y) {
      const dx: number = to.x - this.last.x;
      const dy: number = to.y - this.last.y;
      const along = Math.abs(dx) >= Math.abs(dy);
      const next: Vec3 = {
        x: this.last.x + (along ? Math.sign(dx) : 0), y: this.last.y + (along ? 0 : Math.sign(dy)),
        z: to.z,
      };
      this.layPipe(pipes, this.last, next);
      this.last = next;
    }
  }

  end(pipes: PipeMirror, cell: Vec3): void {
    const start = this.start;
    this.start = null;
    this.last = null;
    if (!start) return;
    const target = this.nodeAt(pipes, cell);
    // A click on one node, then on another, is a drag between them; so do nodes without a place, which
    // are chosen in the list.
    const isClick = cellText(start.cell) === cellText(cell);
    const from = isClick ? this.chosen : start.node;
    switch (this.tool) {
      case "link":
      case "unlink":
        if (from && target && from !== target) this.join(this.tool, from, target);
        else if (isClick && this.tool === "unlink" && !target) this.unlinkAt(pipes, cell);
        else if (isClick && target) this.chosen = target;
        else if (!isClick) this.warn("A link ends at another pipe");
        break;
      case "port": {
        const owner = isClick ? (target ?? this.chosen) : start.node;
        if (owner) this.addPort(owner, cell);
        else this.warn("Drag from a pipe to the cell that it takes from or gives to");
        break;
      }
    }
  }

  cancel(): void {
    this.start = null;
    this.last = null;
  }

  /** What the panel's buttons do to a node. */
  send(command: Command): boolean {
    if (this.queue.send(command, this)) return true;
    this.warn("Not connected");
    return false;
  }

  upgrade(name: string | null): void {
    if (!name) return this.warn("There is no pipe to upgrade here");
    const { capacity, height, throughput } = this.options;
    this.send({ cmd: "upgrade_pipe", name, capacity, height, throughput: throughput || -1 });
  }

  toggle(view: NodeView): void {
    this.send({ cmd: "set_valve", name: view.node.name, open: !view.node.open });
  }

  /** The world says what there is: names that came true are no longer pending. */
  changed(pipes: PipeMirror): void {
    for (const [cell, name] of this.pending) {
      if (pipes.networks.byName.has(name)) this.pending.delete(cell);
    }
    if (this.chosen !== null && !pipes.networks.byName.has(this.chosen)) this.chosen = null;
  }

  /** A refused node never comes true. */
  refused(): void {
    this.pending.clear();
  }

  nodeAt(pipes: PipeMirror, cell: Vec3): string | null {
    return pipes.networks.byCell.get(cellText(cell))?.[0]?.node.name ??
      this.pending.get(cellText(cell)) ?? null;
  }

  private join(tool: "link" | "unlink", from: string, to: string): void {
    const isSent = tool === "link" ? this.send({ cmd: "link", from, to, one_way: this.options.oneWay })
      : this.send({ cmd: "unlink", from, to });
    if (isSent) this.chosen = null;
  }

  /** A pipe in the cell, unless there is one, joined to the one before. */
  private layPipe(pipes: PipeMirror, before: Vec3 | null, cell: Vec3): void {
    const from = before ? this.nodeAt(pipes, before) : null;
    const to = this.nodeAt(pipes, cell) ?? this.add(pipes, "pipe", cell);
    if (from && to && from !== to && !this.linked(pipes, from, to)) this.join("link", from, to);
  }

  private linked(pipes: PipeMirror, a: string, b: string): boolean {
    return pipes.networks.links.some(({ from, to }) =>
      (from.node.name === a && to.node.name === b) || (from.node.name === b && to.node.name === a));
  }

  private add(pipes: PipeMirror, kind: "pipe" | "pump" | "valve", cell: Vec3): string | null {
    const { fluid, capacity, height, throughput, rate } = this.options;
    const name = this.freeName(pipes, kind);
    const base = this.options.base ?? pipes.heightOf(cell) * CELL_LEVEL;
    const fields = { name, fluid, capacity, height, base, throughput, at: placeOf(cell) };
    const isSent = kind === "pump" ? this.send({ cmd: "add_pump", ...fields, rate })
      : this.send({ cmd: kind === "pipe" ? "add_pipe" : "add_valve", ...fields });
    if (!isSent) return null;
    this.pending.set(cellText(cell), name);
    return name;
  }

  private freeName(pipes: PipeMirror, kind: string): string {
    const wanted = this.options.name.trim();
    const taken = (name: string) =>
      pipes.networks.byName.has(name) || [...this.pending.values()].includes(name);
    if (wanted && !taken(wanted)) return wanted;
    for (;; ++this.nextNumber) {
      const name = `${wanted || kind}-${this.nextNumber}`;
      if (!taken(name)) return name;
    }
  }

  private switchNode(pipes: PipeMirror, name: string | null): void {
    const view = name ? pipes.networks.byName.get(name) : undefined;
    if (view?.node.kind === "valve") this.toggle(view);
    else if (view?.node.kind === "pump") {
      this.send({ cmd: "set_pump", name: view.node.name, rate: this.options.rate });
    } else this.warn("Click a valve to open or close it, a pump to set its rate");
  }

  private addPort(node: string, cell: Vec3): void {
    const { portKind, rate } = this.options;
    this.send({ cmd: "add_port", node, cell: placeOf(cell), kind: portKind, rate });
  }

  private removePort(pipes: PipeMirror, cell: Vec3): void {
    const found = pipes.networks.ports.find(({ port }) => cellText(port.cell) === cellText(cell));
    if (!found) return this.warn("There is no port in this cell");
    this.send({ cmd: "remove_port", node: found.owner.node.name, cell: placeOf(cell) });
  }

  private unlinkAt(pipes: PipeMirror, cell: Vec3): void {
    const link = pipes.networks.links.find((each) => distance(each, cell, pipes.up) < LINK_REACH);
    if (!link) return this.warn("There is no link here");
    this.send({ cmd: "unlink", from: link.from.node.name, to: link.to.node.name });
  }
}

function placeOf({ x, y, z }: Vec3): Place {
  return [x, y, z];
}

/** From the middle of a cell to a link, in cells; from above that is seen through the other, whatever their heights. */
function distance(link: LinkView, cell: Vec3, up: PipeMirror["up"]): number {
  const a = link.from.node.at;
  const b = link.to.node.at;
  if (!a || !b || (up === "y" && (a.z !== cell.z || b.z !== cell.z))) return Infinity;
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : ((cell.x - a.x) * dx + (cell.y - a.y) * dy) / length;
  const t = Math.max(0, Math.min(1, share));
  return Math.hypot(cell.x - a.x - t * dx, cell.y - a.y - t * dy);
}
