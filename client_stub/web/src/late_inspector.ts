// The inspector, fetched when there is first something to tell of: until then what it is to know is kept.
import type { Inspector } from "./inspector";
import { Late } from "./late";
import { turnedSubject, type Subject } from "./subjects";
import type { ViewerInspector } from "./viewer_parts";

export class LateInspector implements ViewerInspector {
  private readonly late: Late<Inspector>;
  private attached: Parameters<Inspector["attach"]> | null = null;
  private hovered: Parameters<Inspector["hover"]> = [null, null];
  private waiting: Subject[] = [];

  /** `announce`: what came of a pin that had to wait. */
  constructor(announce: (text: string) => void) {
    this.late = new Late("The inspector", async () => new (await import("./inspector")).Inspector(), (inspector) => {
      if (this.attached) inspector.attach(...this.attached);
      for (const subject of this.waiting.splice(0)) announce(inspector.pin(subject));
      inspector.hover(...this.hovered);
    });
  }

  attach(...attached: Parameters<Inspector["attach"]>): void {
    const [world, , real] = attached;
    const before = this.attached;
    this.waiting = world !== before?.[0] ? [] : this.waiting.map((subject) => turnedSubject(subject, (at) => real(before[2](at))));
    this.attached = attached;
    this.late.part?.attach(...attached);
  }

  get pinned(): Subject[] {
    return this.late.part?.pinned ?? this.waiting;
  }

  hover(...what: Parameters<Inspector["hover"]>): void {
    this.hovered = what;
    if (what[0]) this.late.want();
    this.late.part?.hover(...what);
  }

  /** Empty: it is not done yet, and will be told of when it is. */
  pin(subject: Subject): string {
    if (this.late.part) return this.late.part.pin(subject);
    this.waiting.push(subject);
    this.late.want();
    return "";
  }
}
