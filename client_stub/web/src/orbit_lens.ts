// Where places of the world are seen in the orbiting view, and which are hidden behind what stands before them.
import type { Vec3 } from "./geometry";
import type { Lens } from "./lens";
import type { Scene } from "./orbit_gl";
import { meet, type Line, type Met } from "./orbit_pick";

/** Of what lies behind the eye. */
const NOWHERE = -1e6;
/** Cells by which what is seen first must be nearer, to hide what lies behind: a spring stands in its water's surface. */
const ROOM = 2;

/** Places of a picture that are looked at for what stands before them; of more pipes all are drawn as if nothing did. */
export const MOST_LOOKS = 4000;

type Place = readonly [x: number, y: number, z: number];

export class OrbitLens implements Lens {
  private looks = 0;

  /** `eye` turns places from the middle, y up and z towards who looks, into WebGL's; `from` is where it is. */
  constructor(
    private readonly scene: Pick<Scene, "x" | "y" | "left" | "bottom" | "middle" | "step" | "base" | "width" | "height">,
    private readonly columns: Float32Array, private readonly eye: Float32Array, private readonly from: Place,
    readonly width: number, readonly height: number, private readonly focal: number,
  ) {}

  get scale(): number {
    return (this.focal * this.height) / 2 / Math.hypot(...this.from);
  }

  /** Of a cell's middle, from the middle of the picture. */
  private placeOf({ x, y, z }: Vec3): [number, number, number] {
    const { scene } = this;
    return [x + 0.5 - scene.x + scene.left, z + 0.5 - scene.middle, -(y + 0.5 - scene.y + scene.bottom)];
  }

  spot(at: Vec3): [number, number] {
    const place = this.placeOf(at);
    const row = (i: number) => place.reduce((sum, part, axis) => sum + part * this.eye[axis * 4 + i]!, this.eye[12 + i]!);
    const depth = row(3);
    if (depth <= 0) return [NOWHERE, NOWHERE];
    return [((row(0) / depth + 1) / 2) * this.width, ((1 - row(1) / depth) / 2) * this.height];
  }

  /** A line from the eye, in columns and cells (orbit_pick.ts). */
  line([x, y, z]: Place): Line {
    const { step, left, bottom, middle } = this.scene;
    const { from } = this;
    return { from: [(from[0] - left) / step, (-from[2] - bottom) / step, from[1] + middle], along: [x / step, -z / step, y] };
  }

  /** What a line from the eye comes to first; null: nothing. */
  meet(along: Place): Met | null {
    const { width, height, base } = this.scene;
    return meet(this.line(along), this.columns, width, height, base);
  }

  hides(at: Vec3): boolean {
    return ++this.looks <= MOST_LOOKS && this.isBehind(at);
  }

  isBehind(at: Vec3): boolean {
    const place = this.placeOf(at);
    const along = place.map((part, axis) => part - this.from[axis]!) as unknown as Place;
    const met = this.meet(along);
    if (!met) return false;
    const { step, x, y } = this.scene;
    const first = this.placeOf({ x: x + (met.x + 0.5) * step - 0.5, y: y + (met.y + 0.5) * step - 0.5, z: met.height - 0.5 });
    const nearer = Math.hypot(...along) - Math.hypot(...first.map((part, axis) => part - this.from[axis]!));
    return nearer > ROOM + step;
  }
}
