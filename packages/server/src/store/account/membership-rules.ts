// Who may be changed or removed among the members of an organization. Pure: an engine calls these rules inside the
// transaction that reads the members and writes the change, so that no two changes can break a rule together.
import type { Role } from '@roster/contract';
import type { Member, MemberOutcome } from './account-store.ts';

/** `members` are at least the member in question and all owners of the organization. `done` has the changed member. */
export function judgeRoleChange(members: readonly Member[], memberId: string, role: Role): MemberOutcome {
  const member = members.find(({ id }) => id === memberId);
  if (member === undefined) return { kind: 'missing' };
  if (role !== 'owner' && isLastOwner(members, member)) return { kind: 'last_owner' };
  return { kind: 'done', member: { ...member, role } };
}

/** `members` are at least the member in question and all owners of the organization. */
export function judgeRemoval(members: readonly Member[], memberId: string): MemberOutcome {
  const member = members.find(({ id }) => id === memberId);
  if (member === undefined) return { kind: 'missing' };
  return isLastOwner(members, member) ? { kind: 'last_owner' } : { kind: 'done', member };
}

/** Only owners invite: the open invitations of a member who stops being one end with the role. */
export function mayInvite(role: Role): boolean {
  return role === 'owner';
}

function isLastOwner(members: readonly Member[], { id, role }: Member): boolean {
  return role === 'owner' && !members.some((other) => other.role === 'owner' && other.id !== id);
}
