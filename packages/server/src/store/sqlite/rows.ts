// Rows as the port has them, and the methods of the port as a connection runs them: without promises.
import type { SQLInputValue, StatementSync } from 'node:sqlite';
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
