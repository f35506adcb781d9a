// The messages of people as plain data, for the part that shows them.
import { ClientBody } from "@wire/client-body";
import { ClientVec3 } from "@wire/client-vec3";
import { People } from "@wire/people";
import { Pointer } from "@wire/pointer";
import type { Vec3 as WireVec3 } from "@wire/vec3";
import type { Vec3 } from "./geometry";
import { envelope, type PeopleMessage } from "./messages";

/** As protocol/limits.h has it. */
export const MOST_PEOPLE = 64;
export const LONGEST_NAME = 64;

export interface Person {
  number: number;
  name: string;
  /** An account: the name is its own. */
  known: boolean;
  at: Vec3;
  /** False: `at` is the middle of what is looked at. */
  pointing: boolean;
  /** What it sees: the lowest and the highest corner; null: it does not tell. */
  sees: Sight | null;
}

/** Two opposite corners of cells, both included. */
export interface Sight {
  from: Vec3;
  to: Vec3;
}

/** What may be said as a name: printable ASCII, not too much of it. */
export function nameOf(text: string): string {
  return text.replace(/[^ -~]/g, "").trim().slice(0, LONGEST_NAME);
}

export function encodePointer(at: Vec3, pointing: boolean, name: string, { from, to }: Sight): Uint8Array {
  return envelope(ClientBody.Pointer, (builder) => {
    const text = builder.createString(nameOf(name));
    Pointer.startPointer(builder);
    Pointer.addAt(builder, ClientVec3.createClientVec3(builder, at.x, at.y, at.z));
    Pointer.addPointing(builder, pointing);
    Pointer.addName(builder, text);
    Pointer.addSeesFrom(builder, ClientVec3.createClientVec3(builder, from.x, from.y, from.z));
    Pointer.addSeesTo(builder, ClientVec3.createClientVec3(builder, to.x, to.y, to.z));
    return Pointer.endPointer(builder);
  });
}

/** Throws when there are more than there may be. */
export function readPeople({ message }: PeopleMessage): Person[] {
  const people = message.body(new People()) as People;
  const count = people.peopleLength();
  if (count > MOST_PEOPLE) throw new Error(`the server tells of ${count} people`);
  return Array.from({ length: count }, (_, i) => {
    const person = people.people(i)!;
    const [from, to] = [placeOf(person.seesFrom()), placeOf(person.seesTo())];
    return { number: Number(person.number()), name: nameOf(person.name() ?? ""), known: person.known(),
      at: placeOf(person.at()) ?? { x: 0, y: 0, z: 0 }, pointing: person.pointing(), sees: from && to ? { from, to } : null };
  });
}

function placeOf(at: WireVec3 | null): Vec3 | null {
  return at ? { x: at.x(), y: at.y(), z: at.z() } : null;
}
