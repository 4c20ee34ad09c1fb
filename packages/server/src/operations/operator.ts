// The operator's operations: those that no member has, and the members' own, on the account of any organization.
import { type OperatorAccountName, operatorAccountNames } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { createPasswordReset } from '../account/members.ts';
import { createOrganization, requireOrganization } from '../account/organizations.ts';
import { provision } from '../account/provisioning.ts';
import { toBotAnswer, toMemberAnswer, toSecretAnswer, toTimestamp, toTimestampOrNull } from '../answers/answers.ts';
import type { AccountHandlers, Handlers } from '../http/operation-types.ts';
import type { Organization } from '../store/store.ts';
import { contextAt } from '../store/write-context.ts';
import { version } from '../version.ts';
import { accountActionOf, logChange } from './action-of.ts';

type Shared = Pick<AccountHandlers, OperatorAccountName>;
type AsOperator = { readonly [Name in OperatorAccountName as `${Name}AsOperator`]: Shared[Name] };

export function operatorHandlers(deps: AccountDeps, shared: Shared) {
  const { store, publicUrl, clock } = deps;
  const requireIfGiven = async (organizationId: string | undefined): Promise<void> => {
    if (organizationId !== undefined) await requireOrganization(store, organizationId);
  };

  return {
    ...(Object.fromEntries(operatorAccountNames.map((name) => [`${name}AsOperator`, shared[name]])) as AsOperator),

    operatorDescribeServer: () => ({ body: { data: { version } } }),

    async operatorProvision(call) {
      const provisioned = await provision(deps, call.body);
      const { organization, bot, secret, owner } = provisioned;
      if ([organization, bot, secret, owner].some((part) => part?.isNew)) {
        logChange(deps, call, { organizationId: organization.id, botId: bot.id, secretId: secret.id });
      }
      return { body: { data: provisioned } };
    },

    async operatorListOrganizations() {
      return { body: { data: (await store.listOrganizations()).map(organizationAnswer) } };
    },

    async operatorCreateOrganization(call) {
      const organization = await createOrganization(deps, call.body.name);
      logChange(deps, call, { organizationId: organization.id });
      return { body: { data: organizationAnswer(organization) } };
    },

    async operatorListBots({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      const bots = await store.listBots(organizationId);
      return {
        body: { data: bots.map((bot) => withOrganization(bot, toBotAnswer(publicUrl, bot, bot.contactCount))) },
      };
    },

    async operatorListSecrets({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      const secrets = await store.listSecrets(organizationId);
      return { body: { data: secrets.map((secret) => withOrganization(secret, toSecretAnswer(secret))) } };
    },

    async operatorListMembers({ query: { organizationId } }) {
      await requireIfGiven(organizationId);
      const members = await store.listMembers(organizationId);
      return { body: { data: members.map((member) => withOrganization(member, toMemberAnswer(member))) } };
    },

    async operatorCreatePasswordReset(call) {
      const { link, expiresAtMs } = await createPasswordReset(deps, accountActionOf(call), call.params.memberId);
      logChange(deps, call);
      return { body: { data: { link, expiresAt: toTimestamp(expiresAtMs) } } };
    },

    async operatorPurge(call) {
      const { pausedUntilMs } = await store.findPurging();
      const nowMs = clock();
      await store.savePurging({ purgedAtMs: nowMs }, contextAt(nowMs));
      logChange(deps, call);
      return { body: { data: { pausedUntil: toTimestampOrNull(pausedUntilMs) } } };
    },
  } satisfies Partial<Handlers>;
}

function organizationAnswer({ id, name, createdAtMs }: Organization) {
  return { id, name, createdAt: toTimestamp(createdAtMs) };
}

/** Lists that go over organizations also say whose each is. */
function withOrganization<Answer>({ organizationId }: { organizationId: string }, answer: Answer) {
  return { ...answer, organizationId };
}
