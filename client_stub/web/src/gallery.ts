// All worlds of the server side by side, each as it is just now: a small mirror and painter a card, over a
// connection of its own while the card is to be seen.
import { Camera } from "./camera";
import { CanvasPicture } from "./canvas_picture";
import { coarseChanges, coarseMirror, levelFor, lookCoarsely, takeCoarse } from "./coarse";
import { Connection } from "./connection";
import type { Box, Vec3 } from "./geometry";
import type { TickMessage, WelcomeMessage } from "./messages";
import type { Mirror } from "./mirror";
import { Painter } from "./painter";
import type { WorldEntry } from "./panel";
import { middleSlice } from "./view_box";

/** Milliseconds between two pictures of a card. */
const INTERVAL = 400;
/** Cells, or coarse cells, that a card asks for: of a world that has more of its coarsest ones it shows the middle. */
export const MOST_CELLS = 1 << 20;

/** What a card shows of a world: the middle slice, or as much of its middle as it may hold at that level of detail. */
export interface Cut {
  level: number;
  box: Box;
}

/** For so many pixels either way, of a server that has so many levels of detail. */
export function cutFor(size: Vec3, pixels: { width: number; height: number }, levels: number): Cut {
  const level = levelFor(Math.min(pixels.width / size.x, pixels.height / size.y), levels, 0);
  const share = Math.min(1, (2 ** level) * Math.sqrt(MOST_CELLS / (size.x * size.y)));
  const [x, y] = [Math.max(1, Math.floor(size.x * share)), Math.max(1, Math.floor(size.y * share))];
  const z = middleSlice(size.z);
  return { level, box: { from: { x: Math.floor((size.x - x) / 2), y: Math.floor((size.y - y) / 2), z }, size: { x, y, z: 1 } } };
}

function urlOf(world: string): string {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/worlds/${encodeURIComponent(world)}`;
}

/** What a card holds while its connection is open. */
interface Held extends Cut {
  welcome: WelcomeMessage;
  mirror: Mirror;
  painter: Painter;
}

/** One world's picture. */
class Card {
  readonly button = document.createElement("button");
  private readonly canvas = document.createElement("canvas");
  private readonly facts = document.createElement("span");
  private readonly camera = new Camera();
  private readonly coarse = new Camera();
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private readonly picture = new CanvasPicture(this.context);
  private connection: Connection | null = null;
  private held: Held | null = null;
  private stale = false;

  constructor(readonly world: WorldEntry, isCurrent: boolean) {
    const name = document.createElement("b");
    name.textContent = world.name;
    this.facts.textContent = world.locked ? "locked: sign in to see it" : "…";
    this.canvas.setAttribute("aria-hidden", "true");
    this.button.type = "button";
    this.button.dataset["world"] = world.name;
    this.button.append(this.canvas, name, this.facts);
    if (isCurrent) this.button.setAttribute("aria-current", "true");
  }

  start(): void {
    if (this.connection || this.world.locked) return;
    this.connection = new Connection(urlOf(this.world.name), {
      state: (state, detail) => {
        if (state === "waiting" || state === "stopped") this.facts.textContent = detail || "no answer";
      },
      welcome: (message) => this.welcomed(message),
      tick: (message) => this.ticked(message),
      result: () => undefined,
      silent: () => undefined,
    });
  }

  /** The picture stays as it is. */
  stop(): void {
    this.connection?.stop();
    this.connection = this.held = null;
  }

  private welcomed(welcome: WelcomeMessage): void {
    const { size, water } = welcome;
    const cut = cutFor(size, this.pixels, welcome.levelsOfDetail);
    const mirror = coarseMirror(welcome, cut.level);
    this.held = { ...cut, welcome, mirror, painter: new Painter(mirror, cut.box.from.z >> cut.level, true) };
    this.facts.textContent = `${size.x} × ${size.y}${size.z === 1 ? "" : ` × ${size.z}`} · ${water}`;
    this.connection!.setView(cut.box, 0, cut.level);
    this.stale = true;
  }

  private ticked(message: TickMessage): void {
    if (!this.held) return;
    const { level, mirror, painter, welcome } = this.held;
    const cells = mirror.apply(message); // none from afar
    for (const coord of cells.resyncs) this.connection!.resync(coord);
    const changed = [...cells.changed];
    for (const told of coarseChanges(message, welcome)) {
      if (told.level !== level) continue;
      const taken = takeCoarse(mirror, told.changes);
      changed.push(...taken.changed);
      for (const coord of taken.resyncs) this.connection!.resync(coord, taken.layer);
    }
    painter.ticked(changed, performance.now());
    if (changed.length > 0) this.stale = true;
  }

  /** Of the screen. */
  private get pixels(): { width: number; height: number; ratio: number } {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    return { width: Math.round(clientWidth * ratio), height: Math.round(clientHeight * ratio), ratio };
  }

  /** If anything is other than it was painted last. */
  paint(): void {
    const { held, camera, coarse, canvas } = this;
    if (!held || !this.stale) return;
    const { width, height, ratio } = this.pixels;
    if (width === 0 || height === 0) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const { from, size } = held.box;
    camera.resize(canvas.clientWidth, canvas.clientHeight, null);
    camera.fit(size);
    camera.scale = Math.min(camera.scale, camera.width / size.x, camera.height / size.y); // fit() ends at a scale that is fit to work in
    camera.centre(from.x + size.x / 2, from.y + size.y / 2, held.welcome.size);
    lookCoarsely(coarse, camera, held.level);
    this.stale = held.painter.paint(this.picture, width, height, coarse, performance.now());
    this.frame(from, size, ratio);
  }

  /** Around the box there is more of a large world, of which nothing is known here: it is not shown as air. */
  private frame(from: Vec3, size: Vec3, ratio: number): void {
    const { camera, context } = this;
    const [left, right] = [camera.screenX(from.x) * ratio, camera.screenX(from.x + size.x) * ratio];
    const [top, bottom] = [camera.screenY(from.y + size.y) * ratio, camera.screenY(from.y) * ratio];
    const { width, height } = context.canvas;
    const outside = new Path2D();
    outside.rect(0, 0, width, height);
    outside.rect(left, top, right - left, bottom - top);
    context.fillStyle = getComputedStyle(this.canvas).backgroundColor;
    context.fill(outside, "evenodd");
  }
}

const MARKUP = `<dialog id="gallery" aria-labelledby="gallery-title">
  <button id="gallery-close" class="close" aria-label="Close">×</button>
  <h2 id="gallery-title">Worlds</h2>
  <ul></ul>
</dialog>`;

/** The dialog, in the page from now on. */
function dialogOfPage(): HTMLDialogElement {
  document.body.insertAdjacentHTML("beforeend", MARKUP);
  return document.getElementById("gallery") as HTMLDialogElement;
}

export class Gallery {
  private readonly dialog = dialogOfPage();
  private readonly list = this.dialog.querySelector("ul")!;
  private cards: Card[] = [];
  private timer: number | undefined;
  private readonly seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = this.cards.find(({ button }) => button === target);
      if (isIntersecting) card?.start();
      else card?.stop();
    }
  });

  constructor(private readonly choose: (world: string) => void) {
    document.getElementById("gallery-close")!.addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => this.clear());
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close(); // beside it
    });
  }

  open(worlds: WorldEntry[], current: string | undefined): void {
    if (this.dialog.open) return;
    this.cards = worlds.map((world) => new Card(world, world.name === current));
    this.list.replaceChildren(...this.cards.map(({ button, world }) => {
      button.addEventListener("click", () => {
        this.dialog.close();
        this.choose(world.name);
      });
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
    this.dialog.showModal();
    (this.cards.find(({ world }) => world.name === current) ?? this.cards[0])?.button.focus();
    for (const { button } of this.cards) this.seen.observe(button);
    this.timer = window.setInterval(() => this.cards.forEach((card) => card.paint()), INTERVAL);
  }

  /** Nothing is asked of the server for cards that nobody sees. */
  private clear(): void {
    window.clearInterval(this.timer);
    this.seen.disconnect();
    for (const card of this.cards) card.stop();
    this.cards = [];
    this.list.replaceChildren();
  }
}
