// Signing in and out: the account in the title bar, and the dialog that asks for a token once.
import type { Session } from "./session";

const MARKUP = `<dialog id="sign-in" aria-labelledby="sign-in-title">
  <form id="sign-in-form" method="dialog" autocomplete="off">
    <h2 id="sign-in-title">Sign in</h2>
    <p>Paste the token that you were given for this server. It is sent once, over this page's connection, and not kept by it.</p>
    <label for="token">Token</label>
    <div class="row"><input id="token" type="password" required autocomplete="off" autocapitalize="off" spellcheck="false"
      aria-describedby="sign-in-trouble"><button id="token-paste" type="button">Paste</button></div>
    <p id="sign-in-trouble" role="alert" hidden></p>
    <div class="row end"><button id="sign-in-cancel" type="button">Cancel</button><button id="sign-in-go">Sign in</button></div>
  </form>
</dialog>`;

/** The dialog, in the page from now on. */
function dialogOfPage(): HTMLDialogElement {
  document.body.insertAdjacentHTML("beforeend", MARKUP);
  return element<HTMLDialogElement>("sign-in");
}

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export class SignIn {
  private readonly dialog = dialogOfPage();
  private readonly token = element<HTMLInputElement>("token");
  private readonly trouble = element("sign-in-trouble");
  private readonly submit = element<HTMLButtonElement>("sign-in-go");

  /** `changed`: somebody else is signed in now. */
  constructor(
    private readonly session: Session, private readonly changed: () => void,
    private readonly warn: (text: string) => void,
  ) {
    for (const button of document.querySelectorAll("[data-sign-in]")) {
      button.addEventListener("click", () => this.open());
    }
    element("sign-out").addEventListener("click", () => void this.signOut());
    element("sign-in-cancel").addEventListener("click", () => this.dialog.close());
    const paste = element("token-paste");
    // Pages without TLS, but for this machine's own, may not read the clipboard.
    paste.hidden = typeof navigator.clipboard?.readText !== "function";
    paste.addEventListener("click", () => void this.paste());
    element("sign-in-form").addEventListener("submit", (event) => {
      event.preventDefault(); // a form that is sent would put its fields into the address
      void this.signIn();
    });
    // Whatever was typed is gone when the dialog is.
    this.dialog.addEventListener("close", () => (this.token.value = ""));
  }

  open(): void {
    if (this.dialog.open) return;
    this.say("");
    this.dialog.showModal();
    this.token.focus();
  }

  /** The account, or the way to one. */
  show(): void {
    const { account, hasAccounts } = this.session;
    element("account").hidden = !hasAccounts;
    element("account-name").textContent = account ?? "";
    element("account-name").hidden = element("sign-out").hidden = account === null;
    element("sign-in-open").hidden = account !== null;
  }

  private say(text: string): void {
    this.trouble.textContent = text;
    this.trouble.hidden = text === "";
    this.token.setAttribute("aria-invalid", String(text !== ""));
  }

  private async paste(): Promise<void> {
    try {
      this.token.value = (await navigator.clipboard.readText()).trim();
      this.say("");
    } catch {
      this.say("The browser does not let the page read what was copied; paste it into the field");
    }
    this.token.focus();
  }

  private async signIn(): Promise<void> {
    const token = this.token.value.trim();
    if (token === "" || this.submit.disabled) return;
    this.submit.disabled = true;
    const trouble = await this.session.signIn(token);
    this.submit.disabled = false;
    if (trouble !== null) {
      this.say(trouble);
      this.token.select();
      return this.token.focus();
    }
    this.dialog.close();
    this.changed();
  }

  private async signOut(): Promise<void> {
    const trouble = await this.session.signOut();
    if (trouble !== null) return this.warn(`Still signed in: ${trouble}`);
    this.changed();
  }
}
