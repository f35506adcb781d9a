// Pipes that were copied: the nodes that stand in a part of a slice, the links between them, and their ports
// into its cells. They are built anew under other names, since a name is one pipe's in all of a world.
import type { Command } from "@commands";
import { FULL, type Mirror } from "./mirror";
import type { PipeMirror } from "./pipe_mirror";
import type { PipeNode, PipePort } from "./pipes";
import type { Rect } from "./shapes";

/** What a name keeps of the one that it is made from; names have at most 64 bytes. */
const STEM_LETTERS = 12;

export interface PipePlan {
  /** Places are those in the region. */
  nodes: { node: PipeNode; amount: number; x: number; y: number; /** Level units from its cell's bottom to its own. */ over: number }[];
  /** By the places of the nodes in the list. */
  links: { from: number; to: number; oneWay: boolean }[];
  ports: { node: number; port: PipePort; x: number; y: number }[];
}

export function copyPipes(pipes: PipeMirror, rect: Rect, z: number): PipePlan {
  const { nodes, links, ports } = pipes.networks;
  const within = (at: { x: number; y: number; z: number } | null) => at !== null && at.z === z &&
    at.x >= rect.x && at.x < rect.x + rect.width && at.y >= rect.y && at.y < rect.y + rect.height;
  const chosen = nodes.filter(({ node }) => within(node.at));
  const plan: PipePlan = { nodes: [], links: [], ports: [] };
  for (const { node, amount } of chosen) {
    const over = node.base - pipes.heightOf(node.at!) * FULL;
    plan.nodes.push({ node, amount, x: node.at!.x - rect.x, y: node.at!.y - rect.y, over });
  }
  for (const { from, to, oneWay } of links) {
    const ends = [chosen.indexOf(from), chosen.indexOf(to)] as const;
    if (ends[0] >= 0 && ends[1] >= 0) plan.links.push({ from: ends[0], to: ends[1], oneWay });
  }
  for (const { owner, port } of ports) {
    const node = chosen.indexOf(owner);
    if (node >= 0 && within(port.cell)) plan.ports.push({ node, port, x: port.cell.x - rect.x, y: port.cell.y - rect.y });
  }
  return plan;
}

/** With the region's left lower cell at (x, y). What lies outside of the world is left out. */
export function commandsToBuild(
  plan: PipePlan, x: number, y: number, z: number, mirror: Mirror,
): { commands: Command[]; names: string[] } {
  const names = freshNames(plan, mirror);
  const commands: Command[] = [];
  const inside = (at: { x: number; y: number }) => mirror.inside(x + at.x, y + at.y, z);
  const there = plan.nodes.map(inside);
  plan.nodes.forEach((each, i) => {
    if (!there[i]) return;
    const { node, amount, over } = each;
    const at = { x: x + each.x, y: y + each.y, z };
    const fields = {
      name: names[i]!, fluid: node.fluid, capacity: node.capacity, height: node.height, amount,
      // It lies as high over its cell as it did.
      base: over + mirror.pipes.heightOf(at) * FULL, throughput: Math.max(0, node.throughput),
      at: [at.x, at.y, at.z] as [number, number, number],
    };
    if (node.kind === "pump") commands.push({ cmd: "add_pump", ...fields, rate: node.rate });
    else if (node.kind === "valve") commands.push({ cmd: "add_valve", ...fields, open: node.open });
    else commands.push({ cmd: "add_pipe", ...fields });
  });
  for (const { from, to, oneWay } of plan.links) {
    if (there[from] && there[to]) commands.push({ cmd: "link", from: names[from]!, to: names[to]!, one_way: oneWay });
  }
  for (const { node, port, ...at } of plan.ports) {
    if (!there[node] || !inside(at)) continue;
    commands.push({ cmd: "add_port", node: names[node]!, cell: [x + at.x, y + at.y, z], kind: port.kind, rate: port.rate });
  }
  return { commands, names: names.filter((_, i) => there[i]) };
}

/** Of the names given so far: what was pasted a moment ago may not have reached the mirror yet, least of all in a world that stands. */
let number = 0;

/** Names that nobody has. Pipes out of view are not known here, so that a number alone would not do: the tick is in them. */
function freshNames({ nodes }: PipePlan, { tick, pipes }: Mirror): string[] {
  return nodes.map(({ node }) => {
    const stem = [...node.name.replace(/-[0-9a-z]+\.\d+$/, "")].slice(0, STEM_LETTERS).join("");
    for (;;) {
      const name = `${stem}-${tick.toString(36)}.${++number}`;
      if (!pipes.networks.byName.has(name)) return name;
    }
  });
}
