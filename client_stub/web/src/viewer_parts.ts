// What a viewer needs of the page around it, and what it hands from one world to the next.
import type { Vec3 } from "./geometry";
import type { Inspector } from "./inspector";
import type { ResultMessage } from "./messages";
import type { Panel } from "./panel";
import type { PipePanel } from "./pipe_panel";
import type { PipeTool } from "./pipe_tools";
import type { Region } from "./region";
import type { Shape } from "./shapes";
import type { Tool } from "./tools";

export type ViewerPanel = Pick<Panel, "showState" | "showZoom" | "showSlice" | "showTool" |
  "showShape" | "showRights" | "showWelcome" | "showNumbers" | "showHover" | "warn" | "tell" | "announce" | "showSlow">;
export type ViewerPipePanel = Pick<PipePanel, "showTool" | "toggle" | "attach" | "update">;

export type ViewerInspector = Pick<Inspector, "attach" | "hover" | "pin" | "pinned">;

/** Of a replay: who else is to know. */
export interface ViewerEvents {
  welcome(): void;
  tick(changed: Vec3[]): void;
  result(result: ResultMessage): void;
}

export interface Tools {
  tool: Tool;
  shape: Shape;
  size: number;
  /** A brush without corners. */
  round: boolean;
  pipeTool: PipeTool | null;
  /** What was copied last. */
  region: Region | null;
}
