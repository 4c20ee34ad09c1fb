// Which of the processes that deliver are alive, by their beats: one whose beat stands still is dead. Only time in which this process has
// looked counts, so that one that was held up itself, or an outage of the database, makes nobody dead.

/** Between two looks at the beats, not more than this counts: twice the usual time. */
const gapMaxMs = 2000;

export class Liveness {
  readonly #deadAfterMs: number;
  #seen = new Map<string, { beat: number; stillForMs: number }>();
  #lookedAt: number | undefined;

  constructor(deadAfterMs: number) {
    this.#deadAfterMs = deadAfterMs;
  }

  /** `now` is of a clock that is never put back. */
  note(beats: ReadonlyMap<string, number>, now: number): void {
    const passedMs = Math.min(now - (this.#lookedAt ?? now), gapMaxMs);
    this.#lookedAt = now;
    const before = this.#seen;
    this.#seen = new Map();
    for (const [id, beat] of beats) {
      const known = before.get(id);
      this.#seen.set(id, { beat, stillForMs: known?.beat === beat ? known.stillForMs + passedMs : 0 });
    }
  }

  /** Whether it was among those that had beaten at the last look. */
  knows(id: string): boolean {
    return this.#seen.has(id);
  }

  isAlive(id: string): boolean {
    const seen = this.#seen.get(id);
    return seen !== undefined && seen.stillForMs < this.#deadAfterMs;
  }

  alive(): string[] {
    return [...this.#seen.keys()].filter((id) => this.isAlive(id));
  }

  dead(): string[] {
    return [...this.#seen.keys()].filter((id) => !this.isAlive(id));
  }
}
