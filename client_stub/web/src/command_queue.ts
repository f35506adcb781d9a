// The commands of a page that wait to be sent: one queue for whatever makes any, so that they arrive in the
// order in which they were made.
//
//   brush, pipes, undo ──► queue ──(answers, pace)──► connection
//
// So many may wait for their answers, and so many are sent a second: the server takes 2,000 of a client.
import type { Command } from "@commands";
import type { Operation } from "./operators";
import type { PlaybackCommand } from "./playback";

export const MOST_UNANSWERED = 256;
export const MOST_QUEUED = 32768;
/** Sent in one go after a rest, and from then on in a second. */
const BURST = 512;
const PER_SECOND = 1200;
/** How often what waits for its pace is looked at, in milliseconds. */
const LOOK_INTERVAL = 50;

export interface CommandLine {
  readonly ready: boolean;
  /** The number that its result will carry, or 0 when there is no connection. */
  command(command: Command | Operation | PlaybackCommand): number;
}

interface Waiting {
  command: Command | Operation | PlaybackCommand;
  /** On whose behalf: who may think better of it. */
  by: object;
  /** It was answered, or is lost; whether it is known to have been applied. */
  done?: (applied: boolean) => void;
}

export class CommandQueue {
  private waiting: Waiting[] = [];
  private readonly unanswered = new Map<number, Waiting>();
  /** The last tick in which one of them applied. */
  private lastApplied = -1;
  private tokens = BURST;
  private lastRefill: number;
  private timer: unknown = null;

  /** The clock and the timer are the browser's, but in tests. */
  constructor(
    private readonly line: CommandLine, private readonly warn: (text: string) => void,
    private readonly now: () => number = () => performance.now(),
    private readonly later: (act: () => void) => unknown = (act) => setTimeout(act, LOOK_INTERVAL),
  ) {
    this.lastRefill = now();
  }

  get ready(): boolean {
    return this.line.ready;
  }

  /** How many more it takes. */
  get room(): number {
    return MOST_QUEUED - this.waiting.length;
  }

  /** Nothing waits to be sent. */
  get sentAll(): boolean {
    return this.waiting.length === 0;
  }

  /** Nothing waits to be sent or answered. */
  get idle(): boolean {
    return this.sentAll && this.unanswered.size === 0;
  }

  /** Whether a mirror at that tick shows all that was sent. */
  isSeenAt(tick: number): boolean {
    return this.idle && tick >= this.lastApplied;
  }

  /** False: there is no connection. */
  send(command: Command | Operation | PlaybackCommand, by: object, done?: (applied: boolean) => void): boolean {
    if (!this.line.ready) return false;
    this.waiting.push({ command, by, done });
    this.flush();
    return true;
  }

  /** `tick`: in which it applied. */
  answered(seq: number, applied = true, tick = -1): void {
    this.lastApplied = Math.max(this.lastApplied, tick);
    const sent = this.unanswered.get(seq);
    this.unanswered.delete(seq);
    sent?.done?.(applied);
    this.flush();
  }

  /** What it has not sent yet never will be. */
  forgetUnsent(by: object): void {
    const unsent = this.waiting.filter((each) => each.by === by);
    this.waiting = this.waiting.filter((each) => each.by !== by);
    for (const { done } of unsent) done?.(false);
  }

  /** The connection is lost, or a new one: what was sent on the old one is asked for on the next (recovery.ts). */
  reset(): void {
    const unsent = this.waiting;
    const unknown = [...this.unanswered.values()];
    this.waiting = [];
    this.lastApplied = -1; // a world that goes on from a crash may be at an earlier tick
    this.unanswered.clear();
    for (const { done } of [...unsent, ...unknown]) done?.(false);
    const parts: string[] = [];
    if (unsent.length > 0) parts.push(`${edits(unsent.length)} not sent`);
    const whose = unknown.length === 1 ? "its" : "their";
    if (unknown.length > 0) parts.push(`${edits(unknown.length)} on ${whose} way; the server will be asked`);
    if (parts.length > 0) this.warn(`The connection was lost: ${parts.join(", ")}`);
  }

  private flush(): void {
    const now = this.now();
    this.tokens = Math.min(BURST, this.tokens + ((now - this.lastRefill) * PER_SECOND) / 1000);
    this.lastRefill = now;
    let sent = 0;
    while (sent < this.waiting.length && this.unanswered.size < MOST_UNANSWERED && this.tokens >= 1) {
      const next = this.waiting[sent]!;
      const seq = this.line.command(next.command);
      if (seq === 0) break;
      this.unanswered.set(seq, next);
      this.tokens -= 1;
      ++sent;
    }
    this.waiting.splice(0, sent);
    if (this.waiting.length === 0) return;
    if (!this.line.ready) return this.reset();
    // Answers look at the queue, too; this is for when none is on its way.
    if (this.tokens < 1) this.timer ??= this.later(() => { this.timer = null; this.flush(); });
  }
}

function edits(count: number): string {
  return count === 1 ? "one edit was" : `${count} edits were`;
}
