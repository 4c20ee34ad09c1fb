// Organizations, bots and secrets, written seldom and read through the tenant cache: the steps of tenant-sql.ts, and
// what is this engine's own. A bot that lives has a state beside its row.

import { change, type Steps } from '../../sql-steps.ts';
import type { Bot, Store, WriteContext } from '../../store.ts';
import { provision } from '../../tenants/provisioning-sql.ts';
import {
  createFirst,
  hasRoomForBot,
  insertBot,
  tenantLists,
  tenantReads,
  tenantWrites,
} from '../../tenants/tenant-sql.ts';
import { statements } from '../contacts/statements.ts';
import type { Transactions } from '../transactions.ts';
import { webhookStatements } from '../webhooks/webhook-statements.ts';

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
    yield* change(statements.deleteAttributesOfBot, botId);
    yield* change(statements.deleteTagsOfBot, botId);
    yield* change(statements.deleteSegmentsOfBot, botId);
    yield* change(statements.deleteDaysOfBot, botId);
    yield* change(statements.deleteRemovedFieldsOfBot, botId);
    yield* change(webhookStatements.deleteWebhooksOfBot, botId);
    yield* change(webhookStatements.deleteRemovedWebhooksOfBot, botId);
    yield* change('DELETE FROM bots_with_webhooks WHERE id = $1', botId);
    return (yield* change('UPDATE bots SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL', botId, nowMs)) > 0;
  },
};

export function prepareTenants({ readOf, readMethods, changeRows, writeMethods }: Transactions) {
  return {
    ...readMethods({ ...tenantReads, ...tenantLists }),
    ...writeMethods(writes),

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
