// What is given to others: a link to what is on the screen.

/** Puts the text where it can be pasted from; false: the browser does not let us. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without TLS have no clipboard; a selection can still be copied.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export async function copyLink(tell: (text: string) => void, warn: (text: string) => void): Promise<void> {
  if (await copy(location.href)) tell("Link to this place copied");
  else warn("The browser does not let the page copy; the link is in the address bar");
}
