// The orbiting view by WebGL2: rock, and over it the nearest layer of water, on a canvas that nobody sees. The page's own
// picture takes it from there, so that saved pictures and films have it, too.
import { Program, texture } from "./gl_parts";
import { PARTS } from "./orbit_columns";
import { FALL_VERTEX, ROCK_FRAGMENT, ROCK_VERTEX, WATER_FRAGMENT, WATER_VERTEX } from "./orbit_shader";
import { STONES, SURFACE_PIXEL, WATER } from "./palette";

/** Three quads of two triangles a column; five for a pillar of falling water. */
const [CORNERS_OF_COLUMN, CORNERS_OF_FALL] = [18, 30];
const PARTS_OF_FALL = 4;

/** What is drawn. Places are cells from the middle. */
export interface Scene {
  /** Columns. */
  width: number;
  height: number;
  step: number;
  /** The first column's in the world, and from the middle. */
  x: number;
  y: number;
  left: number;
  bottom: number;
  /** Heights: of the edge's cut, of the middle, and the least and the most of rock. */
  base: number;
  middle: number;
  least: number;
  most: number;
  /** Of the way from the columns before to those of now. */
  share: number;
  /** Of falling water: column x, y, top and bottom. */
  falls: Float32Array;
  /** What an overlay lays over all, red, green, blue (to 255) and alpha; null: there is none. */
  veil: readonly [number, number, number, number] | null;
  /** Whether its colours are those of rock, too. */
  coversRock: boolean;
  eye: Float32Array;
  /** Where the eye is. */
  from: readonly [number, number, number];
}

export class OrbitGl {
  private readonly rock: Program;
  private readonly water: Program;
  private readonly fall: Program;
  private readonly fallBuffer: WebGLBuffer;
  private columns: { now: WebGLTexture; before: WebGLTexture; tints: WebGLTexture } | null = null;
  private width = 0;
  private height = 0;

  /** Null: the browser has no WebGL2. Throws where it does not take the programs. */
  static open(): OrbitGl | null {
    const canvas = document.createElement("canvas");
    const gl = canvas.getContext("webgl2", { alpha: true, antialias: true, depth: true });
    return gl && new OrbitGl(canvas, gl);
  }

  private constructor(readonly canvas: HTMLCanvasElement, private readonly gl: WebGL2RenderingContext) {
    this.rock = new Program(gl, ROCK_VERTEX, ROCK_FRAGMENT);
    this.water = new Program(gl, WATER_VERTEX, WATER_FRAGMENT);
    this.fall = new Program(gl, FALL_VERTEX, WATER_FRAGMENT);
    this.fallBuffer = gl.createBuffer();
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  get lost(): boolean {
    return this.gl.isContextLost();
  }

  /** PARTS numbers a column, as they are and as they were. */
  put(width: number, height: number, now: Float32Array, before: Float32Array): void {
    const { gl } = this;
    if (width !== this.width || height !== this.height || !this.columns) {
      for (const old of Object.values(this.columns ?? {})) gl.deleteTexture(old);
      this.columns = { now: texture(gl, gl.RGBA32F, width, height), before: texture(gl, gl.RGBA32F, width, height),
        tints: texture(gl, gl.RGBA8, width, height) };
      [this.width, this.height] = [width, height];
    }
    for (const [held, numbers] of [[this.columns.now, now], [this.columns.before, before]] as const) {
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, held);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RGBA, gl.FLOAT, numbers, 0);
    }
  }

  /** An overlay's colours of the columns. */
  tint(pixels: Uint32Array): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.columns!.tints);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, this.width, this.height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer), 0);
  }

  /** In so many pixels. */
  draw(scene: Scene, width: number, height: number): void {
    const { gl, canvas } = this;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.colorMask(true, true, true, true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.BLEND);
    const corners = (scene.width + 1) * (scene.height + 1) * CORNERS_OF_COLUMN;
    this.use(this.rock, scene);
    gl.uniform3fv(this.rock.at("u_stone"), partsOf(STONES[128]!));
    gl.uniform2f(this.rock.at("u_heights"), scene.least, Math.max(1, scene.most - scene.least));
    gl.uniform2f(this.rock.at("u_place"), scene.x, scene.y);
    gl.uniform1i(this.rock.at("u_covers"), Number(scene.coversRock));
    gl.drawArrays(gl.TRIANGLES, 0, corners);
    // First how near the nearest water is, and then that alone: however one looks, a lake has one layer.
    for (const isSeen of [false, true]) {
      gl.colorMask(isSeen, isSeen, isSeen, isSeen);
      if (isSeen) gl.enable(gl.BLEND);
      this.useWater(this.water, scene);
      gl.drawArrays(gl.TRIANGLES, 0, corners);
      this.drawFalls(scene);
    }
  }

  private drawFalls(scene: Scene): void {
    const { gl } = this;
    if (scene.falls.length === 0) return;
    this.useWater(this.fall, scene);
    const place = this.fall.attribute("a_fall");
    gl.bindBuffer(gl.ARRAY_BUFFER, this.fallBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, scene.falls, gl.STREAM_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, PARTS_OF_FALL, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(place, 1);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, CORNERS_OF_FALL, scene.falls.length / PARTS_OF_FALL);
    gl.disableVertexAttribArray(place);
  }

  private useWater(program: Program, scene: Scene): void {
    const { gl } = this;
    this.use(program, scene);
    gl.uniform3fv(program.at("u_shallow"), partsOf(WATER[0]!));
    gl.uniform3fv(program.at("u_deep"), partsOf(WATER.at(-1)!));
    gl.uniform3fv(program.at("u_surface"), partsOf(SURFACE_PIXEL));
  }

  private use(program: Program, scene: Scene): void {
    const { gl } = this;
    program.use();
    program.texture("u_now", 0, this.columns!.now);
    program.texture("u_before", 1, this.columns!.before);
    program.texture("u_tints", 2, this.columns!.tints);
    const [red, green, blue, alpha] = scene.veil ?? [0, 0, 0, 0];
    gl.uniform4f(program.at("u_veil"), red / 255, green / 255, blue / 255, alpha);
    gl.uniform1f(program.at("u_share"), scene.share);
    gl.uniform2i(program.at("u_count"), scene.width, scene.height);
    gl.uniform2f(program.at("u_origin"), scene.left, scene.bottom);
    gl.uniform1f(program.at("u_step"), scene.step);
    gl.uniform1f(program.at("u_base"), scene.base);
    gl.uniform1f(program.at("u_middle"), scene.middle);
    gl.uniformMatrix4fv(program.at("u_eye"), false, scene.eye);
    gl.uniform3fv(program.at("u_from"), scene.from);
  }
}

/** Red, green and blue, 0 to 1, of a canvas's pixel. */
function partsOf(pixel: number): [number, number, number] {
  return [(pixel & 255) / 255, ((pixel >> 8) & 255) / 255, ((pixel >> 16) & 255) / 255];
}

/** Columns as they are on the way from one reading to the next: only water that was there moves. */
export function between(before: Float32Array, now: Float32Array, share: number): Float32Array<ArrayBuffer> {
  const mixed = Float32Array.from(now);
  for (let i = 1; i < mixed.length; i += PARTS) {
    if (before[i]! >= 0 && now[i]! >= 0) mixed[i] = before[i]! + (now[i]! - before[i]!) * share;
  }
  return mixed;
}
