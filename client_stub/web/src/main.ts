// The page: which worlds there are, and the one that is shown. The part of the address behind "#"
// names it, so that a link leads to a world.
import { Camera } from "./camera";
import { listenToHelp } from "./help";
import { listen, listenToKeys } from "./input";
import { Panel, type WorldEntry } from "./panel";
import { PipePanel } from "./pipe_panel";
import { Replay } from "./replay";
import { Viewer } from "./viewer";

const RETRY_MILLISECONDS = 2000;

const canvas = document.getElementById("view") as HTMLCanvasElement;
let worlds: WorldEntry[] = [];
let viewer: Viewer | null = null;
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
  viewer = new Viewer(canvas, panel, pipePanel, chosen, camera);
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
panel.showState("connecting", "");
void load();
