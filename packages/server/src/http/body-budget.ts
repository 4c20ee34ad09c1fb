// How many bytes of request bodies may be in memory at once: of all senders together, and of each. Without this slow
// clients with large bodies fill the memory, and with one bound for all a single sender keeps the others out.

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

  /** Counts in any case, so that `giveBack` takes back the same. False when there is no room for it. */
  take(sender: string, bytes: number): boolean {
    const own = (this.#bytesOf.get(sender) ?? 0) + bytes;
    this.#bytesOf.set(sender, own);
    this.#bytes += bytes;
    return own <= this.#budget.bytesEach && this.#bytes <= this.#budget.totalBytes;
  }

  giveBack(sender: string, bytes: number): void {
    this.#bytes -= bytes;
    const own = (this.#bytesOf.get(sender) ?? 0) - bytes;
    if (own > 0) this.#bytesOf.set(sender, own);
    else this.#bytesOf.delete(sender);
  }
}
