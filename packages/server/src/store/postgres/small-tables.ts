// How the small tables are read and written: statement by statement, each call on its own, tried again after a lost
// connection. Calls on contacts and tokens are gathered instead.
import {
  type Connection,
  LostConnectionError,
  lostWhileWriting,
  type Pool,
  type Row,
  readRetryMs,
  retrying,
  type Value,
  writeRetryMs,
} from './connections.ts';
import type { Statement } from './statements.ts';

export interface SmallTables {
  read(statement: Statement | string, values?: readonly Value[]): Promise<Row[]>;
  /** The work must be harmless when repeated; `isRetry` tells that an earlier try may have been done unseen. */
  write<Result>(work: (connection: Connection, isRetry: boolean) => Promise<Result>): Promise<Result>;
}

export function smallTables(reads: Pool, writes: Pool): SmallTables {
  return {
    read: (statement, values) => retrying(readRetryMs, () => reads.query(statement, values)),
    write(work) {
      // Whatever the later tries are answered, this one may have been done.
      let isAnyUnanswered = false;
      const tryOnce = (isRetry: boolean) =>
        writes.use((connection) =>
          work(connection, isRetry).catch((error) => {
            isAnyUnanswered ||= error instanceof LostConnectionError;
            throw error;
          }),
        );
      return retrying(writeRetryMs, tryOnce).catch((error) => {
        throw isAnyUnanswered ? lostWhileWriting(error) : error;
      });
    },
  };
}

/** Thrown within a transaction that must not happen after all: it is rolled back, and `outcome` is what comes of it. */
export class Undone<Outcome> {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    this.outcome = outcome;
  }
}

export async function inTransaction<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  await connection.query('BEGIN');
  try {
    const result = await work();
    await connection.query('COMMIT');
    return result;
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
    await connection.query('ROLLBACK');
    return error.outcome as Result;
  }
}
