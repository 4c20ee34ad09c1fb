// The steps from a new bot to the first visitor whom its widget recognizes, and which of them are done.
import type { BotUsage, SecretState } from '@roster/contract';
import { isActive } from '../secrets/secret-state.ts';

export const steps = ['contact', 'secret', 'snippet', 'visitor'] as const;
export type Step = (typeof steps)[number];

export type FirstUses = Pick<BotUsage, 'contactCount' | 'widgetLoadedAt' | 'visitorRecognizedAt'>;

export function doneSteps(
  { contactCount, widgetLoadedAt, visitorRecognizedAt }: FirstUses,
  secrets: readonly SecretState[],
  nowMs: number,
): ReadonlySet<Step> {
  // The server's first start creates a secret, which whoever uses the console may never have seen.
  const isKnown = ({ createdBy, lastUsedAt }: SecretState) => createdBy !== null || lastUsedAt !== null;
  const isDone: Record<Step, boolean> = {
    contact: contactCount > 0,
    secret: secrets.some((secret) => isKnown(secret) && isActive(secret, nowMs)),
    snippet: widgetLoadedAt !== null,
    visitor: visitorRecognizedAt !== null,
  };
  return new Set(steps.filter((step) => isDone[step]));
}
