// All worlds of the server side by side, each as it is just now: a small mirror and painter a card, over a
// connection of its own while the card is to be seen.
import { Camera } from "./camera";
import { CanvasPicture } from "./canvas_picture";
import { Connection } from "./connection";
import type { Box, Vec3 } from "./geometry";
import { Mirror } from "./mirror";
import { Painter } from "./painter";
import type { WorldEntry } from "./panel";

/** Milliseconds between two pictures of a card. */
const INTERVAL = 400;
/** Cells that a card asks for: of a larger world it shows the middle. */
export const MOST_CELLS = 1 << 20;

/** The middle slice, or as much of its middle as a card shows. */
export function boxOfCard(size: Vec3): Box {
  const share = Math.min(1, Math.sqrt(MOST_CELLS / (size.x * size.y)));
  const [x, y] = [Math.max(1, Math.floor(size.x * share)), Math.max(1, Math.floor(size.y * share))];
  const z = Math.floor((size.z - 1) / 2);
  return { from: { x: Math.floor((size.x - x) / 2), y: Math.floor((size.y - y) / 2), z }, size: { x, y, z: 1 } };
}

function urlOf(world: string): string {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/worlds/${encodeURIComponent(world)}`;
}

/** One world's picture. */
class Card {
  readonly button = document.createElement("button");
  private readonly canvas = document.createElement("canvas");
  private readonly facts = document.createElement("span");
  private readonly camera = new Camera();
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private readonly picture = new CanvasPicture(this.context);
  private connection: Connection | null = null;
  private mirror: Mirror | null = null;
  private painter: Painter | null = null;
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
      welcome: (message) => {
        this.mirror = new Mirror(message);
        const { size, water } = message;
        const box = boxOfCard(size);
        this.painter = new Painter(this.mirror, box.from.z, true);
        this.facts.textContent = `${size.x} × ${size.y}${size.z === 1 ? "" : ` × ${size.z}`} · ${water}`;
        this.connection!.setView(box);
        this.stale = true;
      },
      tick: (message) => {
        if (!this.mirror) return;
        const { changed, resyncs } = this.mirror.apply(message);
        this.painter!.ticked(changed, performance.now());
        for (const coord of resyncs) this.connection!.resync(coord);
        if (changed.length > 0) this.stale = true;
      },
      result: () => undefined,
      silent: () => undefined,
    });
  }

  /** The picture stays as it is. */
  stop(): void {
    this.connection?.stop();
    this.connection = this.mirror = this.painter = null;
  }

  /** If anything is other than it was painted last. */
  paint(): void {
    const { mirror, painter, camera, canvas } = this;
    if (!mirror || !painter || !this.stale) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (width === 0 || height === 0) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const { from, size } = boxOfCard(mirror.size);
    camera.resize(canvas.clientWidth, canvas.clientHeight, null);
    camera.fit(size);
    camera.centre(from.x + size.x / 2, from.y + size.y / 2, mirror.size);
    this.stale = painter.paint(this.picture, width, height, camera, performance.now());
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
