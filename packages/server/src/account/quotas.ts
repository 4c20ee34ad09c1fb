// How many of each thing there may be. Generous: only a runaway program or an attacker meets one. The operator sets them.
import { AccountError } from './account-error.ts';

export interface Quotas {
  botsPerOrganization: number;
  /** Those neither revoked nor expired. */
  secretsPerOrganization: number;
  /** Those neither used nor expired. */
  invitationsPerOrganization: number;
  /** Live contact tokens. The oldest go to make room. */
  tokensPerContact: number;
  /** The oldest goes to make room. */
  sessionsPerMember: number;
}

export const defaultQuotas: Quotas = {
  botsPerOrganization: 1000,
  secretsPerOrganization: 1000,
  invitationsPerOrganization: 500,
  tokensPerContact: 10_000,
  sessionsPerMember: 100,
};

/** The refusal of one more. `remedy` says how to make room. */
export function limitReached(things: string, max: number, remedy: string, setting: string): AccountError {
  const count = max.toLocaleString('en');
  return new AccountError(
    'limit_reached',
    `Your organization has reached the limit of ${count} ${things}. ${remedy}, or ask the operator to raise ${setting}.`,
  );
}
