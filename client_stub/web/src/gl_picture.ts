// The picture by WebGL2: what is seen of the tiles lies in textures, and one triangle paints all of it. A
// frame uploads the chunks that changed or came in, and nothing else; where the window lies and how far
// the time is between two ticks are numbers of the program.
import { FAR_FRAGMENT, NEAR_FRAGMENT, VERTEX } from "./gl_shader";
import { AIR, BEYOND_PIXEL, coloursVersion, STONES, SURFACE_PIXEL, WATER } from "./palette";
import type { Picture, View } from "./picture";
import { GRAIN, GRAIN_SIDE } from "./raster";
import { detail, detailBefore, type Tile } from "./tile";
import { Program, Ring, texture } from "./gl_parts";

/** Processors that play a graphics card: the canvas is painted faster by themselves. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|basic render|software/i;

export class GlPicture implements Picture {
  private readonly near: Program;
  private readonly far: Program;
  private readonly colours: WebGLTexture;
  private readonly grain: WebGLTexture;
  private shownColours = -1;
  private readonly moves: Ring;
  /** By level of detail, looks first, then pixels: as it is, and as it was a tick ago. */
  private readonly levels: { now: Ring; before: Ring }[] = [];
  private readonly most: number;
  private moving = new Uint8Array(0);
  private view: View | null = null;

  /** Null: WebGL2 is not worth it here. Throws where there is none. `forced`: take any. */
  static open(canvas: HTMLCanvasElement, forced: boolean): GlPicture | null {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, stencil: false });
    if (!gl) throw new Error("there is no WebGL2");
    const facts = gl.getExtension("WEBGL_debug_renderer_info");
    const renderer = String(gl.getParameter(facts ? facts.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    return SOFTWARE.test(renderer) && !forced ? null : new GlPicture(gl);
  }

  private constructor(private readonly gl: WebGL2RenderingContext) {
    this.most = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.near = new Program(gl, VERTEX, NEAR_FRAGMENT);
    this.far = new Program(gl, VERTEX, FAR_FRAGMENT);
    const look = { inner: gl.R32UI, format: gl.RED_INTEGER, type: gl.UNSIGNED_INT };
    this.levels[0] = { now: new Ring(gl, look), before: new Ring(gl, look) };
    this.moves = new Ring(gl, { inner: gl.R8UI, format: gl.RED_INTEGER, type: gl.UNSIGNED_BYTE });
    this.colours = texture(gl, gl.RGBA8, 256, 3);
    this.grain = texture(gl, gl.R8I, GRAIN_SIDE, GRAIN_SIDE);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, GRAIN_SIDE, GRAIN_SIDE, gl.RED_INTEGER, gl.BYTE, GRAIN);
  }

  /** The card forgot everything, as it does while a laptop sleeps. */
  get lost(): boolean {
    return this.gl.isContextLost();
  }

  /** Whether the textures can be as large as this view needs them. */
  takes({ firstX, lastX, firstY, lastY, sides, level }: View): boolean {
    const { most } = this;
    return (lastX - firstX + 1) << (sides.logX - level) <= most && (lastY - firstY + 1) << (sides.logY - level) <= most;
  }

  begin(view: View): void {
    const { gl } = this;
    const { width, height, level, sides, firstX, lastX, firstY, lastY, size } = view;
    this.view = view;
    Object.assign(gl.canvas, sizeOf(gl.canvas, width, height));
    const [tilesX, tilesY] = [lastX - firstX + 1, lastY - firstY + 1];
    const most = { x: Math.ceil(size.x / (1 << sides.logX)), y: Math.ceil(size.y / (1 << sides.logY)) };
    const wanted = { tilesX, tilesY, most, tileWidth: 1 << (sides.logX - level), tileHeight: 1 << (sides.logY - level) };
    const pixels = { inner: gl.RGBA8, format: gl.RGBA, type: gl.UNSIGNED_BYTE };
    const { now, before } = (this.levels[level] ??= { now: new Ring(gl, pixels), before: new Ring(gl, pixels) });
    for (const ring of [now, before]) ring.reach(wanted);
    this.moves.reach({ ...wanted, tileWidth: 1, tileHeight: 1 });
    const chunks = this.moves.tilesX * this.moves.tilesY;
    if (this.moving.length !== chunks) this.moving = new Uint8Array(chunks);
  }

  tile(tile: Tile): void {
    const { level, sides, size } = this.view!;
    this.moving[this.moves.slot(tile.x, tile.y)] = tile.moves ? 1 : 0;
    const { now, before } = this.levels[level]!;
    if (!now.has(tile.x, tile.y, tile.stamp)) {
      now.put(tile.x, tile.y, tile.stamp, level === 0 ? tile.look : bytesOf(detail(tile, level, sides, size.y)));
    }
    if (tile.moves && !before.has(tile.x, tile.y, tile.beforeStamp)) {
      before.put(tile.x, tile.y, tile.beforeStamp, level === 0 ? tile.before : bytesOf(detailBefore(tile, level, sides, size.y)));
    }
  }

  end(): void {
    const { gl } = this;
    const view = this.view!;
    this.takeColours();
    gl.viewport(0, 0, view.width, view.height);
    const { level } = view;
    const program = level > 0 ? this.far : this.near;
    program.use();
    this.place(program, view);
    this.moves.all(this.moving); // first: it is written through the unit of the next texture
    const { now, before } = this.levels[level]!;
    [now, before, this.moves].forEach((ring, unit) => program.texture(["uNow", "uBefore", "uMoves"][unit]!, unit, ring.texture));
    gl.uniform2i(program.at("uSides"), view.sides.logX, view.sides.logY);
    gl.uniform1ui(program.at("uWeight"), Math.round(view.share * 256));
    if (level > 0) gl.uniform1i(program.at("uLevel"), level);
    else this.looks(program, view);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  private place(program: Program, { left, top, scale, height, size }: View): void {
    const { gl } = this;
    const [x, y] = [Math.floor(left), Math.floor(top)];
    gl.uniform2i(program.at("uOrigin"), x, y);
    gl.uniform2f(program.at("uShift"), left - x, top - y);
    gl.uniform2i(program.at("uSize"), size.x, size.y);
    gl.uniform1f(program.at("uScale"), scale);
    gl.uniform1f(program.at("uRows"), height);
    gl.uniform3fv(program.at("uBeyond"), sharesOf(BEYOND_PIXEL));
  }

  private looks(program: Program, { sides, firstX, lastX, firstY, lastY }: View): void {
    const { gl } = this;
    program.texture("uColours", 3, this.colours);
    program.texture("uGrain", 4, this.grain);
    gl.uniform4i(program.at("uHeld"), firstX << sides.logX, firstY << sides.logY,
      (lastX + 1) << sides.logX, (lastY + 1) << sides.logY);
    gl.uniform3fv(program.at("uSurface"), sharesOf(SURFACE_PIXEL));
  }

  /** The palette's, when they are other ones than before. */
  private takeColours(): void {
    if (this.shownColours === coloursVersion) return;
    this.shownColours = coloursVersion;
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.colours);
    [WATER, AIR, STONES].forEach((row, y) =>
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, y, row.length, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(row.buffer)));
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Only what differs: setting a canvas's size empties it, even to the same. */
function sizeOf(canvas: HTMLCanvasElement | OffscreenCanvas, width: number, height: number): { width?: number; height?: number } {
  return { ...(canvas.width === width ? {} : { width }), ...(canvas.height === height ? {} : { height }) };
}

/** Of a pixel's red, green and blue, 0 to 1. */
function sharesOf(pixel: number): [number, number, number] {
  return [(pixel & 255) / 255, ((pixel >> 8) & 255) / 255, ((pixel >> 16) & 255) / 255];
}
