// Writes the valid rows of one batch. The service takes all rows of a request or none, so rows that it rejects are set
// aside with their reasons, and the rest is sent again.
import { BodyTooLargeError, ValidationError } from './api-errors.ts';
import type { ContactUpsert, FieldError, UpsertRow } from './api-types.ts';
import { UnexpectedAnswerError, UsageError } from './errors.ts';
import { operations } from './operations.ts';
import type { RowResult } from './upsert-types.ts';

export interface Row {
  index: number;
  input: ContactUpsert;
}

export type SendUpsert = (contacts: readonly ContactUpsert[]) => Promise<{ data: UpsertRow[] }>;

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

/** Terminates because each round settles at least one row. Rows are always sent in their order. */
async function* settle(send: SendUpsert, rows: readonly Row[], stopsAtInvalid: boolean): AsyncGenerator<RowResult[]> {
  let rest = rows;
  while (rest.length > 0) {
    try {
      yield await sendAll(send, rest);
      return;
    } catch (error) {
      if (error instanceof BodyTooLargeError && rest.length > 1) {
        const middle = Math.ceil(rest.length / 2);
        yield* settle(send, rest.slice(0, middle), stopsAtInvalid);
        rest = rest.slice(middle);
        continue;
      }
      const faults = faultsOf(error, rest);
      if (faults.size === 0) throw error;
      if (stopsAtInvalid) throw inTermsOfSource(error, faults);
      yield Array.from(faults, ([{ index, input }, errors]) => ({ index, outcome: 'rejected', errors, input }));
      rest = rest.filter((row) => !faults.has(row));
    }
  }
}

async function sendAll(send: SendUpsert, rows: readonly Row[]): Promise<RowResult[]> {
  const { data } = await send(rows.map(({ input }) => input));
  return rows.map(({ index }, position) => {
    const answered = data[position];
    if (answered?.index !== position) {
      const { id: operation, success: status } = operations.upsertContacts;
      throw new UnexpectedAnswerError(`no result for row ${index}`, { operation, status, isOutcomeUnknown: true });
    }
    const { id, outcome: contactOutcome } = answered;
    return { index, outcome: 'upserted', id, ...(contactOutcome !== undefined && { contactOutcome }) };
  });
}

/** The invalid rows, each with its reasons. Empty when the request failed as a whole. */
function faultsOf(error: unknown, rows: readonly Row[]): Map<Row, FieldError[]> {
  const faults = new Map<Row, FieldError[]>();
  const reject = (row: Row | undefined, field: string, message: string) => {
    if (row === undefined) return;
    const reasons = faults.get(row) ?? [];
    reasons.push({ index: row.index, field, message });
    faults.set(row, reasons);
  };
  if (error instanceof ValidationError) {
    for (const { index = -1, field, message } of error.errors) reject(rows[index], field, message);
  } else if (error instanceof BodyTooLargeError) {
    reject(rows[0], 'item', 'is larger than the server takes');
  } else if (error instanceof UsageError) {
    for (const row of rows) if (!isJson(row.input)) reject(row, 'item', 'cannot be written as JSON');
  }
  return faults;
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
function inTermsOfSource(error: unknown, faults: ReadonlyMap<Row, FieldError[]>): unknown {
  if (!(error instanceof ValidationError) || error.error === undefined) return error;
  const errors = [...faults.values()].flat();
  const listed = errors.slice(0, rowsInDetail).map(({ index, field, message }) => `row ${index}: ${field} ${message}`);
  if (errors.length > listed.length) listed.push(`and ${errors.length - listed.length} more`);
  const { operation = '', status, requestId, retryAfterMs, isOutcomeUnknown } = error;
  const problem = { ...error.error, detail: `Invalid rows: ${listed.join('; ')}.`, errors };
  return new ValidationError({ operation, status, requestId, retryAfterMs, isOutcomeUnknown, error: problem });
}
