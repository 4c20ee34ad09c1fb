// How everything but contacts is read and written: each call on its own, tried again after a lost connection. A write
// is one transaction, together with its audit entry, and is done once however often it is tried.
import type { AuditRecord } from '../account-store.ts';
import { isRefused } from '../audit-sql.ts';
import type { AnyMethod, OutcomeOf, Steps } from '../sql-steps.ts';
import { hasRecorded, writeAuditEntry } from './audit-entries.ts';
import { LostConnectionError, outcomeUnknown } from './driver-errors.ts';
import { type Connection, type Pool, runSteps, type Statement, type Value } from './pool.ts';
import { readRetryMs, retrying, writeRetryMs } from './retries.ts';

/** What a transaction leaves in the database, by which a retry finds out whether an earlier try was committed. */
interface Proofs {
  /** Written in the transaction, unless the outcome is a refusal. */
  audit?: AuditRecord | undefined;
  /** Finds a row that this call alone can have written. */
  own?: { sql: string; values: readonly Value[] } | undefined;
}

/** Methods that both engines share, as the port has them: a write takes its audit record last. */
type Promised<Methods extends Record<string, AnyMethod>> = {
  [Name in keyof Methods]: (
    ...args: [...Parameters<Methods[Name]>, audit?: AuditRecord]
  ) => Promise<OutcomeOf<Methods[Name]>>;
};

export type Transactions = ReturnType<typeof prepareTransactions>;

export function prepareTransactions(reads: Pool, writes: Pool) {
  /** The steps may be repeated: ids and hashes are the same in every try. */
  function write<Outcome>(proofs: Proofs, steps: () => Steps<Outcome>): Promise<Outcome> {
    const { audit } = proofs;
    /** Of a try whose COMMIT was sent and not answered. */
    let unanswered: { outcome: Outcome } | undefined;
    const tryOnce = async (connection: Connection) => {
      // Goes out together with the first of the steps, which fails too if this does.
      connection.query('BEGIN').catch(() => {});
      const outcome = await runSteps(connection, steps());
      if (isRefused(outcome)) {
        // Looked for after the steps, whose locks have waited for an earlier try that was still being committed.
        const earlier = unanswered;
        const isEarlierDone = earlier !== undefined && (await isCommitted(connection, proofs));
        await connection.query('ROLLBACK');
        return isEarlierDone ? earlier.outcome : outcome;
      }
      if (audit !== undefined) await writeAuditEntry(connection, audit);
      await connection.query('COMMIT').catch((error) => {
        if (error instanceof LostConnectionError) unanswered = { outcome };
        throw error;
      });
      return outcome;
    };
    return retrying(writeRetryMs, () => writes.use(tryOnce)).catch((error) => {
      throw unanswered === undefined ? error : outcomeUnknown(error);
    });
  }

  return {
    write,
    /** `findOwn` makes the proof of a call from its arguments, where the audit record is not enough. */
    writeMethods: <Methods extends Record<string, AnyMethod>>(
      methods: Methods,
      findOwn: (name: string, args: unknown[]) => Proofs['own'] = () => undefined,
    ): Promised<Methods> =>
      promised(methods, (name, method, args) => {
        const audit = args[method.length] as AuditRecord | undefined;
        return write({ audit, own: findOwn(name, args) }, () => method(...(args as never[])));
      }),
    readMethods: <Methods extends Record<string, AnyMethod>>(methods: Methods): Promised<Methods> =>
      promised(methods, (_name, method, args) =>
        retrying(readRetryMs, () => reads.use((connection) => runSteps(connection, method(...(args as never[]))))),
      ),
    /** One statement that is harmless when repeated. Returns how many rows the last try changed. */
    changeRows: (statement: Statement, values: readonly Value[]): Promise<number> =>
      retrying(writeRetryMs, () => writes.change(statement, values)),
    read: <Row extends object>(statement: Statement, values?: readonly Value[]): Promise<Row[]> =>
      retrying(readRetryMs, () => reads.query<Row>(statement, values)),
    readTuples: <Tuple extends unknown[]>(statement: Statement, values: readonly Value[]): Promise<Tuple[]> =>
      retrying(readRetryMs, () => reads.use((connection) => connection.tuples<Tuple>(statement, values))),
  };
}

function promised<Methods extends Record<string, AnyMethod>>(
  methods: Methods,
  run: (name: string, method: AnyMethod, args: unknown[]) => Promise<unknown>,
): Promised<Methods> {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: unknown[]) => run(name, method, args),
  ]);
  return Object.fromEntries(entries) as Promised<Methods>;
}

/** Without any proof to look for, the refused write is a repeated deletion, which counts as done. */
async function isCommitted(connection: Connection, { audit, own }: Proofs): Promise<boolean> {
  if (audit === undefined && own === undefined) return true;
  if (own !== undefined && (await connection.query(own.sql, own.values)).length > 0) return true;
  return audit !== undefined && hasRecorded(connection, audit);
}
