// The page: which worlds there are, and the one that is shown. The part of the address behind "#"
// names it, so that a link leads to a world.
import { Camera } from "./camera";
import { listenToHelp } from "./help";
import { listen, listenToKeys } from "./input";
import { Minimap } from "./minimap";
import { PALETTES, usePalette, type PaletteName } from "./palette";
import { Panel, type WorldEntry } from "./panel";
import { PipePanel } from "./pipe_panel";
import { Replay } from "./replay";
import { Viewer } from "./viewer";

const RETRY_MILLISECONDS = 2000;

const canvas = document.getElementById("view") as HTMLCanvasElement;
let worlds: WorldEntry[] = [];
let viewer: Viewer | null = null;
const minimap = new Minimap();
const cameras = new Map<string, Camera>();
let replay: Replay | null = null;

const panel = new Panel({
  tool: (tool) => viewer?.setTool(tool),
  size: (size) => viewer?.setSize(size),
  shape: (shape) => viewer?.setShape(shape),
  undo: () => viewer?.undo(),
  redo: () => viewer?.redo(),
  slice: (z) => viewer?.setSlice(z),
  fit: () => viewer?.fit(),
  zoom: (factor) => viewer?.zoom(factor),
  world: (name) => (location.hash = name),
});

const pipePanel = new PipePanel((tool) => viewer?.setPipeTool(tool));

/** The colours that were chosen last, on this page or on one before. */
function colours(chosen: string | null): void {
  const name: PaletteName = chosen !== null && chosen in PALETTES ? (chosen as PaletteName) : "dark";
  usePalette(name);
  document.documentElement.dataset["palette"] = name;
  (document.getElementById("palette") as HTMLSelectElement).value = name;
  for (const each of replay?.viewers ?? [viewer]) each?.paintAnew();
}

/** Null where the browser keeps nothing, for instance in a private window. */
function kept(key: string, value?: string): string | null {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function show(): void {
  const asked = decodeURIComponent(location.hash.slice(1));
  const chosen = worlds.some((world) => world.name === asked) ? asked : worlds[0]?.name;
  if (!chosen) return panel.showState("stopped", "the server hosts no world");
  if (asked && asked !== chosen) panel.warn(`There is no world "${asked}" here`);
  // The tool goes along to another world; each world keeps its place.
  const tools = viewer?.tools ?? { tool: "pan", shape: "brush", size: 3, pipeTool: null };
  viewer?.stop();
  const camera = cameras.get(chosen) ?? new Camera();
  cameras.set(chosen, camera);
  viewer = new Viewer(canvas, panel, pipePanel, chosen, camera, null, minimap);
  viewer.setTools(tools);
  panel.showWorlds(worlds, chosen);
  // For tests and for the curious.
  Object.assign(window, { sluice: viewer });
}

/** All that the server has are recordings, shown at one tick. */
async function showReplay(): Promise<void> {
  replay = await Replay.open(panel, pipePanel);
  viewer = replay.viewers[0]!;
  Object.assign(window, { sluice: viewer, replay });
}

async function load(): Promise<void> {
  try {
    const response = await fetch("/worlds");
    worlds = (await response.json()) as WorldEntry[];
    if (worlds[0]?.replay) await showReplay();
    else show();
  } catch {
    panel.showState("waiting", "no answer");
    window.setTimeout(() => void load(), RETRY_MILLISECONDS);
  }
}

window.addEventListener("hashchange", () => replay === null && show());
listen(canvas, () => viewer);
listenToKeys(() => viewer);
listenToHelp(() => replay !== null);
document.getElementById("palette")!.addEventListener("change", (event) => {
  const select = event.target as HTMLSelectElement;
  select.blur();
  colours(select.value);
  kept("palette", select.value);
});
colours(kept("palette"));
panel.showState("connecting", "");
void load();
