// How many bytes of request bodies, and of what is parsed of them, may be in memory at once: of all senders together, and of each.
// Without this slow clients with large bodies fill the memory, and with one bound for all a single sender keeps the others out.

export interface Budget {
  totalBytes: number;
  bytesEach: number;
}

export class BodyBudget {
  readonly #budget: Budget;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** For one request. */
  share(sender: string): BodyShare {
    let taken = 0;
    const count = (bytes: number): void => {
      taken += bytes;
      this.#bytes += bytes;
      const own = (this.#bytesOf.get(sender) ?? 0) + bytes;
      if (own > 0) this.#bytesOf.set(sender, own);
      else this.#bytesOf.delete(sender);
    };
    return {
      take: (bytes) => {
        count(bytes);
        return (this.#bytesOf.get(sender) ?? 0) <= this.#budget.bytesEach && this.#bytes <= this.#budget.totalBytes;
      },
      giveBack: () => count(-taken),
    };
  }
}

export interface BodyShare {
  /** Counts the bytes in any case. False when there is no room for them. */
  take(bytes: number): boolean;
  /** Gives back all that was taken. */
  giveBack(): void;
}
