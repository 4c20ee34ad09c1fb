// The organization's bots and their settings.
import type { AccountDeps } from '../account/account-deps.ts';
import { createBot, deleteBot, listBots, updateBot } from '../account/bots.ts';
import { toBotAnswer } from '../answers/answers.ts';
import type { AccountHandlers } from '../http/operation-types.ts';
import type { Bot } from '../store/store.ts';
import { accountActionOf, logChange } from './action-of.ts';

export function botHandlers(deps: AccountDeps) {
  const { store, publicUrl } = deps;
  const toAnswer = (bot: Bot, contactCount: number | null) => toBotAnswer(publicUrl, bot, contactCount);

  return {
    async listBots(call) {
      const bots = await listBots(deps, accountActionOf(call));
      return { body: { data: bots.map((bot) => toAnswer(bot, bot.contactCount)) } };
    },

    async createBot(call) {
      const bot = await createBot(deps, accountActionOf(call), call.body);
      logChange(deps, call, { botId: bot.id });
      return { body: { data: toAnswer(bot, 0) } };
    },

    async retrieveBot({ bot }) {
      return { body: { data: toAnswer(bot, await store.countContacts(bot.id)) } };
    },

    async updateBot(call) {
      const bot = await updateBot(deps, accountActionOf(call), call.bot, call.body);
      logChange(deps, call);
      return { body: { data: toAnswer(bot, await store.countContacts(bot.id)) } };
    },

    async deleteBot(call) {
      await deleteBot(deps, accountActionOf(call), call.bot);
      logChange(deps, call);
      return {};
    },
  } satisfies Partial<AccountHandlers>;
}
