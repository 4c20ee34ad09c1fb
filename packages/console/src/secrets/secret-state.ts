// The state of a secret: active, expired or revoked.
import type { SecretState } from '@roster/contract';

interface State {
  label: string;
  color: string;
  /** The date of the state: of the expiry or the revocation. */
  at: string | null;
}

export function stateOf({ revokedAt, expiresAt }: Pick<SecretState, 'revokedAt' | 'expiresAt'>, nowMs: number): State {
  if (revokedAt !== null) return { label: 'Revoked', color: 'red', at: revokedAt };
  if (expiresAt === null) return { label: 'Active', color: 'pine', at: null };
  if (Date.parse(expiresAt) <= nowMs) return { label: 'Expired', color: 'red', at: expiresAt };
  return { label: 'Active until', color: 'pine', at: expiresAt };
}
