// Reads rows in batches from any iterable of the caller, and closes it when no more rows are needed.
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
        // Synchronous iterators are not awaited: a microtask per row would cost more than reading it.
        const { done, value } = 'then' in next ? await next : next;
        if (done) this.#isDone = true;
        else batch.push({ index: this.#count++, input: value });
      }
    } catch (thrown) {
      // An iterator that has thrown is closed already.
      this.#isDone = true;
      throw thrown;
    } finally {
      this.#isReading = false;
    }
    return batch;
  }

  /** Closes the iterator, so that a generator runs its `finally` and a stream closes its file. */
  async close(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    try {
      const closing = this.#rows.return?.();
      // A source that is still producing its next row closes only after that, which may be never, so it is not awaited.
      if (this.#isReading) Promise.resolve(closing).catch(() => {});
      else await closing;
    } catch {
      // The source is closed because of an earlier failure, which is the one that the caller gets.
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
