// Pointer, wheel and keys on the canvas.
import type { Tool } from "./brush";
import type { Viewer } from "./viewer";

const TOOL_KEYS: Record<string, Tool> = { "1": "pan", "2": "rock", "3": "air", "4": "water" };
const PAN_STEP = 64; // screen pixels

let spaceHeld = false;

/** Pointer and wheel. `current` is asked at every event: the world that is shown may change. */
export function listen(canvas: HTMLCanvasElement, current: () => Viewer | null): void {
  let gesture: "none" | "pan" | "brush" | "pipe" = "none";
  let travelled = 0; // screen pixels since the button went down
  let lastX = 0;
  let lastY = 0;

  const cellAt = (viewer: Viewer, event: MouseEvent) => ({
    x: Math.floor(viewer.camera.worldX(event.offsetX)),
    y: Math.floor(viewer.camera.worldY(event.offsetY)),
  });

  canvas.addEventListener("pointerdown", (event) => {
    const viewer = current();
    if (!viewer?.mirror) return;
    canvas.focus();
    canvas.setPointerCapture(event.pointerId);
    lastX = event.offsetX;
    lastY = event.offsetY;
    travelled = 0;
    const builds = viewer.pipeTools.tool !== null && event.button === 0 && !spaceHeld;
    const pans = !builds && (event.button !== 0 || spaceHeld || viewer.brush.tool === "pan");
    gesture = builds ? "pipe" : pans ? "pan" : "brush";
    if (builds) viewer.pipeTools.begin(viewer.mirror.pipes, { ...cellAt(viewer, event), z: viewer.slice });
    canvas.classList.toggle("panning", pans);
    if (gesture === "brush") {
      const cell = cellAt(viewer, event);
      viewer.brush.begin(viewer.mirror, cell.x, cell.y, viewer.slice);
    }
    event.preventDefault();
  });

  canvas.addEventListener("pointermove", (event) => {
    const viewer = current();
    if (!viewer?.mirror) return;
    if (gesture === "pan") {
      viewer.camera.pan(event.offsetX - lastX, event.offsetY - lastY, viewer.mirror.size);
      travelled += Math.abs(event.offsetX - lastX) + Math.abs(event.offsetY - lastY);
      lastX = event.offsetX;
      lastY = event.offsetY;
    }
    viewer.hover = cellAt(viewer, event);
    if (gesture === "brush") {
      viewer.brush.move(viewer.mirror, viewer.hover.x, viewer.hover.y, viewer.slice);
    }
    if (gesture === "pipe") {
      viewer.pipeTools.move(viewer.mirror.pipes, { ...viewer.hover, z: viewer.slice });
    }
    viewer.moved();
  });

  const release = () => {
    gesture = "none";
    canvas.classList.remove("panning");
    current()?.brush.end();
    current()?.pipeTools.cancel();
  };
  canvas.addEventListener("pointerup", (event) => {
    const viewer = current();
    if (viewer?.mirror) {
      const cell = cellAt(viewer, event);
      if (gesture === "pipe") viewer.pipeTools.end(viewer.mirror.pipes, { ...cell, z: viewer.slice });
      if (gesture === "pan" && travelled < 4 && event.button === 0) viewer.chooseNode(cell);
    }
    release();
    viewer?.moved();
  });
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("lostpointercapture", release);
  canvas.addEventListener("pointerleave", () => {
    const viewer = current();
    if (!viewer) return;
    viewer.hover = null;
    viewer.moved();
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());

  canvas.addEventListener("wheel", (event) => {
    const viewer = current();
    if (!viewer?.mirror) return;
    // Lines and pages count as so many pixels, as browsers themselves scroll.
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const factor = Math.exp(-event.deltaY * unit * 0.0016);
    viewer.camera.zoom(factor, event.offsetX, event.offsetY, viewer.mirror.size);
    viewer.hover = cellAt(viewer, event);
    viewer.moved();
    event.preventDefault();
  }, { passive: false });
}

/** Once for the page. */
export function listenToKeys(current: () => Viewer | null): void {
  window.addEventListener("keyup", (event) => {
    if (event.code === "Space") spaceHeld = false;
  });
  window.addEventListener("blur", () => (spaceHeld = false));
  window.addEventListener("keydown", (event) => {
    const viewer = current();
    if (!viewer?.mirror || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    if (event.code === "Space" && !viewer.replays) spaceHeld = true;
    if (!pressed(viewer, event.key) && event.code !== "Space") return;
    event.preventDefault();
  });
}

/** Whether the key means anything. */
function pressed(viewer: Viewer, key: string): boolean {
  const { camera } = viewer;
  const size = viewer.mirror!.size;
  // What happened cannot be changed: a replay has no tools, and its timeline takes the arrows.
  const tool = viewer.replays ? undefined : TOOL_KEYS[key];
  if (tool) viewer.setTool(tool);
  else if (viewer.replays && key.startsWith("Arrow")) return false;
  else if (key === "5") viewer.togglePipes();
  else if (key === "Escape") viewer.setPipeTool(null);
  else if (key === "[") viewer.setSize(viewer.brush.size - 1);
  else if (key === "]") viewer.setSize(viewer.brush.size + 1);
  else if (key === "," || key === "PageDown") viewer.setSlice(viewer.slice - 1);
  else if (key === "." || key === "PageUp") viewer.setSlice(viewer.slice + 1);
  else if (key === "f" || key === "F") viewer.fit();
  else if (key === "+" || key === "=") camera.zoom(1.25, camera.width / 2, camera.height / 2, size);
  else if (key === "-") camera.zoom(0.8, camera.width / 2, camera.height / 2, size);
  else if (key === "ArrowLeft") camera.pan(PAN_STEP, 0, size);
  else if (key === "ArrowRight") camera.pan(-PAN_STEP, 0, size);
  else if (key === "ArrowUp") camera.pan(0, PAN_STEP, size);
  else if (key === "ArrowDown") camera.pan(0, -PAN_STEP, size);
  else return false;
  viewer.moved();
  return true;
}
