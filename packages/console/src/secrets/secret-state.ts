// The state of a secret: active, expired or revoked.
import type { SecretState } from '@roster/contract';

interface State {
  label: string;
  color: string;
  /** The date of the state: of the expiry or the revocation. */
  at: string | null;
}

type Dates = Pick<SecretState, 'revokedAt' | 'expiresAt'>;

export function isActive({ revokedAt, expiresAt }: Dates, nowMs: number): boolean {
  return revokedAt === null && (expiresAt === null || nowMs < Date.parse(expiresAt));
}

export function stateOf(secret: Dates, nowMs: number): State {
  const { revokedAt, expiresAt } = secret;
  if (revokedAt !== null) return { label: 'Revoked', color: 'red', at: revokedAt };
  if (expiresAt === null) return { label: 'Active', color: 'pine', at: null };
  if (!isActive(secret, nowMs)) return { label: 'Expired', color: 'red', at: expiresAt };
  return { label: 'Active until', color: 'pine', at: expiresAt };
}
