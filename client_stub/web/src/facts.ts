// What is under the pointer, in words: of cells, columns, chunks, springs and drains. pipe_facts.ts does
// the same for pipes and ports.
import { AWAKE_FOR } from "./activity";
import { CHUNK_CELLS, type Vec3 } from "./geometry";
import { FULL, ROCK, THINNEST_ICE, TRAPPED_AIR, type Mirror } from "./mirror";
import { DEGREE, degreesText, shareText, steamText, tracerOf, waveText } from "./layer_values";
import { materialName } from "./palette";
import { nodeFacts, portFacts } from "./pipe_facts";
import { cellText } from "./pipe_mirror";
import type { Known, Subject } from "./subjects";

/** A number that is worth a chart. */
export interface Measure {
  name: string;
  value: number;
  unit: string;
}

export interface Facts {
  title: string;
  rows: [label: string, text: string][];
  /** Why it is as it is, in sentences. */
  why: string[];
  measures: Measure[];
}

export function units(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function cellsText(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 2 });
}

/** `real`: where it is in the world, if the picture is turned. */
export function subjectText(subject: Subject, real = (at: Vec3) => at): string {
  return subject.kind === "node" ? subject.name
    : `${subject.kind} ${subject.kind === "port" ? `${subject.name} ` : ""}${cellText(real(subject.at))}`;
}

/** Null: it is no longer there. */
export function factsOf(known: Known, subject: Subject): Facts | null {
  const { networks } = known.mirror.pipes;
  switch (subject.kind) {
    case "node": {
      const view = networks.byName.get(subject.name);
      return view ? nodeFacts(known, view) : null;
    }
    case "port": {
      const view = networks.ports.find(({ owner, port }) =>
        owner.node.name === subject.name && cellText(port.cell) === cellText(subject.at));
      return view ? portFacts(known, view) : null;
    }
    case "spring":
    case "drain":
    case "heater": return springFacts(known, subject.kind, subject.at);
    case "chunk": return chunkFacts(known, subject.at);
    case "column": return columnFacts(known, subject.at);
    case "cell": return cellFacts(known, subject.at);
  }
}

function placeText(known: Known, at: Vec3): string {
  const { x, y, z } = known.mirror.real(at);
  return known.mirror.size.z === 1 ? `[${x}, ${y}]` : `[${x}, ${y}, ${z}]`;
}

function restText(known: Known, { x, y, z }: Vec3): string {
  const { sides } = known.mirror;
  const since = known.activity.sinceChange(x >> sides.logX, y >> sides.logY, z >> sides.logZ, known.now);
  if (since === null) return "at rest since it came into view";
  return since < AWAKE_FOR ? "awake: it changed just now" : `at rest for ${Math.round(since / 1000)} s`;
}

/** What the world has beside its cells. */
function addLayers(facts: Facts, { layers }: Known, at: Vec3): void {
  const [degrees, wave] = [layers?.temperatureAt(at) ?? null, layers?.waveAt(at) ?? null];
  if (degrees !== null) {
    facts.rows.push(["temperature", degreesText(degrees)]);
    facts.measures.push({ name: "temperature", value: degrees, unit: "°C" });
  }
  if (wave !== null) addWave(facts, wave);
  const steam = layers?.steamAt(at) ?? null;
  if (steam !== null) {
    facts.rows.push(["steam", steamText(steam)]);
    facts.measures.push({ name: "steam", value: steam, unit: "cells" });
  }
  for (const name of layers?.tracers ?? []) {
    const share = layers!.shareAt(name, at);
    if (share === null) continue;
    facts.rows.push([tracerOf(name), shareText(share)]);
    facts.measures.push({ name: tracerOf(name), value: share, unit: "a unit" });
  }
}

function addWave(facts: Facts, wave: number): void {
  facts.rows.push(["wave", waveText(wave)]);
  facts.measures.push({ name: "wave", value: wave, unit: "cells" });
}

function cellFacts(known: Known, at: Vec3): Facts | null {
  const { mirror } = known;
  if (!mirror.inside(at.x, at.y, at.z)) return null;
  const cell = mirror.cell(at.x, at.y, at.z);
  const facts: Facts = { title: `${placeText(known, at)} ${materialName(cell)}`, rows: [], why: [], measures: [] };
  facts.measures.push({ name: "amount", value: Math.max(0, cell), unit: "units" });
  if (cell > 0) {
    facts.rows.push(["amount", `${units(cell)} units, ${Math.round((cell * 100) / FULL)} % of a full cell`]);
    const head = at.z === known.slice ? known.headAt(at.x, at.y) : null;
    if (head !== null) {
      const depth = Math.max(0, head - at.y - 0.5);
      facts.rows.push(["surface", `at ${cellsText(head)}`], ["depth", `${cellsText(depth)} cells of water press on it`]);
      facts.measures.push({ name: "depth", value: depth, unit: "cells" });
    } else if (at.z === known.slice) {
      facts.why.push("It is on its way down: nothing under it bears it.");
    }
    if (cell > FULL) facts.why.push("It holds more than a full cell, because what stands on it presses it in.");
  }
  addLayers(facts, known, at);
  if (cell === ROCK) facts.why.push("Nothing flows through rock. Dig it, or lay pipes.");
  if (cell <= THINNEST_ICE) facts.why.push("Ice: solid until it melts.");
  if (cell === TRAPPED_AIR) facts.why.push("Air that cannot leave: water does not get in until it finds a way out.");
  facts.rows.push(["chunk", restText(known, at)]);
  return facts;
}

function columnFacts(known: Known, at: Vec3): Facts | null {
  const { mirror } = known;
  if (!mirror.inside(at.x, at.y, at.z)) return null;
  let [water, cells, bodies, top] = [0, 0, 0, -1];
  let ground = -1;
  let [before, foot] = [0, 0]; // of the highest body of water
  const place = mirror.real(at);
  const cellAt = (y: number) => mirror.real({ ...place, y });
  for (let y = 0; y < mirror.real(mirror.size).y; ++y) {
    const there = cellAt(y);
    const cell = mirror.cell(there.x, there.y, there.z);
    if (cell > 0) {
      water += cell;
      ++cells;
      if (before <= 0) {
        ++bodies;
        foot = y;
      }
      top = y + Math.min(1, cell / FULL);
    }
    if (cell === ROCK) ground = y;
    before = cell;
  }
  const facts: Facts = { title: `Column x ${place.x}${mirror.size.z === 1 ? "" : `, z ${place.z}`}`, rows: [], why: [], measures: [] };
  facts.rows.push(["water", `${cellsText(water / FULL)} full cells, in ${units(cells)} cells`]);
  if (top >= 0) facts.rows.push(["highest", `its top at ${cellsText(top)}`]);
  if (bodies > 1) facts.rows.push(["pieces", `${bodies}, one over the other`]);
  facts.rows.push(["rock", ground < 0 ? "none" : `up to ${ground + 1}`]);
  const wave = known.layers?.waveAt(cellAt(foot)) ?? null;
  if (wave !== null) addWave(facts, wave);
  facts.why.push("As far as the column is in view: the page holds no more of the world than that.");
  facts.measures.push({ name: "water", value: water / FULL, unit: "cells" });
  return facts;
}

function chunkFacts(known: Known, at: Vec3): Facts | null {
  const { mirror, activity, now } = known;
  if (!mirror.inside(at.x, at.y, at.z)) return null;
  const { logX, logY, logZ } = mirror.sides;
  const [x, y, z] = [at.x >> logX, at.y >> logY, at.z >> logZ];
  const cells = mirror.chunk(x, y, z);
  const [own, sides] = [mirror.real({ x, y, z }), mirror.real({ x: 1 << logX, y: 1 << logY, z: 1 << logZ })];
  const isFlat = mirror.size.z === 1;
  let [water, wet, rock] = [0, 0, 0];
  for (const cell of cells ?? []) {
    if (cell > 0) {
      water += cell;
      ++wet;
    } else if (cell === ROCK) ++rock;
  }
  const bytes = activity.bytesPerSecond(x, y, z, now);
  const share = (count: number) => `${Math.round((count * 100) / CHUNK_CELLS)} % of its cells`;
  return {
    title: `Chunk ${own.x}, ${own.y}${isFlat ? "" : `, ${own.z}`}`,
    rows: [
      ["cells", `${sides.x} × ${sides.y}${isFlat ? "" : ` × ${sides.z}`} from [${own.x * sides.x}, ${own.y * sides.y}, ${own.z * sides.z}]`],
      ["water", `${cellsText(water / FULL)} full cells, in ${share(wet)}`],
      ["rock", share(rock)],
      ["sent", `${units(bytes)} bytes a second`],
      ["state", cells ? restText(known, at) : "all air"],
    ],
    why: [cells ? "A chunk that nothing changes is asleep: it costs neither time nor bytes."
                : "A chunk of nothing but air is not kept, and was never sent."],
    measures: [{ name: "sent", value: bytes, unit: "bytes/s" }, { name: "water", value: water / FULL, unit: "cells" }],
  };
}

/** As server/sim/heat/heat.md has it. */
function whyHeater(mirror: Mirror, { x, y, z }: Vec3, does: "warm" | "cool", cell: number): string {
  const most = does === "warm" ? "up to 200 °C" : "down to −100 °C";
  if (cell > 0 || cell <= THINNEST_ICE) return `It ${does}s what is in its cell, ${most}.`;
  if (cell !== ROCK) return `Its cell is dry: there is nothing to ${does}.`;
  const beside = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].flatMap(([dx, dy, dz]) =>
    [1, -1].map((side) => mirror.cell(x + side * dx!, y + side * dy!, z + side * dz!)));
  return beside.some((each) => each > 0 || each <= THINNEST_ICE) ? `It ${does}s the water that touches its rock, in equal shares, ${most}.`
    : `Its cell is rock, and no water touches it: there is nothing to ${does}.`;
}

function springFacts(known: Known, kind: "spring" | "drain" | "heater", at: Vec3): Facts | null {
  const { sources, drains, heaters } = known.fixtures;
  const spring = { spring: sources, drain: drains, heater: heaters }[kind].find((each) => cellText(each.at) === cellText(at));
  if (!spring) return null;
  const { tracer, temperature } = spring;
  const rows: Facts["rows"] = [
    [kind === "heater" ? "energy" : "rate", `${units(Math.abs(spring.rate))} units a tick`],
    ...Object.entries(tracer ?? {}).map(([name, amount]): [string, string] => [name, `${units(amount)} in ${units(FULL)} units of its water`]),
    ...(temperature === undefined ? [] : [["its water", degreesText(temperature / DEGREE)] as [string, string]]),
  ];
  const name = kind === "spring" ? "Spring" : kind === "drain" ? "Drain" : spring.rate > 0 ? "Heater" : "Cooler";
  const title = `${name} at ${placeText(known, at)}`;
  if (known.isFar) return { title, rows, why: ["What becomes of it is up to its cell: come nearer to see that."], measures: [] };
  const cell = known.mirror.cell(at.x, at.y, at.z);
  const held = Math.max(0, cell);
  rows.push(["cell", cell > 0 ? `${units(cell)} units of water` : materialName(cell)]);
  const why: string[] = [];
  if (kind === "heater") why.push(whyHeater(known.mirror, at, spring.rate > 0 ? "warm" : "cool", cell));
  else if (cell === ROCK) why.push("Its cell is rock: nothing passes until it is dug out.");
  else if (kind === "drain" && held === 0) why.push("Its cell is dry: there is nothing to take.");
  else if (kind === "drain") why.push("It takes what is in its cell, up to its rate; that water leaves the world.");
  else if (held >= FULL) why.push("Its cell is full: how much still comes is up to the water around it.");
  else why.push("It brings new water into its cell in every tick.");
  return { title, rows, why, measures: [{ name: "in its cell", value: held, unit: "units" }] };
}
