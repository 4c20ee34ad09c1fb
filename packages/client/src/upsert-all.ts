// Upserts a stream of any length: cuts it into batches, keeps a few requests in flight, and delivers the result of each
// row in the order of the source. Only the rows of the pending batches and of the one being read are in memory.
import type { ContactUpsert } from './api-types.ts';
import { AbortError, UsageError } from './errors.ts';
import { limits } from './operations.ts';
import { Source } from './source.ts';
import type { SendUpsert } from './upsert-batch.ts';
import { UpsertRun } from './upsert-run.ts';
import type { UpsertAllOptions, UpsertAllTotals } from './upsert-types.ts';

const concurrencyDefault = 4;

/** When it settles, no request is in flight, and every known result has been delivered. */
export async function upsertAll(
  send: SendUpsert,
  source: Iterable<ContactUpsert> | AsyncIterable<ContactUpsert>,
  options: UpsertAllOptions,
): Promise<UpsertAllTotals> {
  const { concurrency = concurrencyDefault, batchSize = limits.contactsPerUpsert, signal } = options;
  if (!['report', 'stop', undefined].includes(options.invalidRows)) {
    throw new UsageError("invalidRows must be 'report' or 'stop'");
  }
  checkWholeNumber('concurrency', concurrency, Number.MAX_SAFE_INTEGER);
  checkWholeNumber('batchSize', batchSize, limits.contactsPerUpsert);
  const rows = new Source(source);
  const run = new UpsertRun(send, options);
  const abort = () => {
    const isOutcomeUnknown = run.hasPending;
    run.fail(new AbortError('aborted', { operation: 'contacts.upsertAll', isOutcomeUnknown, cause: signal?.reason }));
  };
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    while (!run.hasFailed) {
      const batch = await run.unlessFailed(rows.take(batchSize));
      if (batch === undefined || batch.length === 0) break;
      await run.slot(concurrency);
      run.start(batch);
    }
  } catch (thrown) {
    run.fail(thrown);
  }
  await run.settled();
  await rows.close();
  signal?.removeEventListener('abort', abort);
  return run.totals();
}

function checkWholeNumber(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw new UsageError(`${name} must be a whole number from 1 to ${max}`);
}
