// The panel of the pipe tools: what they build with, the chosen node, and the nodes without a place.
import { Late } from "./late";
import type { NodeView, PipeMirror } from "./pipe_mirror";
import { addPipePanel } from "./pipe_markup";
import { fluidColour } from "./pipe_painter";
import type { PipeOptions, PipeTool, PipeTools } from "./pipe_tools";
import type { PortKind } from "./pipes";

/** Tiers are only numbers that the form is filled with. */
const TIERS: Record<string, Pick<PipeOptions, "capacity" | "height" | "throughput">> = {
  thin: { capacity: 4096, height: 4096, throughput: 250 },
  standard: { capacity: 20000, height: 10000, throughput: 0 },
  wide: { capacity: 60000, height: 10000, throughput: 0 },
  tank: { capacity: 400000, height: 16384, throughput: 0 },
};
/** Rows of the list; a network may have a million nodes. */
const MAX_ROWS = 200;

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** The panel, in the page from now on. */
function panelOfPage(): HTMLElement {
  addPipePanel();
  return element("pipe-panel");
}

export class PipePanel {
  private readonly panel = panelOfPage();
  private readonly form = element<HTMLFormElement>("pipe-options");
  private readonly card = element("pipe-card");
  private readonly list = element("pipe-list");
  private readonly words = new Late("The words of the pipes' panel", () => import("./pipe_card"), () => this.update());
  private readonly bars = new Map<string, HTMLElement>();
  private tools: PipeTools | null = null;
  private pipes: PipeMirror | null = null;
  private listed = -1;
  private carded = "";

  constructor(private readonly choose: (tool: PipeTool | null) => void) {
    element("pipes-close").addEventListener("click", () => this.toggle());
    for (const button of this.buttons()) {
      button.addEventListener("click", () => this.choose(button.dataset["pipe"] as PipeTool));
    }
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", (event) => {
      if ((event.target as HTMLElement).id === "pipe-tier") this.applyTier();
      this.readForm();
    });
    this.list.addEventListener("click", (event) => {
      const row = (event.target as HTMLElement).closest<HTMLElement>("[data-name]");
      if (row && this.tools) this.tools.chosen = row.dataset["name"]!;
      this.update();
    });
    this.card.addEventListener("click", (event) => {
      const action = (event.target as HTMLElement).closest<HTMLElement>("[data-action]");
      if (action) this.act(action.dataset["action"]!);
    });
    this.applyTier();
    // Who may do what was said before there was a panel.
    for (const button of this.buttons()) button.disabled = document.body.classList.contains("watching");
  }

  /** Another world is shown. */
  attach(tools: PipeTools, pipes: PipeMirror): void {
    this.tools = tools;
    this.pipes = pipes;
    this.listed = -1;
    this.carded = "";
    this.readForm();
  }

  get shown(): boolean {
    return !this.panel.hidden;
  }

  toggle(): void {
    this.panel.hidden = !this.panel.hidden;
    element("pipes-toggle").classList.toggle("active", this.shown);
    if (this.shown) this.words.want();
    else this.choose(null);
    this.update();
  }

  showTool(tool: PipeTool | null): void {
    for (const button of this.buttons()) {
      const active = button.dataset["pipe"] === tool;
      button.classList.toggle("active", active);
      button.setAttribute("aria-pressed", String(active));
    }
    for (const field of this.form.querySelectorAll<HTMLElement>("[data-for]")) {
      field.hidden = tool === null || !field.dataset["for"]!.split(" ").includes(tool);
    }
    if (tool !== null && !this.shown) this.toggle();
  }

  /** Amounts and flows may be others now. */
  update(): void {
    if (!this.pipes || !this.tools) return;
    if (!this.shown) return;
    this.showCard();
    this.showList();
  }

  private buttons(): NodeListOf<HTMLButtonElement> {
    return document.querySelectorAll<HTMLButtonElement>("[data-pipe]");
  }

  private field(name: string): HTMLInputElement {
    return this.form.elements.namedItem(name) as HTMLInputElement;
  }

  private applyTier(): void {
    const tier = TIERS[element<HTMLSelectElement>("pipe-tier").value];
    if (!tier) return;
    this.field("capacity").value = String(tier.capacity);
    this.field("height").value = String(tier.height);
    this.field("throughput").value = String(tier.throughput);
  }

  private readForm(): void {
    if (!this.tools) return;
    const number = (name: string) => Math.round(Number(this.field(name).value) || 0);
    this.tools.options = {
      name: this.field("name").value,
      fluid: this.field("fluid").value.trim() || "water",
      capacity: number("capacity"),
      height: number("height"),
      throughput: number("throughput"),
      base: this.field("base").value.trim() === "" ? null : number("base"),
      rate: number("rate"),
      oneWay: this.field("one_way").checked,
      portKind: this.field("kind").value as PortKind,
    };
  }

  private act(action: string): void {
    const { tools, pipes } = this;
    const view = tools?.chosen ? pipes?.networks.byName.get(tools.chosen) : undefined;
    if (!tools || !view) return;
    const { name } = view.node;
    if (action === "toggle") tools.toggle(view);
    if (action === "rate") tools.send({ cmd: "set_pump", name, rate: tools.options.rate });
    if (action === "upgrade") tools.upgrade(name);
    if (action === "remove") tools.send({ cmd: "remove_pipe", name });
    if (action === "close") tools.chosen = null;
    this.update();
  }

  /** What the card says is fetched when the panel is first opened, and may come after the choice. */
  private showCard(): void {
    const view = this.tools!.chosen ? this.pipes!.networks.byName.get(this.tools!.chosen) : undefined;
    this.card.hidden = !view;
    if (!view) return void (this.carded = "");
    this.words.want(); // unless it is there, as it mostly is by now
    const said = this.words.part?.cardOf(view, this.pipes!, this.tools!.options.rate);
    if (!said || said.key === this.carded) return;
    this.carded = said.key;
    this.card.replaceChildren(...said.elements());
  }

  private showList(): void {
    const placeless = this.pipes!.networks.nodes.filter(({ node }) => node.at === null);
    if (this.listed !== this.pipes!.version) {
      this.listed = this.pipes!.version;
      this.bars.clear();
      this.list.replaceChildren(...placeless.slice(0, MAX_ROWS).map((view) => this.row(view)));
      const more = placeless.length > MAX_ROWS ? ` (the first ${MAX_ROWS} of them)` : "";
      element("pipe-list-title").textContent =
        placeless.length === 0 ? "Every pipe has a place" : `${placeless.length} without a place${more}`;
    }
    for (const view of placeless.slice(0, MAX_ROWS)) {
      const bar = this.bars.get(view.node.name);
      if (bar) bar.style.width = `${view.fill * 100}%`;
    }
  }

  private row(view: NodeView): HTMLElement {
    const item = document.createElement("li");
    const row = document.createElement("button");
    row.dataset["name"] = view.node.name;
    const name = document.createElement("span");
    name.textContent = `${view.node.name} · ${view.node.kind}`;
    const track = document.createElement("i");
    const bar = document.createElement("b");
    bar.style.background = fluidColour(view.node.fluid);
    track.append(bar);
    row.append(name, track);
    item.append(row);
    this.bars.set(view.node.name, bar);
    return item;
  }
}
