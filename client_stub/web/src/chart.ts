// One number over the last minute, as a line in a small canvas.

/** Samples kept; at four a second, a minute. */
const MOST_SAMPLES = 240;
const SECONDS = 60;

export class Chart {
  readonly canvas = document.createElement("canvas");
  private readonly samples: { at: number; value: number }[] = [];

  constructor() {
    this.canvas.className = "chart";
    this.canvas.setAttribute("role", "img");
  }

  add(value: number, now: number): void {
    this.samples.push({ at: now, value });
    while (this.samples.length > MOST_SAMPLES || this.samples[0]!.at < now - SECONDS * 1000) this.samples.shift();
  }

  clear(): void {
    this.samples.length = 0;
  }

  paint(unit: string): void {
    const { canvas, samples } = this;
    const last = samples.at(-1);
    if (!last || canvas.clientWidth === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
    const values = samples.map(({ value }) => value);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const text = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 2 });
    canvas.setAttribute("aria-label", `now ${text(last.value)} ${unit}; of the last minute between ${text(least)} and ${text(most)}`);
    const context = canvas.getContext("2d")!;
    const style = getComputedStyle(canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    // A value that rests is a line in the middle.
    const span = most - least || Math.max(1, Math.abs(most)) * 2;
    const low = most === least ? least - span / 2 : least;
    const [top, bottom, right] = [14, height - 4, width - 4];
    const x = (at: number) => right - ((last.at - at) / (SECONDS * 1000)) * (right - 4);
    const y = (value: number) => bottom - ((value - low) / span) * (bottom - top);
    context.beginPath();
    samples.forEach(({ at, value }, i) => (i === 0 ? context.moveTo(x(at), y(value)) : context.lineTo(x(at), y(value))));
    context.lineWidth = 1.75;
    context.lineJoin = "round";
    context.strokeStyle = style.getPropertyValue("--accent");
    context.stroke();
    context.lineTo(x(last.at), height);
    context.lineTo(x(samples[0]!.at), height);
    context.closePath();
    context.globalAlpha = 0.15;
    context.fillStyle = style.getPropertyValue("--accent");
    context.fill();
    context.globalAlpha = 1;
    context.beginPath();
    context.arc(x(last.at), y(last.value), 2.5, 0, 2 * Math.PI);
    context.fillStyle = style.color;
    context.fill();
    context.font = "10px ui-sans-serif, system-ui, sans-serif";
    context.fillStyle = style.getPropertyValue("--quiet");
    context.textAlign = "left";
    context.fillText(most === least ? `${text(most)} ${unit}, steady` : `${text(least)} to ${text(most)} ${unit}`, 4, 10);
    context.textAlign = "right";
    context.fillText("last minute", width - 4, 10);
  }
}
