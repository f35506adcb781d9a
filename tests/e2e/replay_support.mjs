// Recordings whose picture is known for every tick, and pages that stand at one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./browser_support.mjs";

// An empty room in which walls are built: what is shown is then known for every tick.
const WORLD = `[world]
name = "room"
size = [64, 40, 1]
[[fill]]
from = [0, 0, 0]
size = [64, 4, 1]
cell = "#"
`;
/** A script's line that builds a wall four cells wide. */
export const wall = (tick, x) => JSON.stringify(
  { tick, cmd: "set_cells", from: [x, 10, 0], size: [4, 20, 1], cell: "#" });

/** The path of a recording of so many ticks of the room. */
export function record(tool, name, ticks, script) {
  const world = join(folder, "room.toml");
  const lines = join(folder, `${name}.jsonl`);
  const file = join(folder, `${name}.sluice`);
  writeFileSync(world, WORLD);
  writeFileSync(lines, script.join("\n"));
  execFileSync(tool, ["sim", world, "--ticks", String(ticks), "--script", lines, "--record", file]);
  return file;
}

/** Waits until the page stands at the tick. */
export async function expectTick(page, tick) {
  try {
    await page.waitForFunction((wanted) => window.sluice.mirror.tick === wanted &&
      document.getElementById("tl-tick").value === wanted.toLocaleString("en"), tick);
  } catch {
    const seen = await page.evaluate(() => ({
      tick: window.sluice.mirror.tick, shown: document.getElementById("tl-tick").value,
      playback: window.sluice.mirror.playback, state: document.body.dataset.state,
      toast: document.getElementById("toast").textContent, focus: document.activeElement.id,
    }));
    assert.fail(`the page does not come to tick ${tick}: ${JSON.stringify(seen)}`);
  }
}
