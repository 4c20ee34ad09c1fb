// Organizations, bots and secrets: reads by key on the main thread, lists on the reader threads since they may be long,
// and writes on the writer thread. The steps of tenant-sql.ts, and what is this engine's own.
import type { DatabaseSync } from 'node:sqlite';
import type { Bot, ListedBot } from '../../store.ts';
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
import { type PortMethods, prepareSteps, statementsOf } from '../contacts/rows.ts';
import type { BotStates } from './bot-states.ts';

export function prepareTenantReads(db: DatabaseSync) {
  const { find } = statementsOf(db);
  return {
    ...prepareSteps(db)(tenantReads),
    countContacts(botId) {
      const sql = 'SELECT contact_count AS contactCount FROM bots WHERE id = ? AND deleted_at IS NULL';
      return find<{ contactCount: number }>(sql, botId)?.contactCount ?? 0;
    },
  } satisfies PortMethods;
}

export function prepareTenantLists(db: DatabaseSync) {
  const { list } = statementsOf(db);
  return {
    ...prepareSteps(db)(tenantLists),
    listBots(organizationId) {
      const sql = `SELECT ${botColumns}, contact_count AS contactCount FROM bots
        WHERE deleted_at IS NULL AND (?1 IS NULL OR organization_id = ?1) ORDER BY id`;
      return list<ListedBot>(sql, organizationId ?? null).map(toBot);
    },
  } satisfies PortMethods;
}

export function prepareTenantWrites(db: DatabaseSync, states: BotStates) {
  const { run } = statementsOf(db);
  return {
    ...prepareSteps(db)({
      ...tenantWrites,
      *createBot(bot: Bot, max: number | undefined) {
        if (!(yield* hasRoomForBot(bot, max))) return false;
        yield* insertBot(bot);
        return true;
      },
      createFirstOrganization: createFirst(insertBot),
      provision: provision(insertBot),
    }),

    deleteBot(botId, { nowMs }) {
      const bot = states.find(botId);
      if (bot === undefined) return false;
      states.forget(botId);
      return run('UPDATE bots SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL', nowMs, botId) === 1;
    },

    noteSecretsUsed(used) {
      const moveForward = `UPDATE secrets SET last_used_at = ?2
        WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)`;
      for (const { secretId, usedAtMs } of used) run(moveForward, secretId, usedAtMs);
    },
  } satisfies PortMethods;
}
