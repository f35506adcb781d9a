// Parts of the page that are fetched when they are first wanted, so that water is seen before them.

/** Milliseconds after which a fetch that failed is tried again. */
const PATIENCE = 3000;

export class Late<T> {
  /** Null: it is not there yet. */
  part: T | null = null;
  private fetching = false;
  private due = 0;

  constructor(private readonly fetch: () => Promise<T>, private readonly came: (part: T) => void) {}

  want(): void {
    if (this.part || this.fetching || performance.now() < this.due) return;
    this.fetching = true;
    void this.fetch().then((part) => this.came((this.part = part)), () => (this.due = performance.now() + PATIENCE))
      .finally(() => (this.fetching = false));
  }
}
