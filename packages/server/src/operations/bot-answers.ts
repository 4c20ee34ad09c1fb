// Bots as answers carry them.
import type { AccountBot } from '@roster/contract';
import type { Bot } from '../store/store.ts';
import { toTimestamp } from './timestamps.ts';
import { widgetUrlOf } from './widget-url.ts';

export function toBotAnswer(publicUrl: string, bot: Bot, contactCount: number): AccountBot {
  const { id, name, greeting, color, position, allowedOrigins, createdAtMs } = bot;
  const widgetUrl = widgetUrlOf(publicUrl, id);
  const createdAt = toTimestamp(createdAtMs);
  const origins = [...allowedOrigins];
  return { id, name, greeting, color, position, allowedOrigins: origins, widgetUrl, contactCount, createdAt };
}
