// The timeline's picture: groove, played part, marks of commands and checkpoints, where two
// recordings part, times.
import { clamp } from "./geometry";

export interface TimelineRecording {
  world: string;
  file: string;
  recorded: string;
  first_tick: number;
  last_tick: number;
  commands: number;
  /** Ticks of commands (of the first one in its piece of a long recording), and how many. */
  marks: [number, number][];
  checkpoints: number[];
}

/** What the server's /timeline says. */
export interface TimelineFacts {
  first_tick: number;
  last_tick: number;
  tick_rate: number;
  first_difference: number | null;
  recordings: TimelineRecording[];
  trouble: string;
  complete: boolean;
}

export interface TrackScene {
  first: number;
  last: number;
  shown: number;
  facts: TimelineFacts;
  /** The tick at which the others are; null where that is this one. */
  others: number | null;
  /** Pixels from the left, where the pointer is over it. */
  hover: number | null;
  loud: boolean;
}

/** Half of the slider's thumb, as style.css has it. */
const PAD = 10;
const GROOVE_TOP = 19;
const GROOVE_HEIGHT = 6;
const COLOURS = ["#f0b45a", "#b79cff"]; // commands of the first and the second recording
const MARK = "#ff4d8d";
const LABEL_PIXELS = 96;
/** Seconds between two labels. */
const LABEL_STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
  7200, 14400, 21600, 43200, 86400];
/** How near the pointer must be to a mark to tell of it. */
const REACH = 4;

export function timeText(tick: number, rate: number, digits: number): string {
  const seconds = tick / rate;
  const whole = Math.floor(seconds);
  const pad = (value: number) => String(value).padStart(2, "0");
  const fraction = digits === 0 ? "" : (seconds - whole).toFixed(digits).slice(1);
  return `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}${fraction}`;
}

/** Paints it; returns what is to be said of the place under the pointer. */
export function paintTrack(
  canvas: HTMLCanvasElement, scene: TrackScene,
): { x: number; text: string } | null {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const span = Math.max(1, scene.last - scene.first);
  const inner = width - 2 * PAD;
  const place = (tick: number) => PAD + (clamp(tick - scene.first, 0, span) / span) * inner;
  paintLabels(context, scene, width, height, place);
  paintGroove(context, scene, place);
  paintMarks(context, scene, place);
  if (scene.others !== null) paintOthers(context, place(scene.others));
  paintThumb(context, scene, place(scene.shown));
  if (scene.hover === null) return null;
  const tick = Math.round(scene.first + clamp((scene.hover - PAD) / inner, 0, 1) * span);
  return { x: scene.hover, text: tipText(scene, tick, (REACH / inner) * span) };
}

function tipText(scene: TrackScene, tick: number, reach: number): string {
  const parts = [`${timeText(tick, scene.facts.tick_rate, 2)} · tick ${tick.toLocaleString("en")}`];
  let commands = 0;
  for (const { marks } of scene.facts.recordings) {
    for (const [at, count] of marks) if (Math.abs(at - tick) <= reach) commands += count;
  }
  if (scene.others !== null && Math.abs(scene.others - tick) <= reach) parts.push("the others are here");
  if (commands > 0) parts.push(`${commands.toLocaleString("en")} command${commands === 1 ? "" : "s"}`);
  const first = scene.facts.first_difference;
  if (first !== null && Math.abs(first - tick) <= reach) parts.push("first difference");
  return parts.join(" · ");
}

function paintLabels(
  context: CanvasRenderingContext2D, scene: TrackScene, width: number, height: number,
  place: (tick: number) => number,
): void {
  const rate = scene.facts.tick_rate;
  const seconds = Math.max(1, scene.last - scene.first) / rate;
  const least = (seconds * LABEL_PIXELS) / width;
  const step = LABEL_STEPS.find((value) => value >= least) ?? Math.ceil(least / 86400) * 86400;
  const digits = step < 1 ? (step < 0.1 ? 2 : 1) : 0;
  context.font = '10.5px ui-sans-serif, system-ui, "DejaVu Sans", sans-serif';
  context.fillStyle = "#8593a8";
  context.textBaseline = "alphabetic";
  const begin = Math.ceil(scene.first / rate / step);
  for (let i = begin; i * step * rate <= scene.last; ++i) {
    const tick = Math.round(i * step * rate);
    const x = place(tick);
    context.fillRect(Math.round(x) - 0.5, height - 15, 1, 3);
    const text = timeText(tick, rate, digits);
    const half = context.measureText(text).width / 2;
    context.fillText(text, clamp(x, half + 1, width - half - 1) - half, height - 2);
  }
}

function paintGroove(
  context: CanvasRenderingContext2D, scene: TrackScene, place: (tick: number) => number,
): void {
  const bar = (from: number, to: number, colour: string) => {
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(from, GROOVE_TOP, Math.max(0, to - from), GROOVE_HEIGHT, GROOVE_HEIGHT / 2);
    context.fill();
  };
  const begin = place(scene.first);
  const end = place(scene.last);
  const here = place(scene.shown);
  bar(begin, end, "rgba(140, 165, 200, 0.22)");
  const first = scene.facts.first_difference;
  if (first !== null) bar(place(first), end, "rgba(255, 77, 141, 0.32)");
  if (here > begin) bar(begin, here, "#3f97c8");
  if (first === null) return;
  if (here > place(first)) bar(place(first), here, MARK);
  // A flag where the two part.
  const x = Math.round(place(first)) + 0.5;
  context.strokeStyle = MARK;
  context.fillStyle = MARK;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, GROOVE_TOP + GROOVE_HEIGHT + 3);
  context.lineTo(x, 3);
  context.stroke();
  context.beginPath();
  const side = x > place(scene.last) - 10 ? -1 : 1;
  context.moveTo(x, 2);
  context.lineTo(x + side * 9, 5.5);
  context.lineTo(x, 9);
  context.closePath();
  context.fill();
}

function paintMarks(
  context: CanvasRenderingContext2D, scene: TrackScene, place: (tick: number) => number,
): void {
  const { recordings } = scene.facts;
  const pair = recordings.length > 1;
  recordings.forEach(({ marks }, index) => {
    context.fillStyle = COLOURS[index]!;
    for (const [tick, count] of marks) {
      const length = Math.min(12, 7 + Math.log2(count));
      // The second recording's marks hang below the groove.
      const top = index === 0 ? GROOVE_TOP - 3 - length : GROOVE_TOP + GROOVE_HEIGHT + 3;
      context.fillRect(Math.round(place(tick)) - 1, top, 2, length);
    }
  });
  if (pair) return;
  context.fillStyle = "rgba(170, 190, 220, 0.4)";
  let last = -Infinity;
  for (const tick of recordings[0]?.checkpoints ?? []) {
    const x = Math.round(place(tick));
    if (x - last < 4) continue; // a row without gaps would tell nothing
    last = x;
    context.fillRect(x, GROOVE_TOP + GROOVE_HEIGHT + 3, 1, 3);
  }
}

/** A ring where the others are. */
function paintOthers(context: CanvasRenderingContext2D, x: number): void {
  context.fillStyle = "#141b27";
  context.strokeStyle = "#e6edf6";
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, GROOVE_TOP + GROOVE_HEIGHT / 2, 5, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}

function paintThumb(context: CanvasRenderingContext2D, scene: TrackScene, x: number): void {
  const y = GROOVE_TOP + GROOVE_HEIGHT / 2;
  context.fillStyle = "#ffffff";
  context.strokeStyle = "rgba(8, 10, 14, 0.8)";
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, scene.loud ? 8 : 7, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}
