// What the tests of the page's modules share: bundling one by itself, and worlds as drawings.
import { createRequire } from "node:module";
import { join } from "node:path";

const [sourceDir, packagePath] = process.argv.slice(2);
const esbuild = createRequire(packagePath)("esbuild");

/** A module of the page. */
export async function load(name) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(sourceDir, "client_stub/web/src", name)],
    bundle: true, write: false, format: "esm",
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

export const { Mirror, ROCK, FULL } = await load("mirror.ts");

export const SHAPES = [{ logX: 6, logY: 6, logZ: 0 }, { logX: 4, logY: 4, logZ: 4 }];

/** A mirror that holds rows of a drawing, the top one first: # rock, ~ full, 1-7 eighths. */
export function drawn(rows, sides = SHAPES[0]) {
  const size = { x: rows[0].length, y: rows.length, z: 1 };
  const mirror = new Mirror({ size, sides, tick: 1 });
  rows.forEach((row, i) => [...row].forEach((letter, x) => {
    const y = rows.length - 1 - i;
    const value = letter === "#" ? ROCK : letter === "~" ? FULL : (FULL / 8) * (Number(letter) || 0);
    const key = (y >> sides.logY) * 65536 + (x >> sides.logX);
    if (!mirror.chunks.has(key)) mirror.chunks.set(key, new Int32Array(4096));
    const [localX, localY] = [x & ((1 << sides.logX) - 1), y & ((1 << sides.logY) - 1)];
    mirror.chunks.get(key)[(localY << (sides.logZ + sides.logX)) | localX] = value;
  }));
  return mirror;
}

/** Random whole numbers, the same in each run: f(most) is below `most`. */
export function dice(seed) {
  return (most) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) % most);
}
