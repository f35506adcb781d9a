// The panel of Pour: what the water that is poured holds. Only worlds with tracers or heat have anything to choose.
import type { Site } from "./late_placer";
import { Mixture, mixtureToFill } from "./mixture";
import { poursToFill } from "./pouring";

export class PourPanel {
  private readonly panel = document.createElement("section");
  private readonly mixture = new Mixture(() => this.choose());
  private site: Site | null = null;

  constructor() {
    this.panel.id = "pour-panel";
    this.panel.hidden = true;
    this.panel.setAttribute("aria-label", "What is poured");
    const title = document.createElement("h2");
    title.textContent = "Pour";
    const form = document.createElement("form");
    form.className = "options";
    form.autocomplete = "off";
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(...this.mixture.rows);
    const text = document.createElement("p");
    text.className = "about";
    text.textContent = "Undo takes the water of the stroke away, with what it holds. What a cell held before comes back as clear water.";
    this.panel.append(title, form, text);
    document.getElementById("side")!.prepend(this.panel);
  }

  /** `pours`: whether Pour is in the hand. */
  show(pours: boolean, site: Site | null): void {
    this.site = site;
    const hasChoice = site !== null && this.mixture.offer(site.layers(), site.fixtures().heat);
    this.panel.hidden = !pours || !hasChoice;
    this.choose();
  }

  /** From the next stroke on. */
  private choose(): void {
    const { holds } = this.mixture;
    if (this.site) this.site.brush.pours = holds ? mixtureToFill(holds) : poursToFill;
  }
}
