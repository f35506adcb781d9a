// What is saved of the screen: a picture of it as it is, or a film of up to a minute.
import type { Viewer } from "./viewer";

const FRAMES_PER_SECOND = 30;
/** Milliseconds, and bits a second: what waits in memory is 30 MB at the most. */
const LONGEST = 60_000;
const BITS_PER_SECOND = 4_000_000;
/** Pixels along its longer side. */
const MOST_PIXELS = 1920;
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

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

/** Downloads the picture as it is on the screen, without the cursor. */
export async function saveScreenshot(viewer: Viewer, teller: Teller): Promise<void> {
  const blob = await viewer.picture();
  if (blob && viewer.mirror) save(blob, `${viewer.mirror.welcome.world}-${viewer.mirror.tick}.png`, teller);
}

class Film {
  private readonly picture = document.createElement("canvas");
  private readonly recorder: MediaRecorder;
  private readonly timers: number[] = [];
  private readonly name: string;
  private parts: Blob[] = [];

  constructor(private readonly viewer: () => Viewer | null, type: string, private readonly teller: Teller) {
    const { canvas, mirror } = viewer()!;
    this.name = `${mirror!.welcome.world}-${mirror!.tick}.${type.startsWith("video/mp4") ? "mp4" : "webm"}`;
    // Encoders want even sides.
    const scale = Math.min(1, MOST_PIXELS / Math.max(canvas.width, canvas.height));
    this.picture.width = 2 * Math.max(1, Math.round((canvas.width * scale) / 2));
    this.picture.height = 2 * Math.max(1, Math.round((canvas.height * scale) / 2));
    const context = this.picture.getContext("2d")!;
    viewer()!.paintInto(context); // a film does not begin with an empty picture
    this.recorder = new MediaRecorder(this.picture.captureStream(FRAMES_PER_SECOND),
      { mimeType: type, videoBitsPerSecond: BITS_PER_SECOND });
    this.recorder.addEventListener("dataavailable", ({ data }) => this.parts.push(data));
    this.recorder.addEventListener("stop", () => save(new Blob(this.parts, { type }), this.name, this.teller));
    this.recorder.start(1000);
    this.timers.push(
      window.setInterval(() => this.viewer()?.paintInto(context), 1000 / FRAMES_PER_SECOND),
      window.setTimeout(() => toggleFilm(this.viewer, this.teller), LONGEST),
    );
  }

  end(): void {
    for (const timer of this.timers) window.clearTimeout(timer);
    this.recorder.stop();
  }
}

let film: Film | null = null;

/** Begins a film of what is on the screen, or ends it and downloads it. */
export function toggleFilm(viewer: () => Viewer | null, teller: Teller): void {
  const type = "MediaRecorder" in window ? KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)) : undefined;
  if (film) {
    film.end();
    film = null;
  } else if (!type) {
    return teller.warn("This browser records no films");
  } else if (viewer()?.mirror) {
    film = new Film(viewer, type, teller);
    teller.tell("Recording, for a minute at most; once more to end it");
  }
  const button = document.getElementById("record")!;
  button.classList.toggle("active", film !== null);
  button.setAttribute("aria-pressed", String(film !== null));
}
