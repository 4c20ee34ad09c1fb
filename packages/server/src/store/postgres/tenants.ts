// Organizations and bots, written seldom and read through the tenant cache.
import type { Bot, BotSettings, Organization, Store } from '../store.ts';

import { statements } from './contact-statements.ts';
import type { Connection, Pool } from './pool.ts';
import { insertSecret } from './secrets.ts';
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
  | 'countContacts'
>;

const organizationColumns = 'id, name, created_at AS "createdAtMs"';
const botColumns = `id, organization_id AS "organizationId", name, greeting, color, position,
  allowed_origins AS "allowedOrigins", created_at AS "createdAtMs"`;

interface BotRow extends Omit<Bot, 'allowedOrigins'> {
  /** As JSON. */
  allowedOrigins: string;
}

const findBot = {
  name: 'findBot',
  text: `SELECT ${botColumns} FROM bots WHERE id = $1 AND deleted_at IS NULL`,
};
export function prepareTenants(reads: Pool, writes: Pool): Tenants {
  const { read, write } = prepareTransactions(reads, writes);

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
    listOrganizations() {
      return read<Organization>(`SELECT ${organizationColumns} FROM organizations ORDER BY id`);
    },
    async findOrganization(organizationId) {
      const sql = `SELECT ${organizationColumns} FROM organizations WHERE id = $1`;
      const [organization] = await read<Organization>(sql, [organizationId]);
      return organization;
    },

    createBot: (bot, audit) => write((connection) => insertBot(connection, bot), { audit }),
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

    async findBot(botId) {
      const [row] = await read<BotRow>(findBot, [botId]);
      return row && toBot(row);
    },
    async listBots(organizationId) {
      // A bot that lives has a state. An inner join with the small table is one that Citus runs on every shard.
      const sql = `SELECT ${botColumns}, contact_count AS "contactCount" FROM bots JOIN bot_states ON bot_states.bot_id = bots.id
        WHERE deleted_at IS NULL AND ($1::text IS NULL OR organization_id = $1) ORDER BY id`;
      const rows = await read<BotRow & { contactCount: number }>(sql, [organizationId ?? null]);
      return rows.map(toBot);
    },

    async countContacts(botId) {
      const [state] = await read<{ contactCount: number }>(statements.countContacts, [botId]);
      return state?.contactCount ?? 0;
    },
  };
}

// Ids are made before the first try: one that is there already is this call's own.

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

function settingsOf({ name, greeting, color, position, allowedOrigins }: BotSettings): string[] {
  return [name, greeting, color, position, JSON.stringify(allowedOrigins)];
}

function toBot<Row extends BotRow>(row: Row): Row & Bot {
  return { ...row, allowedOrigins: JSON.parse(row.allowedOrigins) };
}
