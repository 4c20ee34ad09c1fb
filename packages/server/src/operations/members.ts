// The organization, its members, and the invitations of those to come.
import type { AccountDeps } from '../account/account-deps.ts';
import { writeContext } from '../account/audit.ts';
import { changeRole, createInvitation, removeMember, revokeInvitation } from '../account/members.ts';
import { renameOrganization } from '../account/organizations.ts';
import { toInvitationAnswer, toMemberAnswer } from '../answers/answers.ts';
import type { AccountHandlers } from '../http/operation-types.ts';
import { accountActionOf, logChange } from './action-of.ts';

export function memberHandlers(deps: AccountDeps) {
  const { store, clock } = deps;
  return {
    async updateOrganization(call) {
      const renamed = await renameOrganization(deps, accountActionOf(call), call.body.name);
      logChange(deps, call);
      return { body: { data: renamed } };
    },

    async readOrganizationSettings({ session }) {
      return { body: { data: await store.findOrganizationSettings(session.organization.id) } };
    },

    async updateOrganizationSettings(call) {
      const { body, session } = call;
      const context = writeContext(deps, accountActionOf(call), session.organization);
      await store.updateOrganizationSettings(session.organization.id, body, context);
      return { body: { data: body } };
    },

    async listMembers(call) {
      const members = await store.listMembers(accountActionOf(call).organizationId);
      return { body: { data: members.map(toMemberAnswer) } };
    },

    async updateMember(call) {
      const member = await changeRole(deps, accountActionOf(call), call.params.memberId, call.body.role);
      logChange(deps, call);
      return { body: { data: toMemberAnswer(member) } };
    },

    async removeMember(call) {
      await removeMember(deps, accountActionOf(call), call.params.memberId, call.query);
      logChange(deps, call);
      return {};
    },

    async listInvitations(call) {
      const invitations = await store.listInvitations(accountActionOf(call).organizationId, clock());
      return { body: { data: invitations.map(toInvitationAnswer) } };
    },

    async createInvitation(call) {
      const { invitation, link } = await createInvitation(deps, accountActionOf(call), call.body);
      logChange(deps, call, { invitationId: invitation.id });
      return { body: { data: { ...toInvitationAnswer(invitation), link } } };
    },

    async revokeInvitation(call) {
      await revokeInvitation(deps, accountActionOf(call), call.params.invitationId);
      return {};
    },
  } satisfies Partial<AccountHandlers>;
}
