// How everything is read and written: each call on its own, tried again after a lost connection or node. A write is one
// transaction, together with its audit entry, and is done once however often it is tried.
import type { AuditRecord } from '../account/account-store.ts';
import { isRefused, recordOf } from '../account/audit-sql.ts';
import type { Methods, OutcomeOf, Statement, Steps } from '../sql-steps.ts';
import { OutcomeUnknownError, type Store } from '../store.ts';
import { contextIn } from '../write-context.ts';
import { writeAuditEntry } from './account/audit.ts';
import { type Change, statements } from './contacts/statements.ts';
import { asConflict, isCommitUnknown, LostConnectionError } from './driver-errors.ts';
import type { PlannedEvents } from './events/planned-events.ts';
import { type Connection, type Pool, runSteps, type Value } from './pool.ts';
import { readRetryMs, retrying, writeRetryMs } from './retries.ts';

export type Transactions = ReturnType<typeof prepareTransactions>;

/** What a try of a transaction comes to, and what it still has to write. */
export interface Decided<Outcome> {
  outcome: Outcome;
  /** Nothing was done: the transaction is rolled back. */
  isRefused?: boolean;
  audit?: AuditRecord | undefined;
  /** Sent together with COMMIT. */
  changes?: readonly Change[];
  events?: PlannedEvents;
}

export function prepareTransactions(reads: Pool, writes: Pool) {
  /**
   * Does one transaction, however many tries it takes. When the COMMIT of a try was not answered, the next one first looks for
   * the row of events that the try wrote, or else for its audit entry. A try that wrote neither is repeated, so `work` must do no
   * harm then. `botId`: of the only bot whose rows it is about, beside the audit log.
   */
  function transact<Outcome>(
    botId: string | undefined,
    work: (connection: Connection, isRepeated: boolean) => Promise<Decided<Outcome>>,
  ): Promise<Outcome> {
    /** Of a try whose COMMIT was sent, and not answered or answered with the loss of a node. */
    let unanswered: Decided<Outcome> | undefined;
    const tryOnce = async (connection: Connection): Promise<Outcome> => {
      if (unanswered !== undefined && isProvable(unanswered)) {
        if (await isCommitted(connection, botId, unanswered)) return unanswered.outcome;
        unanswered = undefined;
      }
      // Goes out together with the first statement of the work, which fails too if this does.
      connection.query('BEGIN').catch(() => {});
      const decided = await work(connection, unanswered !== undefined);
      if (decided.isRefused) {
        await connection.query('ROLLBACK');
        return decided.outcome;
      }
      if (decided.audit !== undefined) await writeAuditEntry(connection, decided.audit);
      const changes = [...(decided.changes ?? []), ...(decided.events?.rows ?? []).map((row) => insertOf(botId, row))];
      // Each is waited for: after an error of one, COMMIT is answered with a rollback, and the connection is clean.
      const answers = await Promise.allSettled([
        ...changes.map(([name, ...values]) => connection.change(statements[name], values)),
        connection.change('COMMIT'),
      ]);
      const failed = answers.find((answer) => answer.status === 'rejected');
      if (failed === undefined) return decided.outcome;
      // An error of a change is an answer: the COMMIT behind it was one to roll back.
      const isAtCommit = failed === answers.at(-1);
      const mayBeCommitted = isAtCommit ? isCommitUnknown(failed.reason) : failed.reason instanceof LostConnectionError;
      if (mayBeCommitted) unanswered = decided;
      throw asConflict(failed.reason);
    };
    return retrying(writeRetryMs, () => writes.use(tryOnce, botId)).catch((cause) => {
      // Its connection broke at the COMMIT, and no later try could tell what came of it.
      if (unanswered === undefined) throw cause;
      throw new OutcomeUnknownError('the database connection was lost during a write', { cause });
    });
  }

  /** The steps may be repeated: ids and hashes are the same in every try. */
  const write = <Outcome>(audit: AuditRecord | undefined, steps: () => Steps<Outcome>, botId?: string) =>
    transact(botId, async (connection) => {
      const outcome = await runSteps(connection, steps());
      return { outcome, isRefused: isRefused(outcome), audit: recordOf(audit, outcome) };
    });

  /** Lends a connection for rows of one bot. It holds none during the pause before another try. */
  const readWith = <Result>(botId: string, work: (connection: Connection) => Promise<Result>): Promise<Result> =>
    retrying(readRetryMs, () => reads.use(work, botId));

  return {
    transact,
    write,
    writeMethods: <Shared extends Methods>(methods: Shared) =>
      promised(methods, (steps, args) => write(contextIn(args)?.audit, steps)),
    readMethods: <Shared extends Methods>(methods: Shared) =>
      promised(methods, (steps) =>
        retrying(readRetryMs, () => reads.use((connection) => runSteps(connection, steps()))),
      ),
    /** Those about one bot, whose id is their first argument. */
    botWrites: <Shared extends Methods>(methods: Shared) =>
      promised(methods, (steps, args) => write(contextIn(args)?.audit, steps, args[0] as string)),
    botReads: <Shared extends Methods>(methods: Shared) =>
      promised(methods, (steps, [botId]) => readWith(botId as string, (connection) => runSteps(connection, steps()))),
    /** One statement that is harmless when repeated. Returns how many rows the last try changed. */
    changeRows: (statement: Statement, values: readonly Value[], botId?: string): Promise<number> =>
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
  run: (steps: () => Steps<unknown>, args: readonly unknown[]) => Promise<unknown>,
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

function insertOf(botId: string | undefined, { last, count, atMs, id, body }: PlannedEvents['rows'][number]): Change {
  // Only what is about one bot makes events.
  return ['insertEvents', botId as string, last, count, atMs, id, body];
}

function isProvable({ events, audit }: Decided<unknown>): boolean {
  return audit !== undefined || (events?.count ?? 0) > 0;
}

/**
 * Waits for a try that the database is still committing: it holds the bot's lock, or the id of the audit entry, until it ends. What
 * was done to a bot that is deleted since is gone with it: the write is decided anew, and finds no bot.
 */
async function isCommitted(connection: Connection, botId: string | undefined, { events, audit }: Decided<unknown>) {
  const [row] = events?.rows ?? [];
  const hasLeft = async () => {
    if (botId !== undefined && (await connection.query(statements.lockState, [botId])).length === 0) return false;
    if (row === undefined) return !(await writeAuditEntry(connection, audit as AuditRecord));
    return (await connection.query(statements.findEvents, [botId as string, row.last, row.id])).length > 0;
  };
  await connection.query('BEGIN');
  const isFound = await hasLeft();
  await connection.query('ROLLBACK');
  return isFound;
}
