// The page: which worlds there are, and the one that is shown. The part of the address behind "#"
// names it, so that a link leads to a world.
import { Camera } from "./camera";
import { listenToHelp } from "./help";
import type { Gallery } from "./gallery";
import { Late, lateStyle, missing, tellOfMissing } from "./late";
import { LateOperators } from "./late_operators";
import { LatePipePanel } from "./late_pipe_panel";
import { LatePlacer } from "./late_placer";
import { LateInspector } from "./late_inspector";
import { LegendPanel } from "./legend";
import { listen, listenToKeys } from "./input";
import { readLink, writeLink } from "./links";
import { PALETTES, usePalette, type PaletteName } from "./palette";
import type { OverlayName } from "./overlay_kinds";
import { Panel, type WorldEntry } from "./panel";
import type { Replay } from "./replay";
import type { Operated } from "./operators";
import { Screen } from "./screen";
import { SIGHTS, type Sight, type SightName } from "./sight";
import { Session } from "./session";
import { copyLink } from "./sharing";
import type { SignIn } from "./sign_in";
import { Viewer } from "./viewer";
import type { Tools } from "./viewer_parts";

const RETRY_MILLISECONDS = 2000;
const ADDRESS_MILLISECONDS = 500;
const OWNED_MILLISECONDS = 5000;

const canvas = document.getElementById("view") as HTMLCanvasElement;
let worlds: WorldEntry[] = [];
let viewer: Viewer | null = null;
const minimap = new Late("The small map", async () => new (await import("./minimap")).Minimap(), () => viewer?.repaint());
const cameras = new Map<string, Camera>();
let replay: Replay | null = null;
let tools: Tools = { tool: "pan", shape: "brush", size: 3, round: false, pipeTool: null, region: null };
let asking = false;
const session = new Session();
let retryTimer: number | undefined;
/** The part of the address that was taken or written last: another one is a link that is yet to be taken. */
let address = location.hash;

const inspector = new LateInspector((text) => panel.announce(text));
let overlay: OverlayName = "none";
const legend: LegendPanel = new LegendPanel((name) => setOverlay(name));

const panel = new Panel({
  tool: (tool) => viewer?.hand.setTool(tool),
  size: (size) => viewer?.hand.setSize(size),
  shape: (shape, round) => viewer?.hand.setShape(shape, round),
  undo: () => viewer?.hand.undo(),
  redo: () => viewer?.hand.redo(),
  slice: (z) => viewer?.setSlice(z),
  sight: (name) => lookFrom(name),
  fit: () => viewer?.fit(),
  zoom: (factor) => viewer?.zoom(factor),
  world: (name) => (location.hash = encodeURIComponent(name)),
  retry: () => (viewer ? viewer.retry() : void load()),
  screenshot: () => screenshot(),
  film: () => record(),
  copyLink: () => shareLink(),
});

tellOfMissing((text) => panel.warn(text));

let sight: SightName = readLink(location.hash).sight;
const turned = new Late("The other sides of a world", () => import("./turned"), () => show());
const orbit = new Late("The orbiting view", () => import("./orbit"), () => show());

function isSolid(world: string | undefined): boolean {
  return (worlds.find(({ name }) => name === world)?.size?.[2] ?? 1) > 1;
}

/** A 3D world from its front, its side or from above. */
function lookFrom(name: SightName): void {
  if (replay !== null || name === sight || !isSolid(viewer?.mirror?.welcome.world)) return;
  sight = name;
  // The place that the address has is one of the other picture.
  if (viewer?.mirror) history.replaceState(null, "", `#${encodeURIComponent(viewer.mirror.welcome.world)}`);
  show();
}

/** Null: from the front, because it has no other side, that is what was asked for, or the others are on their way. */
function sightOf(world: string): Sight | null {
  if (sight === "front" || !isSolid(world)) return null;
  const part = sight === "orbit" ? orbit : turned;
  part.want();
  return part.part?.seenFrom(sight) ?? null;
}

let gallery: Gallery | null = null;

/** All worlds at a glance. */
async function openGallery(): Promise<void> {
  if (worlds.length < 2 || replay !== null) return;
  const [part] = await Promise.all([import("./gallery"), lateStyle()]).catch(() => [null]);
  if (!part) return missing("The list of worlds");
  gallery ??= new part.Gallery((name) => (location.hash = encodeURIComponent(name)));
  gallery.open(worlds, viewer?.mirror?.welcome.world);
}

let asksForToken = false;
const signIn = new Late<SignIn>("Signing in", async () =>
  new (await import("./sign_in")).SignIn(session, () => void load(), (text) => panel.warn(text)), (part) => {
  part.show();
  if (asksForToken) part.open();
});

/** The dialog, as soon as it is there. */
function askForToken(): void {
  asksForToken = true;
  signIn.want();
  signIn.part?.open();
}
/** A link's tick, until what leads there has come. */
let linkTick: number | null = null;
const past = new Late("Looking back", async () => new (await import("./look_back")).LookBack(() => viewer, () => worlds, panel),
  (part) => linkTick === null || part.goTo(linkTick));
const operators = new LateOperators();
const placer = new LatePlacer((tool) => viewer?.hand.setTool(tool));
const pipePanel = new LatePipePanel((tool) => viewer?.hand.setPipeTool(tool));

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
  const asked = readLink(location.hash).world;
  if (worlds.some(({ name }) => name === asked)) return asked;
  const chosen = (worlds.find(({ locked }) => !locked) ?? worlds[0])?.name ?? null;
  if (asked && chosen !== null) panel.warn(`There is no world "${asked}" here`);
  return chosen;
}

function show(): void {
  const chosen = chosenWorld();
  // The tool goes along to another world; each world keeps its place.
  if (viewer) tools = viewer.hand.tools;
  viewer?.stop();
  viewer = null;
  operators.attach(null);
  Object.assign(window, { sluice: null });
  if (chosen !== null) panel.showWorlds(worlds, chosen);
  if (chosen === null || !session.mayWatch(chosen)) return showLocked(chosen);
  const seen = sightOf(chosen);
  const key = `${chosen}@${seen?.name ?? "front"}`;
  const camera = cameras.get(key) ?? new Camera();
  cameras.set(key, camera);
  viewer = new Viewer(canvas, panel, pipePanel, chosen, camera, null, minimap, inspector,
    (name, ...rest) => legend.show((overlay = name), ...rest), seen);
  viewer.setOverlay(overlay);
  viewer.hand.placer = placer;
  viewer.hand.setTools(tools);
  panel.showOwned(session.ownedIn(chosen));
  viewer.hand.setRights(session.whyNotBuild(chosen));
  viewer.doubts = () => void askSession();
  viewer.fixturesCame = () => operators.update();
  operators.attach(operatedBy(viewer, chosen));
  takeLink();
  // For tests and for the curious.
  Object.assign(window, { sluice: viewer });
}

/** What those who run the world do it with; null: it is not ours to run. */
function operatedBy(shown: Viewer, world: string): Operated | null {
  const role = session.operatesAs(world);
  return role && {
    role, queue: shown.queue, readOnly: session.isReadOnly(world), fixtures: () => shown.fixtures,
    say: (text) => panel.tell(text), warn: (text) => panel.warn(text),
    changed: () => shown.fixturesChanged(), rightsChanged: () => void askSession(),
  };
}

/** Place, tool and overlay, as far as the address names them. */
function takeLink(): void {
  address = location.hash;
  const link = readLink(address);
  if (replay === null && link.place && link.sight !== sight) {
    sight = link.sight;
    return show();
  }
  if (link.place) viewer?.goTo(link.place);
  if (link.tick !== null) goToTick(link.tick);
  if (link.overlay) setOverlay(link.overlay);
  if (link.tool && !(viewer?.hand.readOnly && link.tool !== "inspect")) viewer?.hand.setTool(link.tool);
}

/** Of a recording all who watch share one place in time; who looks back in a world has one of their own. */
function goToTick(tick: number): void {
  if (replay) replay.timeline.goTo(tick);
  else if (past.part) past.part.goTo(tick);
  else linkTick = tick;
}

/** The address says where we are, so that it can be copied, kept and come back to. */
function keepAddress(): void {
  // A world of nothing but air is never a picture.
  if (!replay && (Screen.of(canvas).isPictured || performance.now() > 9e3)) past.want();
  const world = viewer?.mirror?.welcome.world;
  if (!viewer || location.hash !== address) return;
  if (world === undefined || world !== (readLink(address).world || world)) return;
  const hash = writeLink({ world, place: viewer.place, tool: viewer.hand.brush.tool, overlay,
    tick: (replay ?? past.part)?.timeline?.standsAt ?? null, sight: isSolid(world) ? sight : "front" });
  if (hash === address || (address === "" && hash === `#${encodeURIComponent(world)}`)) return;
  history.replaceState(null, "", hash);
  address = location.hash;
}

function withPictures(act: (part: typeof import("./pictures")) => void): void {
  import("./pictures").then(act, () => missing("Saving pictures"));
}

function screenshot(): void {
  withPictures((part) => viewer && part.saveScreenshot(viewer, panel));
}

function record(): void {
  withPictures((part) => part.toggleFilm(() => viewer, panel));
}

function shareLink(): void {
  keepAddress();
  void copyLink((text) => panel.tell(text), (text) => panel.warn(text));
}

/** Nothing is to be seen before somebody signs in. */
function showLocked(world: string | null): void {
  Screen.of(canvas).clear();
  if (world === null) lookAgain();
  if (!session.hasAccounts) {
    panel.showNone(null);
    return panel.showState("stopped", "the server hosts no world");
  }
  panel.showState("locked", "");
  const name = world === null ? "the worlds of this server" : `“${world}”`;
  const action = { label: session.account === null ? "Sign in" : "Sign in with another token", run: askForToken };
  if (session.account === null) {
    const text = "It is shown only to those who have a token for it. The server's operator gives them out.";
    panel.showNone({ title: `Sign in to see ${name}`, text, action });
  } else {
    const text = "Your account may not watch it. Choose another world, or sign in with another token.";
    panel.showNone({ title: `${session.account} may not see ${name}`, text, action });
  }
}

/** No world is hosted. The only one may be away for a moment, as when it is reset. */
function lookAgain(): void {
  window.clearTimeout(retryTimer);
  retryTimer = window.setTimeout(async () => {
    await (session.hasAccounts ? askSession() : load());
    if (worlds.length === 0) lookAgain();
  }, RETRY_MILLISECONDS);
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

/** What one owns changes with what one builds; the page asks where there is a bound. */
async function askOwned(): Promise<void> {
  const world = viewer?.mirror?.welcome.world;
  if (!world || session.ownedIn(world) === null || document.hidden) return;
  await askSession();
  panel.showOwned(session.ownedIn(world));
}

/** All that the server has are recordings, shown at one tick. */
async function showReplay(): Promise<void> {
  // Fetched by those who look at one.
  const [part] = await Promise.all([import("./replay"), lateStyle()]).catch(() => [null]);
  if (!part) return missing("The timeline");
  replay = await part.Replay.open(panel, pipePanel, inspector, legend);
  viewer = replay.viewers[0]!;
  takeLink();
  Object.assign(window, { sluice: viewer, replay });
}

/** Those that the server lists, and those of which it only says that we may not see them. */
async function worldsOf(response: Response): Promise<WorldEntry[]> {
  const listed = response.ok || !session.hasAccounts ? ((await response.json()) as WorldEntry[]) : [];
  for (const name of session.worlds) if (!listed.some((world) => world.name === name)) listed.push({ name });
  return listed.map((world) => ({ ...world, locked: !session.mayWatch(world.name) }));
}

async function load(): Promise<void> {
  try {
    if (replay !== null) return location.reload(); // a timeline is begun once
    const [response] = await Promise.all([fetch("/worlds"), session.refresh()]);
    worlds = await worldsOf(response);
    // Elsewhere nobody signs in.
    if (session.hasAccounts) signIn.want();
    signIn.part?.show();
    if (worlds[0]?.replay && !worlds[0].locked) await showReplay();
    else show();
  } catch {
    panel.showState("waiting", "no answer");
    window.clearTimeout(retryTimer);
    retryTimer = window.setTimeout(() => void load(), RETRY_MILLISECONDS);
  }
}

window.addEventListener("hashchange", () => {
  // A link into the world that is shown only moves the picture.
  if (replay !== null || (viewer && readLink(location.hash).world === viewer.mirror?.welcome.world)) takeLink();
  else show();
});
window.setInterval(keepAddress, ADDRESS_MILLISECONDS);
window.setInterval(() => void askOwned(), OWNED_MILLISECONDS);
listen(canvas, () => viewer);
listenToKeys(() => viewer, {
  nextOverlay: () => {
    setOverlay(legend.next(overlay));
    panel.announce(LegendPanel.nameOf(overlay));
  },
  screenshot,
  film: record,
  copyLink: shareLink,
  nextSight: () => lookFrom(SIGHTS[(SIGHTS.indexOf(sight) + 1) % SIGHTS.length]!),
  gallery: () => void openGallery(),
});
document.getElementById("gallery-open")!.addEventListener("click", () => void openGallery());
listenToHelp(() => viewer?.replays ?? false);
document.getElementById("palette")!.addEventListener("change", (event) => {
  const select = event.target as HTMLSelectElement;
  select.blur();
  colours(select.value);
  kept("palette", select.value);
});
colours(kept("palette"));
panel.showState("connecting", "");
void load();
// Whoever opens the page while the server is away is told so. Only pages of a trusted origin may.
window.addEventListener("load", () => void navigator.serviceWorker?.register("/worker.js").catch(() => undefined));
