// Parts of the page that are fetched when they are first wanted, so that water is seen before them.

/** Milliseconds after which a fetch that failed is tried again. */
const PATIENCE = 3000;

let tell: (text: string) => void = () => undefined;

/** Who is told of parts that did not come. */
export function tellOfMissing(teller: (text: string) => void): void {
  tell = teller;
}

/** Says that a part did not come, and what to do about it: a server that was updated since the page was
 *  opened has the page's parts no longer. */
export async function missing(what: string): Promise<void> {
  const own = [...document.querySelectorAll<HTMLLinkElement>("link[rel=modulepreload]")].map((link) => link.getAttribute("href")!);
  let why = "Reload the page.";
  try {
    const page = await (await fetch("/", { cache: "no-store" })).text();
    if (own.some((path) => !page.includes(path))) why = "The server was updated: reload the page.";
  } catch {
    why = "The server does not answer.";
  }
  tell(`${what} could not be fetched. ${why}`);
}

let style: Promise<void> | null = null;

/** The looks of the parts that come late: fetched with the first of them. */
export function lateStyle(): Promise<void> {
  style ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = "/late.css";
    link.onload = () => resolve();
    link.onerror = () => {
      style = null; // it is tried again
      link.remove();
      reject(new Error("late.css did not come"));
    };
    document.head.append(link);
  });
  return style;
}

export class Late<T> {
  /** Null: it is not there yet. */
  part: T | null = null;
  private fetching = false;
  private due = 0;
  private told = false;

  /** `what` it is, for those who are told that it did not come. */
  constructor(private readonly what: string, private readonly fetch: () => Promise<T>, private readonly came: (part: T) => void) {}

  /** Whether it is on its way. */
  want(): boolean {
    if (this.part || this.fetching || performance.now() < this.due) return !this.part && this.fetching;
    this.fetching = true;
    void Promise.all([this.fetch(), lateStyle()])
      .then(([part]) => this.came((this.part = part)), () => this.failed())
      .finally(() => (this.fetching = false));
    return true;
  }

  private failed(): void {
    this.due = performance.now() + PATIENCE;
    if (!this.told) void missing(this.what);
    this.told = true; // it is wanted again and again
  }
}
