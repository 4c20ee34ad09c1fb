// Organizations, bots and secrets: small tables, written seldom and read through the tenant cache.
import type { Bot, BotSettings, Organization, Secret, SecretState, Store } from '../store.ts';
import type { Connection, Pool, Row } from './connections.ts';

import { statements } from './statements.ts';
import { prepareTransactions } from './transactions.ts';

type Tenants = Pick<
  Store,
  | 'createFirstOrganization'
  | 'createOrganization'
  | 'renameOrganization'
  | 'listOrganizations'
  | 'findOrganization'
  | 'createBot'
  | 'updateBot'
  | 'deleteBot'
  | 'findBot'
  | 'listBots'
  | 'createSecret'
  | 'renameSecret'
  | 'revokeSecret'
  | 'findSecret'
  | 'listSecrets'
  | 'noteSecretsUsed'
  | 'countContacts'
>;

const botColumns = 'id, organization_id, name, greeting, color, position, allowed_origins, created_at';
const secretColumns = 'id, organization_id, name, prefix, created_by, created_at, expires_at, revoked_at, last_used_at';

const findBot = {
  name: 'findBot',
  text: `SELECT ${botColumns} FROM bots WHERE id = $1 AND deleted_at IS NULL`,
};
const findSecret = {
  name: 'findSecret',
  text: `SELECT ${secretColumns}, hash FROM secrets WHERE hash = $1`,
};

export function prepareTenants(reads: Pool, writes: Pool): Tenants {
  const { read, change, write } = prepareTransactions(reads, writes);

  return {
    createFirstOrganization: (first) =>
      write(
        async (connection) => {
          // One caller at a time; the row is there for such questions.
          await connection.query('SELECT FROM installation FOR UPDATE');
          const [any] = await connection.query('SELECT id FROM organizations LIMIT 1');
          if (any !== undefined) return false;
          await insertOrganization(connection, first.organization);
          await insertBot(connection, first.bot);
          await insertSecret(connection, first.secret);
          return true;
        },
        { isDone: (connection) => hasOrganization(connection, first.organization.id) },
      ),

    createOrganization: (organization) => write((connection) => insertOrganization(connection, organization)),
    renameOrganization: (organizationId, name, audit) =>
      write(
        async (connection) => {
          const sql = 'UPDATE organizations SET name = $2 WHERE id = $1';
          return (await connection.change(sql, [organizationId, name])) === 1;
        },
        { audit },
      ),
    async listOrganizations() {
      return (await read('SELECT id, name, created_at FROM organizations ORDER BY id')).map(toOrganization);
    },
    async findOrganization(organizationId) {
      const [row] = await read('SELECT id, name, created_at FROM organizations WHERE id = $1', [organizationId]);
      return row && toOrganization(row);
    },

    createBot: (bot, audit) => write((connection) => insertBot(connection, bot), { audit }),
    createSecret: (secret, audit) => write((connection) => insertSecret(connection, secret), { audit }),
    renameSecret: (secretId, name, audit) =>
      write(
        async (connection) => {
          return (await connection.change('UPDATE secrets SET name = $2 WHERE id = $1', [secretId, name])) === 1;
        },
        { audit },
      ),

    updateBot: (botId, { name = null, greeting = null, color = null, position = null, allowedOrigins }, audit) =>
      write(
        async (connection) => {
          const sql = `UPDATE bots SET name = coalesce($2, name), greeting = coalesce($3, greeting),
              color = coalesce($4, color), position = coalesce($5, position), allowed_origins = coalesce($6, allowed_origins)
            WHERE id = $1 AND deleted_at IS NULL`;
          const origins = allowedOrigins === undefined ? null : JSON.stringify(allowedOrigins);
          return (await connection.change(sql, [botId, name, greeting, color, position, origins])) === 1;
        },
        { audit },
      ),

    deleteBot: (botId, nowMs, audit) =>
      write(
        async (connection) => {
          // The state goes first: it is what writers lock, so the writes in flight are waited for.
          await connection.change(statements.deleteState, [botId]);
          const sql = 'UPDATE bots SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL';
          return (await connection.change(sql, [botId, nowMs])) === 1;
        },
        { audit },
      ),

    revokeSecret: (secretId, nowMs, audit) =>
      write(
        async (connection) => {
          const sql = 'UPDATE secrets SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL';
          return (await connection.change(sql, [secretId, nowMs])) === 1;
        },
        { audit },
      ),

    async findBot(botId) {
      const [row] = await read(findBot, [botId]);
      return row && toBot(row);
    },
    async listBots(organizationId) {
      // A bot that lives has a state. An inner join with the small table is one that Citus runs on every shard.
      const sql = `SELECT ${botColumns}, contact_count FROM bots JOIN bot_states ON bot_states.bot_id = bots.id
        WHERE deleted_at IS NULL AND ($1::text IS NULL OR organization_id = $1) ORDER BY id`;
      return (await read(sql, [organizationId ?? null])).map((row) => ({ ...toBot(row), contactCount: row[8] }));
    },

    async findSecret(hash) {
      const [row] = await read(findSecret, [hash]);
      return row && { ...toSecretState(row), hash: new Uint8Array(row[9]) };
    },
    async listSecrets(organizationId) {
      const sql = `SELECT ${secretColumns} FROM secrets WHERE $1::text IS NULL OR organization_id = $1 ORDER BY id`;
      return (await read(sql, [organizationId ?? null])).map(toSecretState);
    },
    async noteSecretsUsed(used) {
      const sql = `UPDATE secrets SET last_used_at = used.at
        FROM (SELECT id, max(at) AS at FROM unnest($1::text[], $2::bigint[]) AS one (id, at) GROUP BY id) AS used
        WHERE secrets.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`;
      const values = [used.map(({ secretId }) => secretId), used.map(({ usedAtMs }) => usedAtMs)];
      await change(sql, values);
    },

    async countContacts(botId) {
      const [row] = await read(statements.countContacts, [botId]);
      return row?.[0] ?? 0;
    },
  };
}

// Ids are made before the first try: one that is there already is this call's own, from a try whose answer was lost.

async function hasOrganization(connection: Connection, organizationId: string): Promise<boolean> {
  return (await connection.query('SELECT id FROM organizations WHERE id = $1', [organizationId])).length > 0;
}

async function insertOrganization(connection: Connection, { id, name, createdAtMs }: Organization): Promise<void> {
  const sql = 'INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING';
  await connection.change(sql, [id, name, createdAtMs]);
}

async function insertBot(connection: Connection, bot: Bot): Promise<void> {
  const sql = `INSERT INTO bots (id, name, greeting, color, position, allowed_origins, organization_id, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`;
  const inserted = await connection.change(sql, [bot.id, ...settingsOf(bot), bot.organizationId, bot.createdAtMs]);
  // A bot that an earlier try created has its state, unless it was deleted since.
  if (inserted > 0) await connection.change(statements.insertState, [bot.id]);
}

async function insertSecret(connection: Connection, secret: Secret): Promise<void> {
  const { id, organizationId, name, prefix, hash, createdAtMs } = secret;
  const { createdBy = null, expiresAtMs = null, revokedAtMs = null, lastUsedAtMs = null } = secret;
  const sql = `INSERT INTO secrets (${secretColumns}, hash)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING`;
  const state = [id, organizationId, name, prefix, createdBy, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs];
  await connection.change(sql, [...state, hash]);
}

function settingsOf({ name, greeting, color, position, allowedOrigins }: BotSettings): string[] {
  return [name, greeting, color, position, JSON.stringify(allowedOrigins)];
}

function toBot([id, organizationId, name, greeting, color, position, allowedOrigins, createdAtMs]: Row): Bot {
  return {
    id,
    organizationId,
    name,
    greeting,
    color,
    position,
    allowedOrigins: JSON.parse(allowedOrigins),
    createdAtMs,
  };
}

function toOrganization([id, name, createdAtMs]: Row): Organization {
  return { id, name, createdAtMs };
}

function toSecretState(row: Row): SecretState {
  const [id, organizationId, name, prefix, createdBy, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs] = row;
  return {
    id,
    organizationId,
    name,
    prefix,
    createdBy: createdBy ?? undefined,
    createdAtMs,
    expiresAtMs: expiresAtMs ?? undefined,
    revokedAtMs: revokedAtMs ?? undefined,
    lastUsedAtMs: lastUsedAtMs ?? undefined,
  };
}
