// The page: which worlds there are, and the one that is shown. The part of the address behind "#"
// names it, so that a link leads to a world.
import { Camera } from "./camera";
import { listenToHelp } from "./help";
import { Inspector } from "./inspector";
import { LegendPanel } from "./legend";
import { listen, listenToKeys } from "./input";
import { Minimap } from "./minimap";
import { PALETTES, usePalette, type PaletteName } from "./palette";
import type { OverlayName } from "./overlay";
import { Panel, type WorldEntry } from "./panel";
import { PipePanel } from "./pipe_panel";
import { Notice } from "./notice";
import { Replay } from "./replay";
import { Session } from "./session";
import { SignIn } from "./sign_in";
import { Viewer, type Tools } from "./viewer";

const RETRY_MILLISECONDS = 2000;

const canvas = document.getElementById("view") as HTMLCanvasElement;
let worlds: WorldEntry[] = [];
let viewer: Viewer | null = null;
const minimap = new Minimap();
const cameras = new Map<string, Camera>();
let replay: Replay | null = null;
let tools: Tools = { tool: "pan", shape: "brush", size: 3, pipeTool: null };
let asking = false;
const session = new Session();
const notice = new Notice();

const inspector = new Inspector();
let overlay: OverlayName = "none";
const legend: LegendPanel = new LegendPanel((name) => setOverlay(name));

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

const signIn = new SignIn(session, () => void load(), (text) => panel.warn(text));
const pipePanel = new PipePanel((tool) => viewer?.setPipeTool(tool));

/** The colours that were chosen last, on this page or on one before. */
function colours(chosen: string | null): void {
  const name: PaletteName = chosen !== null && chosen in PALETTES ? (chosen as PaletteName) : "dark";
  usePalette(name);
  document.documentElement.dataset["palette"] = name;
  (document.getElementById("palette") as HTMLSelectElement).value = name;
  for (const each of replay?.viewers ?? [viewer]) each?.paintAnew();
}

/** Of all panes, and of the next world. */
function setOverlay(name: OverlayName): void {
  overlay = name;
  for (const each of replay?.viewers ?? [viewer]) each?.setOverlay(name);
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

/** Of the worlds that there are, the one that the address names, or one that we may see. */
function chosenWorld(): string | null {
  const asked = decodeURIComponent(location.hash.slice(1));
  if (worlds.some(({ name }) => name === asked)) return asked;
  const chosen = (worlds.find(({ locked }) => !locked) ?? worlds[0])?.name ?? null;
  if (asked && chosen !== null) panel.warn(`There is no world "${asked}" here`);
  return chosen;
}

function show(): void {
  const chosen = chosenWorld();
  // The tool goes along to another world; each world keeps its place.
  if (viewer) tools = viewer.tools;
  viewer?.stop();
  viewer = null;
  Object.assign(window, { sluice: null });
  notice.hide();
  if (chosen !== null) panel.showWorlds(worlds, chosen);
  if (chosen === null || !session.mayWatch(chosen)) return showLocked(chosen);
  const camera = cameras.get(chosen) ?? new Camera();
  cameras.set(chosen, camera);
  viewer = new Viewer(canvas, panel, pipePanel, chosen, camera, null, minimap, inspector,
    (name, key) => legend.show(name, key));
  viewer.setOverlay(overlay);
  viewer.setTools(tools);
  viewer.setRights(session.whyNotBuild(chosen));
  viewer.doubts = () => void askSession();
  // For tests and for the curious.
  Object.assign(window, { sluice: viewer });
}

/** Nothing is to be seen before somebody signs in. */
function showLocked(world: string | null): void {
  canvas.width = canvas.width; // empties it
  panel.showNone();
  if (!session.hasAccounts) return panel.showState("stopped", "the server hosts no world");
  panel.showState("locked", "");
  const name = world === null ? "the worlds of this server" : `“${world}”`;
  const action = { label: session.account === null ? "Sign in" : "Sign in with another token", run: () => signIn.open() };
  if (session.account === null) {
    const text = "It is shown only to those who have a token for it. The server's operator gives them out.";
    notice.show({ title: `Sign in to see ${name}`, text, action });
  } else {
    const text = "Your account may not watch it. Choose another world, or sign in with another token.";
    notice.show({ title: `${session.account} may not see ${name}`, text, action });
  }
}

/** Somebody may have been given, or lost, a right: then the page begins anew with what there is now. */
async function askSession(): Promise<void> {
  if (replay !== null || asking) return;
  asking = true;
  try {
    if (await session.refresh()) await load();
  } catch {
    // The server is away, which the connection tells.
  } finally {
    asking = false;
  }
}

/** All that the server has are recordings, shown at one tick. */
async function showReplay(): Promise<void> {
  replay = await Replay.open(panel, pipePanel, inspector, legend);
  viewer = replay.viewers[0]!;
  Object.assign(window, { sluice: viewer, replay });
}

/** Those that the server lists, and those of which it only says that we may not see them. */
async function fetchWorlds(): Promise<WorldEntry[]> {
  const response = await fetch("/worlds");
  const listed = response.ok || !session.hasAccounts ? ((await response.json()) as WorldEntry[]) : [];
  for (const name of session.worlds) if (!listed.some((world) => world.name === name)) listed.push({ name });
  return listed.map((world) => ({ ...world, locked: !session.mayWatch(world.name) }));
}

async function load(): Promise<void> {
  try {
    await session.refresh();
    worlds = await fetchWorlds();
    signIn.show();
    if (worlds[0]?.replay && !worlds[0].locked) await showReplay();
    else show();
  } catch {
    panel.showState("waiting", "no answer");
    window.setTimeout(() => void load(), RETRY_MILLISECONDS);
  }
}

window.addEventListener("hashchange", () => replay === null && show());
listen(canvas, () => viewer);
listenToKeys(() => viewer, {
  nextOverlay: () => {
    setOverlay(LegendPanel.next(overlay));
    panel.announce(LegendPanel.nameOf(overlay));
  },
});
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
