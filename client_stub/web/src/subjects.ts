// What can be asked about, and what is known to answer from. facts.ts has the answers.
import type { Activity } from "./activity";
import type { Fixtures, Spring } from "./fixtures";
import type { Vec3 } from "./geometry";
import type { Layers } from "./layers";
import type { Mirror } from "./mirror";
import { cellText, type NodeView, type PortView } from "./pipe_mirror";

/** What can be asked about. Pipes by name: they may come and go. */
export type Subject =
  | { kind: "cell" | "column" | "chunk"; at: Vec3 }
  | { kind: "spring" | "drain"; at: Vec3 }
  | { kind: "node"; name: string }
  | { kind: "port"; name: string; at: Vec3 };

/** What is known of a world. */
export interface Known {
  mirror: Mirror;
  fixtures: Fixtures;
  activity: Activity;
  /** Null: one looks down, and y is not what is up. */
  slice: number | null;
  /** Whether the world is seen from afar: pipes, springs and drains are known, and no cells. */
  isFar: boolean;
  /** Null: the world has none, or they are not there yet. */
  layers: Layers | null;
  /** Of the water in a cell of the slice, in cells over the world's floor; null: none at rest. */
  headAt(x: number, y: number): number | null;
  now: number;
}

/** The subject that a node's or a port's picture stands for. */
export function subjectOf(view: NodeView | PortView): Subject {
  return "port" in view ? { kind: "port", name: view.owner.node.name, at: view.port.cell }
                        : { kind: "node", name: view.node.name };
}

export function fixtureAt(fixtures: Fixtures, at: Vec3): Subject | null {
  const here = (spring: Spring) => cellText(spring.at) === cellText(at);
  if (fixtures.sources.some(here)) return { kind: "spring", at };
  return fixtures.drains.some(here) ? { kind: "drain", at } : null;
}
