// Springs, drains and heaters that somebody put into the world or took away, so that it can be taken back.
import type { Command, Place } from "@commands";
import type { Fixtures, Spring } from "./fixtures";
import type { Edit, Reversal } from "./history";
import { cellText } from "./pipe_mirror";

export interface Standing extends Spring {
  kind: "spring" | "drain" | "heater";
}

/** What puts it there. */
export function placement({ kind, at: { x, y, z }, rate, head, temperature, tracer }: Standing): Command {
  const at: Place = [x, y, z];
  if (kind === "drain") return { cmd: "add_drain", at, rate };
  if (kind === "heater") return { cmd: "add_heater", at, rate };
  const upTo = head === undefined ? {} : { head };
  if (tracer !== undefined) {
    return { cmd: "add_source", at, rate, tracer, ...(temperature === undefined ? {} : { temperature }), ...upTo };
  }
  if (temperature !== undefined) return { cmd: "add_source", at, rate, temperature, ...upTo };
  return head === undefined ? { cmd: "add_source", at, rate } : { cmd: "add_source", at, rate, head };
}

/** What takes it away. */
export function removal({ kind, at: { x, y, z } }: Standing): Command {
  const at: Place = [x, y, z];
  return kind === "spring" ? { cmd: "remove_source", at }
    : kind === "drain" ? { cmd: "remove_drain", at } : { cmd: "remove_heater", at };
}

export class FixtureEdit implements Edit {
  /** What came, or went; as the server says so, one after the other. */
  readonly standing: Standing[] = [];
  settled: Promise<void> | null = null;
  private unanswered = 0;
  private settle: () => void = () => undefined;

  /** `fixtures`: what stands in the world, as far as is known. */
  constructor(private readonly adds: boolean, private readonly fixtures: () => Fixtures) {}

  get isEmpty(): boolean {
    return this.standing.length === 0 && this.settled === null;
  }

  /** Another part of it is on its way to the server. */
  sent(): void {
    ++this.unanswered;
    this.settled ??= new Promise((resolve) => (this.settle = resolve));
  }

  /** `standing`: what came of that part; null: nothing. */
  answered(standing: Standing | null): void {
    if (standing) this.standing.push(standing);
    if (--this.unanswered > 0) return;
    this.settled = null;
    this.settle();
  }

  /** What somebody else put in its place stays. Whether it is still there the server knows best, and says so. */
  reverse(): Reversal {
    const own = this.standing.filter((one) => !this.isOthers(one));
    return { commands: own.map(this.adds ? removal : placement), conflicts: this.standing.length - own.length };
  }

  repeat(): { commands: Command[]; edit: Edit } {
    const edit = new FixtureEdit(this.adds, this.fixtures);
    edit.standing.push(...this.standing);
    return { commands: this.standing.map(this.adds ? placement : removal), edit };
  }

  private isOthers({ kind, at, rate }: Standing): boolean {
    const { sources, drains, heaters } = this.fixtures();
    const list = kind === "spring" ? sources : kind === "drain" ? drains : heaters;
    const there = list.find((each) => cellText(each.at) === cellText(at));
    return there !== undefined && this.adds && there.rate !== rate;
  }
}
