// An organization's secrets: created, shown once, renamed, revoked at once.
import type { Secret, SecretState } from '../store/store.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { AccountError, notFound, requireOne } from './account-error.ts';
import { auditRecord } from './audit.ts';
import { hashCredential, makeSecret } from './credentials.ts';

/** Enough to know one among others, and 36 more characters to guess. */
const prefixLength = 8;

export type NewSecret = Pick<SecretState, 'id' | 'organizationId' | 'name' | 'createdAtMs'> &
  Partial<Pick<SecretState, 'createdBy' | 'expiresAtMs'>>;

/** `text` is the secret itself, which is never stored. */
export function newSecret({ createdBy, expiresAtMs, ...given }: NewSecret): {
  text: string;
  state: SecretState;
  stored: Secret;
} {
  const text = makeSecret();
  const state: SecretState = {
    ...given,
    prefix: text.slice(0, prefixLength),
    createdBy,
    expiresAtMs,
    revokedAtMs: undefined,
    lastUsedAtMs: undefined,
  };
  return { text, state, stored: { ...state, hash: hashCredential(text) } };
}

export async function createSecret(
  deps: AccountDeps,
  action: AccountAction,
  { name, expiresAt }: { name: string; expiresAt: string | undefined },
): Promise<{ text: string; state: SecretState }> {
  const { actor, organizationId } = action;
  const createdAtMs = deps.clock();
  const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  if (expiresAtMs !== undefined && expiresAtMs <= createdAtMs) {
    const fault = { field: 'expiresAt', message: 'must be in the future' };
    throw new AccountError('invalid_request', 'The secret would be expired.', { fault });
  }
  const id = deps.nextId('secret', createdAtMs);
  const createdBy = actor.kind === 'member' ? actor.name : undefined;
  const { text, state, stored } = newSecret({ id, organizationId, name, createdBy, createdAtMs, expiresAtMs });
  await deps.store.createSecret(stored, auditRecord(deps, action, state));
  return { text, state };
}

export async function renameSecret(
  deps: AccountDeps,
  action: AccountAction,
  secretId: string,
  name: string,
): Promise<SecretState> {
  const found = requireOne(await deps.store.listSecrets(action.organizationId), secretId, 'secret');
  const secret = { ...found, name };
  if (!(await deps.store.renameSecret(secretId, name, auditRecord(deps, action, secret)))) throw notFound('secret');
  return secret;
}

/** False when it is revoked already. */
export async function revokeSecret(deps: AccountDeps, action: AccountAction, secretId: string): Promise<boolean> {
  const secret = requireOne(await deps.store.listSecrets(action.organizationId), secretId, 'secret');
  return deps.tenantCache.revokeSecret(secretId, deps.clock(), auditRecord(deps, action, secret));
}
