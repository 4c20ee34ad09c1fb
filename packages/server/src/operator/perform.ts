// The operations themselves, on an open store. Changes go through the directory, so that they are in force at once in
// this process. Each change is logged by its ids; no name and no secret ever is.
import { defaultBotSettings } from '@roster/contract';
import type { Logger } from 'pino';
import type { Directory } from '../directory.ts';
import { makeIdSource } from '../ids.ts';
import { newSecret } from '../secrets.ts';
import type { Store } from '../store/store.ts';
import { checkInput, type Input } from './inputs.ts';
import { type OperationName, type Operations, OperatorError, type Perform, type Watch } from './operator.ts';

export interface PerformDeps {
  store: Store;
  directory: Directory;
  /** Milliseconds since 1970. */
  clock: () => number;
  logger: Pick<Logger, 'info'>;
}

type Performers = {
  [Name in OperationName]: (input: Input<Name>, watch: Watch) => Promise<Operations[Name]['answer']>;
};

export function preparePerform({ store, directory, clock, logger }: PerformDeps): Perform {
  const log = (operation: OperationName, ids: Record<string, string>) =>
    logger.info({ operation, ...ids }, 'the operator made a change');

  const nextId = makeIdSource();

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
      if (isRenamed) log('renameOrganization', { organizationId });
      return isRenamed;
    },

    async listBots({ organizationId }) {
      if (organizationId !== undefined) await requireOrganization(organizationId);
      return store.listBots(organizationId);
    },

    async createBot({ organizationId, settings }) {
      await requireOrganization(organizationId);
      const createdAtMs = clock();
      const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
      const id = nextId('bot', createdAtMs);
      const bot = { id, organizationId, createdAtMs, ...defaultBotSettings, ...given, name: settings.name };
      await store.createBot(bot);
      log('createBot', { organizationId, botId: id });
      return bot;
    },

    async updateBot({ botId, changes }) {
      if (await directory.updateBot(botId, changes)) log('updateBot', { botId });
      return store.findBot(botId);
    },

    async deleteBot({ botId }) {
      const isDeleted = await directory.deleteBot(botId, clock());
      if (isDeleted) log('deleteBot', { botId });
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
      return { secret: text, state };
    },

    async renameSecret({ secretId, name }) {
      const isRenamed = await store.renameSecret(secretId, name);
      if (isRenamed) log('renameSecret', { secretId });
      return isRenamed;
    },

    async revokeSecret({ secretId }) {
      const isRevoked = await directory.revokeSecret(secretId, clock());
      if (isRevoked) log('revokeSecret', { secretId });
      return isRevoked;
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
