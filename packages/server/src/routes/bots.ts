// The organization's bots and their settings.
import type { AccountBot, operations } from '@roster/contract';
import { noSuchBot } from '../http/api-error.ts';
import type { Handler } from '../http/operation-types.ts';
import { newBot } from '../new-bot.ts';
import type { ListedBot } from '../store/store.ts';
import { toTimestamp } from '../timestamps.ts';
import { widgetUrlOf } from '../widget-url.ts';
import { type AccountDeps, recordFor } from './account-deps.ts';

type Operations = typeof operations;

export function botRoutes({ store, clock, publicUrl, directory, record, nextId }: AccountDeps) {
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
    await recordFor(record, call)('bot.create', bot);
    return { body: { data: toAnswer({ ...bot, contactCount: 0 }) } };
  };

  const retrieveBot: Handler<Operations['retrieveBot']> = async ({ bot }) => ({
    body: { data: toAnswer({ ...bot, contactCount: await store.countContacts(bot.id) }) },
  });

  const updateBot: Handler<Operations['updateBot']> = async (call) => {
    const { id } = call.bot;
    const isUpdated = await directory.updateBot(id, call.body);
    const bot = isUpdated ? await store.findBot(id) : undefined;
    if (bot === undefined) throw noSuchBot();
    await recordFor(record, call)('bot.update', bot);
    return { body: { data: toAnswer({ ...bot, contactCount: await store.countContacts(id) }) } };
  };

  const deleteBot: Handler<Operations['deleteBot']> = async (call) => {
    if (!(await directory.deleteBot(call.bot.id, clock()))) throw noSuchBot();
    await recordFor(record, call)('bot.delete', call.bot);
    return {};
  };

  return { listBots, createBot, retrieveBot, updateBot, deleteBot };
}
