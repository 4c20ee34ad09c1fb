// Why a use case refuses. It knows nothing of HTTP: http/account-problems.ts and the operator's side give it words.
import type { RateState } from './rate-limit.ts';

export type Entity = 'organization' | 'bot' | 'secret' | 'member' | 'invitation' | 'link';

export type Refusal =
  /** Also for what belongs to another organization. */
  | { code: 'not_found'; entity: Entity }
  | { code: 'member_exists' }
  | { code: 'last_owner' }
  | { code: 'sign_in_failed'; reason: 'credentials' | 'setUp' | 'currentPassword' | 'passwordChanged' }
  | { code: 'invalid'; field: string; message: string }
  | { code: 'rate_limited'; state: RateState };

export class AccountError extends Error {
  override name = 'AccountError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

export function notFound(entity: Entity): AccountError {
  return new AccountError({ code: 'not_found', entity });
}
