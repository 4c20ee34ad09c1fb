// Which secrets were created with which: revoking one revokes those too.
import type { SecretState } from '@roster/contract';
import { isActive } from './secret-state.ts';

type Secret = Pick<SecretState, 'id' | 'createdById' | 'revokedAt' | 'expiresAt'>;

/** The active secrets that the member or secret with this id created, and those that were created with them. */
export function createdWith<Item extends Secret>(all: readonly Item[], creatorId: string, nowMs: number): Item[] {
  return all
    .filter(({ createdById }) => createdById === creatorId)
    .flatMap((secret) => [...(isActive(secret, nowMs) ? [secret] : []), ...createdWith(all, secret.id, nowMs)]);
}
