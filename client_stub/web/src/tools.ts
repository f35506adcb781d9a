// The tools of the hand, each once: what it does, its key, and whether a link names it (what was copied makes no sense
// to somebody else). Those of pipes are apart (pipe_tools.ts): they come with a panel of their own.
interface Row {
  /** `cells`: what a stroke makes of them. `place`: puts something into a cell, or takes it away. */
  does: "look" | "cells" | "paste" | "place";
  /** Capital letters: with Shift, since small ones have other meanings. */
  key: string;
  linked?: true;
  lies?: "on" | "over";
}

/** Where a tool works that is used from above: in what is seen there (`in`); over rock and ice, in water (`on`); or over that,
 *  too, where it is full (`over`). */
export type Lies = NonNullable<Row["lies"]> | "in";

const TOOLS = {
  pan: { does: "look", key: "1", linked: true },
  inspect: { does: "look", key: "6", linked: true },
  copy: { does: "look", key: "7" },
  paste: { does: "paste", key: "8", lies: "on" },
  rock: { does: "cells", key: "2", linked: true, lies: "on" },
  air: { does: "cells", key: "3", linked: true },
  water: { does: "cells", key: "4", linked: true, lies: "over" },
  /** Makes air of water and leaves rock alone. */
  take: { does: "cells", key: "0", linked: true },
  spring: { does: "place", key: "S", lies: "over" },
  drain: { does: "place", key: "D" },
  heater: { does: "place", key: "H" },
  cooler: { does: "place", key: "C" },
  level: { does: "place", key: "L", lies: "over" },
  evaporate: { does: "place", key: "E" },
  bubble: { does: "place", key: "B" },
  remove: { does: "place", key: "X" },
} as const satisfies Record<string, Row>;

export type Tool = keyof typeof TOOLS;
type ToolThat<Does extends Row["does"]> = { [T in Tool]: (typeof TOOLS)[T]["does"] extends Does ? T : never }[Tool];
export type Material = ToolThat<"cells">;
export type PlacingTool = ToolThat<"place">;

const rowOf = (tool: Tool): Row => TOOLS[tool];

/** Whether the tool does that. */
export function does<Does extends Row["does"]>(tool: Tool, what: Does): tool is ToolThat<Does> {
  return rowOf(tool).does === what;
}

export function liesOf(tool: Tool): Lies {
  return rowOf(tool).lies ?? "in";
}

/** The tool of a key. */
export function toolOf(key: string): Tool | undefined {
  return (Object.keys(TOOLS) as Tool[]).find((tool) => rowOf(tool).key === key);
}

/** The tool that a link names. */
export function linkedTool(name: string): Tool | undefined {
  return (Object.keys(TOOLS) as Tool[]).find((tool) => tool === name && rowOf(tool).linked);
}
