// Organizations, bots and secrets, as far as both engines read and write them alike.
import type { Authority } from '../account/account-store.ts';
import {
  change,
  exists,
  isAllowed,
  isFull,
  lock,
  lockInstallation,
  lockOrganization,
  type PortSteps,
  query,
  type SqlValue,
  type Steps,
} from '../sql-steps.ts';
import type { Bot, BotChanges, Organization, Secret, SecretState, Store } from '../store.ts';

const organizationColumns = 'id, name, created_at AS "createdAtMs"';
export const botColumns = `id, organization_id AS "organizationId", name, greeting, color, position,
  allowed_origins AS "allowedOrigins", channels, greetings, token_max_seconds AS "tokenMaxSeconds",
  created_at AS "createdAtMs"`;
const secretColumns = `id, organization_id AS "organizationId", name, prefix, permissions, bots,
  created_by AS "createdBy", creator_id AS "creatorId", parent_id AS "parentId",
  created_at AS "createdAtMs", expires_at AS "expiresAtMs", revoked_at AS "revokedAtMs", last_used_at AS "lastUsedAtMs"`;

const selectBot = { name: 'selectBot', text: `SELECT ${botColumns} FROM bots WHERE id = $1 AND deleted_at IS NULL` };
const selectSecret = { name: 'selectSecret', text: `SELECT ${secretColumns}, hash FROM secrets WHERE hash = $1` };

const parse = (json: unknown) => JSON.parse(json as string);

/** The columns of origins, channels and greetings hold JSON. */
export function toBot<Row extends Bot>(row: Row): Row {
  const { allowedOrigins, channels, greetings } = row;
  return {
    ...row,
    allowedOrigins: parse(allowedOrigins),
    channels: parse(channels),
    greetings: parse(greetings),
  };
}

/** The columns of permissions and bots hold JSON. */
function toSecret<Row extends SecretState>(row: Row): Row {
  return { ...row, permissions: parse(row.permissions), bots: row.bots && parse(row.bots) };
}

export const tenantReads = {
  *findOrganization(organizationId) {
    const sql = `SELECT ${organizationColumns} FROM organizations WHERE id = $1`;
    return (yield* query<Organization>(sql, organizationId))[0];
  },
  *findOrganizationSettings(organizationId) {
    const sql = 'SELECT members_may_manage_webhooks AS "mayManage" FROM organizations WHERE id = $1';
    const [found] = yield* query<{ mayManage: number }>(sql, organizationId);
    return { membersMayManageWebhooks: found?.mayManage === 1 };
  },
  *findBot(botId) {
    return (yield* query<Bot>(selectBot, botId)).map(toBot)[0];
  },
  *findSecret(hash) {
    const [secret] = yield* query<Secret>(selectSecret, hash);
    // A driver's Buffer may be a part of a larger one.
    return secret && { ...toSecret(secret), hash: new Uint8Array(secret.hash) };
  },
} satisfies PortSteps<Store>;

export const tenantLists = {
  *listOrganizations() {
    return yield* query<Organization>(`SELECT ${organizationColumns} FROM organizations ORDER BY id`);
  },
  *listSecrets(organizationId) {
    const sql = `SELECT ${secretColumns} FROM secrets WHERE CAST($1 AS text) IS NULL OR organization_id = $1 ORDER BY id`;
    return (yield* query<SecretState>(sql, organizationId ?? null)).map(toSecret);
  },
} satisfies PortSteps<Store>;

// Ids are made before the first try: one that is there already is this call's own.

/** Returns whether it was inserted. */
export function* insertBot(bot: Bot): Steps<boolean> {
  const { id, organizationId, name, greeting, color, position, tokenMaxSeconds, createdAtMs } = bot;
  const sql = `INSERT INTO bots (id, organization_id, name, greeting, color, position, allowed_origins, channels,
      greetings, token_max_seconds, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING`;
  const texts = [name, greeting, color, position, ...jsonColumnsOf(bot)];
  return (yield* change(sql, id, organizationId, ...texts, tokenMaxSeconds, createdAtMs)) > 0;
}

/** Null for a setting that was left out. */
function jsonColumnsOf({ allowedOrigins, channels, greetings }: BotChanges): (string | null)[] {
  return [allowedOrigins, channels, greetings].map((value) => (value === undefined ? null : JSON.stringify(value)));
}

/** Whether the organization may have one more. Those who make bots of it at once wait for each other. */
export function* hasRoomForBot({ id, organizationId }: Bot, max: number | undefined): Steps<boolean> {
  if (max === undefined) return true;
  yield* lockOrganization(organizationId);
  const others = 'SELECT count(*) AS count FROM bots WHERE organization_id = $1 AND deleted_at IS NULL AND id <> $2';
  return !(yield* isFull(max, others, organizationId, id));
}

function authorityOf({ parentId, creatorId }: Secret): Authority {
  if (parentId !== undefined) return { kind: 'secret', id: parentId };
  return creatorId === undefined ? undefined : { kind: 'member', id: creatorId };
}

export const tenantWrites = {
  *createOrganization({ id, name, createdAtMs }) {
    const sql = 'INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING';
    yield* change(sql, id, name, createdAtMs);
  },
  *renameOrganization(organizationId, name) {
    return (yield* change('UPDATE organizations SET name = $2 WHERE id = $1', organizationId, name)) > 0;
  },
  *updateOrganizationSettings(organizationId, { membersMayManageWebhooks }) {
    const sql = 'UPDATE organizations SET members_may_manage_webhooks = $2 WHERE id = $1';
    return (yield* change(sql, organizationId, membersMayManageWebhooks ? 1 : 0)) > 0;
  },

  *updateBot(botId, changes) {
    const { name = null, greeting = null, color = null, position = null, tokenMaxSeconds = null } = changes;
    const sql = `UPDATE bots SET name = coalesce($2, name), greeting = coalesce($3, greeting),
        color = coalesce($4, color), position = coalesce($5, position), allowed_origins = coalesce($6, allowed_origins),
        channels = coalesce($7, channels), greetings = coalesce($8, greetings),
        token_max_seconds = coalesce($9, token_max_seconds)
      WHERE id = $1 AND deleted_at IS NULL`;
    const texts = [name, greeting, color, position, ...jsonColumnsOf(changes)];
    return (yield* change(sql, botId, ...texts, tokenMaxSeconds)) > 0;
  },

  *createSecret(secret, max: number | undefined) {
    const { id, organizationId, name, prefix, hash, permissions, bots, createdAtMs } = secret;
    const { createdBy = null, creatorId = null, parentId = null } = secret;
    const { expiresAtMs = null, revokedAtMs = null, lastUsedAtMs = null } = secret;
    const by = authorityOf(secret);
    // A revocation of the parent waits for this transaction and then finds the new secret, or came before it.
    if (by !== undefined || max !== undefined) yield* lockOrganization(organizationId);
    if (!(yield* isAllowed(organizationId, by))) return { kind: 'not_allowed' };
    const active = `SELECT count(*) AS count FROM secrets WHERE organization_id = $1 AND id <> $2
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)`;
    if (yield* isFull(max, active, organizationId, id, createdAtMs)) return { kind: 'limit_reached' };
    if (max !== undefined) yield* removeOldestEnded(organizationId, createdAtMs, max);
    const sql = `INSERT INTO secrets (id, organization_id, name, prefix, permissions, bots, created_by, creator_id,
        parent_id, created_at, expires_at, revoked_at, last_used_at, hash)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING`;
    const scope = [JSON.stringify(permissions), bots === undefined ? null : JSON.stringify(bots)];
    const creators = [createdBy, creatorId, parentId];
    const times = [createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs];
    yield* change(sql, id, organizationId, name, prefix, ...scope, ...creators, ...times, hash);
    return true;
  },
  *renameSecret(secretId, name) {
    return (yield* change('UPDATE secrets SET name = $2 WHERE id = $1', secretId, name)) > 0;
  },
  *revokeSecret(secretId, { nowMs }) {
    // A secret that is being created with it is waited for.
    yield* lock(
      `SELECT FROM organizations WHERE id = (SELECT organization_id FROM secrets WHERE id = $1)
      FOR NO KEY UPDATE`,
      secretId,
    );
    return (yield* revokeTrees('id = $1', secretId, nowMs)) > 0;
  },
} satisfies PortSteps<Store>;

/** Those revoked or expired that a creation removes at most, so that it takes a moment however many there are. */
const removedMax = 1000;

/**
 * Keeps the `max` that were revoked or expired last. Without a bound, whoever makes and revokes secrets in a loop would
 * make each list of them longer. None that is in force was created with one of them.
 */
function* removeOldestEnded(organizationId: string, nowMs: number, max: number): Steps<void> {
  const sql = `DELETE FROM secrets WHERE id IN (
    SELECT id FROM secrets WHERE organization_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= $2)
    ORDER BY coalesce(revoked_at, expires_at) DESC, id DESC LIMIT ${removedMax} OFFSET $3)`;
  yield* change(sql, organizationId, nowMs, max);
}

/**
 * Revokes the secrets that the condition names, with all that were created with them, and ends the open invitations of each.
 * Returns how many were in force. The caller has locked the organization.
 */
export function* revokeTrees(condition: string, value: SqlValue, nowMs: number): Steps<number> {
  const sql = `WITH RECURSIVE trees (id, revoked_at) AS (
      SELECT id, revoked_at FROM secrets WHERE ${condition}
      UNION SELECT secrets.id, secrets.revoked_at FROM secrets JOIN trees ON secrets.parent_id = trees.id)
    SELECT id FROM trees WHERE revoked_at IS NULL ORDER BY id`;
  let revoked = 0;
  for (const { id } of yield* query<{ id: string }>(sql, value)) {
    revoked += yield* change('UPDATE secrets SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL', id, nowMs);
    yield* change('DELETE FROM one_time_links WHERE secret_id = $1', id);
  }
  return revoked;
}

/** `createBot` also makes what the engine keeps beside a bot. */
export function createFirst(createBot: (bot: Bot) => Steps<unknown>) {
  return function* ({ organization, bot, secret }: Parameters<Store['createFirstOrganization']>[0]): Steps<boolean> {
    yield* lockInstallation();
    // One with its id is this call's own, of an earlier try.
    if (yield* exists('SELECT id FROM organizations WHERE id = $1', organization.id)) return true;
    if (yield* exists('SELECT id FROM organizations LIMIT 1')) return false;
    yield* tenantWrites.createOrganization(organization);
    yield* createBot(bot);
    yield* tenantWrites.createSecret(secret, undefined);
    return true;
  };
}
