// The operations themselves, on an open store. Changes go through the tenant cache, so that they are in force at once in
// this process. Each change is logged by its ids, no name and no secret ever is; the audit log tells more.
import { type AuditAction, emailKey } from '@roster/contract';
import type { Logger } from 'pino';
import { operator, prepareAudit } from '../account/audit.ts';
import { newBot } from '../account/new-bot.ts';
import { invitationTtlMs, makeLink, passwordResetTtlMs } from '../account/one-time-links.ts';
import { newSecret } from '../account/secrets.ts';
import type { TenantCache } from '../account/tenant-cache.ts';
import { makeIdSource } from '../contacts/ids.ts';
import type { Store } from '../store/store.ts';
import { checkInput, type Input } from './inputs.ts';
import { type OperationName, type Operations, OperatorError, type Perform, type Watch } from './operator.ts';

export interface PerformDeps {
  store: Store;
  tenantCache: TenantCache;
  /** Milliseconds since 1970. */
  clock: () => number;
  logger: Pick<Logger, 'info'>;
  /** Where the console is, for links. */
  publicUrl: string;
}

type Performers = {
  [Name in OperationName]: (input: Input<Name>, watch: Watch) => Promise<Operations[Name]['answer']>;
};

export function preparePerform({ store, tenantCache, clock, logger, publicUrl }: PerformDeps): Perform {
  const log = (operation: OperationName, ids: Record<string, string>) =>
    logger.info({ operation, ...ids }, 'the operator made a change');

  const nextId = makeIdSource();
  const recordAction = prepareAudit(store, clock);
  const record = (organizationId: string, action: AuditAction, object: { id: string; name: string }) =>
    recordAction({ organizationId, actor: operator, action, object });
  const findMember = async (memberId: string) => (await store.listMembers()).find(({ id }) => id === memberId);
  const findSecret = async (secretId: string) => (await store.listSecrets()).find(({ id }) => id === secretId);

  const requireOrganization = async (organizationId: string): Promise<void> => {
    if ((await store.findOrganization(organizationId)) !== undefined) return;
    throw new OperatorError('missing', `There is no organization ${organizationId}.`);
  };

  const performers: Performers = {
    listOrganizations: () => store.listOrganizations(),

    async createOrganization({ name }) {
      const createdAtMs = clock();
      const organization = { id: nextId('organization', createdAtMs), name, createdAtMs };
      await store.createOrganization(organization);
      log('createOrganization', { organizationId: organization.id });
      return organization;
    },

    async renameOrganization({ organizationId, name }) {
      const isRenamed = await store.renameOrganization(organizationId, name);
      if (isRenamed) {
        log('renameOrganization', { organizationId });
        await record(organizationId, 'organization.rename', { id: organizationId, name });
      }
      return isRenamed;
    },

    async listBots({ organizationId }) {
      if (organizationId !== undefined) await requireOrganization(organizationId);
      return store.listBots(organizationId);
    },

    async createBot({ organizationId, settings }) {
      await requireOrganization(organizationId);
      const createdAtMs = clock();
      const bot = newBot({ id: nextId('bot', createdAtMs), organizationId, createdAtMs }, settings);
      await store.createBot(bot);
      log('createBot', { organizationId, botId: bot.id });
      await record(organizationId, 'bot.create', bot);
      return bot;
    },

    async updateBot({ botId, changes }) {
      const isUpdated = await tenantCache.updateBot(botId, changes);
      const bot = await store.findBot(botId);
      if (isUpdated && bot !== undefined) {
        log('updateBot', { botId });
        await record(bot.organizationId, 'bot.update', bot);
      }
      return bot;
    },

    async deleteBot({ botId }) {
      const bot = await store.findBot(botId);
      const isDeleted = await tenantCache.deleteBot(botId, clock());
      if (isDeleted && bot !== undefined) {
        log('deleteBot', { botId });
        await record(bot.organizationId, 'bot.delete', bot);
      }
      return isDeleted;
    },

    async listSecrets({ organizationId }) {
      if (organizationId !== undefined) await requireOrganization(organizationId);
      return store.listSecrets(organizationId);
    },

    async createSecret({ organizationId, name, expiresAtMs }) {
      const createdAtMs = clock();
      if (expiresAtMs !== undefined && expiresAtMs <= createdAtMs) {
        throw new OperatorError('invalid', 'expiresAtMs must be in the future.');
      }
      await requireOrganization(organizationId);
      const id = nextId('secret', createdAtMs);
      const { text, state, stored } = newSecret({ id, organizationId, name, createdAtMs, expiresAtMs });
      await store.createSecret(stored);
      log('createSecret', { organizationId, secretId: id });
      await record(organizationId, 'secret.create', state);
      return { secret: text, state };
    },

    async renameSecret({ secretId, name }) {
      const isRenamed = await store.renameSecret(secretId, name);
      const secret = isRenamed ? await findSecret(secretId) : undefined;
      if (secret !== undefined) {
        log('renameSecret', { secretId });
        await record(secret.organizationId, 'secret.rename', secret);
      }
      return isRenamed;
    },

    async revokeSecret({ secretId }) {
      const isRevoked = await tenantCache.revokeSecret(secretId, clock());
      const secret = isRevoked ? await findSecret(secretId) : undefined;
      if (secret !== undefined) {
        log('revokeSecret', { secretId });
        await record(secret.organizationId, 'secret.revoke', secret);
      }
      return isRevoked;
    },

    async listMembers({ organizationId }) {
      if (organizationId !== undefined) await requireOrganization(organizationId);
      return store.listMembers(organizationId);
    },

    async inviteMember({ organizationId, email, role }) {
      await requireOrganization(organizationId);
      const { url, link } = makeLink(publicUrl, clock(), invitationTtlMs);
      const { hash, createdAtMs, expiresAtMs } = link;
      const id = nextId('invitation', createdAtMs);
      const invitation = { id, organizationId, email, role, createdAtMs, expiresAtMs };
      const stored = { ...invitation, emailKey: emailKey(email), invitedBy: undefined };
      if (!(await store.createInvitation(stored, hash))) {
        throw new OperatorError('refused', 'Somebody with this email is a member already.');
      }
      log('inviteMember', { organizationId, invitationId: id });
      await record(organizationId, 'invitation.create', { id, name: email });
      return { invitation, link: url };
    },

    async resetPassword({ memberId }) {
      const member = await findMember(memberId);
      const { url, link } = makeLink(publicUrl, clock(), passwordResetTtlMs);
      if (member === undefined || !(await store.createPasswordReset(memberId, link))) return undefined;
      log('resetPassword', { memberId });
      await record(member.organizationId, 'passwordReset.create', member);
      return { link: url, expiresAtMs: link.expiresAtMs };
    },

    async removeMember({ memberId }) {
      const member = await findMember(memberId);
      if (member === undefined) return false;
      const { kind } = await store.removeMember(member.organizationId, memberId);
      if (kind === 'last_owner') {
        throw new OperatorError(
          'refused',
          'This is the last owner of the organization. Invite another one first: roster member invite EMAIL --role owner.',
        );
      }
      if (kind === 'missing') return false;
      log('removeMember', { memberId });
      await record(member.organizationId, 'member.remove', member);
      return true;
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

  return async (name, input, watch = {}) => performers[name](checkInput(name, input), watch);
}
