// Copy and Paste: a box that is dragged is held, and put wherever the tool is used then, in another world
// too. What it would cover follows the pointer.
import type { Camera } from "./camera";
import type { CommandQueue } from "./command_queue";
import type { History } from "./history";
import type { Mirror } from "./mirror";
import { farPixel } from "./raster";
import { IS_ROCK } from "./look";
import { copyRegion, describe, MOST_COPIED, Paste, placeOf, type Region } from "./region";
import { boxOf } from "./shapes";
import { FULL, ROCK } from "./mirror";

interface Place {
  x: number;
  y: number;
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
    this.region = copyRegion(mirror, rect, z);
    this.events.copied(`Copied ${describe(this.region)}`);
  }

  /** Puts what is held, with its middle into the cell; returns whether that was done. */
  paste(mirror: Mirror, at: Place, z: number): boolean {
    this.start = null;
    if (!this.region) return this.refuse("Nothing is copied yet: drag a box with Copy first");
    if (!this.queue.ready) return this.refuse("Not connected: nothing was changed");
    const { x, y } = placeOf(this.region, at.x, at.y);
    const edit = new Paste(mirror, this.region, x, y, z);
    if (edit.commands.length > this.queue.room) return this.refuse("This is faster than the server: nothing was pasted");
    for (const command of edit.commands) this.queue.send(command, this);
    this.history.add(edit);
    return true;
  }

  /** The box that was begun, or a stroke, was not meant. */
  cancel(): void {
    this.start = null;
  }

  /** The box that is being dragged; `pastes`: what would be put here. */
  paint(context: CanvasRenderingContext2D, camera: Camera, mirror: Mirror, at: Place, pastes: boolean): void {
    const rect = pastes ? this.region && placeOf(this.region, at.x, at.y)
      : boxOf(mirror, this.start ?? at, at);
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

  private refuse(why: string): false {
    this.events.warn(why);
    return false;
  }
}
