// Secrets that need attention: those that expire soon, and those that nobody has ever used.
import type { SecretState } from '@roster/contract';
import { isActive } from '../secrets/secret-state.ts';

const dayMs = 86_400_000;
const soonMs = 14 * dayMs;

export interface SecretToCheck {
  secret: SecretState;
  /** Undefined: it does not expire soon. */
  expiresAt: string | undefined;
  isUnused: boolean;
}

/** Those that expire come first, the soonest of all at the top. `botId`: only those that reach the bot. */
export function secretsToCheck(secrets: readonly SecretState[], nowMs: number, botId?: string): SecretToCheck[] {
  const reached = secrets.filter(({ bots }) => botId === undefined || bots === null || bots.includes(botId));
  const checked = reached.flatMap((secret): SecretToCheck[] => {
    if (!isActive(secret, nowMs)) return [];
    const isSoon = secret.expiresAt !== null && Date.parse(secret.expiresAt) - nowMs <= soonMs;
    const expiresAt = isSoon ? (secret.expiresAt ?? undefined) : undefined;
    const isUnused = secret.lastUsedAt === null;
    return expiresAt === undefined && !isUnused ? [] : [{ secret, expiresAt, isUnused }];
  });
  const never = '~';
  return checked.toSorted((one, other) => ((one.expiresAt ?? never) < (other.expiresAt ?? never) ? -1 : 1));
}
