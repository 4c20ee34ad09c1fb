// Members: their roles, their removal, and links to set a new password by. membership-rules.ts says what is allowed,
// and the store applies it in the transaction of the change.
import type { Role } from '@roster/contract';
import type { Member, MemberOutcome } from '../store/account-store.ts';
import type { AccountDeps } from './account-deps.ts';
import { AccountError, notFound } from './account-error.ts';
import { type Action, scopeOf } from './actor.ts';
import { auditRecord } from './audit.ts';
import { makeLink, passwordResetTtlMs } from './one-time-links.ts';

export async function changeRole(deps: AccountDeps, action: Action, memberId: string, role: Role): Promise<Member> {
  const { organizationId, audit } = await prepareChange(deps, action, memberId);
  return memberOf(await deps.store.changeRole(organizationId, memberId, role, audit));
}

/** Their sessions end at once. */
export async function removeMember(deps: AccountDeps, action: Action, memberId: string): Promise<Member> {
  const { organizationId, audit } = await prepareChange(deps, action, memberId);
  return memberOf(await deps.store.removeMember(organizationId, memberId, audit));
}

/** The link is shown once. */
export async function createPasswordReset(
  deps: AccountDeps,
  action: Action,
  memberId: string,
): Promise<{ link: string; expiresAtMs: number }> {
  const { audit } = await prepareChange(deps, action, memberId);
  const { url, link } = makeLink(deps.publicUrl, deps.clock(), passwordResetTtlMs);
  if (!(await deps.store.createPasswordReset(memberId, link, audit))) throw notFound('member');
  return { link: url, expiresAtMs: link.expiresAtMs };
}

/** The organization of a member that the actor may reach, and the entry about them. */
async function prepareChange(deps: AccountDeps, action: Action, memberId: string) {
  const member = (await deps.store.listMembers(scopeOf(action.actor))).find(({ id }) => id === memberId);
  if (member === undefined) throw notFound('member');
  const { organizationId } = member;
  return { organizationId, audit: auditRecord(deps, action, { organizationId, object: member }) };
}

function memberOf(outcome: MemberOutcome): Member {
  if (outcome.kind === 'done') return outcome.member;
  if (outcome.kind === 'missing') throw notFound('member');
  throw new AccountError('last_owner', 'This is the last owner. Make another member an owner first.');
}
