// What one writer sent and was answered, by positions in the log of the disk: says what must be stored after a power cut at any
// position.
import { type Changes, describe, differs, type Observe, type State } from '../crash-load.ts';
import type { Stored } from '../first-bot.ts';

interface Write {
  changes: Changes;
  sentAt: number;
  /** Infinity until it is answered. */
  answeredAt: number;
}

export class WriteHistory {
  readonly #position: () => number;
  readonly #writes: Write[] = [];

  constructor(position: () => number) {
    this.#position = position;
  }

  /** For the writer, which has one request in flight at a time. */
  readonly observe: Observe = (changes) => {
    const write: Write = { changes, sentAt: this.#position(), answeredAt: Number.POSITIVE_INFINITY };
    this.#writes.push(write);
    return () => {
      write.answeredAt = this.#position();
    };
  };

  get answers(): number[] {
    return this.#writes.map(({ answeredAt }) => answeredAt).filter(Number.isFinite);
  }

  /**
   * Compares what is stored after a cut with what had been answered until then; the one request that was in flight is there as a whole
   * or not at all. Returns one line per problem, and removes this writer's contacts from `stored`.
   */
  check(stored: Map<string, Stored>, cutAt: number): { problems: string[]; answered: number } {
    const expected = new Map<string, State>();
    let answered = 0;
    for (const { changes, sentAt, answeredAt } of this.#writes) {
      if (sentAt > cutAt) break;
      const isAnswered = answeredAt <= cutAt;
      if (isAnswered) answered++;
      if (isAnswered || changes.every(([email, state]) => !differs(stored.get(email), state))) {
        for (const [email, state] of changes) expected.set(email, state);
      }
    }
    const problems: string[] = [];
    for (const [email, state] of expected) {
      const found = stored.get(email);
      if (differs(found, state)) {
        problems.push(`an answered write is lost: ${email} should be ${describe(state)}, and is ${describe(found)}`);
      }
      stored.delete(email);
    }
    return { problems, answered };
  }
}
