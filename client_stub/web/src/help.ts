// The list of shortcuts, under "?".
import { takesKey } from "./input";
import { Late } from "./late";

/** Once for the page. */
export function listenToHelp(replays: () => boolean): void {
  const dialog = document.getElementById("help") as HTMLDialogElement;
  const list = dialog.querySelector("dl")!;
  const rows = new Late("The list of shortcuts", () => import("./help_rows"), () => show());
  const show = () => {
    if (!rows.part) return rows.want();
    const { LIVE, REPLAY, EVERYWHERE } = rows.part;
    list.replaceChildren(...[...(replays() ? REPLAY : LIVE), ...EVERYWHERE].flatMap(([keys, meaning]) => {
      const term = document.createElement("dt");
      term.textContent = keys;
      const description = document.createElement("dd");
      description.textContent = meaning;
      return [term, description];
    }));
    dialog.showModal();
  };
  const toggle = () => (dialog.open ? dialog.close() : show());
  document.getElementById("help-open")!.addEventListener("click", toggle);
  document.getElementById("help-close")!.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  });
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "?" && !takesKey(event)) {
      toggle();
      event.preventDefault();
    }
    // What is pressed in front of the list is no shortcut for the world behind it.
    if (dialog.open) event.stopImmediatePropagation();
  }, { capture: true });
}
