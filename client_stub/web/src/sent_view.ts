// What the server was asked for last: it is asked again where that is something else.
import { sameBox, type Box } from "./geometry";

export class SentView {
  private box: Box | null = null;
  private level = 0;
  /** The layers, by their bits. */
  layers = 0;

  /** The server knows nothing of us. */
  forget(): void {
    this.box = null;
  }

  /** Whether this is to be asked for; from then on it is. */
  isNew(box: Box, layers: number, level: number): boolean {
    if (this.box && sameBox(this.box, box) && layers === this.layers && level === this.level) return false;
    [this.box, this.layers, this.level] = [box, layers, level];
    return true;
  }
}
