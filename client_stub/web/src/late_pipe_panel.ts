// The pipes' panel, fetched when it is first opened: until then what it is to know is kept.
import { Late } from "./late";
import type { PipeMirror } from "./pipe_mirror";
import type { PipePanel } from "./pipe_panel";
import type { PipeTool, PipeTools } from "./pipe_tools";
import type { ViewerPipePanel } from "./viewer_parts";

export class LatePipePanel implements ViewerPipePanel {
  private readonly late: Late<PipePanel>;
  private attached: [PipeTools, PipeMirror] | null = null;
  private opens = false;

  constructor(choose: (tool: PipeTool | null) => void) {
    this.late = new Late("The pipes' panel", async () => new (await import("./pipe_panel")).PipePanel(choose), (panel) => {
      if (this.attached) panel.attach(...this.attached);
      if (this.opens) panel.toggle();
    });
    document.getElementById("pipes-toggle")!.addEventListener("click", () => this.toggle());
  }

  attach(...attached: [PipeTools, PipeMirror]): void {
    this.attached = attached;
    this.late.part?.attach(...attached);
  }

  toggle(): void {
    if (this.late.part) return this.late.part.toggle();
    this.opens = !this.opens;
    this.late.want();
  }

  showTool(tool: PipeTool | null): void {
    this.late.part?.showTool(tool);
  }

  update(): void {
    this.late.part?.update();
  }
}
