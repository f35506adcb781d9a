// The card of the pipe that is chosen: what it is, what it does, and what can be done to it by who may build.
import { factElements } from "./inspector";
import { nodeRows } from "./pipe_facts";
import type { NodeView, PipeMirror } from "./pipe_mirror";

/** `key`: another one for another content; `rate`: what a pump would be set to. */
export function cardOf(view: NodeView, pipes: PipeMirror, rate: number): { key: string; elements(): HTMLElement[] } {
  const { node } = view;
  const rows = nodeRows({ mirror: { pipes } }, view);
  const watches = document.body.classList.contains("watching");
  const elements = () => {
    const actions = document.createElement("div");
    actions.className = "actions";
    actions.append(...(watches ? [] : buildingButtons(node, rate)), button("close", "×"));
    return [...factElements({ title: `${node.name} · ${node.kind}`, rows, why: [], measures: [] }, "strong"), actions];
  };
  return { key: JSON.stringify([node.name, rows, watches]), elements };
}

function buildingButtons(node: NodeView["node"], rate: number): HTMLButtonElement[] {
  const own = node.kind === "valve" ? [button("toggle", node.open ? "Close" : "Open")]
    : node.kind === "pump" ? [button("rate", `Set rate ${rate}`)] : [];
  return [...own, button("upgrade", "Upgrade"), button("remove", "Remove")];
}

function button(action: string, text: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.dataset["action"] = action;
  made.textContent = text;
  if (text === "×") made.setAttribute("aria-label", "Let it go");
  return made;
}
