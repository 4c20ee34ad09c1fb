// Organization secrets, written seldom and read through the tenant cache.
import type { Secret, SecretState, Store } from '../store.ts';
import { secretColumns } from '../tenant-row.ts';
import type { Connection } from './pool.ts';
import type { Transactions } from './transactions.ts';

const findSecret = {
  name: 'findSecret',
  text: `SELECT ${secretColumns}, hash FROM secrets WHERE hash = $1`,
};

export function prepareSecrets({ read, change, write, writeRow }: Transactions) {
  return {
    createSecret: (secret, audit) => write({ audit }, (connection) => insertSecret(connection, secret)),
    renameSecret: (secretId, name, audit) =>
      writeRow(audit, 'UPDATE secrets SET name = $2 WHERE id = $1', [secretId, name]),
    revokeSecret: (secretId, nowMs, audit) =>
      writeRow(audit, 'UPDATE secrets SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL', [secretId, nowMs]),
    async findSecret(hash) {
      const [secret] = await read<Secret>(findSecret, [hash]);
      // The driver's Buffer may be a part of a larger one.
      return secret && { ...secret, hash: new Uint8Array(secret.hash) };
    },
    listSecrets(organizationId) {
      const sql = `SELECT ${secretColumns} FROM secrets WHERE $1::text IS NULL OR organization_id = $1 ORDER BY id`;
      return read<SecretState>(sql, [organizationId ?? null]);
    },
    async noteSecretsUsed(used) {
      const sql = `UPDATE secrets SET last_used_at = used.at
        FROM (SELECT id, max(at) AS at FROM unnest($1::text[], $2::bigint[]) AS one (id, at) GROUP BY id) AS used
        WHERE secrets.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`;
      await change(sql, [used.map(({ secretId }) => secretId), used.map(({ usedAtMs }) => usedAtMs)]);
    },
  } satisfies Partial<Store>;
}

/** The id is made before the first try: one that is there already is this call's own. */
export async function insertSecret(connection: Connection, secret: Secret): Promise<void> {
  const { id, organizationId, name, prefix, hash, createdAtMs } = secret;
  const { createdBy = null, expiresAtMs = null, revokedAtMs = null, lastUsedAtMs = null } = secret;
  const sql = `INSERT INTO secrets (id, organization_id, name, prefix, created_by, created_at, expires_at, revoked_at,
      last_used_at, hash)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING`;
  const state = [id, organizationId, name, prefix, createdBy, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs];
  await connection.change(sql, [...state, hash]);
}
