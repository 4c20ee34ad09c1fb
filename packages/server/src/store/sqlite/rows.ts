// Rows as the port has them, and the methods of the port as a connection runs them: without promises.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { AnyMethod, OutcomeOf, Statement, Step } from '../sql-steps.ts';
import type { Store } from '../store.ts';

/** For `satisfies`. A write says `false` where the port says undefined, so that it leaves no audit entry. */
export type PortMethods = {
  [Name in keyof Store]?: (
    ...args: Parameters<NonNullable<Store[Name]>>
  ) => Outcome<ReturnType<NonNullable<Store[Name]>>>;
};
type Outcome<Answer> = Awaited<Answer> | (undefined extends Awaited<Answer> ? false : never);

/** The first row, with undefined for SQL's null. Undefined when there is none. */
export function findRow<Row extends object>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
  const row = statement.get(...values);
  return row && withoutNulls<Row>(row);
}

export function listRows<Row extends object>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  return statement.all(...values).map((row) => withoutNulls<Row>(row));
}

function withoutNulls<Row extends object>(found: Record<string, unknown>): Row {
  const row = { ...found };
  for (const column in row) row[column] ??= undefined;
  return row as Row;
}

type Methods = Record<string, AnyMethod>;

/** Runs the methods that both engines share on this connection. */
export function prepareSteps(db: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  const prepare = (statement: Statement): StatementSync => {
    const text = typeof statement === 'string' ? statement : statement.text;
    const known = prepared.get(text) ?? db.prepare(text.replaceAll('$', '?'));
    prepared.set(text, known);
    return known;
  };
  const run = ({ kind, statement, values }: Step): unknown => {
    if (kind === 'query') return listRows(prepare(statement), ...values);
    // This process is the only one that writes, so nothing is locked.
    return kind === 'lock' ? undefined : Number(prepare(statement).run(...values).changes);
  };
  const runAll = (method: AnyMethod, args: never[]): unknown => {
    const steps = method(...args);
    let next = steps.next();
    while (!next.done) next = steps.next(run(next.value));
    return next.value;
  };

  return <Shared extends Methods>(methods: Shared) => {
    const runs = Object.entries(methods).map(([name, method]) => {
      const runMethod = (...args: never[]) => runAll(method, args);
      // What a caller passes after so many parameters is for the audit log.
      return [name, Object.defineProperty(runMethod, 'length', { value: method.length })];
    });
    return Object.fromEntries(runs) as {
      [Name in keyof Shared]: (...args: Parameters<Shared[Name]>) => OutcomeOf<Shared[Name]>;
    };
  };
}
