// The button of those who run a world, shown to them alone; its panel is fetched when it is first opened.
import { Late } from "./late";
import type { Operated, Operators } from "./operators";

export class LateOperators {
  private readonly late = new Late("The tools of operators",
    async () => new (await import("./operators")).Operators(() => this.toggle()), () => this.refresh());
  private readonly open = document.getElementById("operators-open")!;
  private of: Operated | null = null;
  private wanted = false;

  constructor() {
    this.open.addEventListener("click", () => this.toggle());
  }

  /** Another world, or other rights in it; null: it is not ours to run. */
  attach(of: Operated | null): void {
    this.of = of;
    this.open.hidden = of === null;
    this.refresh();
  }

  /** How the world goes is known anew. */
  update(): void {
    this.late.part?.update();
  }

  private toggle(): void {
    this.wanted = !this.wanted;
    if (this.wanted) this.late.want();
    this.refresh();
  }

  private refresh(): void {
    const shown = this.wanted && this.of !== null;
    this.open.setAttribute("aria-expanded", String(shown));
    this.open.classList.toggle("active", shown);
    this.late.part?.show(shown, this.of);
  }
}
