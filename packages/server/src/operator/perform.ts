// The operator's operations on an open store: the use cases of the account with the operator as their actor. Each change
// is logged by its ids, no name and no secret ever is; the audit log has more.
import type { AuditAction } from '@roster/contract';
import type { Logger } from 'pino';
import type { AccountDeps } from '../account/account-deps.ts';
import { AccountError } from '../account/account-error.ts';
import type { Action } from '../account/actor.ts';
import { createBot, deleteBot, updateBot } from '../account/bots.ts';
import { createInvitation } from '../account/invitations.ts';
import { createPasswordReset, removeMember } from '../account/members.ts';
import { createOrganization, renameOrganization, requireOrganization } from '../account/organizations.ts';
import { createSecret, renameSecret, revokeSecret } from '../account/secrets.ts';
import { makeIdSource } from '../contacts/ids.ts';
import { checkInput, type Input } from './inputs.ts';
import { type OperationName, type Operations, OperatorError, type Perform, type Watch } from './operator.ts';

export interface PerformDeps extends Omit<AccountDeps, 'nextId'> {
  logger: Pick<Logger, 'info'>;
}

type Performers = {
  [Name in OperationName]: (input: Input<Name>, watch: Watch) => Promise<Operations[Name]['answer']>;
};

const as = (audit?: AuditAction): Action => ({ actor: { kind: 'operator' }, address: undefined, audit });

export function preparePerform({ logger, ...parts }: PerformDeps): Perform {
  const deps: AccountDeps = { ...parts, nextId: makeIdSource() };
  const { store } = deps;
  const log = (operation: OperationName, ids: Record<string, string>) =>
    logger.info({ operation, ...ids }, 'the operator made a change');
  const requireIfGiven = async (organizationId: string | undefined): Promise<void> => {
    if (organizationId !== undefined) await requireOrganization(deps, as().actor, organizationId);
  };

  const performers: Performers = {
    listOrganizations: () => store.listOrganizations(),

    async createOrganization({ name }) {
      const organization = await createOrganization(deps, name);
      log('createOrganization', { organizationId: organization.id });
      return organization;
    },

    async renameOrganization({ organizationId, name }) {
      const renamed = await found(renameOrganization(deps, as('organization.rename'), organizationId, name));
      if (renamed !== undefined) log('renameOrganization', { organizationId });
      return renamed !== undefined;
    },

    async listBots({ organizationId }) {
      await requireIfGiven(organizationId);
      return store.listBots(organizationId);
    },

    async createBot({ organizationId, settings }) {
      const bot = await createBot(deps, as('bot.create'), organizationId, settings);
      log('createBot', { organizationId, botId: bot.id });
      return bot;
    },

    async updateBot({ botId, changes }) {
      const bot = await store.findBot(botId);
      const updated = bot && (await found(updateBot(deps, as('bot.update'), bot, changes)));
      if (updated !== undefined) log('updateBot', { botId });
      return updated;
    },

    async deleteBot({ botId }) {
      const bot = await store.findBot(botId);
      const deleted = bot && (await found(deleteBot(deps, as('bot.delete'), bot).then(() => true)));
      if (deleted) log('deleteBot', { botId });
      return deleted ?? false;
    },

    async listSecrets({ organizationId }) {
      await requireIfGiven(organizationId);
      return store.listSecrets(organizationId);
    },

    async createSecret({ organizationId, name, expiresAtMs }) {
      const { text, state } = await createSecret(deps, as('secret.create'), { organizationId, name, expiresAtMs });
      log('createSecret', { organizationId, secretId: state.id });
      return { secret: text, state };
    },

    async renameSecret({ secretId, name }) {
      const renamed = await found(renameSecret(deps, as('secret.rename'), secretId, name));
      if (renamed !== undefined) log('renameSecret', { secretId });
      return renamed !== undefined;
    },

    async revokeSecret({ secretId }) {
      const isRevoked = (await found(revokeSecret(deps, as('secret.revoke'), secretId))) ?? false;
      if (isRevoked) log('revokeSecret', { secretId });
      return isRevoked;
    },

    async listMembers({ organizationId }) {
      await requireIfGiven(organizationId);
      return store.listMembers(organizationId);
    },

    async inviteMember(invited) {
      const { organizationId } = invited;
      const { invitation, link } = await createInvitation(deps, as('invitation.create'), invited);
      const { id, email, role, createdAtMs, expiresAtMs } = invitation;
      log('inviteMember', { organizationId, invitationId: id });
      return { invitation: { id, organizationId, email, role, createdAtMs, expiresAtMs }, link };
    },

    async resetPassword({ memberId }) {
      const reset = await found(createPasswordReset(deps, as('passwordReset.create'), memberId));
      if (reset !== undefined) log('resetPassword', { memberId });
      return reset;
    },

    async removeMember({ memberId }) {
      const removed = await found(removeMember(deps, as('member.remove'), memberId));
      if (removed !== undefined) log('removeMember', { memberId });
      return removed !== undefined;
    },

    async backup({ file }, watch) {
      if (store.backup === undefined) {
        throw new OperatorError(
          'refused',
          'PostgreSQL has its own tools for backups: pg_dump "$DATABASE_URL" --format=custom --file=FILE. See docs/operations/scale-out.md.',
        );
      }
      const done = await store.backup(file, watch);
      logger.info({ operation: 'backup', bytes: done.bytes }, 'the operator made a backup');
      return done;
    },
  };

  return async (name, input, watch = {}) => {
    try {
      return await performers[name](checkInput(name, input), watch);
    } catch (error) {
      throw error instanceof AccountError
        ? toOperatorError(error, (input as { organizationId?: string }).organizationId)
        : error;
    }
  };
}

/** What these operations name by its id may be gone; they answer that instead of failing. */
async function found<Value>(result: Promise<Value>): Promise<Value | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof AccountError && error.refusal.code === 'not_found') return undefined;
    throw error;
  }
}

function toOperatorError({ refusal }: AccountError, organizationId: string | undefined): OperatorError {
  switch (refusal.code) {
    case 'not_found':
      return new OperatorError('missing', `There is no organization ${organizationId}.`);
    case 'member_exists':
      return new OperatorError('refused', 'Somebody with this email is a member already.');
    case 'last_owner':
      return new OperatorError(
        'refused',
        'This is the last owner of the organization. Invite another one first: roster member invite EMAIL --role owner.',
      );
    case 'invalid':
      return new OperatorError('invalid', `${refusal.field} ${refusal.message}.`);
    default:
      return new OperatorError('refused', refusal.code);
  }
}
