// Provisioning as steps that both engines share: one transaction finds or creates all parts. It reads before it writes, so
// that a refusal has changed nothing.
import type { Role } from '@roster/contract';
import { accountWrites } from '../account/account-sql.ts';
import type { AuditEntry, Organization } from '../account/account-store.ts';
import { insertEntry, valuesOf } from '../account/audit-sql.ts';
import { change, lockInstallation, query, type Steps } from '../sql-steps.ts';
import type { Bot, Secret } from '../store.ts';
import type { ProvisionedOwner, Provisioning, ProvisioningOutcome } from './provisioning.ts';
import { tenantReads, tenantWrites } from './tenant-sql.ts';

interface Found {
  id: string;
}

const organizationsByName = 'SELECT id FROM organizations WHERE name = $1 ORDER BY id LIMIT 2';
const botsByName = `SELECT id FROM bots WHERE organization_id = $1 AND name = $2 AND deleted_at IS NULL
  ORDER BY id LIMIT 2`;
const secretsByName = `SELECT id FROM secrets WHERE organization_id = $1 AND name = $2 AND bots = $3
  AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4) ORDER BY id LIMIT 1`;
const memberByEmail = 'SELECT role FROM members WHERE organization_id = $1 AND email_key = $2';
const invitationByEmail = `SELECT id, role, expires_at AS "expiresAtMs" FROM one_time_links
  WHERE organization_id = $1 AND email_key = $2 AND kind = 'invitation' AND expires_at > $3`;

/** `createBot` also makes what the engine keeps beside a bot. */
export function provision(createBot: (bot: Bot) => Steps<unknown>) {
  return function* (wanted: Provisioning): Steps<ProvisioningOutcome> {
    // Servers that start together wait for each other here.
    yield* lockInstallation();
    const organizations = yield* query<Found>(organizationsByName, wanted.organization.name);
    if (organizations.length > 1) return { kind: 'refused', part: 'organization' };
    const organization: Organization = { ...wanted.organization, ...organizations[0] };
    const bots = yield* query<Found>(botsByName, organization.id, wanted.bot.name);
    if (bots.length > 1) return { kind: 'refused', part: 'bot' };
    const bot: Bot = { ...wanted.bot, organizationId: organization.id, ...bots[0] };
    const secret: Secret = { ...wanted.secret, organizationId: organization.id, bots: [bot.id] };
    const secretId = yield* findSecret(secret, wanted.isNewSecret);
    if (secretId === false) return { kind: 'refused', part: 'secret' };

    if (organizations.length === 0) yield* tenantWrites.createOrganization(organization);
    if (bots.length === 0) {
      yield* createBot(bot);
      yield* record({ ...wanted.audit.bot, organizationId: organization.id });
    }
    if (secretId === undefined) {
      yield* tenantWrites.createSecret(secret, undefined);
      yield* record({ ...wanted.audit.secret, organizationId: organization.id });
    }
    const owner = yield* findOrInvite(organization.id, wanted);
    // An id of this call that is found was stored by an earlier try, whose answer was lost.
    return {
      kind: 'provisioned',
      organization: { id: organization.id, isNew: organization.id === wanted.organization.id },
      bot: { id: bot.id, isNew: bot.id === wanted.bot.id },
      secret: { id: secretId ?? secret.id, isNew: (secretId ?? secret.id) === wanted.secret.id },
      owner,
    };
  };
}

/** False: it exists and does not open the bot. Undefined: it is to be created. */
function* findSecret(secret: Secret, isNew: boolean): Steps<string | false | undefined> {
  const { organizationId, name, bots = [], createdAtMs: nowMs } = secret;
  const found = yield* tenantReads.findSecret(secret.hash);
  if (found !== undefined) {
    const isInForce = found.revokedAtMs === undefined && (found.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs;
    const isForBot = found.bots === undefined || bots.every((id) => found.bots?.includes(id));
    return found.organizationId === organizationId && isInForce && isForBot && found.id;
  }
  if (!isNew) return undefined;
  return (yield* query<Found>(secretsByName, organizationId, name, JSON.stringify(bots), nowMs))[0]?.id;
}

function* findOrInvite(
  organizationId: string,
  { invitation, audit }: Provisioning,
): Steps<ProvisionedOwner | undefined> {
  if (invitation === undefined) return undefined;
  const { id, emailKey, role, createdAtMs, expiresAtMs } = invitation.stored;
  const [member] = yield* query<{ role: Role }>(memberByEmail, organizationId, emailKey);
  if (member !== undefined) return { role: member.role, isNew: false, expiresAtMs: undefined };
  const [open] = yield* query<Found & { role: Role; expiresAtMs: number }>(
    invitationByEmail,
    organizationId,
    emailKey,
    createdAtMs,
  );
  if (open !== undefined) return { role: open.role, isNew: open.id === id, expiresAtMs: open.expiresAtMs };
  yield* accountWrites.createInvitation({ ...invitation.stored, organizationId }, invitation.hash, undefined);
  if (audit.invitation !== undefined) yield* record({ ...audit.invitation, organizationId });
  return { role, isNew: true, expiresAtMs };
}

function record(entry: AuditEntry): Steps<number> {
  return change(insertEntry, ...valuesOf(entry));
}
