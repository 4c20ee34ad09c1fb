// Organization secrets, written seldom and read through the tenant cache.
import type { Secret, SecretState, Store } from '../store.ts';
import type { Connection, Pool } from './pool.ts';
import { prepareTransactions } from './transactions.ts';

type Secrets = Pick<
  Store,
  'createSecret' | 'renameSecret' | 'revokeSecret' | 'findSecret' | 'listSecrets' | 'noteSecretsUsed'
>;

const secretColumns = `id, organization_id AS "organizationId", name, prefix, created_by AS "createdBy",
  created_at AS "createdAtMs", expires_at AS "expiresAtMs", revoked_at AS "revokedAtMs", last_used_at AS "lastUsedAtMs"`;

interface SecretRow {
  id: string;
  organizationId: string;
  name: string;
  prefix: string;
  createdBy: string | null;
  createdAtMs: number;
  expiresAtMs: number | null;
  revokedAtMs: number | null;
  lastUsedAtMs: number | null;
}

const findSecret = {
  name: 'findSecret',
  text: `SELECT ${secretColumns}, hash FROM secrets WHERE hash = $1`,
};

export function prepareSecrets(reads: Pool, writes: Pool): Secrets {
  const { read, change, write } = prepareTransactions(reads, writes);

  return {
    createSecret: (secret, audit) => write((connection) => insertSecret(connection, secret), { audit }),
    renameSecret: (secretId, name, audit) =>
      write(
        async (connection) => {
          return (await connection.change('UPDATE secrets SET name = $2 WHERE id = $1', [secretId, name])) === 1;
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
    async findSecret(hash) {
      const [row] = await read<SecretRow & { hash: Buffer }>(findSecret, [hash]);
      return row && { ...toSecretState(row), hash: new Uint8Array(row.hash) };
    },
    async listSecrets(organizationId) {
      const sql = `SELECT ${secretColumns} FROM secrets WHERE $1::text IS NULL OR organization_id = $1 ORDER BY id`;
      return (await read<SecretRow>(sql, [organizationId ?? null])).map(toSecretState);
    },
    noteSecretsUsed(used) {
      const sql = `UPDATE secrets SET last_used_at = used.at
        FROM (SELECT id, max(at) AS at FROM unnest($1::text[], $2::bigint[]) AS one (id, at) GROUP BY id) AS used
        WHERE secrets.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`;
      return change(sql, [used.map(({ secretId }) => secretId), used.map(({ usedAtMs }) => usedAtMs)]);
    },
  };
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

function toSecretState(row: SecretRow): SecretState {
  const { id, organizationId, name, prefix, createdBy, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = row;
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
