// Why pipes and ports do what they do, as server/sim/pipes/pipes.md has the rules: a port goes by the
// heads at its two ends, a pipe gets only what stands higher, a pump draws over the links that end in it.
import { cellsText, units, type Facts } from "./facts";
import { FULL, type Mirror } from "./mirror";
import type { LinkView, Networks, NodeView, PipeMirror, PortView } from "./pipe_mirror";
import type { Known } from "./subjects";

/** Nodes that are looked at for where a line's fluid should come from. */
const MOST_LOOKED_AT = 5000;

/** "about", because flows come in classes. */
export function flowText(value: number): string {
  return value === 0 ? "0" : value < 4 ? units(value) : `≈ ${units(value)}`;
}

export function portText({ turn }: PipeMirror, view: PortView): string {
  const { x, y, z } = turn(view.port.cell);
  const { state, moved } = view.shows;
  const moving = moved === 0 ? "" : `, ${flowText(Math.abs(moved))} a tick ${moved > 0 ? "in" : "out"}`;
  return `${view.port.kind} at [${x}, ${y}, ${z}], ${state}${moving}`;
}

/** What the tip and the panel of pipes say of a node. */
export function nodeRows(known: { mirror: Pick<Mirror, "pipes"> }, view: NodeView): Facts["rows"] {
  const { pipes } = known.mirror;
  const { node } = view;
  const { into, out } = pipes.flows(view);
  const rows: Facts["rows"] = [
    ["fluid", node.fluid],
    ["amount", `${units(view.amount)} of ${units(node.capacity)} (${Math.round(view.fill * 100)} %)`],
    ["level", `${units(view.level)} (${cellsText(view.level / FULL)} cells)`],
    ["flow a tick", `in ${flowText(into)}, out ${flowText(out)}`],
  ];
  if (node.kind === "pump") rows.push(["rate", `${units(node.rate)} a tick`]);
  if (node.kind === "valve") rows.push(["valve", node.open ? "open" : "closed"]);
  if (node.throughput > 0) rows.push(["throughput", `${units(node.throughput)} a tick`]);
  for (const port of pipes.networks.ports) if (port.owner === view) rows.push(["port", portText(pipes, port)]);
  return rows;
}

export function nodeFacts(known: Known, view: NodeView): Facts {
  const { node } = view;
  const { into, out } = known.mirror.pipes.flows(view);
  return {
    title: `${node.name} · ${node.kind}`,
    rows: nodeRows(known, view),
    why: node.kind === "pump" ? whyPump(known, view, out) : whyPipe(known, view, into, out),
    measures: [{ name: "amount", value: view.amount, unit: "units" }, { name: "in", value: into, unit: "units/tick" },
      { name: "out", value: out, unit: "units/tick" }],
  };
}

export function portFacts(known: Known, view: PortView): Facts {
  const { x, y, z } = view.port.cell;
  const rows: Facts["rows"] = [
    ["port", portText(known.mirror.pipes, view)],
    ["rate", `${units(view.port.rate)} units a tick at most`],
    ["pipe", `level ${cellsText(view.owner.level / FULL)}, ${Math.round(view.owner.fill * 100)} % full`],
  ];
  const measures = [{ name: "moved", value: view.shows.moved, unit: "units/tick" }];
  if (!known.isFar) measures.push({ name: "in its cell", value: Math.max(0, known.mirror.cell(x, y, z)), unit: "units" });
  const head = headAt(known, view);
  if (head !== null) rows.push(["cell", `water stands at ${cellsText(head)}`]);
  return { title: `port of ${view.owner.node.name}`, rows, why: [whyPort(known, view)], measures };
}

/** How high the water stands at a port's cell, in cells; null: there is none, or that cannot be told. */
function headAt(known: Known, { port }: PortView): number | null {
  const { x, y, z } = port.cell;
  const cell = known.isFar ? 0 : known.mirror.cell(x, y, z);
  if (cell <= 0) return null;
  const head = z === known.slice ? known.headAt(x, y) : null;
  return head ?? known.mirror.real(port.cell).y + Math.min(1, cell / FULL);
}

/** One sentence on why a port does what it does, or does nothing. */
export function whyPort(known: Known, view: PortView): string {
  const { owner, port } = view;
  const { state, moved } = view.shows;
  if (state === "blocked") return "Its cell is rock: dig it out, and the port works.";
  if (state === "outside") return "Its cell lies outside the world: there is nothing to take and nowhere to give.";
  if (moved > 0) return `Water goes from the cell into the pipe, ${flowText(moved)} units a tick.`;
  if (moved < 0) return `Water goes from the pipe into the cell, ${flowText(-moved)} units a tick.`;
  if (state === "running") return "It moves less than a unit a tick, or waits for its turn.";
  if (port.rate === 0) return "Its rate is 0: it may move nothing.";
  if (known.isFar) return whyPortFromAfar(known, view);
  const dry = known.mirror.cell(port.cell.x, port.cell.y, port.cell.z) <= 0;
  const level = owner.level / FULL;
  const floor = known.mirror.real(port.cell).y;
  const head = headAt(known, view);
  const pump = owner.node.kind === "pump";
  const heights = head === null ? "" : `: its cell's water stands at ${cellsText(head)}, the pipe at ${cellsText(level)}`;
  if (port.kind === "inlet") {
    if (dry) return "There is no water in its cell.";
    if (owner.fill >= 1) return "The pipe is full: nothing more goes in until some of it leaves.";
    if (!pump && head !== null && head <= level + 0.01) {
      return `Water goes only to the lower side${heights}. A lower base, or a pump, would draw it.`;
    }
  } else if (port.kind === "outlet") {
    if (owner.amount === 0) return `The pipe is empty. ${whyEmpty(known, owner)}`;
    if (!pump && head !== null && level <= head + 0.01) {
      return `Water goes only to the lower side${heights}. A higher base, or a pump, would bring it out.`;
    }
    if (!pump && dry && level <= floor) {
      return `The pipe's level, ${cellsText(level)}, is not above its cell's floor at ${floor}.`;
    }
    if (pump) return "The cell is as full as the pump can fill it.";
  } else {
    if (dry && owner.amount === 0) return "Both sides are empty: the cell is dry, and so is the pipe.";
    if (head !== null && Math.abs(head - level) < 0.1) return `Both sides stand equally high${heights}.`;
    if (head !== null && head > level && owner.fill >= 1) return "The pipe is full: nothing more goes in.";
    if (dry && level <= floor) return `The pipe's level, ${cellsText(level)}, is not above its cell's floor at ${floor}.`;
  }
  return `What would move is too little for a unit a tick, or it waits for its turn${heights}.`;
}

/** Of one that moves nothing, as far as its pipe alone tells. */
function whyPortFromAfar(known: Known, { owner, port }: PortView): string {
  if (port.kind === "inlet" && owner.fill >= 1) return "The pipe is full: nothing more goes in until some of it leaves.";
  if (port.kind === "outlet" && owner.amount === 0) return `The pipe is empty. ${whyEmpty(known, owner)}`;
  return "Why it moves nothing is up to the water at its cell: come nearer to see that.";
}

function whyPump(known: Known, view: NodeView, out: number): string[] {
  const { node } = view;
  const inlets = linksOf(known.mirror.pipes.networks).get(view)?.filter((link) => link.to === view) ?? [];
  const ports = known.mirror.pipes.networks.ports.filter(({ owner }) => owner === view);
  if (node.rate === 0) return ["It is switched off: its rate is 0."];
  if (inlets.length === 0 && ports.every(({ port }) => port.kind === "outlet")) {
    return ["No link ends in it: it draws over the links that end in it, and there is none."];
  }
  if (view.fill >= 1 && out === 0) return ["It is full, and what it should press into takes nothing."];
  const shut = inlets.find(({ from }) => !from.node.open);
  if (shut && view.amount === 0) return [`${shut.from.node.name}, which it draws from, is closed.`];
  if (inlets.length > 0 && inlets.every(({ from }) => from.amount === 0) && view.amount === 0) {
    const { from } = inlets[0]!;
    return [`What it draws from is empty: ${from.node.name}. ${whyEmpty(known, from)}`];
  }
  return [`It draws up to ${units(node.rate)} units a tick, to whatever height.`];
}

function whyPipe(known: Known, view: NodeView, into: number, out: number): string[] {
  const { node } = view;
  const why: string[] = [];
  if (node.kind === "valve" && !node.open) why.push("It is closed: nothing passes until it is opened.");
  if (view.amount === 0 && into === 0) why.push(whyEmpty(known, view));
  else if (view.amount === 0) why.push("What comes in goes on in the same tick.");
  else if (view.fill >= 1 && into === 0 && out === 0) why.push("It is full, and nothing around it is lower.");
  else if (into === 0 && out === 0) {
    const beside = (linksOf(known.mirror.pipes.networks).get(view) ?? []).map(({ from, to }) => (from === view ? to : from));
    const shut = beside.find((other) => !other.node.open);
    if (shut) why.push(`${shut.node.name}, which it is linked with, is closed.`);
    else if (beside.length === 0) why.push("It is linked with nothing: what it holds stays.");
    else why.push("It stands level with what it is linked with, or lower than its bottom.");
  }
  else if (into > 0 && out === 0) why.push("It fills up.");
  else if (out > 0 && into === 0) why.push("It runs dry.");
  else why.push("Fluid passes through it.");
  return why;
}

/** Of networks that were looked at: they are made anew whenever something is built. */
const LINKS = new WeakMap<Networks, Map<NodeView, LinkView[]>>();

/** Each node's links. */
function linksOf(networks: Networks): Map<NodeView, LinkView[]> {
  const held = LINKS.get(networks);
  if (held) return held;
  const found = new Map<NodeView, LinkView[]>();
  const add = (view: NodeView, link: LinkView) => {
    const list = found.get(view);
    if (list) list.push(link);
    else found.set(view, [link]);
  };
  for (const link of networks.links) {
    add(link.from, link);
    add(link.to, link);
  }
  LINKS.set(networks, found);
  return found;
}

/** Why fluid does not come over the link to this end of it; null: it could. */
function obstacle(link: LinkView, to: NodeView): string | null {
  const from = link.from === to ? link.to : link.from;
  const name = from.node.name;
  if (!to.node.open) return `${to.node.name} is closed.`;
  if (from.node.kind === "valve" && !from.node.open) return `The valve ${name} is closed: open it.`;
  if (from.node.kind === "pump" && from.node.rate === 0) return `The pump ${name} is switched off: its rate is 0.`;
  if (link.from === to && link.oneWay) return `The link to ${name} is a check valve that opens only the other way.`;
  if (link.from === to && from.node.kind === "pump") return `The pump ${name} draws from here; it gives over its other links.`;
  return null;
}

/** Where the fluid of an empty line should come from, and what it meets on its way. */
export function whyEmpty(known: Known, view: NodeView): string {
  const { networks } = known.mirror.pipes;
  const links = linksOf(networks);
  const reached = new Set([view]);
  const obstacles: string[] = [];
  let low: NodeView | null = null;
  for (const at of reached) {
    if (reached.size > MOST_LOOKED_AT) break;
    for (const link of links.get(at) ?? []) {
      const from = link.from === at ? link.to : link.from;
      if (reached.has(from)) continue;
      const why = obstacle(link, at);
      if (why !== null) {
        obstacles.push(why);
        continue;
      }
      const drawn = at.node.kind === "pump" || from.node.kind === "pump";
      if (from.amount > 0 && (drawn || from.level > at.node.base)) return `Fluid is on its way from ${from.node.name}.`;
      if (from.amount > 0) low ??= from;
      reached.add(from);
    }
  }
  if (low) {
    return `${low.node.name} holds ${units(low.amount)} units, but stands at ${cellsText(low.level / FULL)}: a pipe gets only ` +
      "what stands higher than its bottom. A pump lifts it.";
  }
  const inlets = networks.ports.filter(({ owner, port }) => reached.has(owner) && port.kind !== "outlet");
  if (obstacles.length > 0) return obstacles[0]!;
  const idle = inlets[0];
  if (idle && idle.owner !== view) return `Its line is fed by ${idle.owner.node.name}. ${whyPort(known, idle)}`;
  if (idle) return `It is fed by its own port. ${whyPort(known, idle)}`;
  if (reached.size === 1) return "Nothing leads to it: link it with a pipe that holds something, or give it an inlet.";
  return `None of the ${units(reached.size - 1)} that lead to it holds anything or has an inlet.`;
}
