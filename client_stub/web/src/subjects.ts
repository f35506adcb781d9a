// What can be asked about, and what is known to answer from. facts.ts has the answers.
import type { Activity } from "./activity";
import type { Fixtures, Spring } from "./fixtures";
import type { Vec3 } from "./geometry";
import type { Layers } from "./layers";
import type { Mirror } from "./mirror";
import type { NodeView, PortView } from "./pipe_mirror";

/** What can be asked about. Pipes by name: they may come and go. */
export type Subject =
  | { kind: "cell" | "column" | "chunk"; at: Vec3 }
  | { kind: "spring" | "drain" | "heater"; at: Vec3 }
  | { kind: "node"; name: string }
  | { kind: "port"; name: string; at: Vec3 };

/** What is known of a world. */
export interface Known {
  mirror: Mirror;
  fixtures: Fixtures;
  activity: Activity;
  /** Null: one looks down, and y is not what is up. */
  slice: number | null;
  /** Whether what stands at one depth is seen where another one is pointed at. */
  sees(z: number, at: number): boolean;
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

/** The same in a picture that is turned otherwise. */
export function turnedSubject(subject: Subject, turn: (at: Vec3) => Vec3): Subject {
  return subject.kind === "node" ? subject : { ...subject, at: turn(subject.at) };
}

/** Whether it is what one sees there: in the cell, or from above farther down. */
export function isUnder({ sees }: Known, place: Vec3, at: Vec3): boolean {
  return place.x === at.x && place.y === at.y && sees(place.z, at.z);
}

/** From above one stands over the other. */
export function uppermost<T>(list: T[], placeOf: (each: T) => Vec3): T | null {
  return list.reduce<T | null>((best, each) => (best && placeOf(best).z >= placeOf(each).z ? best : each), null);
}

export function fixtureAt(known: Known, at: Vec3): Subject | null {
  const { sources, drains, heaters } = known.fixtures;
  const look = (kind: "spring" | "drain" | "heater", list: Spring[]): Subject | null => {
    const found = uppermost(list.filter((spring) => isUnder(known, spring.at, at)), (spring) => spring.at);
    return found && { kind, at: found.at };
  };
  return look("spring", sources) ?? look("drain", drains) ?? look("heater", heaters);
}
