// Statements, whose rows are as the port has them, and the port's methods as a connection runs them: without promises.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { AnyMethod, Methods, OutcomeOf, Step } from '../../sql-steps.ts';
import type { Store } from '../../store.ts';

/** For `satisfies`. */
export type PortMethods = {
  [Name in keyof Store]?: (
    ...args: Parameters<NonNullable<Store[Name]>>
  ) => Awaited<ReturnType<NonNullable<Store[Name]>>>;
};

/** Enough for every caller. The texts of searches depend on the number of words and their kinds, so they are few too. */
const preparedMax = 64;

/** A statement is prepared when it is first used. Placeholders are as in SQLite, or $1, $2 and so on. */
export function statementsOf(db: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    if (prepared.size >= preparedMax) prepared.clear();
    const statement = db.prepare(sql.replaceAll('$', '?'));
    prepared.set(sql, statement);
    return statement;
  };

  return {
    prepare,

    /** The first row, as SQLite has it: a copy of each would be a tenth of a quick search. */
    find: <Row extends object>(sql: string, ...values: SQLInputValue[]) =>
      prepare(sql).get(...values) as Row | undefined,

    /** With undefined for SQL's null. */
    list<Row extends object>(sql: string, ...values: SQLInputValue[]): Row[] {
      const rows = prepare(sql).all(...values);
      return rows.map((row) => withoutNulls<Row>(row));
    },

    /** Returns how many rows it has changed. */
    run: (sql: string, ...values: SQLInputValue[]): number => Number(prepare(sql).run(...values).changes),
  };
}

function withoutNulls<Row extends object>(found: Record<string, unknown>): Row {
  const row = { ...found };
  for (const column in row) row[column] ??= undefined;
  return row as Row;
}

/** Runs the methods that both engines share on this connection. */
export function prepareSteps(db: DatabaseSync) {
  const { list, run } = statementsOf(db);
  const runStep = ({ kind, statement, values }: Step): unknown => {
    // This process is the only one that writes, and loses no connection: it neither locks nor tries again.
    if (kind === 'lock') return undefined;
    const sql = typeof statement === 'string' ? statement : statement.text;
    return kind === 'query' ? list(sql, ...values) : run(sql, ...values);
  };
  const runAll = (method: AnyMethod, args: never[]): unknown => {
    const steps = method(...args);
    let next = steps.next();
    while (!next.done) next = steps.next(runStep(next.value));
    return next.value;
  };

  return <Shared extends Methods>(methods: Shared) => {
    const runs = Object.entries(methods).map(([name, method]) => [name, (...args: never[]) => runAll(method, args)]);
    return Object.fromEntries(runs) as {
      [Name in keyof Shared]: (...args: Parameters<Shared[Name]>) => OutcomeOf<Shared[Name]>;
    };
  };
}

/** The same methods by the id of a bot. `missing` is what they come to when there is no such bot. */
export function byBotId<
  Bot,
  Missing extends object | false | undefined,
  Keyed extends Record<string, (bot: Bot, ...args: never[]) => unknown>,
>(find: (botId: string) => Bot | undefined, missing: Missing, methods: Keyed) {
  const entries = Object.entries(methods).map(([name, method]) => {
    const run = (botId: string, ...args: never[]): unknown => {
      const bot = find(botId);
      return bot === undefined ? missing : method(bot, ...args);
    };
    return [name, run];
  });
  return Object.fromEntries(entries) as {
    [Name in keyof Keyed]: Keyed[Name] extends (bot: Bot, ...args: infer Args) => infer Outcome
      ? (botId: string, ...args: Args) => Outcome | Missing
      : never;
  };
}
