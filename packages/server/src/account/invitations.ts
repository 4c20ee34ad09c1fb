// Invitations: a one-time link for an email and a role, shown once and withdrawn at will.
import { emailKey, type Role } from '@roster/contract';
import type { Invitation } from '../store/account-store.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { memberExists, notFound, requireOne } from './account-error.ts';
import { auditRecord } from './audit.ts';
import { invitationTtlMs, makeLink } from './one-time-links.ts';

/** Whoever is a member of any organization cannot be invited. */
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
  const isCreated = await deps.store.createInvitation(invitation, hash, audit);
  if (!isCreated) throw memberExists();
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
