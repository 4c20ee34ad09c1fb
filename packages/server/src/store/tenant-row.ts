// Organizations, bots and secrets as both engines read them: the columns of their rows, and what is made of these.
import type { Bot } from './store.ts';

export const organizationColumns = 'id, name, created_at AS "createdAtMs"';
export const botColumns = `id, organization_id AS "organizationId", name, greeting, color, position,
  allowed_origins AS "allowedOrigins", created_at AS "createdAtMs"`;
export const secretColumns = `id, organization_id AS "organizationId", name, prefix, created_by AS "createdBy",
  created_at AS "createdAtMs", expires_at AS "expiresAtMs", revoked_at AS "revokedAtMs", last_used_at AS "lastUsedAtMs"`;

/** The column of the origins holds JSON. */
export function toBot<Row extends Bot>(row: Row): Row {
  return { ...row, allowedOrigins: JSON.parse(row.allowedOrigins as unknown as string) };
}
