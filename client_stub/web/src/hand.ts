// What is in the hand: a brush with its shape and size, or a tool for pipes; and whether this world may be
// changed with it.
import { Brush } from "./brush";
import type { CommandQueue } from "./command_queue";
import { clamp, type Vec3 } from "./geometry";
import type { Fixtures } from "./fixtures";
import type { KeyCursor } from "./key_cursor";
import type { LatePlacer, Site } from "./late_placer";
import type { Mirror } from "./mirror";
import { PipeTools, type PipeTool } from "./pipe_tools";
import type { Shape } from "./shapes";
import type { Cell } from "./sight";
import { Stamp } from "./stamp";
import { does, liesOf, type Lies, type PlacingTool, type Tool } from "./tools";
import type { Tools, ViewerPanel, ViewerPipePanel } from "./viewer_parts";

const LARGEST_BRUSH = 16;

/** The viewer whose hand it is. */
export interface Holder {
  readonly mirror: Mirror | null;
  readonly keys: KeyCursor;
  readonly replays: boolean;
  /** Whether the mirror lacks cells, because one looks from afar. */
  readonly isFar: boolean;
  readonly hover: Cell | null;
  readonly camera: { readonly scale: number };
  readonly fixtures: Fixtures;
  /** Whether what stands at that depth is seen. */
  sees(z: number): boolean;
  /** The slice in which a tool works that is used there (sight.ts). */
  depth(cell: Cell, lies: Lies, standing: boolean): number;
  repaint(): void;
  /** Springs, drains or heaters are others than they were. */
  fixturesChanged(): void;
}

/** Pixels by which a click may miss what stands in a cell. */
const REACH_PIXELS = 9;
/** Pipe tools that put something where nothing of pipes need be. */
const LAYING: readonly PipeTool[] = ["pipe", "pump", "valve"];

export class Hand {
  readonly brush: Brush;
  readonly pipes: PipeTools;
  readonly stamp: Stamp;
  /** Null: a world that is only looked at. */
  placer: LatePlacer | null = null;
  private readonly site: Site;
  /** Why nothing can be changed here; null: it can. */
  whyNot: string | null = null;
  /** The slice in which something is being dragged; null: nothing is. */
  plane: number | null = null;

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
      sees: (z) => holder.sees(z), heightOf: (at) => holder.mirror!.real(at).y,
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

  beginPlacing(cell: Cell): void {
    const { places } = this;
    if (places) this.placer?.begin(this.site, places, this.begin(cell));
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

  beginStamp(cell: Cell): void {
    this.stamp.begin(this.begin(cell));
  }

  /** A stroke of Copy or Paste ends in the cell. */
  endStamp(cell: Cell): void {
    const { mirror } = this.holder;
    if (!mirror) return;
    const at = this.stamps === "paste" ? this.aim(cell) : this.reach(cell);
    if (this.stamps === "copy") this.stamp.copy(mirror, at, at.z);
    else if (this.stamps === "paste") this.stamp.paste(mirror, at, at.z);
  }

  /** Takes up the tool that would make what lies under the pointer. */
  pick(): void {
    const { mirror, hover } = this.holder;
    if (!mirror || !hover || !mirror.inside(hover.x, hover.y, 0) || !this.hasCells) return;
    this.setTool(this.brush.pick(mirror.cell(hover.x, hover.y, this.holder.depth(hover, "in", false))));
  }

  /** Whether the tool means what stands in cells, where that is pointed at. */
  get meansStanding(): boolean {
    return this.pipes.tool !== null || this.brush.tool === "remove";
  }

  /** The cell in which the tool works that is used there. `digs`: whatever the tool is. */
  aim({ x, y, z }: Cell, digs = false): Vec3 {
    const { tool } = this.pipes;
    const lies = digs ? "in" : tool === null ? liesOf(this.brush.tool) : LAYING.includes(tool) ? "on" : "in";
    const standing = tool !== null && tool !== "pump" && tool !== "valve" && !digs;
    return { x, y, z: this.holder.depth({ x, y, z }, lies, standing) };
  }

  /** Likewise, and what is dragged from there stays in its slice. */
  begin(cell: Cell, digs = false): Vec3 {
    const at = this.aim(cell, digs);
    this.plane = at.z;
    return at;
  }

  /** Nothing is dragged any more; what had begun and has not ended was not meant. */
  release(): void {
    this.plane = null;
    this.pipes.cancel();
    this.stamp.cancel();
  }

  /** Where it has been dragged to. */
  reach(cell: Cell): Vec3 {
    const { pipes: { tool }, plane } = this;
    const isLoose = plane === null || (tool !== null && tool !== "pipe");
    return isLoose ? this.aim(cell) : { x: cell.x, y: cell.y, z: plane };
  }

  setSize(size: number): void {
    this.brush.size = clamp(size, 1, LARGEST_BRUSH);
    this.panel.showTool(this.brush.tool, this.brush.size);
    this.holder.repaint();
  }
}
