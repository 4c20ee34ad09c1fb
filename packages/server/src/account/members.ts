// Members: their roles, their removal, links to set a new password by, and the invitations of those to come.
// membership-rules.ts says what is allowed, and the store applies it in the transaction of the change.
import { emailKey, type Role } from '@roster/contract';
import type { Invitation, Member, MemberOutcome } from '../store/account-store.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { AccountError, memberExists, notFound, requireOne } from './account-error.ts';
import { auditRecord } from './audit.ts';
import { invitationTtlMs, makeLink, passwordResetTtlMs } from './one-time-links.ts';
import { limitReached } from './quotas.ts';

export async function changeRole(
  deps: AccountDeps,
  action: AccountAction,
  memberId: string,
  role: Role,
): Promise<Member> {
  const audit = await prepareEntry(deps, action, memberId);
  return memberOf(await deps.store.changeRole(action.organizationId, memberId, role, audit));
}

/** Their sessions end at once. */
export async function removeMember(deps: AccountDeps, action: AccountAction, memberId: string): Promise<Member> {
  const audit = await prepareEntry(deps, action, memberId);
  return memberOf(await deps.store.removeMember(action.organizationId, memberId, audit));
}

/** The link is shown once. */
export async function createPasswordReset(
  deps: AccountDeps,
  action: AccountAction,
  memberId: string,
): Promise<{ link: string; expiresAtMs: number }> {
  const audit = await prepareEntry(deps, action, memberId);
  const { url, link } = makeLink(deps.publicUrl, deps.clock(), passwordResetTtlMs);
  if (!(await deps.store.createPasswordReset(memberId, link, audit))) throw notFound('member');
  return { link: url, expiresAtMs: link.expiresAtMs };
}

/** Whether the email is a member of another organization makes no difference, so that nobody learns it. */
export async function createInvitation(
  deps: AccountDeps,
  action: AccountAction,
  { email, role }: { email: string; role: Role },
): Promise<{ invitation: Invitation; link: string }> {
  const { actor, organizationId } = action;
  const { url, link } = makeLink(deps.publicUrl, deps.clock(), invitationTtlMs);
  const { hash, createdAtMs, expiresAtMs } = link;
  const invitation: Invitation = {
    id: deps.nextId('invitation', createdAtMs),
    organizationId,
    email,
    emailKey: emailKey(email),
    role,
    invitedBy: actor.kind === 'member' ? { id: actor.id, name: actor.name } : undefined,
    createdAtMs,
    expiresAtMs,
  };
  const audit = auditRecord(deps, action, { id: invitation.id, name: email });
  const max = deps.quotas.invitationsPerOrganization;
  const outcome = await deps.store.createInvitation(invitation, hash, max, audit);
  if (outcome === false) throw memberExists();
  if (outcome !== true) {
    throw limitReached('open invitations', max, 'Withdraw one', 'ROSTER_INVITATIONS_PER_ORGANIZATION');
  }
  return { invitation, link: url };
}

export async function revokeInvitation(deps: AccountDeps, action: AccountAction, invitationId: string): Promise<void> {
  const { organizationId } = action;
  const nowMs = deps.clock();
  const open = await deps.store.listInvitations(organizationId, nowMs);
  const { id, email } = requireOne(open, invitationId, 'invitation');
  const audit = auditRecord(deps, action, { id, name: email });
  const revoked = await deps.store.revokeInvitation(organizationId, invitationId, nowMs, audit);
  if (revoked === undefined) throw notFound('invitation');
}

/** The entry about a member, who must be one of the organization. */
async function prepareEntry(deps: AccountDeps, action: AccountAction, memberId: string) {
  const members = await deps.store.listMembers(action.organizationId);
  return auditRecord(deps, action, requireOne(members, memberId, 'member'));
}

function memberOf(outcome: MemberOutcome): Member {
  if (outcome.kind === 'done') return outcome.member;
  if (outcome.kind === 'missing') throw notFound('member');
  throw new AccountError('last_owner', 'This is the last owner. Make another member an owner first.');
}
