// Organizations and bots, written seldom and read through the tenant cache.
import type { Bot, ListedBot, Organization, Store } from '../store.ts';
import { botColumns, organizationColumns, toBot } from '../tenant-row.ts';
import { statements } from './contact-statements.ts';
import type { Connection } from './pool.ts';
import { insertSecret } from './secrets.ts';
import type { Transactions } from './transactions.ts';

const findBot = {
  name: 'findBot',
  text: `SELECT ${botColumns} FROM bots WHERE id = $1 AND deleted_at IS NULL`,
};

export function prepareTenants({ read, write, writeRow }: Transactions) {
  return {
    createFirstOrganization({ organization, bot, secret }) {
      const own = { sql: 'SELECT id FROM organizations WHERE id = $1', values: [organization.id] };
      return write({ own }, async (connection) => {
        // One caller at a time; the row is there for such questions.
        await connection.query('SELECT FROM installation FOR UPDATE');
        const [any] = await connection.query('SELECT id FROM organizations LIMIT 1');
        if (any !== undefined) return false;
        await insertOrganization(connection, organization);
        await insertBot(connection, bot);
        await insertSecret(connection, secret);
        return true;
      });
    },

    createOrganization: (organization) => write({}, (connection) => insertOrganization(connection, organization)),
    renameOrganization: (organizationId, name, audit) =>
      writeRow(audit, 'UPDATE organizations SET name = $2 WHERE id = $1', [organizationId, name]),
    listOrganizations: () => read<Organization>(`SELECT ${organizationColumns} FROM organizations ORDER BY id`),
    async findOrganization(organizationId) {
      const sql = `SELECT ${organizationColumns} FROM organizations WHERE id = $1`;
      const [organization] = await read<Organization>(sql, [organizationId]);
      return organization;
    },

    createBot: (bot, audit) => write({ audit }, (connection) => insertBot(connection, bot)),
    updateBot(botId, { name = null, greeting = null, color = null, position = null, allowedOrigins }, audit) {
      const sql = `UPDATE bots SET name = coalesce($2, name), greeting = coalesce($3, greeting),
          color = coalesce($4, color), position = coalesce($5, position), allowed_origins = coalesce($6, allowed_origins)
        WHERE id = $1 AND deleted_at IS NULL`;
      const origins = allowedOrigins === undefined ? null : JSON.stringify(allowedOrigins);
      return writeRow(audit, sql, [botId, name, greeting, color, position, origins]);
    },
    deleteBot: (botId, nowMs, audit) =>
      write({ audit }, async (connection) => {
        // The state goes first: it is what writers lock, so the writes in flight are waited for.
        await connection.change(statements.deleteState, [botId]);
        const sql = 'UPDATE bots SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL';
        return (await connection.change(sql, [botId, nowMs])) === 1;
      }),
    findBot: async (botId) => (await read<Bot>(findBot, [botId])).map(toBot)[0],
    async listBots(organizationId) {
      // A bot that lives has a state. An inner join with the small table is one that Citus runs on every shard.
      const sql = `SELECT ${botColumns}, contact_count AS "contactCount" FROM bots JOIN bot_states ON bot_states.bot_id = bots.id
        WHERE deleted_at IS NULL AND ($1::text IS NULL OR organization_id = $1) ORDER BY id`;
      return (await read<ListedBot>(sql, [organizationId ?? null])).map(toBot);
    },

    async countContacts(botId) {
      const [state] = await read<{ contactCount: number }>(statements.countContacts, [botId]);
      return state?.contactCount ?? 0;
    },
  } satisfies Partial<Store>;
}

// Ids are made before the first try: one that is there already is this call's own.

async function insertOrganization(connection: Connection, { id, name, createdAtMs }: Organization): Promise<void> {
  const sql = 'INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING';
  await connection.change(sql, [id, name, createdAtMs]);
}

async function insertBot(connection: Connection, bot: Bot): Promise<void> {
  const { id, organizationId, name, greeting, color, position, allowedOrigins, createdAtMs } = bot;
  const sql = `INSERT INTO bots (id, organization_id, name, greeting, color, position, allowed_origins, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`;
  const origins = JSON.stringify(allowedOrigins);
  const values = [id, organizationId, name, greeting, color, position, origins, createdAtMs];
  // A bot that an earlier try created has its state, unless it was deleted since.
  if ((await connection.change(sql, values)) > 0) await connection.change(statements.insertState, [id]);
}
