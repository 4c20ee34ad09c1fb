// How everything but contacts is read and written: each call on its own, tried again after a lost connection or node. A write
// is one transaction, together with its audit entry, and is done once however often it is tried.
import type { AuditRecord } from '../account-store.ts';
import { isRefused } from '../audit-sql.ts';
import type { Methods, OutcomeOf, Statement, Step, Steps } from '../sql-steps.ts';
import type { Store } from '../store.ts';
import { contextIn } from '../write-context.ts';
import { hasRecorded, writeAuditEntry } from './audit.ts';
import { everyNode } from './bulkhead.ts';
import { isCommitUnknown, outcomeUnknown } from './driver-errors.ts';
import { type Connection, type Pool, runSteps, type Value } from './pool.ts';
import { readRetryMs, retrying, writeRetryMs } from './retries.ts';

export type Transactions = ReturnType<typeof prepareTransactions>;

export function prepareTransactions(reads: Pool, writes: Pool) {
  /**
   * The steps may be repeated: ids and hashes are the same in every try. They get what an earlier try came to that may have
   * been committed. `botId`: of the only bot whose rows they are about, beside the audit log.
   */
  function write<Outcome>(
    audit: AuditRecord | undefined,
    steps: (unanswered: Outcome | undefined) => Steps<Outcome>,
    botId = everyNode,
  ): Promise<Outcome> {
    /** Of a try whose COMMIT was sent, and not answered or answered with the loss of a node. */
    let unanswered: { outcome: Outcome; proofs: Step[] } | undefined;
    const tryOnce = async (connection: Connection) => {
      // Goes out together with the first of the steps, which fails too if this does.
      connection.query('BEGIN').catch(() => {});
      const proofs: Step[] = [];
      const outcome = await runSteps(connection, steps(unanswered?.outcome), proofs);
      if (isRefused(outcome)) {
        // Looked for after the steps, whose locks have waited for an earlier try that was still being committed.
        const earlier = unanswered;
        const isEarlierDone = earlier !== undefined && (await isCommitted(connection, earlier.proofs, audit));
        await connection.query('ROLLBACK');
        return isEarlierDone ? earlier.outcome : outcome;
      }
      if (audit !== undefined) await writeAuditEntry(connection, audit);
      await connection.query('COMMIT').catch((error) => {
        if (isCommitUnknown(error)) unanswered = { outcome, proofs };
        throw error;
      });
      return outcome;
    };
    return retrying(writeRetryMs, () => writes.use(tryOnce, botId)).catch((error) => {
      throw unanswered === undefined ? error : outcomeUnknown(error);
    });
  }

  /** Lends a connection for rows of one bot. It holds none during the pause before another try. */
  const readWith = <Result>(botId: string, work: (connection: Connection) => Promise<Result>): Promise<Result> =>
    retrying(readRetryMs, () => reads.use(work, botId));

  return {
    write,
    writeMethods: <Shared extends Methods>(methods: Shared) =>
      promised(methods, (steps, args) => write(contextIn(args)?.audit, steps)),
    readMethods: <Shared extends Methods>(methods: Shared) =>
      promised(methods, (steps) =>
        retrying(readRetryMs, () => reads.use((connection) => runSteps(connection, steps()))),
      ),
    /** One statement that is harmless when repeated. Returns how many rows the last try changed. */
    changeRows: (statement: Statement, values: readonly Value[], botId = everyNode): Promise<number> =>
      retrying(writeRetryMs, () => writes.change(statement, values, botId)),
    read: <Row extends object>(statement: Statement, values?: readonly Value[]): Promise<Row[]> =>
      retrying(readRetryMs, () => reads.query<Row>(statement, values)),
    /** Rows of one bot, whose id is the first of the values. */
    readOf: <Row extends object>(statement: Statement, values: readonly [botId: string, ...others: Value[]]) =>
      readWith(values[0], (connection) => connection.query<Row>(statement, values)),
    readWith,
  };
}

/** The methods as the port has them. */
function promised<Shared extends Methods>(
  methods: Shared,
  run: (steps: () => Steps<unknown>, args: never[]) => Promise<unknown>,
) {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => run(() => method(...args), args),
  ]);
  return Object.fromEntries(entries) as {
    [Name in keyof Shared & keyof Store]: (
      ...args: Parameters<NonNullable<Store[Name]>>
    ) => Promise<OutcomeOf<Shared[Name]>>;
  };
}

/** Without any proof to look for, the refused write is a repeated deletion, which counts as done. */
async function isCommitted(connection: Connection, proofs: readonly Step[], audit?: AuditRecord): Promise<boolean> {
  if (audit === undefined && proofs.length === 0) return true;
  for (const { statement, values } of proofs) {
    if ((await connection.query(statement, values)).length > 0) return true;
  }
  return audit !== undefined && hasRecorded(connection, audit);
}
