// One world on the canvas: brings connection, mirror, painter and brush together.
import { Camera } from "./camera";
import { CommandQueue } from "./command_queue";
import { Connection } from "./connection";
import type { Far } from "./far";
import { fetchFixtures, NO_FIXTURES, type Fixtures } from "./fixtures";
import { Frames, PeerWait } from "./frames";
import type { Command } from "@commands";
import { clamp, type Vec3 } from "./geometry";
import { Activity } from "./activity";
import { Hand } from "./hand";
import { KeyCursor } from "./key_cursor";
import { Late } from "./late";
import type { Layers } from "./layers";
import type { Overlay } from "./overlay";
import { isOffered, type Legend, type OverlayName } from "./overlay_kinds";
import type { Place } from "./links";
import { Marks } from "./marks";
import type { Minimap } from "./minimap";
import type { ResultMessage, TickMessage, WelcomeMessage } from "./messages";
import { Mirror } from "./mirror";
import { Numbers } from "./numbers";
import type { Operation } from "./operators";
import { Painter } from "./painter";
import type { People } from "./people";
import { Pointing } from "./pointing";
import { recoveredText } from "./recovery";
import { SentView } from "./sent_view";
import { Screen } from "./screen";
import type { Differences } from "./differences";
import type { PlaybackCommand } from "./playback";
import type { Cell, Sight } from "./sight";
import type { Lies } from "./tools";
import { middleSlice, viewBox } from "./view_box";
import type { ViewerEvents, ViewerInspector, ViewerPanel, ViewerPipePanel } from "./viewer_parts";

/** Views are sent at most this often, in milliseconds. */
const VIEW_INTERVAL = 120;
const NUMBERS_INTERVAL = 1000;
const HOLD_INTERVAL = 120;
/** Below so many pixels of the screen a cell, levels of detail are for (far.ts). */
const FAR = 0.35;
const FIXTURES_INTERVAL = 2000;
/** The server's ten ticks, at its usual rate. */
const FIXTURES_PATIENCE = 500;

/** Of whom looks: nothing is to move by itself. */
const wantsRest = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Viewer {
  readonly hand: Hand;
  mirror: Mirror | null = null;
  slice = 0;
  /** The cell under the pointer, or where keys moved the cursor; in the slice, unless it has a z of its own. */
  hover: Cell | null = null;
  readonly pointing: Pointing;
  readonly keys: KeyCursor;
  overlay: OverlayName = "none";
  /** Springs, drains and open edges, as they were a moment ago. */
  fixtures: Fixtures = NO_FIXTURES;
  /** The viewer of the other recording, where two are shown side by side. */
  peer: Viewer | null = null;
  /** Called when the server no longer lets us do what we may do, or is away. */
  doubts: (() => void) | null = null;
  /** Called when it is known anew how the world stands. */
  fixturesCame: (() => void) | null = null;
  /** Between this viewer's world and its peer's. */
  differences: Differences | null = null;
  readonly connection: Connection;
  /** Of whatever changes the world. */
  readonly queue: CommandQueue;
  readonly screen: Screen;
  private readonly timers: number[] = [];
  private readonly observer: ResizeObserver;
  painter: Painter | null = null;
  private readonly marks = new Marks(this);
  activity: Activity | null = null;
  overlays: Overlay | null = null;
  private readonly overlayPart = new Late("The overlay", () => import("./overlay"), () => this.setOverlay(this.overlay));
  layers: Layers | null = null;
  private readonly layerPart = new Late("What the world has beside its water", () => import("./layers"), () => {
    this.makeLayers();
    this.paintAnew(); // with waves
  });
  /** Null: the world is not looked at from afar. */
  far: Far | null = null;
  private readonly farPart = new Late("The world as it is seen from afar", () => import("./far"), () => {
    this.makeFar();
    this.sendView();
  });
  people: People | null = null;
  private readonly peoplePart = new Late("Who is here", () => import("./people"), (part) => {
    if (!this.stopped) this.people = new part.People(this);
  });
  private stopped = false;
  /** Whether anything of the world has come. */
  private hasChunks = false;
  private readonly sentView = new SentView();
  private wanted: Place | null = null;
  private readonly numbers: Numbers;
  readonly frames: Frames;
  private readonly peerWait = new PeerWait();

  constructor(
    readonly canvas: HTMLCanvasElement, readonly panel: ViewerPanel,
    readonly pipePanel: ViewerPipePanel, world: string, readonly camera = new Camera(),
    /** Null: a world that lives. */
    public events: ViewerEvents | null = null,
    private readonly minimap: Late<Minimap> | null = null,
    readonly inspector: ViewerInspector | null = null,
    private readonly legendShown: (name: OverlayName, legend: Legend | null, layers: string[], unmeant?: readonly OverlayName[]) => void = () => undefined,
    /** Null: from the front. */
    readonly sight: Sight | null = null,
  ) {
    this.screen = Screen.of(canvas);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const url = `${scheme}//${location.host}/worlds/${encodeURIComponent(world)}`;
    this.connection = new Connection(url, {
      state: (state, detail) => {
        this.panel.showState(state, detail);
        if (state === "waiting" || state === "stopped") this.letGo();
        if (state === "waiting") this.doubts?.();
      },
      welcome: (message) => this.welcomed(sight?.welcome(message) ?? message),
      tick: (message) => this.ticked(sight?.tick(message) ?? message),
      result: (message) => this.answered(message),
      people: (message) => this.people?.take(message),
      // Of a recording none were edits.
      recovered: (found) => this.replays || this.panel.warn(recoveredText(found)),
      silent: (seconds) => this.panel.showSlow(seconds === 0 ? "" : `slow: nothing for ${seconds} s`),
    });
    this.numbers = new Numbers(this, this.connection, panel);
    this.frames = new Frames(canvas, () => this.paint(),
      () => this.peerWait.waits(this.mirror?.tick, this.peer?.mirror?.tick), () => !this.screen.byGl);
    this.queue = new CommandQueue(this, (text) => this.panel.warn(text));
    this.hand = new Hand(this, this.queue, panel, pipePanel);
    this.pointing = new Pointing(this);
    this.keys = new KeyCursor(this, (text) => this.panel.announce(text));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.resize();
    sight?.attach(this);
    this.timers.push(
      window.setInterval(() => this.sendView(), VIEW_INTERVAL),
      window.setInterval(() => this.everySecond(), NUMBERS_INTERVAL),
      window.setInterval(() => void this.askFixtures(), FIXTURES_INTERVAL),
      window.setInterval(() => this.mirror && this.hand.brush.hold(this.mirror), HOLD_INTERVAL),
    );
  }

  /** What was begun with another connection goes no further. */
  private letGo(): void {
    this.hand.brush.reset();
    this.queue.reset();
  }

  private everySecond(): void {
    this.numbers.show();
    if (!this.screen.isPictured) return;
    if (this.mirror?.welcome.layers.length) this.layerPart.want();
    // A recording is watched together anyway, at one tick.
    if (this.mirror?.welcome.person && !this.replays) this.peoplePart.want();
  }

  sendBytes(bytes: Uint8Array): void {
    this.connection.send(bytes);
  }

  say(text: string): void {
    this.panel.tell(text);
  }

  stop(): void {
    this.stopped = true;
    this.sight?.detach();
    this.people?.stop();
    this.frames.stop();
    this.observer.disconnect();
    for (const timer of this.timers) window.clearInterval(timer);
    this.connection.stop();
  }

  /** The picture takes the place that the page leaves to it. */
  resize(): void {
    this.frames.sharpness.setPixels();
    this.camera.resize(this.canvas.clientWidth, this.canvas.clientHeight, this.mirror?.size ?? null);
    this.paint(); // a canvas of another size is empty until then
    this.panel.showZoom(this.camera.scale);
  }

  pan(dx: number, dy: number): void {
    if (!this.mirror) return;
    const [right, down] = this.sight?.across?.(dx, dy) ?? [dx, dy];
    this.camera.pan(right, down, this.mirror.size);
    this.moved();
  }

  /** About the place on the screen. */
  zoom(factor: number, x = this.camera.width / 2, y = this.camera.height / 2): void {
    if (!this.mirror) return;
    this.camera.zoom(factor, x, y, this.mirror.size);
    this.frames.sharpness.hurry();
    this.moved();
  }

  fit(): void {
    if (this.mirror) this.camera.fit(this.mirror.size);
    this.moved();
  }

  /** The camera or the pointer is somewhere else. */
  moved(): void {
    this.repaint();
    if (this.peer) {
      this.peer.hover = this.hover;
      this.peer.repaint();
      this.peer.pointing.show();
    }
    this.panel.showZoom(this.camera.scale);
    this.pointing.show();
  }

  repaint(): void {
    this.frames.needed = true;
  }

  /** Whether this is a recording, which nobody can change. */
  get replays(): boolean {
    return this.events !== null;
  }

  /** Tries to connect now, if that is waited for. */
  retry(): void {
    this.connection.retryNow();
  }

  /** Where to look, as soon as the world is there. */
  goTo(place: Place): void {
    this.wanted = place;
    if (this.mirror) this.takePlace();
  }

  /** Where it looks; null: at the whole world. */
  get place(): Place | null {
    const { camera, mirror, slice } = this;
    if (!mirror || (camera.fitted && slice === middleSlice(mirror.size.z))) return null;
    return { x: camera.x, y: camera.y, z: slice, scale: camera.scale };
  }

  private takePlace(): void {
    const { wanted } = this;
    this.wanted = null;
    if (!wanted || !this.mirror) return;
    this.camera.show(wanted.x, wanted.y, wanted.scale, this.mirror.size);
    if (wanted.z !== this.slice) this.setSlice(wanted.z);
    this.moved();
  }

  /** The number that its result will carry, or 0 when there is no connection. */
  command(command: Command | Operation | PlaybackCommand): number {
    return this.connection.command(this.sight?.command(command) ?? command);
  }

  get ready(): boolean {
    return this.connection.ready;
  }

  setSlice(z: number): void {
    for (const viewer of [this, this.peer]) {
      if (!viewer?.mirror) continue;
      viewer.slice = clamp(z, 0, viewer.mirror.size.z - 1);
      viewer.paintAnew();
      viewer.panel.showSlice(viewer.slice);
    }
    this.differences?.setSlice(this.slice);
    this.moved();
  }

  /** Other colours, or another picture of the same. */
  paintAnew(): void {
    if (this.mirror) this.renewPainter();
    this.far?.paintAnew();
    this.overlays?.reset();
    this.frames.needed = true;
  }

  setOverlay(name: OverlayName): void {
    const layers = this.mirror?.welcome.layers ?? [];
    const unmeant = this.sight?.unmeant;
    if (this.mirror && (!isOffered(name, layers) || unmeant?.includes(name))) name = "none";
    this.overlay = name;
    if (name !== "none") this.overlayPart.want();
    const { part } = this.overlayPart;
    if (part && this.mirror) {
      // Where slices are heights one looks down.
      this.overlays ??= new part.Overlay(this.mirror, this.activity!, () => this.layers, this.sight?.axis === "y",
        (legend) => this.legendShown(this.overlay, legend, layers, unmeant));
    }
    this.overlays?.set(name);
    this.legendShown(name, this.overlays?.legend ?? null, layers, unmeant);
    this.frames.needed = true;
  }

  paintSmall(context: CanvasRenderingContext2D): void {
    this.painter?.paintSmall(context, this.far?.paintSmall(context));
  }

  get isFar(): boolean {
    return this.far?.isFar ?? false;
  }

  /** Whether what stands at that depth is seen. */
  sees(z: number, at = this.slice): boolean {
    return this.sight?.sees(z, at) ?? z === at;
  }

  depth(cell: Cell, lies: Lies, standing: boolean): number {
    return this.sight?.depth(this.mirror!, this.slice, cell, lies, standing) ?? this.slice;
  }

  /** What was seen of cells is forgotten. */
  renewPainter(): void {
    const still = wantsRest();
    this.painter = this.sight?.painter(this.mirror!, this.slice, still) ?? new Painter(this.mirror!, this.slice, still);
    this.painter.waves = this.layers?.waveLooks(this.slice) ?? null;
  }

  private welcomed(welcome: WelcomeMessage): void {
    const isFirst = this.mirror === null;
    this.mirror = this.sight?.mirror(welcome) ?? new Mirror(welcome);
    this.pipePanel.attach(this.hand.pipes, this.mirror.pipes);
    this.inspector?.attach(welcome.world, () => this.pointing.known(), (at) => this.mirror!.real(at));
    this.activity = new Activity(this.mirror);
    this.overlays = null;
    this.makeLayers();
    this.makeFar();
    this.setOverlay(this.overlay);
    this.letGo();
    this.sentView.forget();
    if (isFirst) {
      this.slice = middleSlice(welcome.size.z);
      if (this.camera.placed) this.camera.resize(this.canvas.clientWidth, this.canvas.clientHeight, welcome.size);
      else this.camera.fit(welcome.size);
      this.moved();
    }
    this.slice = clamp(this.slice, 0, welcome.size.z - 1);
    this.renewPainter();
    this.panel.showWelcome(welcome, this.slice, this.mirror.real(welcome.size), this.sight);
    this.takePlace();
    this.sendView();
    if (this.screen.isPictured) void this.askFixtures();
    this.frames.needed = true;
    this.events?.welcome();
  }

  private makeLayers(): void {
    const { part } = this.layerPart;
    this.layers = part && this.mirror && new part.Layers(this.mirror, (text) => this.panel.warn(text), this.sight?.name, wantsRest());
  }

  private makeFar(): void {
    const { mirror, sight, farPart: { part } } = this;
    this.far = part && mirror && !sight ? new part.Far(this, mirror, wantsRest()) : null;
  }

  private ticked(message: TickMessage): void {
    if (!this.mirror || !this.painter) return;
    const begun = performance.now();
    this.activity!.note(message, begun);
    const { changed, resyncs } = this.mirror.apply(message);
    const isAnew = this.far?.ticked(message) ?? false;
    const now = performance.now();
    if (!this.far?.asked) this.painter.ticked(changed, now, now - begun);
    for (const coord of resyncs) this.connection.resync(this.mirror.real(coord));
    const pipes = this.mirror.applyPipes(message);
    for (const key of pipes.resyncs) this.connection.resyncPipes(key);
    if (pipes.changed) this.hand.pipes.changed(this.mirror.pipes);
    this.events?.tick(changed);
    this.hasChunks ||= changed.length > 0 || isAnew;
    const beside = this.layers?.apply(message);
    this.painter.waves?.told(beside?.changed.get("waves") ?? [], performance.now());
    for (const { coord, layer } of beside?.resyncs ?? []) this.connection.resync(coord, layer);
    if (changed.length === 0 && !isAnew && !pipes.changed && !beside?.changed.size) return;
    this.frames.needed = true;
    this.pointing.show();
  }

  private answered(result: ResultMessage): void {
    this.queue.answered(result.seq, result.applied, result.tick);
    this.events?.result(result);
    if (result.applied) return;
    this.hand.pipes.refused();
    this.panel.warn(`Refused: ${result.reason}`);
    // What we may do is no longer what the page goes by.
    if (result.reason.startsWith("not allowed")) this.doubts?.();
  }

  private sendView(): void {
    if (!this.mirror || !this.connection.ready) return;
    const isSmall = this.camera.scale * devicePixelRatio <= FAR && this.mirror.welcome.levelsOfDetail > 0 && !this.sight;
    if (isSmall && this.farPart.want()) return; // or all cells of a large world would come first
    const box = viewBox(this.mirror, this.camera, this.slice);
    const inspects = this.hand.brush.tool === "inspect" || !!this.inspector?.pinned.length;
    const level = this.far?.want(inspects) ?? 0;
    const layers = this.layers?.wanted(box, this.overlay, inspects, level > 0) ?? 0;
    const coarse = this.far?.coarseLayers(box) ?? 0;
    if (this.sentView.isNew(box, layers, level, coarse)) this.connection.setView(this.sight?.box(box) ?? box, layers, level, coarse);
  }

  /** Soon after we changed them, so that the change is seen. The server looks every few ticks. */
  fixturesChanged(): void {
    window.setTimeout(() => void this.askFixtures(), FIXTURES_PATIENCE);
  }

  /** Springs, drains and open edges are no part of the ticks. */
  private async askFixtures(): Promise<void> {
    if (!this.mirror || !this.connection.ready || document.hidden) return;
    const fixtures = await fetchFixtures(this.mirror.welcome.world, this.connection.query);
    if (!fixtures) return;
    this.fixtures = this.sight?.fixtures(fixtures) ?? fixtures;
    this.hand.placer?.refresh();
    this.fixturesCame?.();
    this.frames.needed = true;
  }

  paint(): void {
    this.frames.needed = false;
    this.frames.sharpness.fit();
    const { camera, canvas: { width, height } } = this;
    if (!this.mirror || !this.painter) return;
    if ((this.far?.shown ? this.far : this.painter).paint(this.screen, width, height, camera, performance.now())) this.frames.needed = true;
    if (this.marks.paint(this.screen.context, performance.now())) this.frames.needed = true;
    if (!camera.seesAll(this.mirror.size)) this.minimap?.want();
    this.minimap?.part?.show(this, performance.now());
    if (!this.hasChunks || this.screen.isPictured) return;
    this.screen.pictured();
    void this.askFixtures(); // not before: what stands in the world needs a part of the page
  }
}
