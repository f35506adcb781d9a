// Pointer, wheel and keys on the canvas.
import { ZOOM_STEP } from "./camera";
import { Gestures, type StrokeKind } from "./gesture";
import { isOpenMenu, watchMenus } from "./open_menu";
import type { Shape } from "./shapes";
import { does, toolOf } from "./tools";
import type { Cell } from "./sight";
import type { Viewer } from "./viewer";

const SHAPE_KEYS: Record<string, Shape> = { l: "line", r: "box", g: "fill" };
const PAN_STEP = 64; // screen pixels
const ARROWS: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};
/** Cells of a cursor's long step. */
const LONG_STEP = 10;

let spaceHeld = false;
/** Whether Space, since it went down, moved the picture: then it applies no tool. */
let spaceUsed = false;

/** What a stroke with the button does. */
export function strokeOf({ hand }: Pick<Viewer, "hand">, button: number): StrokeKind {
  if (spaceHeld) spaceUsed = true;
  if (spaceHeld || button === 1) return "pan";
  if (!hand.isFree && !hand.hasCells) return "pan";
  // The right button digs for whoever builds; with what only looks it carries the picture, as the left one.
  if (button === 2) return hand.builds ? "brush" : "pan";
  if (hand.pipes.tool !== null) return "pipe";
  if (hand.stamps !== null) return "stamp";
  if (hand.places !== null) return "place";
  return hand.builds ? "brush" : "pan";
}

/** Pointer and wheel. `current` is asked at every event: the world that is shown may change. */
export function listen(canvas: HTMLCanvasElement, current: () => Viewer | null): void {
  /** Runs while there is a world, and where it is seen. */
  const withCell = (x: number, y: number, act: (viewer: Viewer, cell: Cell) => void) => {
    const viewer = current();
    const cell = viewer?.mirror ? viewer.pointing.cellAt(x, y) : null;
    if (cell) act(viewer!, cell);
  };

  const gestures = new Gestures({
    kindOf(button: number): StrokeKind {
      const viewer = current();
      return viewer ? strokeOf(viewer, button) : "pan";
    },
    begin(kind, x, y, button) {
      withCell(x, y, (viewer, cell) => {
        viewer.hover = cell;
        if (kind === "pipe") viewer.hand.pipes.begin(viewer.mirror!.pipes, viewer.hand.begin(cell));
        if (kind === "stamp") viewer.hand.beginStamp(cell);
        if (kind === "place") viewer.hand.beginPlacing(cell);
        // The right button digs, whatever the left one does.
        const digs = button === 2;
        if (kind === "brush") viewer.hand.brush.begin(viewer.mirror!, cell.x, cell.y, viewer.hand.begin(cell, digs).z, digs);
      });
    },
    move(kind, x, y) {
      withCell(x, y, (viewer, cell) => {
        if (kind === "brush") viewer.hand.brush.move(viewer.mirror!, cell.x, cell.y);
        if (kind === "pipe") viewer.hand.pipes.move(viewer.mirror!.pipes, viewer.hand.reach(cell));
        if (kind === "place") viewer.hand.placer?.move(viewer.hand.reach(cell));
      });
    },
    end(kind, x, y, clicked) {
      const hand = current()?.hand;
      withCell(x, y, (viewer, cell) => {
        if (kind === "pipe") viewer.hand.pipes.end(viewer.mirror!.pipes, viewer.hand.reach(cell));
        if (kind === "stamp") viewer.hand.endStamp(cell);
        if (kind === "pan" && clicked) viewer.pointing.clicked(cell);
      });
      // Wherever they end, beside the world, too.
      const { mirror } = current() ?? {};
      if (kind === "brush" && mirror) hand?.brush.end(mirror);
      if (kind === "place") hand?.placer?.end();
      hand?.release();
    },
    cancel(kind) {
      const viewer = current();
      if (kind === "brush") viewer?.hand.brush.cancel(viewer.mirror);
      if (kind === "pipe") viewer?.hand.pipes.cancel();
      if (kind === "stamp") viewer?.hand.stamp.cancel();
      if (kind === "place") viewer?.hand.placer?.end();
      viewer?.hand.release();
    },
    pan(dx, dy) {
      current()?.pan(dx, dy);
    },
    zoom(factor, x, y) {
      const viewer = current();
      if (viewer?.sight?.lens) viewer.zoom(factor); // in perspective about the middle
      else viewer?.zoom(factor, x, y);
    },
  });

  let [lastX, lastY] = [NaN, NaN];
  const after = (event: PointerEvent) => {
    const viewer = current();
    // A pointer that rests, while the page moves under it, does not take the cursor from the keys.
    if (event.type === "pointermove" && event.clientX === lastX && event.clientY === lastY) return;
    [lastX, lastY] = [event.clientX, event.clientY];
    viewer?.keys.hide();
    if (spaceHeld && event.buttons !== 0) spaceUsed = true;
    canvas.classList.toggle("panning", gestures.panning);
    if (!viewer?.mirror) return;
    // A finger that is gone hovers nowhere.
    const gone = event.pointerType === "touch" && event.type !== "pointermove" && event.type !== "pointerdown";
    viewer.hover = gone ? null : viewer.pointing.cellAt(event.offsetX, event.offsetY);
    viewer.moved();
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (!current()?.mirror) return;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    gestures.down(event.pointerId, event.offsetX, event.offsetY, event.pointerType === "touch", event.button);
    after(event);
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => {
    gestures.move(event.pointerId, event.offsetX, event.offsetY);
    after(event);
  });
  canvas.addEventListener("pointerup", (event) => {
    gestures.up(event.pointerId, event.offsetX, event.offsetY);
    after(event);
  });
  for (const end of ["pointercancel", "lostpointercapture"] as const) {
    canvas.addEventListener(end, (event) => {
      gestures.cancel(event.pointerId);
      canvas.classList.toggle("panning", gestures.panning);
    });
  }
  canvas.addEventListener("pointerleave", () => {
    [lastX, lastY] = [NaN, NaN];
    const viewer = current();
    if (!viewer || viewer.keys.shown) return;
    viewer.hover = null;
    viewer.moved();
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());

  canvas.addEventListener("wheel", (event) => {
    const viewer = current();
    if (!viewer?.mirror) return;
    // Lines and pages count as so many pixels, as browsers themselves scroll.
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    viewer.zoom(Math.exp(-event.deltaY * unit * 0.0016), event.offsetX, event.offsetY);
    viewer.hover = viewer.pointing.cellAt(event.offsetX, event.offsetY);
    viewer.moved();
    event.preventDefault();
  }, { passive: false });
}

/** Whether what has the focus takes the key for itself: what is typed into a field, or into an open menu to find one of
 *  its choices, is no shortcut. A slider or a menu that was used keeps the focus, but only the keys that move it are its own. */
export function takesKey({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  const moves = /^(Arrow|Home|End|Page)/.test(key);
  if (target instanceof HTMLSelectElement) {
    if (isOpenMenu(target)) return !ctrlKey && !metaKey;
    return moves || key === "Enter" || key === " ";
  }
  if (!(target instanceof HTMLInputElement)) return target instanceof HTMLTextAreaElement;
  if (target.type === "range") return moves;
  return target.type !== "checkbox" || key === " ";
}

/** What keys do that is not the viewer's own. */
export interface PageKeys {
  nextOverlay(): void;
  screenshot(): void;
  film(): void;
  copyLink(): void;
  gallery(): void;
  nextSight(): void;
}

/** Once for the page. */
export function listenToKeys(current: () => Viewer | null, page: PageKeys): void {
  watchMenus();
  window.addEventListener("keyup", (event) => {
    if (event.code !== "Space" || !spaceHeld) return;
    spaceHeld = false;
    if (!spaceUsed) current()?.keys.apply();
  });
  window.addEventListener("blur", () => (spaceHeld = false));
  window.addEventListener("keydown", (event) => {
    const viewer = current();
    // What is pressed in front of a dialog is no shortcut for the world behind it.
    if (document.querySelector("dialog[open]")) return;
    if (!viewer?.mirror || event.altKey || takesKey(event)) return;
    if (cursorKey(viewer, event)) return event.preventDefault();
    if (event.ctrlKey || event.metaKey) {
      if (withControl(viewer, event)) event.preventDefault();
      return;
    }
    const onButton = event.target instanceof HTMLButtonElement;
    if (event.code === "Space" && !viewer.replays && !onButton) {
      if (!spaceHeld) spaceUsed = false;
      spaceHeld = true;
    }
    if (event.key === "o") page.nextOverlay();
    else if (event.key === "s") page.screenshot();
    else if (event.key === "m") page.film();
    else if (event.key === "k") page.copyLink();
    else if (event.key === "w") page.gallery();
    else if (event.key === "v") page.nextSight();
    else if (!pressed(viewer, event.key) && (event.code !== "Space" || onButton)) return;
    event.preventDefault();
  });
}

/** Undo, redo, copy and paste; returns whether it was one of them. */
function withControl(viewer: Viewer, { key, shiftKey }: KeyboardEvent): boolean {
  const { hand, replays } = viewer;
  const letter = key.toLowerCase();
  // Text on the page that is selected is what is to be copied.
  if (replays || (letter === "c" && !getSelection()!.isCollapsed)) return false;
  if (letter === "z" && !shiftKey) hand.undo();
  else if (letter === "y" || letter === "z") hand.redo();
  else if (letter === "c" && !shiftKey) hand.setTool("copy");
  else if (letter === "v" && !shiftKey) hand.setTool("paste");
  else return false;
  return true;
}

/** Arrows move the cursor, with Ctrl ten cells at a time, with Shift the picture; Enter applies the tool.
 *  A recording's timeline has the arrows for itself, and Enter inspects. */
function cursorKey(viewer: Viewer, event: KeyboardEvent): boolean {
  const arrow = ARROWS[event.key];
  const long = event.ctrlKey || event.metaKey;
  if (arrow && viewer.replays && !long) return false;
  if (arrow && event.shiftKey) {
    viewer.pan(-arrow[0] * PAN_STEP, arrow[1] * PAN_STEP);
    return true;
  }
  if (arrow) {
    const step = long && !viewer.replays ? LONG_STEP : 1;
    viewer.keys.move(arrow[0] * step, arrow[1] * step);
    return true;
  }
  // Buttons and links take Enter for themselves.
  if (event.key !== "Enter" || long || (event.target instanceof HTMLElement && event.target.closest("button, a, summary"))) return false;
  viewer.keys.apply();
  return true;
}

/** Whether the key means anything. */
function pressed(viewer: Viewer, key: string): boolean {
  const { camera } = viewer;
  // What happened cannot be changed: a replay has no tools but the one that looks.
  const tool = viewer.replays && key !== "6" ? undefined : toolOf(key);
  if (tool && does(tool, "place")) viewer.hand.setPlacing(tool);
  else if (tool) viewer.hand.setTool(tool);
  // The brush's key once more makes it round, or square again.
  else if (key === "b" && !viewer.replays) viewer.hand.setShape("brush", viewer.hand.brush.round !== (viewer.hand.brush.shape === "brush"));
  else if (SHAPE_KEYS[key] && !viewer.replays) viewer.hand.setShape(SHAPE_KEYS[key]);
  else if (key === "i" && !viewer.replays) viewer.hand.pick();
  else if (key === "p") viewer.pointing.pin();
  else if (key === "5") viewer.hand.togglePipes();
  else if (key === "9" && !viewer.replays) viewer.hand.placer?.toggle();
  else if (key === "Escape") viewer.hand.setPipeTool(null);
  else if (key === "[") viewer.hand.setSize(viewer.hand.brush.size - 1);
  else if (key === "]") viewer.hand.setSize(viewer.hand.brush.size + 1);
  else if (key === "," || key === "PageDown") viewer.setSlice(viewer.slice - 1);
  else if (key === "." || key === "PageUp") viewer.setSlice(viewer.slice + 1);
  else if (key === "f" || key === "F") viewer.fit();
  else if (key === "+" || key === "=") viewer.zoom(ZOOM_STEP, camera.width / 2, camera.height / 2);
  else if (key === "-") viewer.zoom(1 / ZOOM_STEP, camera.width / 2, camera.height / 2);
  else return false;
  viewer.moved();
  return true;
}
