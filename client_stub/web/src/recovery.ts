// Commands that were on their way when the connection was lost: kept over connections, asked for on the
// next one, and told of when the server has answered for each.
import type { ResultMessage, Resume } from "./messages";

/** Kinds of a result, as the protocol's document has them. */
const UNKNOWN = 2;
const NEVER_CAME = 3;
/** The most numbers that one question may name. */
const MOST_ASKED = 512;

/** What came of those that were on their way. */
export interface Recovered {
  made: number;
  refused: number;
  /** They never came, and are not made. */
  lost: number;
  /** Nobody knows. */
  unknown: number;
}

export class Recovery {
  /** Nobody else can guess it; it lives as long as the page. */
  private readonly token = crypto.getRandomValues(new Uint8Array(16));
  private lastSeq = 0;
  private sinceTick: number | null = null;
  private readonly unanswered = new Set<number>();
  private asked = new Set<number>();
  private found: Recovered = nothing();

  get resume(): Resume {
    return { token: this.token, lastSeq: this.lastSeq, sinceTick: this.sinceTick ?? 0 };
  }

  /** The number of the next command, which is being sent. */
  next(): number {
    this.unanswered.add(++this.lastSeq);
    return this.lastSeq;
  }

  /** A connection stands. Returns what is to be asked for. */
  welcomed(tick: number, resultsKept: number): number[] {
    this.sinceTick ??= tick;
    const seqs = [...this.unanswered];
    const asked = resultsKept > 0 ? seqs.slice(0, MOST_ASKED) : [];
    this.asked = new Set(asked);
    this.found = nothing();
    this.found.unknown = seqs.length - asked.length;
    for (const seq of seqs.slice(asked.length)) this.unanswered.delete(seq);
    return asked;
  }

  /** Whether the result is one that was asked for, and so is told of with the others. */
  answered(result: ResultMessage): boolean {
    this.unanswered.delete(result.seq);
    if (!this.asked.delete(result.seq)) return false;
    if (result.told === NEVER_CAME) ++this.found.lost;
    else if (result.told === UNKNOWN) ++this.found.unknown;
    else if (result.applied) ++this.found.made;
    else ++this.found.refused;
    return true;
  }

  /** Once all that was asked for is answered, if there was anything. */
  take(): Recovered | null {
    const { made, refused, lost, unknown } = this.found;
    if (this.asked.size > 0 || made + refused + lost + unknown === 0) return null;
    const found = this.found;
    this.found = nothing();
    return found;
  }
}

function nothing(): Recovered {
  return { made: 0, refused: 0, lost: 0, unknown: 0 };
}

/** For people. */
export function recoveredText({ made, refused, lost, unknown }: Recovered): string {
  const parts: string[] = [];
  const were = (count: number, what: string) => {
    if (count > 0) parts.push(`${count} ${count === 1 ? "was" : "were"} ${what}`);
  };
  were(made, "made");
  were(refused, "refused");
  were(lost, "lost on the way and not made");
  were(unknown, "made or not: the server does not know any more");
  const all = made + refused + lost + unknown;
  return `Back. Of ${all === 1 ? "the edit that was" : `the ${all} edits that were`} on ${all === 1 ? "its" : "their"} way, ${parts.join(", ")}`;
}
