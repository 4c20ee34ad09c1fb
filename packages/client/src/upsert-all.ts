// Upserts a stream of any length: cuts it into requests, keeps a few of them under way, and hands on what became of
// each row in the order of the source. Memory holds the rows of the requests under way and of the one being gathered.
import type { ContactUpsert } from './api-types.ts';
import { AbortError, UsageError } from './errors.ts';
import { limits } from './operations.ts';
import { Source } from './source.ts';
import type { SendUpsert } from './upsert-batch.ts';
import { UpsertRun } from './upsert-run.ts';
import type { UpsertAllOptions, UpsertAllTotals } from './upsert-types.ts';

const concurrencyDefault = 4;

/** When it settles, nothing is under way any more, and every result that is known has been handed on. */
export async function upsertAll(
  send: SendUpsert,
  source: Iterable<ContactUpsert> | AsyncIterable<ContactUpsert>,
  options: UpsertAllOptions,
): Promise<UpsertAllTotals> {
  const { concurrency = concurrencyDefault, batchSize = limits.contactsPerUpsert, signal } = options;
  checkWholeNumber('concurrency', concurrency, Number.MAX_SAFE_INTEGER);
  checkWholeNumber('batchSize', batchSize, limits.contactsPerUpsert);
  const rows = new Source(source);
  const run = new UpsertRun(send, options);
  const abort = () => {
    const isOutcomeUnknown = run.isUnderWay;
    run.fail(new AbortError('aborted', { operation: 'contacts.upsertAll', isOutcomeUnknown, cause: signal?.reason }));
  };
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    while (!run.hasFailed) {
      const batch = await run.unlessFailed(rows.take(batchSize));
      if (batch === undefined || batch.length === 0) break;
      await run.room(concurrency);
      run.launch(batch);
    }
  } catch (thrown) {
    run.fail(thrown);
  }
  await run.landed();
  await rows.close();
  signal?.removeEventListener('abort', abort);
  return run.totals();
}

function checkWholeNumber(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw new UsageError(`${name} must be a whole number from 1 to ${max}`);
}
