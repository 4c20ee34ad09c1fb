// Rows of organizations, bots and secrets, as SQLite gives them and as the port has them.
import type { Bot, SecretState } from '../store.ts';

export const organizationColumns = 'id, name, created_at AS createdAtMs';
export const botColumns = `id, organization_id AS organizationId, name, greeting, color, position,
  allowed_origins AS allowedOrigins, created_at AS createdAtMs`;
export const secretColumns = `id, organization_id AS organizationId, name, prefix, created_by AS createdBy,
  created_at AS createdAtMs, expires_at AS expiresAtMs, revoked_at AS revokedAtMs, last_used_at AS lastUsedAtMs`;

/** SQL's null where the port has undefined. */
export type Nullable<T> = { [Key in keyof T]: undefined extends T[Key] ? Exclude<T[Key], undefined> | null : T[Key] };

export function toBot<Row extends Bot>(row: Row & { allowedOrigins: string }): Row {
  return { ...row, allowedOrigins: JSON.parse(row.allowedOrigins) };
}

export function toSecretState<State extends SecretState>(row: Nullable<State>): State {
  return {
    ...row,
    createdBy: row.createdBy ?? undefined,
    expiresAtMs: row.expiresAtMs ?? undefined,
    revokedAtMs: row.revokedAtMs ?? undefined,
    lastUsedAtMs: row.lastUsedAtMs ?? undefined,
  } as State;
}
