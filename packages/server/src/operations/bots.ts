// The organization's bots and their settings.
import type { AccountBot } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { createBot, deleteBot, updateBot } from '../account/bots.ts';
import type { Handlers } from '../http/operation-types.ts';
import type { Bot } from '../store/store.ts';
import { actionOf } from './action-of.ts';
import { toTimestamp } from './timestamps.ts';
import { widgetUrlOf } from './widget-url.ts';

export function botHandlers(deps: AccountDeps) {
  const { store, publicUrl } = deps;
  const toAnswer = (bot: Bot, contactCount: number): AccountBot => {
    const { id, name, greeting, color, position, allowedOrigins, createdAtMs } = bot;
    const widgetUrl = widgetUrlOf(publicUrl, id);
    const createdAt = toTimestamp(createdAtMs);
    const origins = [...allowedOrigins];
    return { id, name, greeting, color, position, allowedOrigins: origins, widgetUrl, contactCount, createdAt };
  };

  return {
    async listBots({ session }) {
      const bots = await store.listBots(session.organization.id);
      return { body: { data: bots.map((bot) => toAnswer(bot, bot.contactCount)) } };
    },

    async createBot(call) {
      const bot = await createBot(deps, actionOf(call), call.session.organization.id, call.body);
      return { body: { data: toAnswer(bot, 0) } };
    },

    async retrieveBot({ bot }) {
      return { body: { data: toAnswer(bot, await store.countContacts(bot.id)) } };
    },

    async updateBot(call) {
      const bot = await updateBot(deps, actionOf(call), call.bot, call.body);
      return { body: { data: toAnswer(bot, await store.countContacts(bot.id)) } };
    },

    async deleteBot(call) {
      await deleteBot(deps, actionOf(call), call.bot);
      return {};
    },
  } satisfies Partial<Handlers>;
}
