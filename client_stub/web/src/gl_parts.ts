// What the WebGL picture is made of: programs, and textures that hold a window of the world's chunks.

export function texture(gl: WebGL2RenderingContext, inner: number, width: number, height: number): WebGLTexture {
  const made = gl.createTexture();
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texStorage2D(gl.TEXTURE_2D, 1, inner, width, height);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  return made;
}

export class Program {
  private readonly program: WebGLProgram;
  private readonly places = new Map<string, WebGLUniformLocation | null>();

  /** Throws where the browser does not take it, with its reason. */
  constructor(private readonly gl: WebGL2RenderingContext, vertex: string, fragment: string) {
    this.program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(type)!;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "WebGL is gone");
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program) ?? "WebGL is gone");
  }

  use(): void {
    this.gl.useProgram(this.program);
  }

  at(name: string): WebGLUniformLocation | null {
    let place = this.places.get(name);
    if (place === undefined) this.places.set(name, (place = this.gl.getUniformLocation(this.program, name)));
    return place;
  }

  attribute(name: string): number {
    return this.gl.getAttribLocation(this.program, name);
  }

  texture(name: string, unit: number, held: WebGLTexture): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, held);
    gl.uniform1i(this.at(name), unit);
  }
}

interface Format {
  inner: number;
  format: number;
  type: number;
}

/** How many tiles are wanted, how many the world has, and the texels of each. */
export interface Reach {
  tilesX: number;
  tilesY: number;
  most: { x: number; y: number };
  tileWidth: number;
  tileHeight: number;
}

/** Tiles in reserve on each axis, so that not every zoom makes a larger texture. */
const RESERVE = 1.25;

/** A texture of tiles that wraps around: each tile has one place in it, by its coordinates. */
export class Ring {
  texture: WebGLTexture;
  tilesX = 0;
  tilesY = 0;
  private tileWidth = 0;
  private tileHeight = 0;
  /** Whose look is in each place. */
  private stamps = new Float64Array(0);

  constructor(private readonly gl: WebGL2RenderingContext, private readonly format: Format) {
    this.texture = texture(gl, format.inner, 1, 1);
  }

  /** Takes in so many tiles each way; what it held is lost where it has to grow. */
  reach({ tilesX, tilesY, most, tileWidth, tileHeight }: Reach): void {
    if (tilesX <= this.tilesX && tilesY <= this.tilesY && tileWidth === this.tileWidth && tileHeight === this.tileHeight) return;
    const largest = this.gl.getParameter(this.gl.MAX_TEXTURE_SIZE) as number;
    const roomy = (wanted: number, have: number, side: number, all: number) =>
      Math.max(wanted, Math.min(all, Math.floor(largest / side), Math.ceil(Math.max(wanted, have) * RESERVE)));
    this.tilesX = roomy(tilesX, this.tilesX, tileWidth, most.x);
    this.tilesY = roomy(tilesY, this.tilesY, tileHeight, most.y);
    Object.assign(this, { tileWidth, tileHeight });
    this.gl.deleteTexture(this.texture);
    this.texture = texture(this.gl, this.format.inner, this.tilesX * tileWidth, this.tilesY * tileHeight);
    this.stamps = new Float64Array(this.tilesX * this.tilesY);
  }

  slot(x: number, y: number): number {
    return (y % this.tilesY) * this.tilesX + (x % this.tilesX);
  }

  has(x: number, y: number, stamp: number): boolean {
    return this.stamps[this.slot(x, y)] === stamp;
  }

  put(x: number, y: number, stamp: number, texels: ArrayBufferView): void {
    this.stamps[this.slot(x, y)] = stamp;
    this.write((x % this.tilesX) * this.tileWidth, (y % this.tilesY) * this.tileHeight, this.tileWidth, this.tileHeight, texels);
  }

  /** All tiles at once, where each is a texel. */
  all(texels: ArrayBufferView): void {
    this.write(0, 0, this.tilesX, this.tilesY, texels);
  }

  private write(x: number, y: number, width: number, height: number, texels: ArrayBufferView): void {
    const { gl, format } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, width, height, format.format, format.type, texels);
  }
}
