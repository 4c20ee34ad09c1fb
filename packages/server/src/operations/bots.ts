// The organization's bots and their settings.
import type { AccountBot, operations } from '@roster/contract';
import { newBot } from '../account/new-bot.ts';
import { noSuchBot } from '../http/api-error.ts';
import type { Handler } from '../http/operation-types.ts';
import type { ListedBot } from '../store/store.ts';
import { type AccountDeps, recordFor } from './account-deps.ts';
import { toTimestamp } from './timestamps.ts';
import { widgetUrlOf } from './widget-url.ts';

type Operations = typeof operations;

export function botHandlers({ store, clock, publicUrl, tenantCache, record, nextId }: AccountDeps) {
  const toAnswer = ({ id, createdAtMs, contactCount, ...settings }: ListedBot): AccountBot => {
    const { name, greeting, color, position, allowedOrigins } = settings;
    const widgetUrl = widgetUrlOf(publicUrl, id);
    const createdAt = toTimestamp(createdAtMs);
    const origins = [...allowedOrigins];
    return { id, name, greeting, color, position, allowedOrigins: origins, widgetUrl, contactCount, createdAt };
  };

  const listBots: Handler<Operations['listBots']> = async ({ session }) => ({
    body: { data: (await store.listBots(session.organization.id)).map(toAnswer) },
  });

  const createBot: Handler<Operations['createBot']> = async (call) => {
    const createdAtMs = clock();
    const organizationId = call.session.organization.id;
    const bot = newBot({ id: nextId('bot', createdAtMs), organizationId, createdAtMs }, call.body);
    await store.createBot(bot);
    await recordFor(record, call)(bot);
    return { body: { data: toAnswer({ ...bot, contactCount: 0 }) } };
  };

  const retrieveBot: Handler<Operations['retrieveBot']> = async ({ bot }) => ({
    body: { data: toAnswer({ ...bot, contactCount: await store.countContacts(bot.id) }) },
  });

  const updateBot: Handler<Operations['updateBot']> = async (call) => {
    const { id } = call.bot;
    const isUpdated = await tenantCache.updateBot(id, call.body);
    const bot = isUpdated ? await store.findBot(id) : undefined;
    if (bot === undefined) throw noSuchBot();
    await recordFor(record, call)(bot);
    return { body: { data: toAnswer({ ...bot, contactCount: await store.countContacts(id) }) } };
  };

  const deleteBot: Handler<Operations['deleteBot']> = async (call) => {
    if (!(await tenantCache.deleteBot(call.bot.id, clock()))) throw noSuchBot();
    await recordFor(record, call)(call.bot);
    return {};
  };

  return { listBots, createBot, retrieveBot, updateBot, deleteBot };
}
