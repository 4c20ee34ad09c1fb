// Keeps the contact token between page loads of the same site, one for each bot. Every access may fail: browsers
// refuse storage to pages whose visitors block it. Then a login lasts as long as the page.

export class TokenStorage {
  readonly #key: string;
  /** False once a token could not be written: then a missing one means nothing. */
  isReliable = true;

  constructor(botId: string) {
    this.#key = `roster:${botId}`;
  }

  read(): string | null {
    try {
      return localStorage.getItem(this.#key);
    } catch {
      return null;
    }
  }

  write(token: string): void {
    try {
      localStorage.setItem(this.#key, token);
    } catch {
      this.isReliable = false;
      // An older one must not stay in its place.
      this.clear();
    }
  }

  clear(): void {
    try {
      localStorage.removeItem(this.#key);
    } catch {
      // What cannot be reached cannot have been written.
    }
  }

  /** Calls back when another page of the site changed the token, or may have while this one was set aside. */
  watch(onChange: () => void): void {
    addEventListener('storage', ({ key }) => {
      // Null stands for all of the site's keys.
      if (key === this.#key || key === null) onChange();
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) onChange();
    });
  }
}
