// Makes a bot of the settings that were given: the rest has the defaults, whoever makes it.
import { defaultBotSettings } from '@roster/contract';
import type { Bot, BotChanges } from '../store/store.ts';

export function newBot(
  identity: Pick<Bot, 'id' | 'organizationId' | 'createdAtMs'>,
  settings: BotChanges & { name: string },
): Bot {
  // One that is undefined was not given, and must not take the place of a default.
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...identity, ...defaultBotSettings, ...given, name: settings.name };
}
