// An organization's secrets: created with what they may do, shown once, renamed, revoked at once. What a secret does to
// others is bounded by what it may do itself.
import { defaultPermissions, type FieldError, type Permission } from '@roster/contract';
import type { Secret, SecretState } from '../store/store.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { AccountError, notAllowedAnyMore, notFound, requireOne } from './account-error.ts';
import type { Actor } from './actor.ts';
import { writeContext } from './audit.ts';
import { hashCredential, makeSecret } from './credentials.ts';
import { limitReached } from './quotas.ts';
import { isWithinBots, requireWithin } from './scopes.ts';

/** Enough to recognize a secret in a list; 36 characters remain to be guessed. */
const prefixLength = 8;

export type NewSecret = Pick<SecretState, 'id' | 'organizationId' | 'name' | 'createdAtMs'> & Partial<SecretState>;

/** `text` is the secret itself, which is never stored. */
export function newSecret(given: NewSecret, text = makeSecret()): { text: string; state: SecretState; stored: Secret } {
  const state: SecretState = {
    permissions: defaultPermissions,
    bots: undefined,
    createdBy: undefined,
    creatorId: undefined,
    parentId: undefined,
    expiresAtMs: undefined,
    ...given,
    prefix: text.slice(0, prefixLength),
    revokedAtMs: undefined,
    lastUsedAtMs: undefined,
  };
  return { text, state, stored: { ...state, hash: hashCredential(text) } };
}

export interface SecretInput {
  name: string;
  expiresAt: string | undefined;
  permissions?: readonly Permission[] | undefined;
  bots: readonly string[] | undefined;
}

export async function createSecret(
  deps: AccountDeps,
  action: AccountAction,
  { name, expiresAt, permissions = defaultPermissions, bots }: SecretInput,
): Promise<{ text: string; state: SecretState }> {
  const { actor, organizationId } = action;
  const createdAtMs = deps.clock();
  const parent = actor.kind === 'secret' ? actor.secret : undefined;
  const expiresAtMs = expiresAt === undefined ? parent?.expiresAtMs : Date.parse(expiresAt);
  const faults = [
    ...expiryFaults(expiresAtMs, createdAtMs, parent),
    ...(bots === undefined ? [] : botFaults(bots, await deps.store.listBots(organizationId), parent)),
  ];
  if (faults.length > 0) throw new AccountError('invalid_request', 'The secret cannot be created.', { faults });
  if (parent !== undefined) requireWithin({ permissions, bots }, parent);
  const id = deps.nextId('secret', createdAtMs);
  const given = { id, organizationId, name, permissions, bots, createdAtMs, expiresAtMs, ...creatorOf(actor) };
  const { text, state, stored } = newSecret(given);
  const max = deps.quotas.secretsPerOrganization;
  const outcome = await deps.store.createSecret(stored, max, writeContext(deps, action, state));
  if (outcome !== true && outcome.kind === 'not_allowed') throw notAllowedAnyMore(actor);
  if (outcome !== true) {
    throw limitReached('active secrets', max, 'Revoke one that is no longer used', 'ROSTER_SECRETS_PER_ORGANIZATION');
  }
  return { text, state };
}

function creatorOf(actor: Actor): Pick<SecretState, 'createdBy' | 'creatorId' | 'parentId'> {
  const nobody = { createdBy: undefined, creatorId: undefined, parentId: undefined };
  if (actor.kind === 'member') return { ...nobody, createdBy: actor.name, creatorId: actor.id };
  if (actor.kind === 'secret') return { ...nobody, createdBy: actor.secret.name, parentId: actor.secret.id };
  return nobody;
}

function expiryFaults(expiresAtMs: number | undefined, nowMs: number, parent: SecretState | undefined): FieldError[] {
  if (expiresAtMs === undefined) return [];
  if (expiresAtMs <= nowMs) return [{ field: 'expiresAt', message: 'must be in the future' }];
  const { expiresAtMs: latestMs } = parent ?? {};
  if (latestMs === undefined || expiresAtMs <= latestMs) return [];
  const latest = new Date(latestMs).toISOString();
  return [{ field: 'expiresAt', message: `must not be after ${latest}, when the secret that creates it expires` }];
}

/** For a secret a bot outside its list is one that does not exist. */
function botFaults(
  bots: readonly string[],
  existing: readonly { id: string }[],
  parent: SecretState | undefined,
): FieldError[] {
  const reached = new Set(existing.map(({ id }) => id).filter((id) => parent?.bots?.includes(id) ?? true));
  return bots.flatMap((id, index) =>
    reached.has(id) ? [] : [{ field: `bots.${index}`, message: 'is not a bot of your organization' }],
  );
}

/** Those that the actor sees, oldest first: a secret that is limited to bots sees those limited to some of them. */
export async function listSecrets(deps: AccountDeps, action: AccountAction): Promise<SecretState[]> {
  const { actor, organizationId } = action;
  const secrets = await deps.store.listSecrets(organizationId);
  return actor.kind === 'secret' ? secrets.filter((secret) => isWithinBots(secret, actor.secret)) : secrets;
}

export async function renameSecret(
  deps: AccountDeps,
  action: AccountAction,
  secretId: string,
  name: string,
): Promise<SecretState> {
  const found = requireOne(await listSecrets(deps, action), secretId, 'secret');
  const secret = { ...found, name };
  if (!(await deps.store.renameSecret(secretId, name, writeContext(deps, action, secret)))) throw notFound('secret');
  return secret;
}

/** False when it is revoked already. */
export async function revokeSecret(deps: AccountDeps, action: AccountAction, secretId: string): Promise<boolean> {
  const secret = requireOne(await listSecrets(deps, action), secretId, 'secret');
  if (action.actor.kind === 'secret') requireWithin(secret, action.actor.secret);
  return deps.tenantCache.revokeSecret(secretId, writeContext(deps, action, secret));
}
