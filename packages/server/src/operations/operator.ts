// The operator's operations: the use cases of the account for every organization. Each change is logged by its ids; a
// name or a secret never is.
import type { OperatorBot, OperatorMember, OperatorOrganization, OperatorSecret } from '@roster/contract';
import type { Logger } from 'pino';
import type { AccountDeps } from '../account/account-deps.ts';
import { createBot, deleteBot, updateBot } from '../account/bots.ts';
import { createInvitation } from '../account/invitations.ts';
import { createPasswordReset, removeMember } from '../account/members.ts';
import { createOrganization, renameOrganization, requireOrganization } from '../account/organizations.ts';
import { createSecret, renameSecret, revokeSecret } from '../account/secrets.ts';
import type { Handlers } from '../http/operation-types.ts';
import type { Member } from '../store/account-store.ts';
import type { Bot, Organization, SecretState } from '../store/store.ts';
import { version } from '../version.ts';
import { actionOf } from './action-of.ts';
import { toBotAnswer } from './bot-answers.ts';
import { toInvitationAnswer, toMemberAnswer } from './member-answers.ts';
import { toSecretAnswer } from './secret-answers.ts';
import { toTimestamp } from './timestamps.ts';

export interface OperatorDeps extends AccountDeps {
  logger: Logger;
}

export function operatorHandlers(deps: OperatorDeps) {
  const { store, logger, publicUrl } = deps;
  const log = ({ operation }: { operation: { id: string } }, ids: Record<string, string>) =>
    logger.info({ operation: operation.id, ...ids }, 'the operator made a change');
  const requireIfGiven = async (organizationId: string | undefined): Promise<void> => {
    if (organizationId !== undefined) await requireOrganization(deps, { kind: 'operator' }, organizationId);
  };
  const botAnswer = (bot: Bot, contactCount: number): OperatorBot => {
    return { ...toBotAnswer(publicUrl, bot, contactCount), organizationId: bot.organizationId };
  };

  return {
    operatorDescribeServer: () => ({ body: { data: { version } } }),

    async operatorListOrganizations() {
      return { body: { data: (await store.listOrganizations()).map(organizationAnswer) } };
    },

    async operatorCreateOrganization(call) {
      const organization = await createOrganization(deps, call.body.name);
      log(call, { organizationId: organization.id });
      return { body: { data: organizationAnswer(organization) } };
    },

    async operatorRenameOrganization(call) {
      const { organizationId } = call.params;
      const renamed = await renameOrganization(deps, actionOf(call), organizationId, call.body.name);
      log(call, { organizationId });
      return { body: { data: renamed } };
    },

    async operatorListBots({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      const bots = await store.listBots(organizationId);
      return { body: { data: bots.map((bot) => botAnswer(bot, bot.contactCount)) } };
    },

    async operatorCreateBot(call) {
      const { organizationId } = call.params;
      const bot = await createBot(deps, actionOf(call), organizationId, call.body);
      log(call, { organizationId, botId: bot.id });
      return { body: { data: botAnswer(bot, 0) } };
    },

    async operatorUpdateBot(call) {
      const bot = await updateBot(deps, actionOf(call), call.bot, call.body);
      log(call, { botId: bot.id });
      return { body: { data: botAnswer(bot, await store.countContacts(bot.id)) } };
    },

    async operatorDeleteBot(call) {
      await deleteBot(deps, actionOf(call), call.bot);
      log(call, { botId: call.bot.id });
      return {};
    },

    async operatorListSecrets({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      return { body: { data: (await store.listSecrets(organizationId)).map(secretAnswer) } };
    },

    async operatorCreateSecret(call) {
      const { organizationId } = call.params;
      const { name, expiresAt } = call.body;
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const { text, state } = await createSecret(deps, actionOf(call), { organizationId, name, expiresAtMs });
      log(call, { organizationId, secretId: state.id });
      return { body: { data: { ...secretAnswer(state), secret: text } } };
    },

    async operatorRenameSecret(call) {
      const { secretId } = call.params;
      const secret = await renameSecret(deps, actionOf(call), secretId, call.body.name);
      log(call, { secretId });
      return { body: { data: secretAnswer(secret) } };
    },

    async operatorRevokeSecret(call) {
      const { secretId } = call.params;
      if (await revokeSecret(deps, actionOf(call), secretId)) log(call, { secretId });
      return {};
    },

    async operatorListMembers({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      return { body: { data: (await store.listMembers(organizationId)).map(memberAnswer) } };
    },

    async operatorInvite(call) {
      const { organizationId } = call.params;
      const { invitation, link } = await createInvitation(deps, actionOf(call), { organizationId, ...call.body });
      log(call, { organizationId, invitationId: invitation.id });
      return { body: { data: { ...toInvitationAnswer(invitation), organizationId, link } } };
    },

    async operatorCreatePasswordReset(call) {
      const { memberId } = call.params;
      const { link, expiresAtMs } = await createPasswordReset(deps, actionOf(call), memberId);
      log(call, { memberId });
      return { body: { data: { link, expiresAt: toTimestamp(expiresAtMs) } } };
    },

    async operatorRemoveMember(call) {
      const { memberId } = call.params;
      await removeMember(deps, actionOf(call), memberId);
      log(call, { memberId });
      return {};
    },
  } satisfies Partial<Handlers>;
}

function organizationAnswer({ id, name, createdAtMs }: Organization): OperatorOrganization {
  return { id, name, createdAt: toTimestamp(createdAtMs) };
}

function secretAnswer(secret: SecretState): OperatorSecret {
  return { ...toSecretAnswer(secret), organizationId: secret.organizationId };
}

function memberAnswer(member: Member): OperatorMember {
  return { ...toMemberAnswer(member), organizationId: member.organizationId };
}
