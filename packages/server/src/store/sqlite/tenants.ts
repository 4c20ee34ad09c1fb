// Organizations, bots and secrets: reads by key on the main thread, lists on the reader threads since they may be long,
// and writes on the writer thread.
import type { DatabaseSync } from 'node:sqlite';
import type { Bot, BotChanges, ListedBot, Organization, Secret, SecretState } from '../store.ts';
import type { BotStates } from './bot-states.ts';
import type { Nullable } from './nullable.ts';
import type { NoteChanges } from './search/note-changes.ts';
import type { Snapshot } from './snapshot.ts';

const organizationColumns = 'id, name, created_at AS createdAtMs';
const botColumns = `id, organization_id AS organizationId, name, greeting, color, position,
  allowed_origins AS allowedOrigins, created_at AS createdAtMs`;
const secretColumns = `id, organization_id AS organizationId, name, prefix, created_by AS createdBy,
  created_at AS createdAtMs, expires_at AS expiresAtMs, revoked_at AS revokedAtMs, last_used_at AS lastUsedAtMs`;

function toBot<Row extends Bot>(row: Row & { allowedOrigins: string }): Row {
  return { ...row, allowedOrigins: JSON.parse(row.allowedOrigins) };
}

function toSecretState<State extends SecretState>(row: Nullable<State>): State {
  return {
    ...row,
    createdBy: row.createdBy ?? undefined,
    expiresAtMs: row.expiresAtMs ?? undefined,
    revokedAtMs: row.revokedAtMs ?? undefined,
    lastUsedAtMs: row.lastUsedAtMs ?? undefined,
  } as State;
}

export function prepareTenantReads(db: DatabaseSync, { read }: Snapshot) {
  const organizationById = db.prepare(`SELECT ${organizationColumns} FROM organizations WHERE id = ?`);
  const botById = db.prepare(`SELECT ${botColumns} FROM bots WHERE id = ? AND deleted_at IS NULL`);
  const secretByHash = db.prepare(`SELECT ${secretColumns}, hash FROM secrets WHERE hash = ?`);
  const contactCount = db.prepare('SELECT contact_count AS contactCount FROM bots WHERE id = ? AND deleted_at IS NULL');

  return {
    findOrganization: (organizationId: string): Organization | undefined =>
      read(() => {
        const row = organizationById.get(organizationId) as Organization | undefined;
        return row && { ...row };
      }),

    findBot: (botId: string): Bot | undefined =>
      read(() => {
        const row = botById.get(botId) as (Bot & { allowedOrigins: string }) | undefined;
        return row && toBot(row);
      }),

    findSecret: (hash: Uint8Array): Secret | undefined =>
      read(() => {
        const row = secretByHash.get(hash) as Nullable<Secret> | undefined;
        return row && toSecretState(row);
      }),

    countContacts: (botId: string): number =>
      read(() => (contactCount.get(botId) as { contactCount: number } | undefined)?.contactCount ?? 0),
  };
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
    organizations: () => organizations.all().map((row) => ({ ...row }) as unknown as Organization),
    bots: (organizationId: string | undefined) =>
      bots.all(organizationId ?? null).map((row) => toBot(row as unknown as ListedBot & { allowedOrigins: string })),
    secrets: (organizationId: string | undefined) =>
      secrets.all(organizationId ?? null).map((row) => toSecretState(row as unknown as Nullable<SecretState>)),
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

    createFirstOrganization(first: { organization: Organization; bot: Bot; secret: Secret }): boolean {
      if (anyOrganization.get() !== undefined) return false;
      createOrganization(first.organization);
      createBot(first.bot);
      createSecret(first.secret);
      return true;
    },

    renameOrganization(organizationId: string, name: string): boolean {
      return changeOrganizationName.run(name, organizationId).changes === 1;
    },

    updateBot(botId: string, changes: BotChanges): boolean {
      const { name = null, greeting = null, color = null, position = null, allowedOrigins } = changes;
      const origins = allowedOrigins === undefined ? null : JSON.stringify(allowedOrigins);
      return changeBot.run(name, greeting, color, position, origins, botId).changes === 1;
    },

    deleteBot(botId: string, nowMs: number): boolean {
      const bot = states.find(botId);
      if (bot === undefined) return false;
      search.deleteBot(bot.number);
      states.forget(botId);
      return markBotDeleted.run(nowMs, botId).changes === 1;
    },

    renameSecret(secretId: string, name: string): boolean {
      return changeSecretName.run(name, secretId).changes === 1;
    },

    revokeSecret(secretId: string, nowMs: number): boolean {
      return markSecretRevoked.run(nowMs, secretId).changes === 1;
    },

    noteSecretsUsed(used: readonly { secretId: string; usedAtMs: number }[]): void {
      for (const { secretId, usedAtMs } of used) noteSecretUsed.run(secretId, usedAtMs);
    },
  };
}
