// How everything but contacts and their tokens is read and written: each call on its own, tried again after a lost
// connection. A write is one transaction, together with its audit entry, and is done once however often it is tried.
import type { AuditRecord } from '../account-store.ts';
import { isRefused } from '../audit-row.ts';
import { hasRecorded, writeAuditEntry } from './audit-entries.ts';
import { LostConnectionError, outcomeUnknown } from './driver-errors.ts';
import type { Connection, Pool, Statement, Value } from './pool.ts';
import { readRetryMs, retrying, writeRetryMs } from './retries.ts';

export interface Transactions {
  read<Row extends object>(statement: Statement, values?: readonly Value[]): Promise<Row[]>;
  /** One statement without an outcome, which is harmless when repeated. */
  change(statement: Statement, values?: readonly Value[]): Promise<void>;
  write<Outcome>(work: (connection: Connection) => Promise<Outcome>, proofs?: Proofs): Promise<Outcome>;
}

/** What a transaction leaves in the database, by which a retry finds out whether an earlier try was committed. */
export interface Proofs {
  /** Written in the transaction, unless the outcome is a refusal. */
  audit?: AuditRecord | undefined;
  /** Whether a row is there that this call alone can have written. */
  isDone?: ((connection: Connection) => Promise<boolean>) | undefined;
}

export function prepareTransactions(reads: Pool, writes: Pool): Transactions {
  return {
    read: <Row extends object>(statement: Statement, values?: readonly Value[]) =>
      retrying(readRetryMs, () => reads.query<Row>(statement, values)),
    async change(statement, values) {
      await retrying(writeRetryMs, () => writes.change(statement, values));
    },
    write(work, proofs = {}) {
      const transaction = new Transaction(work, proofs);
      return retrying(writeRetryMs, () => writes.use((connection) => transaction.try(connection))).catch((error) => {
        throw transaction.isOutcomeUnknown ? outcomeUnknown(error) : error;
      });
    },
  };
}

/** One transaction over all its tries. The work may be repeated: ids and hashes are the same in every try. */
class Transaction<Outcome> {
  readonly #work: (connection: Connection) => Promise<Outcome>;
  readonly #proofs: Proofs;
  /** Of a try whose COMMIT was sent and not answered. */
  #unanswered: { outcome: Outcome } | undefined;

  constructor(work: (connection: Connection) => Promise<Outcome>, proofs: Proofs) {
    this.#work = work;
    this.#proofs = proofs;
  }

  get isOutcomeUnknown(): boolean {
    return this.#unanswered !== undefined;
  }

  async try(connection: Connection): Promise<Outcome> {
    const { audit } = this.#proofs;
    // Goes out together with the first statement of the work, which fails too if this does.
    connection.query('BEGIN').catch(() => {});
    const outcome = await this.#work(connection);
    if (isRefused(outcome)) {
      // Looked for after the work, whose locks have waited for an earlier try that was still being committed.
      const earlier = this.#unanswered;
      const isEarlierDone = earlier !== undefined && (await this.#isCommitted(connection));
      await connection.query('ROLLBACK');
      return isEarlierDone ? earlier.outcome : outcome;
    }
    if (audit !== undefined) await writeAuditEntry(connection, audit);
    try {
      await connection.query('COMMIT');
    } catch (error) {
      if (error instanceof LostConnectionError) this.#unanswered = { outcome };
      throw error;
    }
    return outcome;
  }

  /** Without any proof to look for, the refused write is a repeated deletion, which counts as done. */
  async #isCommitted(connection: Connection): Promise<boolean> {
    const { audit, isDone } = this.#proofs;
    if (audit === undefined && isDone === undefined) return true;
    return (await isDone?.(connection)) || (audit !== undefined && hasRecorded(connection, audit));
  }
}
