// Organizations, bots and secrets, written seldom and read through the tenant cache: the steps of tenant-sql.ts, and
// what is this engine's own. A bot that lives has a state beside its row.

import { smallTables } from '../../purge-sql.ts';
import { change, type Steps } from '../../sql-steps.ts';
import type { Bot, ListedBot, Store, WriteContext } from '../../store.ts';
import { provision } from '../../tenants/provisioning-sql.ts';
import {
  botColumns,
  createFirst,
  hasRoomForBot,
  insertBot,
  tenantLists,
  tenantReads,
  tenantWrites,
  toBot,
} from '../../tenants/tenant-sql.ts';
import { statements } from '../contacts/statements.ts';
import { askForEach } from '../each-bot.ts';
import type { Pool } from '../pool.ts';
import { readRetryMs, retrying } from '../retries.ts';
import type { Transactions } from '../transactions.ts';

function* createBot(bot: Bot, max: number | undefined): Steps<boolean> {
  if (!(yield* hasRoomForBot(bot, max))) return false;
  // A bot that an earlier try created has its state, unless it was deleted since.
  if (yield* insertBot(bot)) yield* change(statements.insertState, bot.id);
  return true;
}

const writes = {
  ...tenantWrites,
  createBot,
  createFirstOrganization: createFirst((bot) => createBot(bot, undefined)),
  provision: provision((bot) => createBot(bot, undefined)),
  *deleteBot(botId: string, { nowMs }: WriteContext) {
    // The state goes first: it is what writers lock, so the writes in flight are waited for.
    yield* change(statements.deleteState, botId);
    for (const table of smallTables) yield* change(`DELETE FROM ${table} WHERE bot_id = $1`, botId);
    yield* change('DELETE FROM bots_with_webhooks WHERE id = $1', botId);
    return (yield* change('UPDATE bots SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL', botId, nowMs)) > 0;
  },
};

const listBots = `SELECT ${botColumns} FROM bots
  WHERE deleted_at IS NULL AND ($1::text IS NULL OR organization_id = $1) ORDER BY id`;
const countEach = `SELECT bot_id AS "botId", contact_count AS "contactCount" FROM bot_states
  WHERE bot_id = ANY ($1::text[])`;

export function prepareTenants({ readOf, readMethods, changeRows, writeMethods }: Transactions, pool: Pool) {
  return {
    ...readMethods({ ...tenantReads, ...tenantLists }),
    ...writeMethods(writes),

    // On a sharded database the counts lie on many nodes: one that is lost costs the counts of its bots, not the list.
    listBots: (organizationId?: string) =>
      retrying(readRetryMs, async () => {
        const bots = (await pool.query<Bot>(listBots, [organizationId ?? null])).map(toBot);
        const ids = bots.map(({ id }) => id);
        const { rows, lostIds } = await askForEach<{ botId: string; contactCount: number }>(pool, countEach, ids);
        const counts = new Map<string, number | null>(lostIds.map((id) => [id, null]));
        for (const { botId, contactCount } of rows) counts.set(botId, contactCount);
        return bots.flatMap((bot): ListedBot[] => {
          const contactCount = counts.get(bot.id);
          // One without a state was deleted meanwhile.
          return contactCount === undefined ? [] : [{ ...bot, contactCount }];
        });
      }),
    async countContacts(botId) {
      const [state] = await readOf<{ contactCount: number }>(statements.countContacts, [botId]);
      return state?.contactCount ?? 0;
    },
    async noteSecretsUsed(used) {
      const sql = `UPDATE secrets SET last_used_at = used.at
        FROM (SELECT id, max(at) AS at FROM unnest($1::text[], $2::bigint[]) AS one (id, at) GROUP BY id) AS used
        WHERE secrets.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`;
      await changeRows(sql, [used.map(({ secretId }) => secretId), used.map(({ usedAtMs }) => usedAtMs)]);
    },
  } satisfies Partial<Store>;
}
