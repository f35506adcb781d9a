// A card in the middle of the picture, for what stands between the reader and the world.

export interface NoticeText {
  title: string;
  text: string;
  /** A button under the text. */
  action?: { label: string; run(): void };
}

export class Notice {
  private readonly box = document.getElementById("notice")!;
  private readonly title = this.box.querySelector("h2")!;
  private readonly text = this.box.querySelector("p")!;
  private readonly button = this.box.querySelector("button")!;
  private run: () => void = () => undefined;

  constructor() {
    this.button.addEventListener("click", () => this.run());
  }

  /** `strip`: along the top, over a picture that is still worth a look. */
  show({ title, text, action }: NoticeText, strip = false): void {
    this.box.classList.toggle("strip", strip);
    this.title.textContent = title;
    this.text.textContent = text;
    this.button.hidden = action === undefined;
    this.button.textContent = action?.label ?? "";
    this.run = action?.run ?? (() => undefined);
    this.box.hidden = false;
  }

  hide(): void {
    this.box.hidden = true;
  }
}
