// Members and invitations as answers carry them.
import type { Invitation as InvitationAnswer, Member as MemberAnswer } from '@roster/contract';
import type { Invitation, Member } from '../store/account-store.ts';
import { toTimestamp, toTimestampOrNull } from './timestamps.ts';

export function toMemberAnswer({ id, name, email, role, createdAtMs, lastSignInAtMs }: Member): MemberAnswer {
  const times = { createdAt: toTimestamp(createdAtMs), lastSignInAt: toTimestampOrNull(lastSignInAtMs) };
  return { id, name, email, role, ...times };
}

export function toInvitationAnswer(invitation: Invitation): InvitationAnswer {
  const { id, email, role, invitedBy, createdAtMs, expiresAtMs } = invitation;
  const times = { createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) };
  return { id, email, role, invitedBy: invitedBy?.name ?? null, ...times };
}
