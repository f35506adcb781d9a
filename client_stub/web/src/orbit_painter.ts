// Paints the orbiting view: which columns are in it, what they are by now, and the picture of them. What is in it is
// what the picture from above would show: the camera's rectangle, as far as the world goes.
import type { Camera } from "./camera";
import { clamp, type Vec3 } from "./geometry";
import { OrbitLens } from "./orbit_lens";
import type { Mirror } from "./mirror";
import { heightOf, NONE, OrbitColumns, PARTS, VOID, type Area } from "./orbit_columns";
import { FOCAL, type OrbitCamera } from "./orbit_camera";
import { between, OrbitGl, type Scene } from "./orbit_gl";
import type { Layers } from "./layers";
import type { Overlay } from "./overlay";
import { Painter } from "./painter";
import { AIR, STONES, WATER } from "./palette";
import type { Screen } from "./screen";
import { TopLooks, topOf } from "./top_looks";

/** Columns to either side of the picture: of more, every second or fourth is drawn. */
const MOST_COLUMNS = 256;
/** Cells to either side: of a wider picture its middle is drawn. */
export const WIDEST = 1024;
const FEWEST_COLUMNS = 64;
/** Milliseconds of a frame for columns that changed; more of a frame that takes long anyway. */
const [BUDGET, MOST_BUDGET] = [8, 150];
/** So many frames in a row that are slower, in milliseconds, and the picture gets half of the columns each way. */
const [SLOW_FRAME, MOST_SLOW] = [70, 4];
/** Of the way from one reading to the next, in milliseconds: it is not to be seen much later. */
const [SHORTEST_STEP, LONGEST_STEP] = [20, 250];
/** Pillars of falling water. */
const MOST_FALLS = 4096;
/** Milliseconds between two pictures of colours that fade by themselves. */
const FADE_INTERVAL = 250;
/** Milliseconds after which a graphics card that forgot everything is asked again. */
const PATIENCE = 2000;

/** The cells of the picture from above, cut to the world, in at most so many columns to either side. */
export function areaOf(camera: Camera, size: Vec3, most = MOST_COLUMNS): Area {
  const span = (low: number, high: number, middle: number, most: number): [number, number] => {
    const reach = Math.min(WIDEST, most);
    const start = high - low > reach ? clamp(middle - reach / 2, 0, most - reach) : low;
    const from = clamp(Math.floor(start), 0, most - 1);
    return [from, clamp(Math.ceil(Math.min(high, start + reach)), from + 1, most) - from];
  };
  const [x, cellsX] = span(camera.worldX(0), camera.worldX(camera.width), camera.x, size.x);
  const [y, cellsY] = span(camera.worldY(camera.height), camera.worldY(0), camera.y, size.y);
  let step = 1;
  while (Math.max(cellsX, cellsY) > most * step) step *= 2;
  return { x, y, width: Math.ceil(cellsX / step), height: Math.ceil(cellsY / step), step };
}

/** What the page has around the picture. */
export interface Around {
  /** Null: there are none, or they are not there yet. */
  layers(): Layers | null;
  overlay(): Overlay | null;
  repaint(): void;
  /** Whoever looks is to be told that there is no WebGL. */
  withoutGl(): void;
}

export class OrbitPainter extends Painter {
  private readonly columns: OrbitColumns;
  private area: Area = { x: 0, y: 0, width: 0, height: 0, step: 1 };
  private now = new Float32Array(0);
  private before = new Float32Array(0);
  /** When `now` was read, and how long it takes to be so. */
  private readAt = -Infinity;
  private span = SHORTEST_STEP;
  /** Of what `now` was read. */
  private read = "";
  private isLate = false;
  private scene: Omit<Scene, "share" | "eye" | "from" | "veil" | "coversRock"> | null = null;
  private gl: OrbitGl | null = null;
  private due = 0;
  /** Milliseconds from the frame before to this one, if that was to be followed at once; else 0. */
  private interval = 0;
  private painted = NaN;
  private slow = 0;
  /** Of the last picture; null: there is none yet. */
  lens: OrbitLens | null = null;
  /** How high, in cells over the world's floor, what was picked last was met. */
  private picked = 0;
  /** The overlay's colours of the columns. */
  private tints = new Uint32Array(0);
  private fading: number | undefined;

  /** `jumps`: nothing moves by itself but the water. */
  constructor(private readonly cells: Mirror, private readonly jumps: boolean, private readonly orbit: OrbitCamera, private readonly around: Around) {
    super(cells, cells.size.z - 1, jumps, undefined, new TopLooks(cells, cells.size.z - 1));
    this.columns = new OrbitColumns(cells, around.layers);
  }

  override version(x: number, y: number): number {
    return this.columns.versionOf(x, y);
  }

  override ticked(coords: Vec3[]): void {
    if (coords.length > 0) this.columns.changed(coords);
  }

  override paint(screen: Screen, width: number, height: number, camera: Camera, now: number): boolean {
    const { context } = screen;
    context.setTransform(1, 0, 0, 1, 0, 0);
    const air = context.createLinearGradient(0, 0, 0, height);
    air.addColorStop(0, css(AIR[255]!));
    air.addColorStop(1, css(AIR[0]!));
    context.fillStyle = air;
    context.fillRect(0, 0, width, height);
    this.pace(now);
    this.look(camera, now);
    if (!this.scene || !this.open(now)) return this.isLate;
    const share = this.jumps ? 1 : clamp((now - this.readAt) / this.span, 0, 1);
    const turns = this.orbit.step(now, this.jumps);
    const { area, scene } = this;
    const held = this.around.overlay();
    const overlay = held?.isShown ? held : null;
    const changes = overlay !== null && this.tint(overlay, now);
    const reach = Math.hypot(area.width, area.height) * area.step / 2;
    const size = [reach, scene.middle - scene.base, width / height] as const;
    const eye = this.orbit.matrix(...size);
    const from = this.orbit.direction.map((part) => part * this.orbit.distance(...size)) as [number, number, number];
    const { veil, coversRock } = overlay ?? { veil: null, coversRock: false };
    this.lens = new OrbitLens(scene, this.now, eye, from, camera.width, camera.height, FOCAL);
    this.gl!.draw({ ...scene, veil, coversRock, share, eye, from }, width, height);
    context.drawImage(this.gl!.canvas, 0, 0);
    const goesOn = turns || share < 1 || this.isLate || changes;
    this.painted = goesOn ? now : NaN;
    return goesOn;
  }

  /** The cell that is seen at a place of the screen, -1 to 1 to the right and to the top; null: none. */
  pick(right: number, up: number, aspect: number): Vec3 | null {
    const { scene, cells } = this;
    const met = this.lens?.meet(this.orbit.towards(right, up, aspect));
    if (!scene || !met) return null;
    this.picked = met.height;
    const at = { x: scene.x + met.x * scene.step, y: scene.y + met.y * scene.step };
    // Waves stand above the cells that they are of.
    return { ...at, z: Math.max(0, topOf(cells, Math.max(0, Math.ceil(met.height) - 1), at.x, at.y)) };
  }

  /** Where the line through a place of the screen is as high as what was picked last; null: nowhere, or not in the world. */
  reach(right: number, up: number, aspect: number): { x: number; y: number } | null {
    const { scene, lens, cells: { size } } = this;
    if (!scene || !lens) return null;
    const { from, along } = lens.line(this.orbit.towards(right, up, aspect));
    const times = (this.picked - from[2]) / along[2];
    if (!(times > 0)) return null;
    const at = { x: Math.floor(scene.x + (from[0] + times * along[0]) * scene.step),
      y: Math.floor(scene.y + (from[1] + times * along[1]) * scene.step) };
    return at.x >= 0 && at.y >= 0 && at.x < size.x && at.y < size.y ? at : null;
  }

  /** Lays the overlay's colours over the columns; returns whether the next frame has others. */
  private tint(overlay: Overlay, now: number): boolean {
    const count = this.area.width * this.area.height;
    if (this.tints.length !== count) this.tints = new Uint32Array(count);
    const { late, fades } = overlay.tint(this.area, this.now, this, now, this.tints);
    this.gl!.tint(this.tints);
    if (fades) this.fading ??= window.setTimeout(() => {
      this.fading = undefined;
      this.around.repaint();
    }, FADE_INTERVAL);
    return late;
  }

  /** Where frames take long, as without a graphics card, fewer columns are drawn from then on. */
  private pace(now: number): void {
    this.interval = Number.isNaN(this.painted) ? 0 : now - this.painted;
    this.slow = this.interval > SLOW_FRAME ? this.slow + 1 : 0;
    if (this.slow < MOST_SLOW || detail <= FEWEST_COLUMNS) return;
    detail /= 2;
    this.slow = 0;
  }

  /** What was seen of the world, from above, a column a pixel. */
  override paintSmall(context: CanvasRenderingContext2D): void {
    const { width, height } = context.canvas;
    const { size } = this.cells;
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const column = new Float32Array(PARTS);
    for (let i = 0; i < pixels.length; ++i) {
      const x = Math.floor(((i % width) * size.x) / width);
      const y = Math.floor(((height - 1 - Math.floor(i / width)) * size.y) / height);
      const isKnown = this.columns.known(x, y, column);
      const rock = heightOf(column[0]!);
      pixels[i] = !isKnown || column[0] === VOID ? AIR[0]! : column[1]! > rock ? WATER[0]! : STONES[clamp(Math.round(60 + (150 * rock) / size.z), 0, 255)]!;
    }
    context.putImageData(image, 0, 0);
  }

  /** Reads the columns anew where anything of them changed, or the camera did. */
  private look(camera: Camera, now: number): void {
    const area = areaOf(camera, this.cells.size, detail);
    const place = Object.values(area).join();
    const read = `${place} ${this.columns.version} ${this.wavesOf(area)}`;
    if (read === this.read && !this.isLate) return;
    const isSame = this.read.startsWith(`${place} `);
    const count = area.width * area.height * PARTS;
    // What is on the screen now is what the next picture begins with.
    const shown = isSame ? between(this.before, this.now, clamp((now - this.readAt) / this.span, 0, 1)) : null;
    if (this.now.length !== count) this.now = new Float32Array(count);
    this.isLate = this.columns.read(area, performance.now() + clamp(this.interval / 2, BUDGET, MOST_BUDGET), this.now);
    this.before = shown ?? this.now.slice();
    this.span = clamp(now - this.readAt, SHORTEST_STEP, LONGEST_STEP);
    [this.area, this.read, this.readAt] = [area, read, now];
    this.scene = this.sceneOf(area);
    this.gl?.put(area.width, area.height, this.now, this.before);
  }

  /** Another number when waves of the area were told anew. */
  private wavesOf({ x, y, width, height, step }: Area): number {
    const layers = this.around.layers();
    if (!layers?.has("waves")) return 0;
    const { logX, logY } = this.cells.sides;
    let sum = 0;
    for (let j = y >> logY; j <= (y + height * step - 1) >> logY; ++j) {
      for (let i = x >> logX; i <= (x + width * step - 1) >> logX; ++i) sum += layers.version(i, j);
    }
    return sum;
  }

  private sceneOf(area: Area): NonNullable<typeof this.scene> {
    const { now } = this;
    let [least, most, highest] = [Infinity, 0, 0];
    const falls: number[] = [];
    for (let i = 0; i < now.length; i += PARTS) {
      const rock = heightOf(now[i]!);
      if (now[i] !== VOID) {
        least = Math.min(least, rock);
        most = Math.max(most, rock);
        highest = Math.max(highest, rock, now[i + 1]!);
      }
      if (now[i + 2] === NONE || falls.length >= MOST_FALLS * PARTS) continue;
      const column = i / PARTS;
      falls.push(column % area.width, Math.floor(column / area.width), now[i + 2]!, now[i + 3]!);
    }
    const [cellsX, cellsY] = [area.width * area.step, area.height * area.step];
    // Under the lowest rock a slab of it stays, so that it is no sheet.
    if (least > most) least = 0; // there is nothing
    const base = Math.max(0, least - Math.max(2, 0.06 * Math.max(cellsX, cellsY)));
    return { width: area.width, height: area.height, step: area.step, x: area.x, y: area.y, left: -cellsX / 2, bottom: -cellsY / 2,
      base, middle: (base + highest) / 2, least, most, falls: Float32Array.from(falls) };
  }

  /** Whether there is WebGL by now. */
  private open(now: number): boolean {
    if (this.gl?.lost) [this.gl, this.due] = [null, now + PATIENCE];
    if (this.gl || now < this.due) return this.gl !== null;
    this.gl = cardOf();
    if (!this.gl) {
      this.due = Infinity;
      this.around.withoutGl();
      return false;
    }
    this.gl.put(this.area.width, this.area.height, this.now, this.before);
    return true;
  }
}

/** Columns to either side, as this machine can draw them. */
let detail = MOST_COLUMNS;
let card: OrbitGl | null = null;

/** One for the page: a browser gives out few. Null: there is none, or it was not to be used. */
function cardOf(): OrbitGl | null {
  if (new URLSearchParams(location.search).get("draw") === "canvas") return null;
  if (card && !card.lost) return card;
  try {
    return (card = OrbitGl.open());
  } catch (error) {
    console.warn("The world is not turned:", error);
    return null;
  }
}

/** Of a canvas's pixel. */
function css(pixel: number): string {
  return `rgb(${pixel & 255},${(pixel >> 8) & 255},${(pixel >> 16) & 255})`;
}
