// Organizations, bots and secrets: reads by key on the main thread, lists on the reader threads since they may be long,
// and writes on the writer thread.
import type { DatabaseSync } from 'node:sqlite';
import type { Bot, ListedBot, Organization, Secret, SecretState } from '../store.ts';
import { botColumns, organizationColumns, secretColumns, toBot } from '../tenant-row.ts';
import type { BotStates } from './bot-states.ts';
import { findRow, listRows, type PortMethods } from './rows.ts';
import type { NoteChanges } from './search/note-changes.ts';

export function prepareTenantReads(db: DatabaseSync) {
  const organizationById = db.prepare(`SELECT ${organizationColumns} FROM organizations WHERE id = ?`);
  const botById = db.prepare(`SELECT ${botColumns} FROM bots WHERE id = ? AND deleted_at IS NULL`);
  const secretByHash = db.prepare(`SELECT ${secretColumns}, hash FROM secrets WHERE hash = ?`);
  const contactCount = db.prepare('SELECT contact_count AS contactCount FROM bots WHERE id = ? AND deleted_at IS NULL');

  return {
    findOrganization: (organizationId) => findRow<Organization>(organizationById, organizationId),
    findBot(botId) {
      const row = findRow<Bot>(botById, botId);
      return row && toBot(row);
    },
    findSecret: (hash) => findRow<Secret>(secretByHash, hash),
    countContacts: (botId) => findRow<{ contactCount: number }>(contactCount, botId)?.contactCount ?? 0,
  } satisfies PortMethods;
}

export function prepareTenantLists(db: DatabaseSync) {
  const organizations = db.prepare(`SELECT ${organizationColumns} FROM organizations ORDER BY id`);
  const ofOrganization = '(?1 IS NULL OR organization_id = ?1)';
  const bots = db.prepare(
    `SELECT ${botColumns}, contact_count AS contactCount FROM bots
     WHERE deleted_at IS NULL AND ${ofOrganization} ORDER BY id`,
  );
  const secrets = db.prepare(`SELECT ${secretColumns} FROM secrets WHERE ${ofOrganization} ORDER BY id`);

  return {
    organizations: () => listRows<Organization>(organizations),
    bots: (organizationId: string | undefined) => listRows<ListedBot>(bots, organizationId ?? null).map(toBot),
    secrets: (organizationId: string | undefined) => listRows<SecretState>(secrets, organizationId ?? null),
  };
}

export function prepareTenantWrites(db: DatabaseSync, states: BotStates, search: NoteChanges) {
  const anyOrganization = db.prepare('SELECT 1 FROM organizations LIMIT 1');
  const insertOrganization = db.prepare('INSERT INTO organizations (id, name, created_at) VALUES (?, ?, ?)');
  const changeOrganizationName = db.prepare('UPDATE organizations SET name = ? WHERE id = ?');
  const insertBot = db.prepare(
    `INSERT INTO bots (id, organization_id, name, greeting, color, position, allowed_origins, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const changeBot = db.prepare(
    `UPDATE bots SET name = coalesce(?, name), greeting = coalesce(?, greeting), color = coalesce(?, color),
       position = coalesce(?, position), allowed_origins = coalesce(?, allowed_origins)
     WHERE id = ? AND deleted_at IS NULL`,
  );
  const markBotDeleted = db.prepare('UPDATE bots SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL');
  const insertSecret = db.prepare(
    `INSERT INTO secrets (id, organization_id, name, prefix, hash, created_by, created_at, expires_at, revoked_at, last_used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const changeSecretName = db.prepare('UPDATE secrets SET name = ? WHERE id = ?');
  const markSecretRevoked = db.prepare('UPDATE secrets SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const noteSecretUsed = db.prepare(
    'UPDATE secrets SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)',
  );

  const createOrganization = ({ id, name, createdAtMs }: Organization): void => {
    insertOrganization.run(id, name, createdAtMs);
  };
  const createBot = (bot: Bot): void => {
    const { id, organizationId, name, greeting, color, position, createdAtMs } = bot;
    const origins = JSON.stringify(bot.allowedOrigins);
    insertBot.run(id, organizationId, name, greeting, color, position, origins, createdAtMs);
  };
  const createSecret = (secret: Secret): void => {
    const { id, organizationId, name, prefix, hash, createdAtMs } = secret;
    const { createdBy = null, expiresAtMs = null, revokedAtMs = null, lastUsedAtMs = null } = secret;
    const times = [createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs];
    insertSecret.run(id, organizationId, name, prefix, hash, createdBy, ...times);
  };

  return {
    createOrganization,
    createBot,
    createSecret,

    createFirstOrganization(first) {
      if (anyOrganization.get() !== undefined) return false;
      createOrganization(first.organization);
      createBot(first.bot);
      createSecret(first.secret);
      return true;
    },

    renameOrganization: (organizationId, name) => changeOrganizationName.run(name, organizationId).changes === 1,

    updateBot(botId, changes) {
      const { name = null, greeting = null, color = null, position = null, allowedOrigins } = changes;
      const origins = allowedOrigins === undefined ? null : JSON.stringify(allowedOrigins);
      return changeBot.run(name, greeting, color, position, origins, botId).changes === 1;
    },

    deleteBot(botId, nowMs) {
      const bot = states.find(botId);
      if (bot === undefined) return false;
      search.deleteBot(bot.number);
      states.forget(botId);
      return markBotDeleted.run(nowMs, botId).changes === 1;
    },

    renameSecret: (secretId, name) => changeSecretName.run(name, secretId).changes === 1,

    revokeSecret: (secretId, nowMs) => markSecretRevoked.run(nowMs, secretId).changes === 1,

    noteSecretsUsed(used) {
      for (const { secretId, usedAtMs } of used) noteSecretUsed.run(secretId, usedAtMs);
    },
  } satisfies PortMethods;
}
