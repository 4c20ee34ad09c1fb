// Why a use case refuses: the contract's code, and words for the caller. It knows nothing of HTTP; http/problem.ts makes
// an answer of it.
import type { ErrorCode, FieldError, Problem } from '@roster/contract';
import type { Actor } from './actor.ts';
import type { RateState } from './rate-limit.ts';

export class AccountError extends Error {
  override name = 'AccountError';
  readonly code: ErrorCode;
  /** What is wrong with the input. */
  readonly faults: FieldError[] | undefined;
  /** The limit that was exceeded. */
  readonly exceeded: RateState | undefined;
  /** The organizations to choose from, where several fit. */
  readonly organizations: NonNullable<Problem['organizations']> | undefined;
  /** The permission or role that the actor lacks. */
  readonly permission: string | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    { faults, exceeded, organizations, permission }: AccountErrorExtras = {},
  ) {
    super(detail);
    this.code = code;
    this.faults = faults;
    this.exceeded = exceeded;
    this.organizations = organizations;
    this.permission = permission;
  }
}

interface AccountErrorExtras {
  faults?: FieldError[];
  exceeded?: RateState;
  organizations?: NonNullable<Problem['organizations']>;
  permission?: string;
}

type Entity = 'bot' | 'secret' | 'member' | 'invitation';

/** Also for what belongs to another organization. */
export function notFound(entity: Entity): AccountError {
  return new AccountError('not_found', `There is no ${entity} with this id in your organization.`);
}

/** The one with this id among those of the organization. */
export function requireOne<Item extends { id: string }>(items: readonly Item[], id: string, entity: Entity): Item {
  const item = items.find((each) => each.id === id);
  if (item === undefined) throw notFound(entity);
  return item;
}

/** The actor was allowed to act when the request came, and has lost that right since. */
export function notAllowedAnyMore(actor: Actor): AccountError {
  if (actor.kind === 'secret') return new AccountError('unauthorized', 'The secret was just revoked.');
  return new AccountError('forbidden', 'You are no longer an owner.', { permission: 'owner' });
}

/** For a signed-in member who was asked for the password again. */
export function wrongPassword(): AccountError {
  return new AccountError('sign_in_failed', 'Incorrect password.');
}

export function memberExists(): AccountError {
  return new AccountError('member_exists', 'A member with this email already exists.');
}
