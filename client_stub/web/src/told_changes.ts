// What a message tells beside the cells, made fit to be taken in.
import type { Vec3 } from "./geometry";
import type { Changes } from "./messages";
import type { Mirror } from "./mirror";

/** In the picture's axes, without chunks that lie outside the mirror's world: their places would be those of others. */
export function changesInside(mirror: Mirror, { chunks, dropped, digests, lesson }: Changes): Changes {
  const { size, sides } = mirror;
  const isInside = ({ x, y, z }: Vec3) => x >= 0 && y >= 0 && z >= 0 &&
    x * 2 ** sides.logX < size.x && y * 2 ** sides.logY < size.y && z * 2 ** sides.logZ < size.z;
  const turned = <T extends { coord: Vec3 }>(list: T[]) => list
    .map((each) => ({ ...each, coord: mirror.real(each.coord) })).filter(({ coord }) => isInside(coord));
  return { chunks: turned(chunks), dropped: dropped.map((coord) => mirror.real(coord)).filter(isInside), digests: turned(digests), lesson };
}
