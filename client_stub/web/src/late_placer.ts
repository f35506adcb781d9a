// The tools that put something into a cell: springs, drains, heaters, levels; and what takes it away. They are
// fetched when the first of them is wanted.
import type { Brush } from "./brush";
import type { CommandQueue } from "./command_queue";
import type { Fixtures } from "./fixtures";
import type { Vec3 } from "./geometry";
import type { History } from "./history";
import { Late } from "./late";
import type { Placer } from "./placer";
import { does, type PlacingTool, type Tool } from "./tools";

/** What the tools act on: the world that is shown. */
export interface Site {
  readonly queue: CommandQueue;
  readonly history: History;
  readonly brush: Brush;
  /** What the world has beside its cells, by name. */
  layers(): string[];
  /** What stands in the world, as far as is known. */
  fixtures(): Fixtures;
  /** How near, in cells, a click must be to mean something that stands there. */
  reach(): number;
  /** Whether what stands at that depth is seen. */
  sees(z: number): boolean;
  /** How high in the world a place of the picture is. */
  heightOf(at: Vec3): number;
  warn(text: string): void;
  /** Something came or went. */
  changed(): void;
}

export class LatePlacer {
  private readonly late: Late<Placer>;
  private tool: PlacingTool | null = null;
  private site: Site | null = null;
  private wanted = false;
  /** Whether the tool is Pour, which may pour more than water. */
  private pours = false;

  constructor(choose: (tool: Tool) => void) {
    this.late = new Late("The tools for springs", async () => new (await import("./placer")).Placer(choose), (placer) => {
      placer.show(this.wanted, this.tool, this.site, this.pours);
    });
    document.getElementById("placing-toggle")!.addEventListener("click", () => this.toggle());
  }

  toggle(): void {
    this.show(!(this.late.part?.shown ?? false), this.tool, this.site);
  }

  /** The tool that is taken up, whatever it is: one of these opens the panel. */
  showTool(tool: Tool, site: Site): void {
    const placing = does(tool, "place") ? tool : null;
    this.pours = tool === "water";
    this.show(placing !== null || this.wanted, placing, site);
  }

  private show(wanted: boolean, tool: PlacingTool | null, site: Site | null): void {
    [this.wanted, this.tool, this.site] = [wanted, tool, site];
    this.refresh();
  }

  /** More is known of the world. */
  refresh(): void {
    if (this.wanted || (this.pours && this.site?.layers().length)) this.late.want();
    this.late.part?.show(this.wanted, this.tool, this.site, this.pours);
  }

  begin(site: Site, tool: PlacingTool, cell: Vec3): void {
    if (this.late.part) this.late.part.begin(site, tool, cell);
    else site.warn("The tool is still on its way: try again");
  }

  move(cell: Vec3): void {
    this.late.part?.move(cell);
  }

  end(): void {
    this.late.part?.end();
  }
}
