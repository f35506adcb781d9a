// Who else is here: their cursors with names in the picture, a list, and following somebody. Fetched when there is a
// picture; from then on the page says where it points, and is told of the others.
import type { Camera } from "./camera";
import { clamp, type Vec3 } from "./geometry";
import type { PeopleMessage } from "./messages";
import type { Mirror } from "./mirror";
import { encodePointer, LONGEST_NAME, nameOf, readPeople, type Person, type Sight } from "./people_wire";

/** How often it is said where we point, in milliseconds, and how often that we are still here. */
const INTERVAL = 100;
const STILL_HERE = 2000;
/** Bright enough for dark letters on them. */
const COLOURS = ["#ffd666", "#8ff0c0", "#7cc4ff", "#ff9ec7", "#c9b6ff", "#ffb86b"];
const INK = "#10141c";
const KEY = "name";

/** The viewer of the world. */
export interface Place {
  readonly mirror: Mirror | null;
  readonly camera: Camera;
  readonly hover: { x: number; y: number; z?: number } | null;
  readonly slice: number;
  readonly overlay: string;
  setSlice(z: number): void;
  moved(): void;
  repaint(): void;
  sendBytes(bytes: Uint8Array): void;
  say(text: string): void;
}

export class People {
  people: Person[] = [];
  private followed: number | null = null;
  /** Where following put the camera: elsewhere means that somebody moved it. */
  private put = { x: NaN, y: NaN };
  private said = "";
  private saidAt = -Infinity;
  private name = kept() ?? "guest";
  private readonly button = document.createElement("button");
  private readonly list = document.createElement("section");
  private readonly timer: number;

  constructor(private readonly place: Place) {
    this.button.id = "people-open";
    this.button.type = "button";
    this.button.title = "Who is here";
    this.button.setAttribute("aria-expanded", "false");
    this.list.id = "people";
    this.list.setAttribute("aria-label", "Who is here");
    this.list.hidden = this.button.hidden = true;
    this.button.addEventListener("click", () => {
      this.list.hidden = !this.list.hidden;
      this.button.setAttribute("aria-expanded", String(!this.list.hidden));
      if (!this.list.hidden) this.showList();
    });
    document.getElementById("help-open")!.before(this.button);
    document.getElementById("stage")!.append(this.list);
    this.timer = window.setInterval(() => this.point(), INTERVAL);
    this.point();
  }

  stop(): void {
    window.clearInterval(this.timer);
    this.button.remove();
    this.list.remove();
  }

  take(message: PeopleMessage): void {
    const before = this.people.map(({ number, name }) => `${number} ${name}`).join();
    this.people = readPeople(message);
    this.button.hidden = this.people.length < 2;
    this.button.textContent = `${this.people.length} here`;
    if (this.button.hidden) this.list.hidden = true;
    const now = this.people.map(({ number, name }) => `${number} ${name}`).join();
    if (now !== before && !this.list.hidden) this.showList();
    this.goAlong();
    this.place.repaint();
  }

  /** Those who point in the slice, each with a name; of others nothing is drawn. */
  paint(context: CanvasRenderingContext2D, camera: Camera, slice: number): void {
    const { mirror } = this.place;
    if (!mirror) return;
    context.save();
    context.font = "600 12px ui-sans-serif, system-ui, sans-serif";
    for (const person of this.others()) {
      if (this.place.overlay === "views" && person.sees) paintSight(context, camera, this.turned(person.sees, mirror), slice, person);
      const at = mirror.real(person.at);
      if (!person.pointing || at.z !== slice) continue;
      paintCursor(context, camera.screenX(at.x + 0.5), camera.screenY(at.y + 0.5), titleOf(person), colourOf(person));
    }
    context.restore();
  }

  /** As it lies in this picture, from the lowest to the highest corner. */
  private turned({ from, to }: Sight, mirror: Mirror): Sight {
    const [a, b] = [mirror.real(from), mirror.real(to)];
    return {
      from: { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), z: Math.min(a.z, b.z) },
      to: { x: Math.max(a.x, b.x), y: Math.max(a.y, b.y), z: Math.max(a.z, b.z) },
    };
  }

  /** The cells on the screen. */
  private sight(mirror: Mirror): Sight {
    const { camera, slice } = this.place;
    const cell = (x: number, y: number): Vec3 => mirror.real({
      x: clamp(Math.floor(camera.worldX(x)), 0, mirror.size.x - 1), y: clamp(Math.floor(camera.worldY(y)), 0, mirror.size.y - 1), z: slice,
    });
    return { from: cell(0, camera.height - 1), to: cell(camera.width - 1, 0) };
  }

  /** Null: nobody any more. */
  follow(number: number | null): void {
    this.followed = number;
    this.put = { x: NaN, y: NaN };
    const person = this.people.find((each) => each.number === number);
    if (person) this.place.say(`Following ${titleOf(person)}; move the picture to stop`);
    this.goAlong();
    this.showList();
  }

  get following(): number | null {
    return this.followed;
  }

  /** Somebody moved the picture, who does not want to follow any more. */
  private get wasMoved(): boolean {
    const { camera } = this.place;
    return this.followed !== null && !Number.isNaN(this.put.x) && (camera.x !== this.put.x || camera.y !== this.put.y);
  }

  private others(): Person[] {
    const own = this.place.mirror?.welcome.person;
    return this.people.filter(({ number }) => number !== own);
  }

  private goAlong(): void {
    const { mirror, camera } = this.place;
    if (this.followed === null || !mirror) return;
    if (this.wasMoved) return this.follow(null);
    const person = this.people.find(({ number }) => number === this.followed);
    if (!person) {
      this.place.say("Who was followed has left");
      return this.follow(null);
    }
    const at = mirror.real(person.at);
    if (at.z !== this.place.slice) this.place.setSlice(at.z);
    camera.centre(at.x + 0.5, at.y + 0.5, mirror.size);
    this.put = { x: camera.x, y: camera.y };
    this.place.moved();
  }

  /** Says where we point, when that is somewhere else, or has not been said for a while. */
  private point(): void {
    const { mirror, camera, hover, slice } = this.place;
    if (!mirror || document.hidden) return;
    if (this.wasMoved) this.follow(null);
    const at = hover ? { z: slice, ...hover } : { x: Math.floor(camera.x), y: Math.floor(camera.y), z: slice };
    const real: Vec3 = mirror.real(at);
    const sees = this.sight(mirror);
    const saying = JSON.stringify([real, hover !== null, this.name, mirror.welcome.person, sees]);
    const now = performance.now();
    if (saying === this.said && now - this.saidAt < STILL_HERE) return;
    this.said = saying;
    this.saidAt = now;
    this.place.sendBytes(encodePointer(real, hover !== null, this.name, sees));
  }

  private showList(): void {
    const title = document.createElement("h2");
    title.textContent = "Who is here";
    const rows = document.createElement("ul");
    const own = this.place.mirror?.welcome.person;
    for (const person of this.people) {
      const row = document.createElement("li");
      const dot = document.createElement("i");
      dot.style.background = colourOf(person);
      const name = document.createElement("span");
      name.textContent = person.number === own ? `${titleOf(person)} (you)` : titleOf(person);
      row.append(dot, name);
      if (person.number !== own) row.append(this.followButton(person));
      rows.append(row);
    }
    const parts: HTMLElement[] = [title, rows];
    if (!this.people.find(({ number }) => number === own)?.known) parts.push(this.nameField());
    this.list.replaceChildren(...parts);
  }

  private followButton(person: Person): HTMLElement {
    const button = document.createElement("button");
    const follows = person.number === this.followed;
    button.textContent = follows ? "Stop" : "Follow";
    button.setAttribute("aria-label", `${follows ? "Stop following" : "Follow"} ${titleOf(person)}`);
    button.addEventListener("click", () => this.follow(follows ? null : person.number));
    return button;
  }

  private nameField(): HTMLElement {
    const label = document.createElement("label");
    label.textContent = "Your name ";
    const input = document.createElement("input");
    input.maxLength = LONGEST_NAME;
    input.value = this.name === "guest" ? "" : this.name;
    input.addEventListener("change", () => {
      this.name = nameOf(input.value) || "guest";
      keep(this.name);
    });
    label.append(input);
    return label;
  }
}

/** Two guests are told apart by their numbers. */
function titleOf({ name, known, number }: Person): string {
  return known ? name : name === "guest" || name === "" ? `guest ${number}` : name;
}

function colourOf({ number }: Person): string {
  return COLOURS[number % COLOURS.length]!;
}

/** A frame around what somebody sees, with the name in its upper left corner. */
function paintSight(context: CanvasRenderingContext2D, camera: Camera, { from, to }: Sight, slice: number, person: Person): void {
  if (slice < from.z || slice > to.z) return;
  const [left, right] = [camera.screenX(from.x), camera.screenX(to.x + 1)];
  const [top, bottom] = [camera.screenY(to.y + 1), camera.screenY(from.y)];
  for (const [width, colour] of [[5, INK], [2, colourOf(person)]] as const) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.strokeRect(left, top, right - left, bottom - top);
  }
  context.fillStyle = colourOf(person);
  context.fillRect(left, top, context.measureText(titleOf(person)).width + 10, 17);
  context.fillStyle = INK;
  context.fillText(titleOf(person), left + 5, top + 13);
}

function paintCursor(context: CanvasRenderingContext2D, x: number, y: number, name: string, colour: string): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + 4, y + 15);
  context.lineTo(x + 8, y + 9);
  context.lineTo(x + 15, y + 8);
  context.closePath();
  context.lineWidth = 3;
  context.strokeStyle = INK;
  context.stroke();
  context.fillStyle = colour;
  context.fill();
  const width = context.measureText(name).width + 10;
  context.fillRect(x + 10, y + 14, width, 17);
  context.fillStyle = INK;
  context.fillText(name, x + 15, y + 27);
}

/** Null where the browser keeps nothing. */
function kept(): string | null {
  try {
    return nameOf(localStorage.getItem(KEY) ?? "") || null;
  } catch {
    return null;
  }
}

function keep(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // a private window: the name is kept for as long as the page is there
  }
}
