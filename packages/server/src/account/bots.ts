// An organization's bots: created with defaults, changed and deleted at once in this process.
import { defaultBotSettings } from '@roster/contract';
import type { Bot, BotChanges, ListedBot } from '../store/store.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { notFound } from './account-error.ts';
import { writeContext } from './audit.ts';
import { limitReached } from './quotas.ts';

/** Those that the actor reaches. */
export async function listBots(deps: AccountDeps, { actor, organizationId }: AccountAction): Promise<ListedBot[]> {
  const bots = await deps.store.listBots(organizationId);
  const reached = actor.kind === 'secret' ? actor.secret.bots : undefined;
  return reached === undefined ? bots : bots.filter(({ id }) => reached.includes(id));
}

/** Settings left out have the defaults. */
export async function createBot(
  deps: AccountDeps,
  action: AccountAction,
  settings: BotChanges & { name: string },
): Promise<Bot> {
  const createdAtMs = deps.clock();
  // A setting that is undefined was not given, and must not replace a default.
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const identity = { id: deps.nextId('bot', createdAtMs), organizationId: action.organizationId, createdAtMs };
  const bot = { ...identity, ...defaultBotSettings, ...given, name: settings.name };
  const max = deps.quotas.botsPerOrganization;
  if (!(await deps.store.createBot(bot, max, writeContext(deps, action, bot)))) {
    throw limitReached('bots', max, 'Delete one you no longer need', 'ROSTER_BOTS_PER_ORGANIZATION');
  }
  return bot;
}

/** `bot` is one that the actor may reach. */
export async function updateBot(deps: AccountDeps, action: AccountAction, bot: Bot, changes: BotChanges): Promise<Bot> {
  const { id } = bot;
  const context = writeContext(deps, action, { id, name: changes.name ?? bot.name });
  const isUpdated = await deps.tenantCache.updateBot(id, changes, context);
  const updated = isUpdated ? await deps.store.findBot(id) : undefined;
  if (updated === undefined) throw notFound('bot');
  return updated;
}

/** `bot` is one that the actor may reach. Its contacts are out of reach at once. */
export async function deleteBot(deps: AccountDeps, action: AccountAction, bot: Bot): Promise<void> {
  const isDeleted = await deps.tenantCache.deleteBot(bot.id, writeContext(deps, action, bot));
  if (!isDeleted) throw notFound('bot');
}
