// The options and results of upsertAll.
import type { ContactOutcome, ContactUpsert, FieldError } from './api-types.ts';
import type { RequestOptions } from './transport.ts';

export interface UpsertOptions extends RequestOptions {
  /** What each row has in addition. `outcome`: whether its contact was created, updated or left unchanged. */
  include?: readonly 'outcome'[] | undefined;
  /** `skip`: items with a fault are left out, and the others are written. Left out: all or none. */
  onError?: 'skip' | undefined;
}

export interface UpsertAllOptions extends Omit<UpsertOptions, 'onError'> {
  /** Requests in flight at once. Default 4. */
  concurrency?: number | undefined;
  /** Rows per request, 1 to 1000. Default 1000. With fewer, results come sooner from a slow source. */
  batchSize?: number | undefined;
  /** Rows that the service does not take: `report` them and go on (the default), or `stop` at the first. */
  invalidRows?: 'report' | 'stop' | undefined;
  /** Called with the results of each request, in the order of the source. Reading waits for it. */
  onResults?: ((results: RowResult[]) => void | Promise<void>) | undefined;
  /** Called after each request with the totals so far. Reading waits for it. */
  onProgress?: ((totals: UpsertAllTotals) => void | Promise<void>) | undefined;
}

/**
 * The result of a row. `index` is its position in the source, counted from 0. `contactOutcome` comes with
 * `include: ['outcome']`: what the row's request did to the contact.
 */
export type RowResult =
  | { index: number; outcome: 'upserted'; id: string; contactOutcome?: ContactOutcome | undefined }
  | { index: number; outcome: 'rejected'; errors: FieldError[]; input: ContactUpsert };

/** `rows` is always the sum of the other two. */
export interface UpsertAllTotals {
  rows: number;
  upserted: number;
  rejected: number;
}
