// Writes the valid rows of one batch, and reports the others with their reasons. The service skips rows with a fault; those
// that it cannot even be sent are set aside here.
import { BadRequestError, BodyTooLargeError, makeApiError } from './api-errors.ts';
import type { ContactUpsert, FieldError, UpsertRow } from './api-types.ts';
import { UnexpectedAnswerError, UsageError } from './errors.ts';
import { operations } from './operations.ts';
import type { RowResult } from './upsert-types.ts';

export interface Row {
  index: number;
  input: ContactUpsert;
}

/** Without `errors` in its answer, a request was written as a whole. */
export type SendUpsert = (
  contacts: readonly ContactUpsert[],
) => Promise<{ data: UpsertRow[]; errors?: FieldError[] | undefined }>;

export interface BatchResult {
  /** In the order of the rows. Complete, unless there is a failure. */
  results: RowResult[];
  /** What was thrown, when some rows have no result. */
  failure?: { thrown: unknown };
}

/** Never rejects: the results before a failure are returned together with it. */
export async function upsertBatch(
  send: SendUpsert,
  rows: readonly Row[],
  stopsAtInvalid: boolean,
): Promise<BatchResult> {
  const results: RowResult[] = [];
  try {
    for await (const some of settle(send, rows, stopsAtInvalid)) results.push(...some);
    return { results: inOrder(results) };
  } catch (thrown) {
    return { results: inOrder(results), failure: { thrown } };
  }
}

function inOrder(results: RowResult[]): RowResult[] {
  return results.sort((a, b) => a.index - b.index);
}

/** Terminates because each request that fails leaves smaller ones. Rows are always sent in their order. */
async function* settle(send: SendUpsert, rows: readonly Row[], stopsAtInvalid: boolean): AsyncGenerator<RowResult[]> {
  if (rows.length === 0) return;
  try {
    yield await sendAll(send, rows);
  } catch (error) {
    if (error instanceof BodyTooLargeError && rows.length > 1) {
      const middle = Math.ceil(rows.length / 2);
      yield* settle(send, rows.slice(0, middle), stopsAtInvalid);
      yield* settle(send, rows.slice(middle), stopsAtInvalid);
      return;
    }
    if (stopsAtInvalid) throw inTermsOfSource(error, rows);
    const unsendable = unsendableRows(error, rows);
    if (unsendable.size === 0) throw error;
    yield Array.from(unsendable, ([row, message]) => rejected(row, [{ field: 'item', message }]));
    yield* settle(
      send,
      rows.filter((row) => !unsendable.has(row)),
      stopsAtInvalid,
    );
  }
}

async function sendAll(send: SendUpsert, rows: readonly Row[]): Promise<RowResult[]> {
  const { data, errors = [] } = await send(rows.map(({ input }) => input));
  const written = new Map(data.map((row) => [row.index, row]));
  const faults = new Map<number | undefined, FieldError[]>();
  for (const error of errors) faults.set(error.index, [...(faults.get(error.index) ?? []), error]);
  return rows.map((row, position) => {
    const reasons = faults.get(position);
    if (reasons !== undefined) return rejected(row, reasons);
    const answered = written.get(position);
    if (answered === undefined) {
      const { id: operation, success: status } = operations.upsertContacts;
      throw new UnexpectedAnswerError(`no result for row ${row.index}`, { operation, status, isOutcomeUnknown: true });
    }
    const { id, outcome: contactOutcome } = answered;
    return { index: row.index, outcome: 'upserted', id, ...(contactOutcome !== undefined && { contactOutcome }) };
  });
}

function rejected({ index, input }: Row, reasons: readonly FieldError[]): RowResult {
  const errors = reasons.map(({ field, message }) => ({ index, field, message }));
  return { index, outcome: 'rejected', errors, input };
}

/** Rows for which the request could not be sent, each with the reason. Empty when it failed for another one. */
function unsendableRows(error: unknown, rows: readonly Row[]): Map<Row, string> {
  if (error instanceof BodyTooLargeError) return new Map(rows.map((row) => [row, 'is larger than the server takes']));
  if (!(error instanceof UsageError)) return new Map();
  const notJson = rows.filter(({ input }) => !isJson(input));
  return new Map(notJson.map((row) => [row, 'cannot be written as JSON']));
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    // JSON.stringify throws on a BigInt or a cycle, which is what this function asks.
    return false;
  }
}

const rowsInDetail = 3;

/** The same error with positions in the source instead of the request, for runs that stop at the first invalid row. */
function inTermsOfSource(error: unknown, rows: readonly Row[]): unknown {
  if (!(error instanceof BadRequestError) || error.error?.errors === undefined) return error;
  const errors = error.error.errors.flatMap(({ index = -1, field, message }) => {
    const row = rows[index];
    return row === undefined ? [] : [{ index: row.index, field, message }];
  });
  if (errors.length === 0) return error;
  const listed = errors.slice(0, rowsInDetail).map(({ index, field, message }) => `row ${index}: ${field} ${message}`);
  if (errors.length > listed.length) listed.push(`and ${errors.length - listed.length} more`);
  const { operation = '', status, requestId, retryAfterMs, isOutcomeUnknown } = error;
  const problem = { ...error.error, detail: `Invalid rows: ${listed.join('; ')}.`, errors };
  return makeApiError({ operation, status, requestId, retryAfterMs, isOutcomeUnknown, error: problem });
}
