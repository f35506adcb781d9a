// Everything on the page around the picture.
import { ZOOM_STEP } from "./camera";
import type { ConnectionState } from "./connection";
import { FULL } from "./mirror";
import type { NoticeText } from "./notice";
import type { Shape } from "./shapes";
import type { Sight, SightName } from "./sight";
import { Standing } from "./standing";
import type { WelcomeMessage } from "./messages";
import type { Tool } from "./tools";

export interface WorldEntry {
  name: string;
  /** A recording, which is not to be changed. */
  replay?: boolean;
  /** Not for us. */
  locked?: boolean;
  size?: [number, number, number];
  /** What was can be looked at while it lives. */
  look_back?: boolean;
}

export interface PanelEvents {
  tool(tool: Tool): void;
  size(size: number): void;
  shape(shape: Shape, round?: boolean): void;
  undo(): void;
  redo(): void;
  slice(z: number): void;
  sight(name: SightName): void;
  fit(): void;
  /** By this factor, about the picture's middle. */
  zoom(factor: number): void;
  world(name: string): void;
  /** Connect now, and not when it is due. */
  retry(): void;
  screenshot(): void;
  film(): void;
  copyLink(): void;
}

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Also of a page that has no connection. */
export type PageState = ConnectionState | "locked";

const STATE_TEXT: Record<PageState, string> = {
  connecting: "connecting …",
  ready: "",
  waiting: "connection lost, trying again",
  stopped: "not connected",
  locked: "", // the card in the middle of the picture says it
};

export class Panel {
  private readonly dot = element("dot");
  private readonly state = element("state");
  private readonly select = element<HTMLSelectElement>("world");
  private readonly name = element("name");
  private readonly sizeInput = element<HTMLInputElement>("size");
  private readonly sliceInput = element<HTMLInputElement>("slice");
  private readonly shape = element<HTMLSelectElement>("shape");
  private readonly toast = element("toast");
  private toastTimer: number | undefined;
  private readonly standing: Standing;
  /** Whether a world is, or was, to be seen. */
  private pictured = false;
  private why: string | null = null;
  private owned: string | null = null;
  private slow = "";
  /** Along which slices are chosen. */
  private axis = "z";

  constructor(events: PanelEvents) {
    this.standing = new Standing(() => events.retry(), (text) => this.tell(text));
    element("screenshot").addEventListener("click", () => events.screenshot());
    element("record").addEventListener("click", () => events.film());
    element("copy-link").addEventListener("click", () => events.copyLink());
    for (const button of document.querySelectorAll<HTMLButtonElement>("[data-tool]")) {
      button.addEventListener("click", () => events.tool(button.dataset["tool"] as Tool));
    }
    this.sizeInput.addEventListener("input", () => events.size(Number(this.sizeInput.value)));
    this.sliceInput.addEventListener("input", () => events.slice(Number(this.sliceInput.value)));
    element("sight").addEventListener("change", (event) => {
      const select = event.target as HTMLSelectElement;
      select.blur();
      events.sight(select.value as SightName);
    });
    this.select.addEventListener("change", () => {
      this.select.blur(); // keys are for the world that was chosen
      events.world(this.select.value);
    });
    // A slider that was dragged is done with; one that is moved by keys keeps them.
    for (const input of [this.sizeInput, this.sliceInput]) {
      input.addEventListener("pointerup", () => input.blur());
    }
    this.shape.addEventListener("change", () => {
      this.shape.blur();
      const round = this.shape.value === "round";
      // Of the brushes one is chosen; another shape keeps the brush that there was.
      if (round || this.shape.value === "brush") events.shape("brush", round);
      else events.shape(this.shape.value as Shape);
    });
    element("skip").addEventListener("click", () => element("view").focus());
    element("undo").addEventListener("click", () => events.undo());
    element("redo").addEventListener("click", () => events.redo());
    element("fit").addEventListener("click", () => events.fit());
    element("zoom-in").addEventListener("click", () => events.zoom(ZOOM_STEP));
    element("zoom-out").addEventListener("click", () => events.zoom(1 / ZOOM_STEP));
  }

  /** Null: a tool of another panel is in use. */
  showTool(tool: Tool | null, size: number): void {
    for (const button of document.querySelectorAll<HTMLButtonElement>("[data-tool]")) {
      const active = button.dataset["tool"] === tool;
      button.classList.toggle("active", active);
      button.setAttribute("aria-pressed", String(active));
    }
    this.sizeInput.value = String(size);
    element("size-value").textContent = String(size);
    element("view").classList.toggle("brush", tool !== "pan" && tool !== "inspect");
    element("view").classList.toggle("inspect", tool === "inspect");
    document.getElementById("tl-inspect")?.classList.toggle("active", tool === "inspect"); // of a recording
  }

  /** No world is shown: nothing of the one before stays. */
  showNone(text: NoticeText | null): void {
    this.pictured = false;
    document.body.classList.remove("stale");
    if (text) this.standing.card.show(text);
    for (const id of ["facts", "hover"]) element(id).textContent = "";
    for (const id of ["tick", "rate", "water", "in-pipes", "bytes", "zoom"]) element(id).textContent = "–";
    for (const id of ["slice-panel", "minimap", "pipe-tip"]) element(id).hidden = true;
    this.showRights("there is no world to build in");
    element("rights").hidden = true;
  }

  /** `why` nothing can be built; null: all tools can be used. */
  showRights(why: string | null): void {
    const editing = "[data-tool]:not([data-tool=pan]):not([data-tool=inspect]):not([data-tool=copy]), [data-pipe], #size, #shape, #undo, #redo";
    for (const control of document.querySelectorAll<HTMLButtonElement>(editing)) {
      control.disabled = why !== null;
      const held = (control.dataset["title"] ??= control.title);
      control.title = why ?? held;
    }
    document.body.classList.toggle("watching", why !== null);
    this.why = why;
    this.showOwned(this.owned);
  }

  /** What one owns of what one may, where there is a bound. */
  showOwned(owned: string | null): void {
    this.owned = owned;
    const [rights, text] = [element("rights"), this.why ?? owned ?? ""];
    rights.hidden = text === "";
    rights.textContent = text.charAt(0).toUpperCase() + text.slice(1);
  }

  showShape(shape: Shape, round: boolean): void {
    this.shape.value = shape === "brush" && round ? "round" : shape;
  }

  showWorlds(worlds: WorldEntry[], chosen: string): void {
    this.select.replaceChildren(
      ...worlds.map((world) => new Option(world.locked ? `${world.name} (locked)` : world.name, world.name, false, world.name === chosen)));
    this.select.hidden = element("gallery-open").hidden = worlds.length < 2;
    this.name.classList.toggle("unseen", worlds.length >= 2); // every page has a heading
    element("view").setAttribute("aria-label", `The world ${chosen}`);
    this.name.textContent = chosen;
    document.title = `${chosen} – Sluice`;
  }

  /** The recordings' files. */
  showReplay(files: string[]): void {
    this.select.hidden = element("gallery-open").hidden = true;
    this.name.classList.remove("unseen");
    this.name.textContent = files.join(" | ");
    document.title = `${files.join(" | ")} – Sluice`;
  }

  /** `size`: of the world, however it is turned. */
  showWelcome(welcome: WelcomeMessage, slice: number, { x, y, z } = welcome.size, sight: Sight | null = null): void {
    this.pictured = true;
    this.axis = sight?.axis ?? "z";
    element<HTMLSelectElement>("sight").value = sight?.name ?? "front";
    const size = z === 1 ? `${x} × ${y}` : `${x} × ${y} × ${z}`;
    element("facts").textContent = `${size} · ${welcome.water}`;
    element("slice-panel").hidden = z === 1;
    this.sliceInput.max = String(welcome.size.z - 1);
    this.showSlice(slice);
  }

  showSlice(z: number): void {
    this.sliceInput.value = String(z);
    element("slice-value").textContent = `${this.axis} ${z}`;
  }

  showState(state: PageState, detail: string): void {
    this.dot.className = state;
    document.body.dataset["state"] = state;
    this.slow = "";
    this.state.textContent = STATE_TEXT[state] + (detail && state === "waiting" ? ` (${detail})` : "");
    if (state !== "locked") this.standing.show(state, detail, this.pictured);
  }

  /** Why the picture does not keep pace; empty: it does. */
  showSlow(why: string): void {
    if (why === this.slow || document.body.dataset["state"] !== "ready") return;
    this.slow = why;
    this.dot.classList.toggle("slow", why !== "");
    this.state.textContent = why;
  }

  showNumbers(
    tick: number, rate: number, water: number, pipes: number, bytesPerSecond: number,
  ): void {
    element("tick").textContent = tick.toLocaleString("en");
    element("rate").textContent = `${rate.toFixed(1)}/s`;
    const cells = (units: number) =>
      (units / FULL).toLocaleString("en", { maximumFractionDigits: 1 });
    element("water").textContent = cells(water);
    element("in-pipes").textContent = cells(pipes);
    element("bytes").textContent = bytesText(bytesPerSecond);
  }

  showZoom(scale: number): void {
    element("zoom").textContent = scale >= 1 ? `${scale.toFixed(scale < 10 ? 1 : 0)}×`
                                             : `1:${(1 / scale).toFixed(1)}`;
  }

  showHover(text: string): void {
    element("hover").textContent = text;
  }

  /** For those who listen. The same words twice are said twice. */
  announce(text: string): void {
    const live = element("live");
    live.textContent = live.textContent === text ? `${text}\u00a0` : text;
  }

  /** What went well. */
  tell(text: string): void {
    this.warn(text);
    this.toast.classList.add("calm");
  }

  warn(text: string): void {
    this.toast.classList.remove("calm");
    this.toast.textContent = text;
    this.toast.classList.add("shown");
    window.clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => this.toast.classList.remove("shown"), 3500);
  }
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B/s`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB/s`;
  return `${(bytes / 1e6).toFixed(2)} MB/s`;
}
