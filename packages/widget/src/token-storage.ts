// Stores the contact token between page loads of a site, one per bot. Every access may fail, because visitors can block
// storage in their browsers. A login then lasts as long as the page.

export class TokenStorage {
  readonly #key: string;
  /** False once a token could not be written: a missing token then does not mean a logout in another tab. */
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
      // An older token must not stay.
      this.clear();
    }
  }

  clear(): void {
    try {
      localStorage.removeItem(this.#key);
    } catch {
      // Storage that is blocked contains no token.
    }
  }

  /** Calls back when another tab changed the token, or may have while this page was in the back/forward cache. */
  watch(onChange: () => void): void {
    addEventListener('storage', ({ key }) => {
      // The key is null when the whole storage was cleared.
      if (key === this.#key || key === null) onChange();
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) onChange();
    });
  }
}
