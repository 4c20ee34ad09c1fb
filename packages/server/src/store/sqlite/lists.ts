// Lists of organizations, bots and secrets. They may be long, so reader threads make them.
import type { DatabaseSync } from 'node:sqlite';
import type { ListedBot, Organization, SecretState } from '../store.ts';
import { botColumns, type Nullable, organizationColumns, secretColumns, toBot, toSecretState } from './tenant-rows.ts';

export function prepareLists(db: DatabaseSync) {
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
