// Which menu (a <select>) is open. A page is not told that; it follows from what the pointer and the keys do.
let open: HTMLSelectElement | null = null;

/** What is typed into an open menu looks for one of its choices. */
export function isOpenMenu(menu: HTMLSelectElement): boolean {
  return menu === open;
}

/** Once for the page. An open menu has the pointer to itself: whatever else it meets, no menu is open. */
export function watchMenus(): void {
  const close = () => (open = null);
  const closeElsewhere = ({ target }: Event) => {
    if (target !== open) close();
  };
  document.addEventListener("pointerdown", ({ target }) => {
    open = target instanceof HTMLSelectElement && target !== open ? target : null;
  }, true);
  document.addEventListener("pointermove", closeElsewhere, true);
  document.addEventListener("focusout", close, true);
  document.addEventListener("change", close, true);
  document.addEventListener("keyup", ({ key }) => {
    if (key === "Escape" || key === "Enter" || key === "Tab") close();
  }, true);
}
