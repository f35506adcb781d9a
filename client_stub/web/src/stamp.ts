// Copy and Paste: a box that is dragged is held, and put wherever the tool is used then, in another world
// too. What it would cover follows the pointer.
import type { Camera } from "./camera";
import type { CommandQueue } from "./command_queue";
import type { History } from "./history";
import type { Mirror } from "./mirror";
import { farPixel } from "./raster";
import { IS_ROCK } from "./look";
import { Late } from "./late";
import type { Region } from "./region";
import { boxOf, MOST_FILLED, type Rect } from "./shapes";
import { FULL, ROCK } from "./mirror";

interface Place {
  x: number;
  y: number;
}

/** Cells that can be copied at once: as many as a fill takes. */
export const MOST_COPIED = MOST_FILLED;

/** The rectangle that a region covers when its middle is put into the cell. */
export function placeOf({ width, height }: Region, x: number, y: number): Rect {
  return { x: x - Math.floor(width / 2), y: y - Math.floor(height / 2), width, height };
}

export interface StampEvents {
  /** A region was taken up. */
  copied(text: string): void;
  warn(text: string): void;
}

export class Stamp {
  /** What was copied last; null: nothing yet. */
  region: Region | null = null;
  private ghost: { region: Region; canvas: OffscreenCanvas } | null = null;
  /** Where a box that is being dragged began. */
  private start: Place | null = null;
  /** What copies and puts, and those that wait for it. */
  private readonly part = new Late("What copies and pastes", () => import("./region"), () => {
    for (const act of this.waiting.splice(0)) act();
  });
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly queue: CommandQueue, private readonly history: History, private readonly events: StampEvents,
  ) {}

  begin(at: Place): void {
    this.start = at;
  }

  /** The cells from where it began; they are held. */
  copy(mirror: Mirror, to: Place, z: number): void {
    const { start } = this;
    this.start = null;
    if (!start) return;
    const rect = boxOf(mirror, start, to);
    if (rect.width <= 0 || rect.height <= 0) return this.events.warn("There is nothing of the world in the box");
    if (rect.width * rect.height > MOST_COPIED) {
      return this.events.warn(`At most ${MOST_COPIED.toLocaleString("en")} cells can be copied at once`);
    }
    this.withPart((part) => {
      this.region = part.copyRegion(mirror, rect, z);
      this.events.copied(`Copied ${part.describe(this.region)}`);
    });
  }

  /** Puts what is held, with its middle into the cell. */
  paste(mirror: Mirror, at: Place, z: number): void {
    this.start = null;
    const { region } = this;
    if (!region) return this.events.warn("Nothing is copied yet: drag a box with Copy first");
    this.withPart((part) => {
      if (!this.queue.ready) return this.events.warn("Not connected: nothing was changed");
      const { x, y } = placeOf(region, at.x, at.y);
      const edit = new part.Paste(mirror, region, x, y, z);
      if (edit.commands.length > this.queue.room) return this.events.warn("This is faster than the server: nothing was pasted");
      for (const command of edit.commands) this.queue.send(command, this);
      this.history.add(edit);
    });
  }

  private withPart(act: (part: typeof import("./region")) => void): void {
    if (this.part.part) return act(this.part.part);
    this.waiting.push(() => act(this.part.part!));
    this.part.want();
  }

  /** The box that was begun, or a stroke, was not meant. */
  cancel(): void {
    this.start = null;
  }

  /** The box that is being dragged, or, of what `pastes`, what it would cover here. */
  areas(mirror: Mirror, at: Place, pastes: boolean): Rect[] {
    if (!pastes) return [boxOf(mirror, this.start ?? at, at)];
    return this.region ? [placeOf(this.region, at.x, at.y)] : [];
  }

  /** Those, with a picture of what would be put there. */
  paint(context: CanvasRenderingContext2D, camera: Camera, mirror: Mirror, at: Place, pastes: boolean): void {
    const [rect] = this.areas(mirror, at, pastes);
    if (!rect) return;
    const left = camera.screenX(rect.x);
    const top = camera.screenY(rect.y + rect.height);
    const [width, height] = [rect.width * camera.scale, rect.height * camera.scale];
    context.save();
    if (pastes) {
      context.imageSmoothingEnabled = camera.scale < 1;
      context.globalAlpha = 0.7;
      context.drawImage(this.ghostOf(this.region!), left, top, width, height);
      this.paintPipes(context, camera, rect);
      context.globalAlpha = 1;
    } else {
      context.fillStyle = "rgba(255, 214, 102, 0.16)";
      context.fillRect(left, top, width, height);
    }
    for (const [style, line, dash] of [["rgba(6, 8, 11, 0.85)", 3, []], ["#ffd666", 1.5, [6, 4]]] as const) {
      context.strokeStyle = style;
      context.lineWidth = line;
      context.setLineDash(dash);
      context.strokeRect(left, top, width, height);
    }
    context.restore();
  }

  private paintPipes(context: CanvasRenderingContext2D, camera: Camera, rect: Place): void {
    context.fillStyle = "#ffd666";
    const side = Math.max(3, camera.scale * 0.6);
    for (const { x, y } of this.region!.pipes.nodes) {
      context.fillRect(camera.screenX(rect.x + x + 0.5) - side / 2, camera.screenY(rect.y + y + 0.5) - side / 2, side, side);
    }
  }

  /** The region as a small picture, a pixel a cell. */
  private ghostOf(region: Region): OffscreenCanvas {
    if (this.ghost?.region === region) return this.ghost.canvas;
    const { width, height, cells } = region;
    const canvas = new OffscreenCanvas(width, height);
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    cells.forEach((cell, i) => {
      const look = cell === ROCK ? IS_ROCK | 128 : cell > 0 ? Math.max(1, Math.min(255, Math.round((cell * 255) / FULL))) : 0;
      // Air is seen through, but for a shade: it is put, too.
      pixels[(height - 1 - Math.floor(i / width)) * width + (i % width)] = look === 0 ? 0x30808080 : farPixel(look, 0xff000000);
    });
    canvas.getContext("2d")!.putImageData(image, 0, 0);
    this.ghost = { region, canvas };
    return canvas;
  }
}
