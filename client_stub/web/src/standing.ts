// How we stand with the server, in words: a card where there is no picture yet, a strip over a picture
// that no longer moves.
import type { ConnectionState } from "./connection";
import { Notice } from "./notice";

/** Milliseconds without a first picture before "connecting" is worth a card. */
const PATIENCE = 1500;

export class Standing {
  private readonly notice = new Notice();
  private timer: number | undefined;
  private lost = false;

  constructor(private readonly retry: () => void, private readonly tell: (text: string) => void) {}

  /** `pictured`: the world as it was can still be seen. */
  show(state: ConnectionState, detail: string, pictured: boolean): void {
    window.clearTimeout(this.timer);
    document.body.classList.toggle("stale", pictured && state !== "ready");
    const action = { label: "Try now", run: this.retry };
    switch (state) {
      case "ready":
        this.notice.hide();
        if (this.lost) this.tell("Connected again");
        this.lost = false;
        break;
      case "connecting":
        if (!pictured && !this.lost) {
          this.timer = window.setTimeout(() => this.notice.show({ title: "Connecting …",
            text: "The server takes its time to answer." }), PATIENCE);
        }
        break;
      case "waiting": {
        this.lost = true;
        const why = detail === "no answer" ? "" : `${detail.charAt(0).toUpperCase()}${detail.slice(1)}. `;
        const title = /^refused/.test(detail) ? "The server let us not in" : pictured ? "Connection lost" : "The server does not answer";
        const what = pictured ? "You see the world as it was. " : "";
        this.notice.show({ title, text: `${why}${what}The page tries again by itself.`, action }, pictured);
        break;
      }
      case "stopped":
        if (!/version/.test(detail)) return this.notice.show({ title: "Nothing to see here", text: `${detail}.`, action }, pictured);
        this.notice.show({ title: "The server has another version", text: `${detail}.`,
          action: { label: "Reload the page", run: () => location.reload() } }, pictured);
        break;
    }
  }

  /** Another card stands there now. */
  get card(): Notice {
    return this.notice;
  }
}
