// Provisioning: an organization, a bot, a secret for it and an owner, found or created, so that it can be repeated. What
// exists is never changed. Names decide what exists, as the operator gave them.
import { type AuditAction, defaultBotSettings, emailKey, type Provisioned, type Provisioning } from '@roster/contract';
import type { AuditEntry, Invitation } from '../store/account/account-store.ts';
import { contextAt } from '../store/write-context.ts';
import type { AccountDeps } from './account-deps.ts';
import { AccountError } from './account-error.ts';
import { writeContext } from './audit.ts';
import { looksLikeSecret } from './credentials.ts';
import { invitationTtlMs, makeLink } from './one-time-links.ts';
import { newSecret } from './secrets.ts';

/** The name and the bot identify the secret of an earlier call whose file is missing. */
const secretName = 'Setup';

export async function provision(
  deps: Pick<AccountDeps, 'store' | 'clock' | 'nextId' | 'publicUrl'>,
  given: Provisioning,
): Promise<Provisioned> {
  if (!looksLikeSecret(given.secret)) throw refusal('The secret has a typing error.');
  const nowMs = deps.clock();
  const organization = { id: deps.nextId('organization', nowMs), name: given.organization, createdAtMs: nowMs };
  const ofOrganization = { organizationId: organization.id, createdAtMs: nowMs };
  const bot = { ...defaultBotSettings, id: deps.nextId('bot', nowMs), name: given.bot, ...ofOrganization };
  const identity = { id: deps.nextId('secret', nowMs), name: secretName, ...ofOrganization };
  const { stored: secret } = newSecret({ ...identity, bots: [bot.id] }, given.secret);
  const invited = given.owner === undefined ? undefined : inviteOwner(deps, organization.id, given.owner);
  const entryOf = (audit: AuditAction, object: { id: string; name: string }) => {
    const action = { organizationId: organization.id, actor: { kind: 'operator' }, address: undefined, audit } as const;
    return writeContext(deps, action, object).audit?.entry as AuditEntry;
  };

  const wanted = {
    organization,
    bot,
    secret,
    isNewSecret: given.isNewSecret,
    invitation: invited && { stored: invited.stored, hash: invited.hash },
    audit: {
      bot: entryOf('bot.create', bot),
      secret: entryOf('secret.create', secret),
      invitation: invited && entryOf('invitation.create', { id: invited.stored.id, name: invited.stored.email }),
    },
  };
  const outcome = await deps.store.provision(wanted, contextAt(nowMs));
  if (outcome.kind === 'refused') throw refusal(refusals[outcome.part](given));
  const { owner } = outcome;
  return {
    organization: { ...outcome.organization, name: given.organization },
    bot: { ...outcome.bot, name: given.bot },
    secret: { ...outcome.secret, name: secretName },
    owner:
      owner === undefined || given.owner === undefined
        ? null
        : {
            email: given.owner,
            role: owner.role,
            isNew: owner.isNew,
            link: owner.isNew ? (invited?.url ?? null) : null,
            expiresAt: owner.expiresAtMs === undefined ? null : new Date(owner.expiresAtMs).toISOString(),
          },
  };
}

function inviteOwner(
  { clock, nextId, publicUrl }: Pick<AccountDeps, 'clock' | 'nextId' | 'publicUrl'>,
  organizationId: string,
  email: string,
): { url: string; hash: Uint8Array; stored: Invitation } {
  const { url, link } = makeLink(publicUrl, clock(), invitationTtlMs);
  const { hash, createdAtMs, expiresAtMs } = link;
  const id = nextId('invitation', createdAtMs);
  const role = 'owner' as const;
  const stored = { id, organizationId, email, emailKey: emailKey(email), role, invitedBy: undefined };
  return { url, hash, stored: { ...stored, createdAtMs, expiresAtMs } };
}

const refusals = {
  organization: ({ organization }: Provisioning) =>
    `Several organizations are named "${organization}". Rename all but one of them: "roster org rename".`,
  bot: ({ bot, organization }: Provisioning) =>
    `Several bots of ${organization} are named "${bot}". Rename all but one of them: "roster bot rename".`,
  secret: ({ bot, organization }: Provisioning) =>
    `The secret in the file is revoked, has expired, or is not for the bot ${bot} of ${organization}. Move the file away, and run this again to create another secret.`,
};

function refusal(detail: string): AccountError {
  return new AccountError('invalid_request', detail);
}
