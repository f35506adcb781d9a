// What is saved of the screen: a picture of it as it is, or a film of up to a minute.
import type { Viewer } from "./viewer";

const FRAMES_PER_SECOND = 30;
/**
 * What a film has at the most, in milliseconds and bytes: it waits in memory. An encoder has so many
 * milliseconds for its last part.
 */
export const MOST = { milliseconds: 60_000, bytes: 32 * 2 ** 20, ending: 10_000 };
/** What encoders are asked for, and hold more or less: a film of a minute is some 30 MB. */
const BITS_PER_SECOND = 4_000_000;
/** Pixels along its longer side. */
const MOST_PIXELS = 1920;
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
/** Those whose encoders gave nothing here. */
const failed = new Set<string>();

export interface Teller {
  tell(text: string): void;
  warn(text: string): void;
}

function save(blob: Blob, name: string, teller: Teller): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  teller.tell(`Saved ${name}`);
}

/** Paints what is on the screen anew, all of it into one canvas. */
function painted(viewer: Viewer): HTMLCanvasElement {
  viewer.paint();
  viewer.screen.flatten();
  return viewer.canvas;
}

/** Downloads the picture as it is on the screen, without the cursor. */
export async function saveScreenshot(viewer: Viewer, teller: Teller): Promise<void> {
  const { hover, frames } = viewer;
  viewer.hover = null;
  frames.sharpness.set(1);
  const canvas = painted(viewer);
  viewer.hover = hover;
  frames.needed = true;
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob && viewer.mirror) save(blob, `${viewer.mirror.welcome.world}-${viewer.mirror.tick}.png`, teller);
}

class Film {
  private readonly recorder: MediaRecorder;
  private readonly timers: number[] = [];
  private readonly parts: Blob[] = [];
  private bytes = 0;
  private finished = false;

  /** `first`: the viewer, whose size the film has; `viewer`: the one that is on the screen then. */
  constructor(first: Viewer, viewer: () => Viewer | null, private readonly type: string,
    private readonly ended: (film: Blob) => void) {
    const picture = document.createElement("canvas");
    // Encoders want even sides.
    const { width, height } = first.canvas;
    const scale = Math.min(1, MOST_PIXELS / Math.max(width, height));
    picture.width = 2 * Math.max(1, Math.round((width * scale) / 2));
    picture.height = 2 * Math.max(1, Math.round((height * scale) / 2));
    const context = picture.getContext("2d")!;
    const shoot = (seen: Viewer) => context.drawImage(painted(seen), 0, 0, picture.width, picture.height);
    shoot(first); // a film does not begin with an empty picture
    this.recorder = new MediaRecorder(picture.captureStream(FRAMES_PER_SECOND),
      { mimeType: type, videoBitsPerSecond: BITS_PER_SECOND });
    this.recorder.addEventListener("dataavailable", ({ data }) => this.take(data));
    // It stops by itself, too, where the encoder fails: what there is until then is the film.
    this.recorder.addEventListener("stop", () => this.finish());
    this.recorder.start(1000);
    this.timers.push(
      window.setInterval(() => { const seen = viewer(); if (seen) shoot(seen); }, 1000 / FRAMES_PER_SECOND),
      window.setTimeout(() => this.end(), MOST.milliseconds),
    );
  }

  end(): void {
    if (this.recorder.state === "inactive") return;
    this.timers.push(window.setTimeout(() => this.finish(), MOST.ending));
    this.recorder.stop();
  }

  private finish(): void {
    if (this.finished) return;
    this.finished = true;
    for (const timer of this.timers) window.clearTimeout(timer);
    this.ended(new Blob(this.parts, { type: this.type }));
  }

  private take(data: Blob): void {
    this.parts.push(data);
    this.bytes += data.size;
    if (this.bytes >= MOST.bytes) this.end();
  }
}

let film: Film | null = null;

function setFilm(now: Film | null): void {
  film = now;
  const button = document.getElementById("record")!;
  button.classList.toggle("active", film !== null);
  button.setAttribute("aria-pressed", String(film !== null));
}

/** Begins a film of what is on the screen, or ends it and downloads it. */
export function toggleFilm(viewer: () => Viewer | null, teller: Teller): void {
  if (film) return film.end();
  const first = viewer();
  if (!first?.mirror) return;
  const kinds = "MediaRecorder" in window ? KINDS.filter((kind) => MediaRecorder.isTypeSupported(kind)) : [];
  if (kinds.every((kind) => failed.has(kind))) failed.clear();
  const type = kinds.find((kind) => !failed.has(kind));
  const name = `${first.mirror.welcome.world}-${first.mirror.tick}.${type?.startsWith("video/mp4") ? "mp4" : "webm"}`;
  try {
    if (!type) throw new Error("no encoder");
    setFilm(new Film(first, viewer, type, (blob) => {
      setFilm(null);
      if (blob.size > 0) return save(blob, name, teller);
      failed.add(type);
      teller.warn("The browser recorded nothing; the next film uses another encoder, where there is one");
    }));
    teller.tell("Recording, for a minute at most; once more to end it");
  } catch {
    teller.warn("This browser records no films");
  }
}
