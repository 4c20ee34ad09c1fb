// The organization, its members, and the invitations of those to come.
import type { AccountDeps } from '../account/account-deps.ts';
import { createInvitation, revokeInvitation } from '../account/invitations.ts';
import { changeRole, removeMember } from '../account/members.ts';
import { renameOrganization } from '../account/organizations.ts';
import type { Handlers } from '../http/operation-types.ts';
import { actionOf } from './action-of.ts';
import { toInvitationAnswer, toMemberAnswer } from './answers.ts';

export function memberHandlers(deps: AccountDeps) {
  const { store, clock } = deps;
  return {
    async updateOrganization(call) {
      const { id } = call.session.organization;
      return { body: { data: await renameOrganization(deps, actionOf(call), id, call.body.name) } };
    },

    async listMembers({ session }) {
      const members = await store.listMembers(session.organization.id);
      return { body: { data: members.map(toMemberAnswer) } };
    },

    async updateMember(call) {
      const member = await changeRole(deps, actionOf(call), call.params.memberId, call.body.role);
      return { body: { data: toMemberAnswer(member) } };
    },

    async removeMember(call) {
      await removeMember(deps, actionOf(call), call.params.memberId);
      return {};
    },

    async listInvitations({ session }) {
      const invitations = await store.listInvitations(session.organization.id, clock());
      return { body: { data: invitations.map(toInvitationAnswer) } };
    },

    async createInvitation(call) {
      const { session, body } = call;
      const invited = { organizationId: session.organization.id, ...body };
      const { invitation, link } = await createInvitation(deps, actionOf(call), invited);
      return { body: { data: { ...toInvitationAnswer(invitation), link } } };
    },

    async revokeInvitation(call) {
      await revokeInvitation(deps, actionOf(call), call.session.organization.id, call.params.invitationId);
      return {};
    },
  } satisfies Partial<Handlers>;
}
