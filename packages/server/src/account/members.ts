// Members: their roles, their removal, and links to set a new password by. membership-rules.ts says what is allowed,
// and the store applies it in the transaction of the change.
import type { Role } from '@roster/contract';
import type { Member, MemberOutcome } from '../store/account-store.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { AccountError, notFound, requireOne } from './account-error.ts';
import { auditRecord } from './audit.ts';
import { makeLink, passwordResetTtlMs } from './one-time-links.ts';

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
