// The card of the pipe that is chosen: what it is, what it does, and what can be done to it.
import { factElements } from "./inspector";
import { nodeRows } from "./pipe_facts";
import type { NodeView, PipeMirror } from "./pipe_mirror";

/** `key`: another one for another content; `rate`: what a pump would be set to. */
export function cardOf(view: NodeView, pipes: PipeMirror, rate: number): { key: string; elements(): HTMLElement[] } {
  const { node } = view;
  const rows = nodeRows({ mirror: { pipes } }, view);
  const elements = () => {
    const actions = document.createElement("div");
    actions.className = "actions";
    if (node.kind === "valve") actions.append(button("toggle", node.open ? "Close" : "Open"));
    if (node.kind === "pump") actions.append(button("rate", `Set rate ${rate}`));
    actions.append(button("upgrade", "Upgrade"), button("remove", "Remove"), button("close", "×"));
    return [...factElements({ title: `${node.name} · ${node.kind}`, rows, why: [], measures: [] }, "strong"), actions];
  };
  return { key: JSON.stringify([node.name, rows]), elements };
}

function button(action: string, text: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.dataset["action"] = action;
  made.textContent = text;
  if (text === "×") made.setAttribute("aria-label", "Let it go");
  return made;
}
