// What water holds that is poured, or that a spring brings: a tracer and a temperature, as far as the world has them.
// Rows of a form, for the panels of both; and the commands that pour it.
import type { PourWithAbove } from "@commands";
import type { Vec3 } from "./geometry";
import { poursToFill } from "./pouring";
import { DEGREE, tracerOf } from "./layer_values";
import { FULL, type Mirror } from "./mirror";

/** Units of a tracer in 4,096 units of water, unless another number is chosen: well seen, and far from the most. */
const USUAL_AMOUNT = 2048;
/** As many as the server takes. */
const MOST_AMOUNT = 1 << 24;

export interface Holds {
  /** Units in 4,096 units of water. */
  tracer?: Record<string, number>;
  /** In 1/256 degree. */
  temperature?: number;
}

export class Mixture {
  private readonly select = document.createElement("select");
  private readonly amount = numberInput("amount", `Units of it in ${FULL.toLocaleString("en")} units of water, a full cell`);
  private readonly degrees = numberInput("temperature", "Of the water, in degrees Celsius; empty: the world's own");
  private readonly rowOfDegrees = row("Degrees", this.degrees);
  private readonly rowOfAmount = row("Amount", this.amount);
  private readonly rowOfTracer = row("Holds", this.select);
  private names = "";

  /** `changed`: something else is chosen. */
  constructor(changed: () => void = () => undefined) {
    Object.assign(this.amount, { value: String(USUAL_AMOUNT), min: "0", max: String(MOST_AMOUNT) });
    this.select.name = "tracer";
    this.select.title = "What is in the water";
    for (const field of [this.select, this.amount, this.degrees]) {
      field.addEventListener("input", () => {
        this.showAmount();
        changed();
      });
    }
  }

  get rows(): HTMLLabelElement[] {
    return [this.rowOfTracer, this.rowOfAmount, this.rowOfDegrees];
  }

  /** What the world has to choose from; `wanted`: whether it is to be chosen now. Returns whether there is anything. */
  offer(layers: string[], heat: boolean, wanted = true): boolean {
    const names = layers.filter((name) => name.startsWith("tracer:")).map(tracerOf);
    if (names.join() !== this.names) {
      this.names = names.join();
      const chosen = this.select.value;
      this.select.replaceChildren(new Option("clear water", ""), ...names.map((name) => new Option(name, name)));
      this.select.value = names.includes(chosen) ? chosen : "";
    }
    this.rowOfTracer.hidden = !wanted || names.length === 0;
    this.rowOfDegrees.hidden = !wanted || !heat;
    this.showAmount();
    return names.length > 0 || heat;
  }

  /** What is chosen; null: nothing but water. */
  get holds(): Holds | null {
    const holds: Holds = {};
    const amount = numberOf(this.amount);
    if (this.select.value && amount) holds.tracer = { [this.select.value]: Math.round(amount) };
    const degrees = this.rowOfDegrees.hidden ? null : numberOf(this.degrees);
    if (degrees !== null) holds.temperature = Math.round(degrees * DEGREE);
    return Object.keys(holds).length > 0 ? holds : null;
  }

  private showAmount(): void {
    this.rowOfAmount.hidden = this.rowOfTracer.hidden || this.select.value === "";
  }
}

/** Fills the cells, which have room, up with water that holds this. */
export function mixtureToFill({ tracer, temperature }: Holds): (mirror: Mirror, cells: readonly Vec3[]) => PourWithAbove[] {
  return (mirror, cells) => poursToFill(mirror, cells).map((pour) => {
    if (!tracer) return { ...pour, temperature: temperature! };
    const amounts = Object.fromEntries(Object.entries(tracer).map(([name, amount]) => [name, Math.round((amount * pour.units) / FULL)]));
    return { ...pour, tracer: amounts, ...(temperature === undefined ? {} : { temperature }) };
  });
}

function row(label: string, field: HTMLElement): HTMLLabelElement {
  const made = document.createElement("label");
  made.append(`${label} `, field);
  return made;
}

function numberInput(name: string, title: string): HTMLInputElement {
  return Object.assign(document.createElement("input"), { type: "number", step: "any", name, title });
}

/** Null: the field is empty. */
function numberOf(input: HTMLInputElement): number | null {
  return input.value.trim() === "" ? null : Number(input.value);
}
