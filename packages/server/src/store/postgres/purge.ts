// Removes what is past its time: what both engines remove alike, by purge-sql.ts, the contacts of deleted bots, and deleted
// attributes and tags from contacts. Several servers may do it at once: each row is removed once.
import { type PurgeSettings, purgeStatements, purgeSteps } from '../purge-sql.ts';
import type { Steps } from '../sql-steps.ts';
import type { Store, WriteContext } from '../store.ts';
import type { WritePlan } from './contacts/plan.ts';
import { statements } from './contacts/statements.ts';
import type { ContactWrites } from './contacts/writes.ts';
import { type Pool, runSteps } from './pool.ts';
import { retrying, writeRetryMs } from './retries.ts';

const settings: PurgeSettings<string> = {
  ...{ column: 'bot_id', key: 'id', first: '' },
  among: (key, select) => `${key} = ANY (ARRAY(${select}))`,
  by: () => '',
  /** With many bots a round is long, and an expired token is refused whether or not it is there: there is no hurry. */
  pauseMs: 3_600_000,
};

export const purgeStatementsOfPostgres = purgeStatements(settings);

export function preparePurge(pool: Pool, writes: ContactWrites) {
  const shared = purgeSteps(settings);
  const run = <Outcome>(steps: Steps<Outcome>, botId?: string) =>
    pool.use((connection) => runSteps(connection, steps), botId);

  const purgeBot = async (botId: string, rows: number): Promise<void> => {
    const left = rows - (await pool.change(statements.purgeContacts, [botId, rows], botId));
    if ((await run(shared.purgeDeletedBot(botId, left), botId)) === left) return;
    // A slice may also be short because another server was removing the same rows.
    const rest = await pool.query(statements.findAnyRow, [botId], botId);
    if (rest.length === 0) await pool.change('DELETE FROM bots WHERE id = $1', [botId]);
  };

  /** Takes the numbers of deleted attributes and tags from the contacts of a bot, in the order of their ids. */
  const purgeValues = async (botId: string, rows: number, context: WriteContext): Promise<void> => {
    const removed = await pool.query<{ number: number; position: string }>(
      statements.readRemovedFields,
      [botId],
      botId,
    );
    const [first = ''] = removed.map(({ position }) => position).sort();
    const contacts = await pool.query<{ id: string }>(statements.listIds, [botId, first, rows], botId);
    const contactIds = contacts.map(({ id }) => id);
    const last = contactIds.at(-1);
    if (last !== undefined) {
      const decide = (plan: WritePlan) => plan.removeUndefined(contactIds);
      await writes.write(botId, {
        contactIds,
        values: 'always',
        tagKeys: [],
        rows: contactIds.length,
        decide,
        context,
      });
    }
    // One that is deleted meanwhile is not among these: it begins with the first contact.
    const numbers = removed.map(({ number }) => number);
    if (last === undefined || contactIds.length < rows) {
      await pool.change(statements.deleteRemovedFields, [botId, numbers], botId);
    } else {
      await pool.change(statements.advanceRemovedFields, [botId, numbers, last], botId);
    }
  };

  return {
    /** A slice that is repeated removes nothing twice. */
    purge: (rows, eventsBeforeMs, context) =>
      retrying(writeRetryMs, async () => {
        const slice = await run(shared.purgeSlice(rows, context.nowMs, eventsBeforeMs));
        if (typeof slice === 'boolean') return slice;
        if (slice.kind === 'deletedBot') await purgeBot(slice.bot, rows);
        else await purgeValues(slice.bot, rows, context);
        return true;
      }),
  } satisfies Partial<Store>;
}
