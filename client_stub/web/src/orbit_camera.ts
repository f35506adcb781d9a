// Where the orbiting view looks from: around a middle, at an angle from the side and one from the ground. It never goes
// under the ground, nor over the top to the other side.

/** Radians. */
const RIGHT_ANGLE = Math.PI / 2;
const [LOWEST, HIGHEST] = [0.12, RIGHT_ANGLE - 0.001];
/** Of a view that is 0.6 radians high. */
export const FOCAL = 1 / Math.tan(0.3);
/** Of the way that is left, what is gone after so many milliseconds: a turn is smooth, and soon over. */
const EASE = 90;
/** Radians that are not seen. */
const CLOSE = 0.0005;
/** Room around what is shown. */
const MARGIN = 1.04;

export class OrbitCamera {
  /** It begins as the picture from above, and tilts. */
  yaw = 0;
  pitch = HIGHEST;
  private wantedYaw = 0.5;
  private wantedPitch = 0.62;
  private last = NaN;

  turn(yaw: number, pitch: number): void {
    this.wantedYaw += yaw;
    this.wantedPitch = Math.max(LOWEST, Math.min(HIGHEST, this.wantedPitch + pitch));
  }

  /** On the way to where it was turned; `still`: at once. Returns whether it is not there yet. */
  step(now: number, still: boolean): boolean {
    // After a rest time begins anew.
    const passed = Math.min(50, Number.isNaN(this.last) ? 16 : now - this.last);
    const share = still ? 1 : 1 - Math.exp(-passed / EASE);
    this.yaw += (this.wantedYaw - this.yaw) * share;
    this.pitch += (this.wantedPitch - this.pitch) * share;
    const moves = Math.abs(this.wantedYaw - this.yaw) + Math.abs(this.wantedPitch - this.pitch) > CLOSE;
    this.last = moves ? now : NaN;
    if (!moves) [this.yaw, this.pitch] = [this.wantedYaw, this.wantedPitch];
    return moves;
  }

  /** From the middle to the eye, of length 1: x right, y up, z towards who looks. */
  get direction(): [number, number, number] {
    const level = Math.cos(this.pitch);
    return [Math.sin(this.yaw) * level, Math.sin(this.pitch), Math.cos(this.yaw) * level];
  }

  /** From how far an upright cylinder around the middle is all in view: it is as far whichever way one turns. */
  distance(reach: number, half: number, aspect: number): number {
    const [sin, cos] = [Math.sin(this.pitch), Math.cos(this.pitch)];
    // A place of the rim, so far to the right, to the top and towards the eye: each must be within the view's slopes.
    const sides = half * sin + reach * Math.hypot(cos, FOCAL / aspect);
    const [top, bottom] = [1, -1].map((up) => reach * Math.abs(cos - up * sin * FOCAL) + half * Math.abs(sin + up * cos * FOCAL));
    return MARGIN * Math.max(sides, top!, bottom!);
  }

  /** To the right and to the top of the screen, of length 1. */
  private get axes(): { right: [number, number, number]; up: [number, number, number] } {
    const [cos, sin, y] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.sin(this.pitch)];
    return { right: [cos, 0, -sin], up: [-y * sin, Math.cos(this.pitch), -y * cos] };
  }

  /** The way from the eye to a place on the screen, -1 to 1 to the right and to the top. */
  towards(right: number, up: number, aspect: number): [number, number, number] {
    const { axes, direction } = this;
    return [0, 1, 2].map((i) => (axes.right[i]! * right * aspect + axes.up[i]! * up) / FOCAL - direction[i]!) as [number, number, number];
  }

  /** What turns places around the middle into WebGL's, by columns: all is in it that is so far from the middle, level and
   *  upright. */
  matrix(reach: number, half: number, aspect: number): Float32Array {
    const distance = this.distance(reach, half, aspect);
    const around = Math.hypot(reach, half);
    const [near, far] = [Math.max(distance * 0.02, distance - around), distance + around];
    const [x, y, z] = this.direction;
    const { right, up } = this.axes;
    const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
    const column = (i: 0 | 1 | 2, back: number) => [(right[i] * FOCAL) / aspect, up[i] * FOCAL, a * back, -back];
    return Float32Array.from([...column(0, x), ...column(1, y), ...column(2, z), 0, 0, -a * distance + b, distance]);
  }

  /** A move over the screen as one over the picture from above. */
  across(dx: number, dy: number): [number, number] {
    const [cos, sin] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    // What lies behind is drawn together.
    const far = dy / Math.max(0.3, Math.sin(this.pitch));
    return [dx * cos + far * sin, far * cos - dx * sin];
  }
}
