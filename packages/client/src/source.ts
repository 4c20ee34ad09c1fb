// Reads rows from whatever the caller has, a batch at a time, and lets go of it when no more are wanted.
import type { ContactUpsert } from './api-types.ts';
import { UsageError } from './errors.ts';
import type { Row } from './upsert-batch.ts';

type Rows = Iterator<ContactUpsert> | AsyncIterator<ContactUpsert>;

export class Source {
  readonly #rows: Rows;
  #count = 0;
  #isReading = false;
  #isDone = false;

  constructor(source: Iterable<ContactUpsert> | AsyncIterable<ContactUpsert>) {
    this.#rows = iteratorOf(source);
  }

  /** The next rows, at most `size`. None: the source has ended. */
  async take(size: number): Promise<Row[]> {
    const batch: Row[] = [];
    this.#isReading = true;
    try {
      while (batch.length < size && !this.#isDone) {
        const next = this.#rows.next();
        // What is there already is not waited for: that would cost more than to read it.
        const { done, value } = 'then' in next ? await next : next;
        if (done) this.#isDone = true;
        else batch.push({ index: this.#count++, input: value });
      }
    } catch (thrown) {
      // An iterator that threw has ended by itself.
      this.#isDone = true;
      throw thrown;
    } finally {
      this.#isReading = false;
    }
    return batch;
  }

  /** Lets a generator run its `finally`, and a stream close its file. */
  async close(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    try {
      const closing = this.#rows.return?.();
      // A source that is waiting for its next row cannot close before that comes, which may be never.
      if (this.#isReading) Promise.resolve(closing).catch(() => {});
      else await closing;
    } catch {
      // The caller is about to hear of the failure for which the source is closed; that one counts.
    }
  }
}

function iteratorOf(source: Iterable<ContactUpsert> | AsyncIterable<ContactUpsert>): Rows {
  if (typeof source === 'object' && source !== null) {
    if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]();
    if (Symbol.iterator in source) return source[Symbol.iterator]();
  }
  throw new UsageError('upsertAll takes an array, a generator, a stream or another iterable of contacts');
}
