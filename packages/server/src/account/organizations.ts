// Organizations: creating, renaming, and requiring one that the operator names.
import type { Organization } from '../store/store.ts';
import type { AccountDeps } from './account-deps.ts';
import { AccountError } from './account-error.ts';
import type { Action, Actor } from './actor.ts';
import { auditRecord } from './audit.ts';

export async function createOrganization({ store, clock, nextId }: AccountDeps, name: string): Promise<Organization> {
  const createdAtMs = clock();
  const organization = { id: nextId('organization', createdAtMs), name, createdAtMs };
  await store.createOrganization(organization);
  return organization;
}

export async function renameOrganization(
  deps: AccountDeps,
  action: Action,
  organizationId: string,
  name: string,
): Promise<{ id: string; name: string }> {
  const renamed = { id: organizationId, name };
  const audit = auditRecord(deps, action, { organizationId, object: renamed });
  if (!(await deps.store.renameOrganization(organizationId, name, audit))) throw noSuchOrganization();
  return renamed;
}

/** A member's own organization exists; one that the operator names may not. */
export async function requireOrganization({ store }: AccountDeps, actor: Actor, organizationId: string): Promise<void> {
  if (actor.kind !== 'operator' || (await store.findOrganization(organizationId)) !== undefined) return;
  throw noSuchOrganization();
}

function noSuchOrganization(): AccountError {
  return new AccountError('not_found', 'There is no organization with this id.');
}
