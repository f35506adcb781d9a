// A large world from afar: where many cells share a pixel the page asks for a level of detail, in which one coarse cell
// stands for 2, 4 or 8 cells each way, and holds and paints that in place of the cells.
//
//   asked   the level that the server is to send; 0: the cells
//   shown   the one that is painted: another one until what was asked for has come
//
// Meanwhile the picture of what is shown stays as it was: the server takes that back as it sends the other.
import type { LayerChanges } from "@wire/layer-changes";
import { Camera } from "./camera";
import { coarseChanges, coarseMirror, levelFor, lookCoarsely, takeCoarse } from "./coarse";
import type { Box, Vec3 } from "./geometry";
import type { Layers } from "./layers";
import type { TickMessage } from "./messages";
import { FULL, type Mirror } from "./mirror";
import { nearestStanding } from "./nearest";
import type { Overlay } from "./overlay";
import { isOfLayer } from "./overlay_kinds";
import { materialName } from "./palette";
import { Painter } from "./painter";
import type { Picture } from "./picture";
import type { Subject } from "./subjects";
import type { Viewer } from "./viewer";

/** A message of so many bytes is as long as the server makes them: there is more to come. */
const FULL_MESSAGE = 2 ** 20;
/** Milliseconds after the first of what was asked for, from which on it is shown whatever is missing. */
const PATIENCE = 500;
/** Pixels of the page from what is drawn of a pipe, port, spring or drain, within which it is meant: a cell is less than one. */
const REACH = 6;

export class Far {
  asked = 0;
  shown = 0;
  private readonly mirrors: Mirror[];
  /** Of what is shown, or was last. */
  private painter: Painter | null = null;
  /** Of what is asked for, until that is shown. */
  private next: Painter | null = null;
  /** What was told of each level's coarse cells beside their water, once something was asked for. */
  private readonly layers: (Layers | undefined)[] = [];
  /** The overlay over what is shown, and what it shows. */
  private overlay: Overlay | null = null;
  private overlayName = "none";
  private slice = 0;
  /** When the first of what was asked for came. */
  private answered = Infinity;
  private broken = false;
  private readonly camera = new Camera();

  /** `still`: nothing moves by itself. */
  constructor(private readonly viewer: Viewer, private readonly cells: Mirror, private readonly still: boolean) {
    const { welcome } = cells;
    this.mirrors = Array.from({ length: welcome.levelsOfDetail }, (_, i) => coarseMirror(welcome, i + 1));
  }

  /** Whether the cells are not all there. */
  get isFar(): boolean {
    return this.asked > 0 || this.shown > 0;
  }

  /** The level that a view is to ask for in this moment. `inspects`: cells are told of one by one. */
  want(inspects: boolean): number {
    const scale = this.viewer.camera.scale * window.devicePixelRatio;
    const level = inspects || this.needsCells ? 0 : levelFor(scale, this.mirrors.length, this.asked);
    if (level !== this.asked) this.ask(level);
    else if (this.asked !== this.shown && this.isLate) this.show();
    return level;
  }

  private get needsCells(): boolean {
    const { hand, queue, overlay, peer, differences } = this.viewer;
    // Commands that need no cells (a valve's) are no reason to fetch those; those of an undo are one to keep them.
    const waits = this.asked === 0 && !queue.idle;
    const isCoarse = overlay === "none" || overlay === "views" || (isOfLayer(overlay) && this.cells.welcome.coarseLayers);
    return this.broken || waits || !hand.isFree || !isCoarse || peer !== null || differences !== null;
  }

  /** The layers of coarse cells that a view of that box is to ask for, as bits. */
  coarseLayers({ from, size }: Box): number {
    const { asked, viewer } = this;
    if (asked === 0 || !this.cells.welcome.coarseLayers || !viewer.layers) return 0;
    const layers = (this.layers[asked] ??= viewer.layers.coarse(this.mirrors[asked - 1]!, asked));
    const coarse = (at: Vec3): Vec3 => ({ x: at.x >> asked, y: at.y >> asked, z: at.z >> asked });
    const end = coarse({ x: from.x + size.x - 1, y: from.y + size.y - 1, z: from.z + size.z - 1 });
    const start = coarse(from);
    const box = { from: start, size: { x: end.x - start.x + 1, y: end.y - start.y + 1, z: end.z - start.z + 1 } };
    return layers.bits(box, (name) => name === viewer.overlay || (name !== "events" && layers.marks.needs(name)));
  }

  private ask(level: number): void {
    this.asked = level;
    this.answered = Infinity;
    this.next = level > 0 ? this.newPainter(level) : null;
    if (level === 0) this.viewer.renewPainter(); // that one was told of nothing meanwhile
    if (level === this.shown || this.isEmpty(this.shown)) this.show();
  }

  private show(): void {
    this.shown = this.asked;
    this.painter = this.next ?? this.painter;
    this.next = null;
    this.overlay = null;
    this.viewer.overlays?.set(this.viewer.overlay);
    if (this.shown > 0) this.viewer.renewPainter(); // what it keeps is much, and grows old
    this.viewer.repaint();
  }

  private get isLate(): boolean {
    return performance.now() > this.answered + PATIENCE;
  }

  /** Takes in a message; returns whether the picture is another one. */
  ticked(message: TickMessage): boolean {
    const changed: Vec3[] = [];
    let came = this.asked === 0 && message.chunks.length > 0;
    for (const { level, changes } of coarseChanges(message, this.cells.welcome)) {
      const told = this.take(level, changes);
      if (level !== this.asked) continue;
      changed.push(...told);
      came ||= changes.chunksLength() > 0;
    }
    if (this.asked > 0) (this.next ?? this.painter)!.ticked(changed, performance.now());
    const isTold = this.takeLayers(message);
    const isNew = this.asked !== this.shown && this.waited(came, message.wire.bb!.capacity());
    if (isNew) this.show();
    return isNew || isTold || changed.length > 0;
  }

  /** Returns whether something was told of layers. */
  private takeLayers(message: TickMessage): boolean {
    let isTold = false;
    for (const layers of this.layers) {
      if (!layers) continue;
      const { changed, resyncs } = layers.apply(message);
      for (const { coord, layer } of resyncs) this.viewer.connection.resync(coord, layer);
      isTold ||= changed.size > 0;
    }
    return isTold;
  }

  private take(level: number, changes: LayerChanges): Vec3[] {
    try {
      const { changed, resyncs, layer } = takeCoarse(this.mirrors[level - 1]!, changes);
      for (const coord of resyncs) this.viewer.connection.resync(coord, layer);
      return changed;
    } catch (error) {
      // The cells themselves may be read all the same.
      this.broken = true;
      this.viewer.say(`What this server sends from afar cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  }

  /** Whether all that was asked for is there. `came`: some of it did now, in a message of so many bytes. */
  private waited(came: boolean, bytes: number): boolean {
    // Of a world that is empty nothing comes: then all that was shown goes.
    if (came || this.isEmpty(this.shown)) this.answered = Math.min(this.answered, performance.now());
    return this.answered < Infinity && (bytes < FULL_MESSAGE || this.isLate);
  }

  private isEmpty(level: number): boolean {
    return (this.mirrors[level - 1] ?? this.cells).coords().length === 0;
  }

  private newPainter(level: number): Painter {
    this.slice = this.viewer.slice;
    return new Painter(this.mirrors[level - 1]!, this.slice >> level, this.still);
  }

  /** Other colours, or another picture of the same. */
  paintAnew(): void {
    this.painter = this.shown > 0 ? this.newPainter(this.shown) : null;
    this.next &&= this.newPainter(this.asked);
  }

  /** As a painter does it. */
  paint(picture: Picture, width: number, height: number, camera: Camera, now: number): boolean {
    lookCoarsely(this.camera, camera, this.shown);
    return this.painter!.paint(picture, width, height, this.camera, now);
  }

  /** Steam, foam, and the overlay of a layer, over what is shown. Returns whether the next frame will look different. */
  paintLayers(context: CanvasRenderingContext2D, now: number): boolean {
    const { camera, shown, viewer: { overlay, overlays } } = this;
    const layers = this.layers[shown];
    if (!layers) return false;
    const slice = this.slice >> shown;
    const moves = layers.marks.paint(context, camera, slice, overlay, now);
    if (!isOfLayer(overlay)) return moves; // it waits for the cells
    if (this.overlayName !== overlay) this.overlay = null;
    this.overlayName = overlay;
    this.overlay ??= overlays?.coarse(this.mirrors[shown - 1]!, layers) ?? null;
    return this.overlay?.paint(context, camera, slice, this.painter!, now) || moves;
  }

  /** All of the world that was seen from afar last; false: nothing was. */
  paintSmall(context: CanvasRenderingContext2D): boolean {
    this.painter?.paintSmall(context);
    return this.painter !== null;
  }

  /** The nearest of what is drawn over the world and can be told of without its cells; null: none is near. */
  subjectNear(at: Vec3): Subject | null {
    const { camera, fixtures } = this.viewer;
    const distance = ({ x, y, z }: Vec3) => (z === at.z ? Math.hypot(x - at.x, y - at.y) : Infinity);
    return nearestStanding({ mirror: this.cells, fixtures }, REACH / camera.scale, distance)?.subject ?? null;
  }

  /** One line on what stands for the cell. */
  text({ x, y, z }: Vec3): string {
    if (!this.cells.inside(x, y, z)) return "outside the world";
    const level = this.shown || this.asked;
    const side = 2 ** level;
    const at = { x: x >> level, y: y >> level, z: z >> level };
    const cell = this.mirrors[level - 1]!.cell(at.x, at.y, at.z);
    const beside = this.layers[level]?.text(at) ?? "";
    const isFlat = this.cells.size.z === 1;
    const fill = cell > 0 ? `, ${Math.max(1, Math.round((cell * 100) / FULL))} % full on average` : "";
    return `[${x}, ${y}${isFlat ? "" : `, ${z}`}] ${materialName(cell)}${fill} (${side} × ${side}${isFlat ? "" : ` × ${side}`} cells, seen from afar)${beside}`;
  }
}
