// The organization, its members, and the invitations of those to come.
import { emailKey, isId, type Member as MemberAnswer, type operations } from '@roster/contract';
import { invitationTtlMs, makeLink } from '../account/one-time-links.ts';
import { ApiError, memberExists, noSuch } from '../http/api-error.ts';
import type { Handler } from '../http/operation-types.ts';
import type { Invitation, Member, MemberOutcome } from '../store/account-store.ts';
import { type AccountDeps, recordFor } from './account-deps.ts';
import { toTimestamp, toTimestampOrNull } from './timestamps.ts';

type Operations = typeof operations;

export function memberHandlers({ store, clock, publicUrl, record, nextId }: AccountDeps) {
  const updateOrganization: Handler<Operations['updateOrganization']> = async (call) => {
    const { id } = call.session.organization;
    const { name } = call.body;
    await store.renameOrganization(id, name);
    await recordFor(record, call)({ id, name });
    return { body: { data: { id, name } } };
  };

  const listMembers: Handler<Operations['listMembers']> = async ({ session }) => ({
    body: { data: (await store.listMembers(session.organization.id)).map(toMemberAnswer) },
  });

  const updateMember: Handler<Operations['updateMember']> = async (call) => {
    const { session, params, body } = call;
    if (!isId('member', params.memberId)) throw noSuch('member');
    const member = memberOf(await store.changeRole(session.organization.id, params.memberId, body.role));
    await recordFor(record, call)(member);
    return { body: { data: toMemberAnswer(member) } };
  };

  const removeMember: Handler<Operations['removeMember']> = async (call) => {
    const { session, params } = call;
    if (!isId('member', params.memberId)) throw noSuch('member');
    const member = memberOf(await store.removeMember(session.organization.id, params.memberId));
    await recordFor(record, call)(member);
    return {};
  };

  const listInvitations: Handler<Operations['listInvitations']> = async ({ session }) => ({
    body: { data: (await store.listInvitations(session.organization.id, clock())).map(toInvitationAnswer) },
  });

  const createInvitation: Handler<Operations['createInvitation']> = async (call) => {
    const { member, organization } = call.session;
    const { email, role } = call.body;
    const { url, link } = makeLink(publicUrl, clock(), invitationTtlMs);
    const { hash, createdAtMs, expiresAtMs } = link;
    const invitation: Invitation = {
      id: nextId('invitation', createdAtMs),
      organizationId: organization.id,
      email,
      emailKey: emailKey(email),
      role,
      invitedBy: { id: member.id, name: member.name },
      createdAtMs,
      expiresAtMs,
    };
    if (!(await store.createInvitation(invitation, hash))) throw memberExists();
    await recordFor(record, call)({ id: invitation.id, name: email });
    return { body: { data: { ...toInvitationAnswer(invitation), link: url } } };
  };

  const revokeInvitation: Handler<Operations['revokeInvitation']> = async (call) => {
    const { session, params } = call;
    const invitation = isId('invitation', params.invitationId)
      ? await store.revokeInvitation(session.organization.id, params.invitationId, clock())
      : undefined;
    if (invitation === undefined) throw noSuch('invitation');
    await recordFor(record, call)({ id: invitation.id, name: invitation.email });
    return {};
  };

  return {
    updateOrganization,
    listMembers,
    updateMember,
    removeMember,
    listInvitations,
    createInvitation,
    revokeInvitation,
  };
}

function memberOf(outcome: MemberOutcome): Member {
  if (outcome.kind === 'done') return outcome.member;
  if (outcome.kind === 'missing') throw noSuch('member');
  throw new ApiError('last_owner', 'This is the last owner. Make another member an owner first.');
}

export function toMemberAnswer({ id, name, email, role, createdAtMs, lastSignInAtMs }: Member): MemberAnswer {
  const times = { createdAt: toTimestamp(createdAtMs), lastSignInAt: toTimestampOrNull(lastSignInAtMs) };
  return { id, name, email, role, ...times };
}

function toInvitationAnswer({ id, email, role, invitedBy, createdAtMs, expiresAtMs }: Invitation) {
  const times = { createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) };
  return { id, email, role, invitedBy: invitedBy?.name ?? null, ...times };
}
