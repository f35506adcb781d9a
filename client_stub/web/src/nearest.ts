// Which of what stands in a world is meant, where it is pointed at beside its cell: from afar, in perspective.
import type { Vec3 } from "./geometry";
import { subjectOf, type Known, type Subject } from "./subjects";

/** The nearest pipe, port, spring, drain or heater by the caller's measure, and its place; null: none is nearer than `reach`. */
export function nearestStanding(
  { mirror, fixtures }: Pick<Known, "mirror" | "fixtures">, reach: number, distanceTo: (at: Vec3) => number,
): { subject: Subject; at: Vec3 } | null {
  const { nodes, ports } = mirror.pipes.networks;
  let found: { subject: Subject; at: Vec3 } | null = null;
  let nearest = reach;
  const look = (at: Vec3 | null, subject: () => Subject) => {
    const distance = at ? distanceTo(at) : Infinity;
    if (distance < nearest) [found, nearest] = [{ subject: subject(), at: at! }, distance];
  };
  for (const view of nodes) look(view.node.at, () => subjectOf(view));
  for (const view of ports) look(view.port.cell, () => subjectOf(view));
  for (const { at } of fixtures.sources) look(at, () => ({ kind: "spring", at }));
  for (const { at } of fixtures.drains) look(at, () => ({ kind: "drain", at }));
  for (const { at } of fixtures.heaters) look(at, () => ({ kind: "heater", at }));
  return found;
}
