// Organizations: creating, renaming, and requiring one that the operator names.
import type { Organization } from '../store/store.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { AccountError } from './account-error.ts';
import { auditRecord } from './audit.ts';

export async function createOrganization({ store, clock, nextId }: AccountDeps, name: string): Promise<Organization> {
  const createdAtMs = clock();
  const organization = { id: nextId('organization', createdAtMs), name, createdAtMs };
  await store.createOrganization(organization);
  return organization;
}

export async function renameOrganization(
  deps: AccountDeps,
  action: AccountAction,
  name: string,
): Promise<{ id: string; name: string }> {
  const renamed = { id: action.organizationId, name };
  const audit = auditRecord(deps, action, renamed);
  if (!(await deps.store.renameOrganization(renamed.id, name, audit))) throw noSuchOrganization();
  return renamed;
}

/** For one that the operator names: a member's own exists. */
export async function requireOrganization(store: AccountDeps['store'], organizationId: string): Promise<void> {
  if ((await store.findOrganization(organizationId)) === undefined) throw noSuchOrganization();
}

function noSuchOrganization(): AccountError {
  return new AccountError('not_found', 'There is no organization with this id.');
}
