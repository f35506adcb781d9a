// Who we are to the server, and what we may do in each of its worlds. The server keeps the token in a
// cookie that no script can read; here it is passed on once and never kept, logged or put into an address.

/** Each may what those before it may. */
export type Role = "none" | "watch" | "build" | "operate" | "admin";
const ROLES: Role[] = ["none", "watch", "build", "operate", "admin"];

interface Known {
  account: string | null;
  accounts?: boolean;  // false: nobody can sign in; left out: somebody can
  worlds: Record<string, Role>;
  /** Worlds in which nobody builds. */
  read_only?: string[];
  /** Those that one may run, and as what, read-only ones, too. */
  operators?: Record<string, Role>;
  /** Where a role bounds it: what one owns, and how much of it there may be. */
  owned?: Record<string, Partial<Record<"cells" | "pipes", [number, number]>>>;
}

export class Session {
  /** Null: the server has no roles, and everybody may build. */
  private known: Known | null = null;
  private owned: Known["owned"];

  get hasAccounts(): boolean {
    return this.known !== null && this.known.accounts !== false;
  }

  get account(): string | null {
    return this.known?.account ?? null;
  }

  /** Worlds that the server names, also such as may not be watched. */
  get worlds(): string[] {
    return Object.keys(this.known?.worlds ?? {});
  }

  roleIn(world: string): Role {
    if (!this.known) return "admin";
    const role = this.known.worlds[world];
    return role !== undefined && ROLES.includes(role) ? role : "none";
  }

  mayWatch(world: string): boolean {
    return this.roleIn(world) !== "none";
  }

  /** As what one runs the world; null: one does not. */
  operatesAs(world: string): Role | null {
    return this.known?.operators?.[world] ?? null;
  }

  /** What one owns of what one may; null: there is no bound. */
  ownedIn(world: string): string | null {
    const told = Object.entries(this.owned?.[world] ?? {}).map(([kind, [has, most]]) =>
      `${has.toLocaleString("en")} of ${most.toLocaleString("en")} ${kind}`);
    return told.length > 0 ? `${this.account === null ? "Your address owns" : "You own"} ${told.join(" and ")} here` : null;
  }

  isReadOnly(world: string): boolean {
    return this.known?.read_only?.includes(world) ?? false;
  }

  /** Why nothing can be built in the world; null: it can. */
  whyNotBuild(world: string): string | null {
    if (ROLES.indexOf(this.roleIn(world)) >= ROLES.indexOf("build")) return null;
    if (this.isReadOnly(world)) return "this world is read-only";
    if (!this.hasAccounts) return "you may watch this world; its server lets nobody build from here";
    return this.account === null ? "you may watch this world; sign in to build"
                                 : `you may watch this world; ${this.account} may not build in it`;
  }

  /** Asks the server; returns whether anything is other than it was. Throws when there is no answer. */
  async refresh(): Promise<boolean> {
    const response = await fetch("/session", { cache: "no-store" });
    // Servers without accounts have nothing there.
    if (response.status === 404) return this.take(null);
    if (!response.ok) throw new Error(await reasonOf(response));
    return this.take((await response.json()) as Known);
  }

  /** Null: signed in. Otherwise why not, in the server's words. */
  async signIn(token: string): Promise<string | null> {
    try {
      const response = await fetch("/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
      if (!response.ok) return await reasonOf(response);
      this.take((await response.json()) as Known);
      return null;
    } catch (error) {
      // A header takes no character that a token could not have.
      return error instanceof TypeError && !/^[\x21-\x7e]+$/.test(token) ? "that is no token: it has letters that no token has"
                                                                        : "the server does not answer";
    }
  }

  /** Null: signed out. Otherwise why not. */
  async signOut(): Promise<string | null> {
    try {
      const response = await fetch("/session", { method: "DELETE" });
      if (!response.ok) return await reasonOf(response);
      await this.refresh();
      return null;
    } catch {
      return "the server does not answer";
    }
  }

  private take(known: Known | null): boolean {
    this.owned = known?.owned;
    const before = JSON.stringify(this.known);
    this.known = known && { account: known.account ?? null, accounts: known.accounts, worlds: known.worlds ?? {}, read_only: known.read_only ?? [],
      operators: known.operators ?? {} };
    return JSON.stringify(this.known) !== before;
  }
}

/** What a refusal says of itself. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === "string" && error !== "") return error;
  } catch {
    // Other answers than ours are shown as they are.
  }
  return text.trim().slice(0, 200) || `the server answers with status ${response.status}`;
}
