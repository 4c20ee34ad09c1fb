// Members: their roles, their removal, links to set a new password by, and the invitations of those to come.
// store/account/membership-rules.ts says what is allowed, and the store applies it in the transaction of the change.
import { emailKey, type Role } from '@roster/contract';
import { originOf } from '../network/public-addresses.ts';
import type { Invitation, Member, MemberOutcome } from '../store/account/account-store.ts';
import { judgeRemoval } from '../store/account/membership-rules.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { AccountError, memberExists, notAllowedAnyMore, notFound, requireOne } from './account-error.ts';
import { type Actor, authorityOf, makerOf } from './actor.ts';
import { writeContext } from './audit.ts';
import { invitationTtlMs, makeLink, passwordResetTtlMs } from './one-time-links.ts';
import { limitReached } from './quotas.ts';
import { requireWithin, widestScope } from './scopes.ts';

export async function changeRole(
  deps: AccountDeps,
  action: AccountAction,
  memberId: string,
  role: Role,
): Promise<Member> {
  const { actor, organizationId } = action;
  refuseOwnerBySecret(action, role);
  // As with invitations: otherwise a secret with few permissions could give a member more than it has itself.
  if (actor.kind === 'secret' && role !== 'viewer') requireWithin(widestScope, actor.secret);
  const context = await contextOfMember(deps, action, memberId);
  const change = { role, by: authorityOf(actor) };
  return memberOf(await deps.store.changeRole(organizationId, memberId, change, context), actor);
}

/**
 * Their sessions end at once, and so do the secrets that they created if `revokeSecrets` says so. `disableWebhooks` switches
 * their webhooks off before, so that where it fails the member is still there, and it can be repeated; and once more after, since
 * until then they may switch them on again.
 */
export async function removeMember(
  deps: AccountDeps,
  action: AccountAction,
  memberId: string,
  { revokeSecrets, disableWebhooks }: { revokeSecrets: boolean; disableWebhooks: boolean },
): Promise<Member> {
  const { actor, organizationId } = action;
  // A secret revokes no wider one, and these may be as wide as any.
  if (revokeSecrets && actor.kind === 'secret') requireWithin(widestScope, actor.secret);
  const recorded: AccountAction = revokeSecrets ? { ...action, audit: 'member.removeWithSecrets' } : action;
  const context = await contextOfMember(deps, recorded, memberId);
  memberOf(judgeRemoval(await deps.store.listMembers(organizationId), memberId), actor);
  const makers = disableWebhooks ? await withTheirSecrets(deps, organizationId, memberId) : new Set<string>();
  await switchOffWebhooksOf(deps, action, makers);
  const removal = { revokeSecretsAtMs: revokeSecrets ? deps.clock() : undefined, by: authorityOf(actor) };
  const removed = memberOf(await deps.tenantCache.removeMember(organizationId, memberId, removal, context), actor);
  await switchOffWebhooksOf(deps, action, makers);
  return removed;
}

/** The member, and all secrets that go back to the member. */
async function withTheirSecrets({ store }: AccountDeps, organizationId: string, memberId: string) {
  const makers = new Set([memberId]);
  // A secret comes after the one that created it.
  for (const { id, creatorId, parentId } of await store.listSecrets(organizationId)) {
    if (makers.has(creatorId ?? parentId ?? '')) makers.add(id);
  }
  return makers;
}

/** Of all bots: those that one of these created or last changed. */
async function switchOffWebhooksOf(
  deps: AccountDeps,
  action: AccountAction,
  makers: ReadonlySet<string>,
): Promise<void> {
  if (makers.size === 0) return;
  const { store } = deps;
  const changes = { isEnabled: false, changedBy: makerOf(action.actor) };
  for (const bot of await store.listBots(action.organizationId)) {
    for (const { id, url, isEnabled, createdBy, changedBy } of await store.listWebhooks(bot.id)) {
      if (!isEnabled || ![createdBy, changedBy].some((maker) => maker && makers.has(maker.id))) continue;
      const context = writeContext(deps, { ...action, audit: 'webhook.update' }, { id: bot.id, name: originOf(url) });
      await store.updateWebhook(bot.id, id, changes, context);
    }
  }
}

/** The link is shown once. */
export async function createPasswordReset(
  deps: AccountDeps,
  action: AccountAction,
  memberId: string,
): Promise<{ link: string; expiresAtMs: number }> {
  const context = await contextOfMember(deps, action, memberId);
  const { url, link } = makeLink(deps.publicUrl, deps.clock(), passwordResetTtlMs);
  if (!(await deps.store.createPasswordReset(memberId, link, context))) throw notFound('member');
  return { link: url, expiresAtMs: link.expiresAtMs };
}

/** Whether the email is a member of another organization makes no difference, so that nobody learns it. */
export async function createInvitation(
  deps: AccountDeps,
  action: AccountAction,
  { email, role }: { email: string; role: Role },
): Promise<{ invitation: Invitation; link: string }> {
  const { actor, organizationId } = action;
  refuseOwnerBySecret(action, role);
  const { url, link } = makeLink(deps.publicUrl, deps.clock(), invitationTtlMs);
  const { hash, createdAtMs } = link;
  // An invitation ends with the secret that made it.
  const secretEndsMs = (actor.kind === 'secret' && actor.secret.expiresAtMs) || Number.POSITIVE_INFINITY;
  const expiresAtMs = Math.min(link.expiresAtMs, secretEndsMs);
  const invitation: Invitation = {
    id: deps.nextId('invitation', createdAtMs),
    organizationId,
    email,
    emailKey: emailKey(email),
    role,
    invitedBy: inviterOf(actor),
    createdAtMs,
    expiresAtMs,
  };
  const context = writeContext(deps, action, { id: invitation.id, name: email });
  const max = deps.quotas.invitationsPerOrganization;
  const outcome = await deps.store.createInvitation(invitation, hash, max, context);
  if (outcome === false) throw memberExists();
  if (outcome !== true && outcome.kind === 'not_allowed') throw notAllowedAnyMore(actor);
  if (outcome !== true) {
    throw limitReached('open invitations', max, 'Withdraw one', 'ROSTER_INVITATIONS_PER_ORGANIZATION');
  }
  return { invitation, link: url };
}

export async function revokeInvitation(deps: AccountDeps, action: AccountAction, invitationId: string): Promise<void> {
  const { organizationId } = action;
  const open = await deps.store.listInvitations(organizationId, deps.clock());
  const { id, email } = requireOne(open, invitationId, 'invitation');
  const context = writeContext(deps, action, { id, name: email });
  const revoked = await deps.store.revokeInvitation(organizationId, invitationId, context);
  if (revoked === false) throw notFound('invitation');
}

function inviterOf(actor: Actor): Invitation['invitedBy'] {
  if (actor.kind === 'member') return { kind: 'member', id: actor.id, name: actor.name };
  if (actor.kind === 'secret') return { kind: 'secret', id: actor.secret.id, name: actor.secret.name };
  return undefined;
}

/** An owner may do more than any secret. */
function refuseOwnerBySecret({ actor }: AccountAction, role: Role): void {
  if (actor.kind !== 'secret' || role !== 'owner') return;
  throw new AccountError('forbidden', 'A secret cannot make anyone an owner. Ask an owner to do this in the console.', {
    permission: 'owner',
  });
}

export async function requireMember(
  { store }: Pick<AccountDeps, 'store'>,
  organizationId: string,
  memberId: string,
): Promise<Member> {
  return requireOne(await store.listMembers(organizationId), memberId, 'member');
}

/** Of a write about a member, who must be one of the organization. */
async function contextOfMember(deps: AccountDeps, action: AccountAction, memberId: string) {
  return writeContext(deps, action, await requireMember(deps, action.organizationId, memberId));
}

function memberOf(outcome: MemberOutcome, actor: Actor): Member {
  if (outcome.kind === 'done') return outcome.member;
  if (outcome.kind === 'missing') throw notFound('member');
  if (outcome.kind === 'not_allowed') throw notAllowedAnyMore(actor);
  throw new AccountError('last_owner', 'This is the last owner. Make another member an owner first.');
}
