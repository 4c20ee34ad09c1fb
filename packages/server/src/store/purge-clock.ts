// Whether the purge may trust the clock, as both engines keep it: in the one row of the whole database.
import { change, type PortSteps, query } from './sql-steps.ts';
import type { PurgingState, Store } from './store.ts';

/** `clock` is an expression of the engine, or null. */
export const purgingReads = (clock: string) =>
  ({
    *findPurging() {
      const sql = `SELECT purged_at AS "purgedAtMs", purging_paused_until AS "pausedUntilMs", ${clock} AS "databaseMs"
        FROM installation`;
      const [state = {}] = yield* query<PurgingState>(sql);
      return state;
    },
  }) satisfies PortSteps<Store>;

export const purgingWrites = {
  *savePurging({ purgedAtMs, pausedUntilMs }) {
    const sql = 'UPDATE installation SET purged_at = $1, purging_paused_until = $2';
    yield* change(sql, purgedAtMs ?? null, pausedUntilMs ?? null);
  },
} satisfies PortSteps<Store>;
