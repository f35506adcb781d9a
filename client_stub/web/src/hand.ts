// What is in the hand: a brush with its shape and size, or a tool for pipes; and whether this world may be
// changed with it.
import { Brush } from "./brush";
import type { CommandQueue } from "./command_queue";
import { clamp } from "./geometry";
import type { Fixtures } from "./fixtures";
import type { KeyCursor } from "./key_cursor";
import type { LatePlacer, Site } from "./late_placer";
import type { Mirror } from "./mirror";
import { PipeTools, type PipeTool } from "./pipe_tools";
import type { Shape } from "./shapes";
import { Stamp } from "./stamp";
import { does, type PlacingTool, type Tool } from "./tools";
import type { Tools, ViewerPanel, ViewerPipePanel } from "./viewer_parts";

const LARGEST_BRUSH = 16;

/** The viewer whose hand it is. */
export interface Holder {
  readonly mirror: Mirror | null;
  readonly keys: KeyCursor;
  readonly replays: boolean;
  /** Whether the mirror lacks cells, because one looks from afar. */
  readonly isFar: boolean;
  readonly slice: number;
  readonly hover: { x: number; y: number; z?: number } | null;
  readonly camera: { readonly scale: number };
  readonly fixtures: Fixtures;
  repaint(): void;
  /** Springs, drains or heaters are others than they were. */
  fixturesChanged(): void;
}

/** Pixels by which a click may miss what stands in a cell. */
const REACH_PIXELS = 9;

export class Hand {
  readonly brush: Brush;
  readonly pipes: PipeTools;
  readonly stamp: Stamp;
  /** Null: a world that is only looked at. */
  placer: LatePlacer | null = null;
  private readonly site: Site;
  /** Why nothing can be changed here; null: it can. */
  whyNot: string | null = null;

  constructor(
    private readonly holder: Holder, queue: CommandQueue,
    private readonly panel: ViewerPanel, private readonly pipePanel: ViewerPipePanel,
  ) {
    this.brush = new Brush(queue, (text) => panel.warn(text));
    this.pipes = new PipeTools(queue, (text) => panel.warn(text));
    this.stamp = new Stamp(queue, this.brush.history, {
      copied: (text) => {
        if (!this.readOnly) this.setTool("paste");
        panel.tell(text);
      },
      warn: (text) => panel.warn(text),
    });
    this.site = {
      queue, history: this.brush.history, brush: this.brush, fixtures: () => holder.fixtures,
      layers: () => holder.mirror?.welcome.layers ?? [],
      reach: () => Math.max(0.5, REACH_PIXELS / holder.camera.scale),
      warn: (text) => panel.warn(text), changed: () => holder.fixturesChanged(),
    };
  }

  /** `why` this world cannot be changed by us; null: it can. */
  setRights(why: string | null): void {
    this.whyNot = why;
    this.panel.showRights(why);
    if (why === null) return;
    this.brush.cancel(this.holder.mirror);
    if (this.tools.pipeTool !== null || !does(this.brush.tool, "look")) this.setTool("pan");
  }

  /** Whether edits make sense; says why not. */
  get mayBuild(): boolean {
    if (this.whyNot !== null) this.panel.warn(this.whyNot.charAt(0).toUpperCase() + this.whyNot.slice(1));
    return this.whyNot === null;
  }

  /** Whether it holds nothing that is for cells. */
  get isFree(): boolean {
    return this.brush.tool === "pan" && this.pipes.tool === null && !this.brush.strokes;
  }

  /** Whether the cells are here; says why not. */
  get hasCells(): boolean {
    const { isFar } = this.holder;
    if (isFar) this.panel.warn(`${this.isFree ? "Come nearer, or choose a tool" : "Wait a moment"}: from afar the page has no single cells`);
    return !isFar;
  }

  /** Nobody can change a recording, and not everybody a world. */
  get readOnly(): boolean {
    return this.holder.replays || this.whyNot !== null;
  }

  setTool(tool: Tool): void {
    if (!does(tool, "look") && !this.mayBuild) return;
    this.holder.keys.cancel();
    this.stamp.cancel();
    this.brush.tool = tool;
    this.pipes.tool = null;
    this.pipePanel.showTool(null);
    this.panel.showTool(tool, this.brush.size);
    this.placer?.showTool(tool, this.site);
    this.holder.repaint();
  }

  /** Springs, heaters and the like; null: another tool is in use. */
  get places(): PlacingTool | null {
    const { tool } = this.brush;
    return !this.readOnly && does(tool, "place") ? tool : null;
  }

  setPlacing(tool: PlacingTool): void {
    const heats = tool === "heater" || tool === "cooler";
    if (heats && !this.holder.fixtures.heat) return this.panel.warn("This world has no heat");
    this.setTool(tool);
  }

  beginPlacing(x: number, y: number): void {
    const { places } = this;
    if (places) this.placer?.begin(this.site, places, { x, y, z: this.holder.slice });
  }

  /** Whether anything that is in the hand changes the world. */
  get builds(): boolean {
    return !this.readOnly && (this.pipes.tool !== null || !does(this.brush.tool, "look"));
  }

  /** All of it, for the hand of the next viewer. */
  get tools(): Tools {
    const { tool, shape, size, round } = this.brush;
    return { tool, shape, size, round, pipeTool: this.pipes.tool, region: this.stamp.region };
  }

  setTools({ tool, shape, size, round, pipeTool, region }: Tools): void {
    this.stamp.region = region;
    this.brush.size = size;
    this.brush.shape = shape;
    this.brush.round = round;
    this.panel.showShape(shape, round);
    if (pipeTool !== null) this.setPipeTool(pipeTool);
    else this.setTool(tool);
  }

  /** Null: back to moving the view. */
  setPipeTool(tool: PipeTool | null): void {
    if (tool !== null && !this.mayBuild) return;
    this.setTool("pan");
    this.pipes.tool = tool;
    this.pipePanel.showTool(tool);
    if (tool !== null) this.panel.showTool(null, this.brush.size);
  }

  togglePipes(): void {
    this.pipePanel.toggle();
  }

  /** A line is drawn with the brush that was in use last: `round` or not. */
  setShape(shape: Shape, round = this.brush.round): void {
    if (!this.mayBuild) return this.panel.showShape(this.brush.shape, this.brush.round);
    this.brush.shape = shape;
    this.brush.round = round;
    this.panel.showShape(shape, round);
    if (this.brush.tool === "pan") this.setTool("rock"); // a shape is to be drawn with something
    this.holder.repaint();
  }

  undo(): void {
    const { mirror } = this.holder;
    if (mirror && this.mayBuild && this.hasCells) this.brush.undo(mirror);
  }

  redo(): void {
    const { mirror } = this.holder;
    if (mirror && this.mayBuild && this.hasCells) this.brush.redo(mirror);
  }

  /** What the pointer does with Copy and Paste; null: another tool is in use. */
  get stamps(): "copy" | "paste" | null {
    const { tool } = this.brush;
    return tool === "copy" ? tool : tool === "paste" && !this.readOnly ? tool : null;
  }

  /** A stroke of Copy or Paste ends in the cell. */
  endStamp(x: number, y: number): void {
    const { mirror, slice } = this.holder;
    if (!mirror) return;
    if (this.stamps === "copy") this.stamp.copy(mirror, { x, y }, slice);
    else if (this.stamps === "paste") this.stamp.paste(mirror, { x, y }, slice);
  }

  /** Takes up the tool that would make what lies under the pointer. */
  pick(): void {
    const { mirror, hover, slice } = this.holder;
    if (!mirror || !hover || !mirror.inside(hover.x, hover.y, hover.z ?? slice) || !this.hasCells) return;
    this.setTool(this.brush.pick(mirror.cell(hover.x, hover.y, hover.z ?? slice)));
  }

  setSize(size: number): void {
    this.brush.size = clamp(size, 1, LARGEST_BRUSH);
    this.panel.showTool(this.brush.tool, this.brush.size);
    this.holder.repaint();
  }
}
