// What the server was asked for last: it is asked again where that is something else.
import type { Box } from "./geometry";

export class SentView {
  private last = "";
  /** The layers, by their bits. */
  layers = 0;

  /** The server knows nothing of us. */
  forget(): void {
    this.last = "";
  }

  /** Whether this is to be asked for; from then on it is. `coarse`: layers of coarse cells. */
  isNew(box: Box, layers: number, level: number, coarse: number): boolean {
    const before = this.last;
    this.layers = layers;
    return before !== (this.last = JSON.stringify([box, layers, level, coarse]));
  }
}
