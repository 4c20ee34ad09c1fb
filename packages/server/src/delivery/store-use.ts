// What one webhook's run uses the store for: one thing at a time, since a later event must not be planned while a failure of its
// contact is being saved. A failure of the store pauses all use of it, and loses nothing.

interface StoreUseDeps {
  /** A clock that is never put back, in milliseconds. */
  monotonic: () => number;
  onStoreError(error: unknown): void;
  onFailure(kind: StoreUseKind): void;
  onEnd(): void;
}

type StoreUseKind = 'load' | 'write' | 'release';

/** Doubled with each further failure. */
const pauseMs = { first: 1000, max: 30_000 };

export class StoreUse {
  readonly #deps: StoreUseDeps;
  #failures = 0;
  current: StoreUseKind | undefined;
  /** The store is not to be used before. */
  retryAt = 0;

  constructor(deps: StoreUseDeps) {
    this.#deps = deps;
  }

  /** Unless another is in flight. */
  begin(kind: StoreUseKind, use: () => Promise<void>): void {
    if (this.current !== undefined) return;
    this.current = kind;
    use()
      .then(() => {
        this.#failures = 0;
      })
      .catch((error) => {
        this.#deps.onFailure(kind);
        this.noteError(error);
      })
      .finally(() => {
        this.current = undefined;
        this.#deps.onEnd();
      });
  }

  noteError(error: unknown): void {
    const { monotonic, onStoreError } = this.#deps;
    onStoreError(error);
    const now = monotonic();
    // Several uses that fail together are one failure.
    if (now < this.retryAt) return;
    this.retryAt = now + Math.min(pauseMs.first * 2 ** this.#failures, pauseMs.max);
    this.#failures++;
  }
}
