// The operator's operations: the use cases of the account for every organization. Each change is logged by its ids; a
// name or a secret never is.
import type { Logger } from 'pino';
import type { AccountDeps } from '../account/account-deps.ts';
import { createBot, deleteBot, updateBot } from '../account/bots.ts';
import { createInvitation } from '../account/invitations.ts';
import { createPasswordReset, removeMember } from '../account/members.ts';
import { createOrganization, renameOrganization, requireOrganization } from '../account/organizations.ts';
import { createSecret, renameSecret, revokeSecret } from '../account/secrets.ts';
import type { Handlers } from '../http/operation-types.ts';
import type { Organization } from '../store/store.ts';
import { version } from '../version.ts';
import { actionOf } from './action-of.ts';
import { toBotAnswer, toInvitationAnswer, toMemberAnswer, toSecretAnswer, toTimestamp } from './answers.ts';

export interface OperatorDeps extends AccountDeps {
  logger: Logger;
}

export function operatorHandlers(deps: OperatorDeps) {
  const { store, logger, publicUrl } = deps;
  const log = ({ operation, params }: { operation: { id: string }; params: object }, madeIds = {}) =>
    logger.info({ operation: operation.id, ...params, ...madeIds }, 'the operator made a change');
  const requireIfGiven = async (organizationId: string | undefined): Promise<void> => {
    if (organizationId !== undefined) await requireOrganization(deps, { kind: 'operator' }, organizationId);
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
      const renamed = await renameOrganization(deps, actionOf(call), call.params.organizationId, call.body.name);
      log(call);
      return { body: { data: renamed } };
    },

    async operatorListBots({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      const bots = await store.listBots(organizationId);
      return {
        body: { data: bots.map((bot) => withOrganization(bot, toBotAnswer(publicUrl, bot, bot.contactCount))) },
      };
    },

    async operatorCreateBot(call) {
      const bot = await createBot(deps, actionOf(call), call.params.organizationId, call.body);
      log(call, { botId: bot.id });
      return { body: { data: withOrganization(bot, toBotAnswer(publicUrl, bot, 0)) } };
    },

    async operatorUpdateBot(call) {
      const bot = await updateBot(deps, actionOf(call), call.bot, call.body);
      log(call);
      const contactCount = await store.countContacts(bot.id);
      return { body: { data: withOrganization(bot, toBotAnswer(publicUrl, bot, contactCount)) } };
    },

    async operatorDeleteBot(call) {
      await deleteBot(deps, actionOf(call), call.bot);
      log(call);
      return {};
    },

    async operatorListSecrets({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      const secrets = await store.listSecrets(organizationId);
      return { body: { data: secrets.map((secret) => withOrganization(secret, toSecretAnswer(secret))) } };
    },

    async operatorCreateSecret(call) {
      const { organizationId } = call.params;
      const { name, expiresAt } = call.body;
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const { text, state } = await createSecret(deps, actionOf(call), { organizationId, name, expiresAtMs });
      log(call, { secretId: state.id });
      return { body: { data: { ...withOrganization(state, toSecretAnswer(state)), secret: text } } };
    },

    async operatorRenameSecret(call) {
      const secret = await renameSecret(deps, actionOf(call), call.params.secretId, call.body.name);
      log(call);
      return { body: { data: withOrganization(secret, toSecretAnswer(secret)) } };
    },

    async operatorRevokeSecret(call) {
      if (await revokeSecret(deps, actionOf(call), call.params.secretId)) log(call);
      return {};
    },

    async operatorListMembers({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      const members = await store.listMembers(organizationId);
      return { body: { data: members.map((member) => withOrganization(member, toMemberAnswer(member))) } };
    },

    async operatorInvite(call) {
      const { organizationId } = call.params;
      const { invitation, link } = await createInvitation(deps, actionOf(call), { organizationId, ...call.body });
      log(call, { invitationId: invitation.id });
      return { body: { data: { ...withOrganization(invitation, toInvitationAnswer(invitation)), link } } };
    },

    async operatorCreatePasswordReset(call) {
      const { link, expiresAtMs } = await createPasswordReset(deps, actionOf(call), call.params.memberId);
      log(call);
      return { body: { data: { link, expiresAt: toTimestamp(expiresAtMs) } } };
    },

    async operatorRemoveMember(call) {
      await removeMember(deps, actionOf(call), call.params.memberId);
      log(call);
      return {};
    },
  } satisfies Partial<Handlers>;
}

function organizationAnswer({ id, name, createdAtMs }: Organization) {
  return { id, name, createdAt: toTimestamp(createdAtMs) };
}

/** The operator's answers also say whose it is. */
function withOrganization<Answer>({ organizationId }: { organizationId: string }, answer: Answer) {
  return { ...answer, organizationId };
}
