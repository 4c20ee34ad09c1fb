// Organizations: creating, renaming, and requiring one that the operator names.
import type { OrganizationSettings } from '@roster/contract';
import type { Organization } from '../store/store.ts';
import { contextAt } from '../store/write-context.ts';
import type { AccountAction, AccountDeps } from './account-deps.ts';
import { AccountError } from './account-error.ts';
import { writeContext } from './audit.ts';
import type { SignedIn } from './sessions.ts';

export async function createOrganization({ store, clock, nextId }: AccountDeps, name: string): Promise<Organization> {
  const createdAtMs = clock();
  const organization = { id: nextId('organization', createdAtMs), name, createdAtMs };
  await store.createOrganization(organization, contextAt(createdAtMs));
  return organization;
}

export async function renameOrganization(
  deps: AccountDeps,
  action: AccountAction,
  name: string,
): Promise<{ id: string; name: string }> {
  const renamed = { id: action.organizationId, name };
  const context = writeContext(deps, action, renamed);
  if (!(await deps.store.renameOrganization(renamed.id, name, context))) throw noSuchOrganization();
  return renamed;
}

/** Whether a member may what is for owners, and for members where the organization says so. */
export async function isOpenTo(
  { member, organization }: Pick<SignedIn, 'member' | 'organization'>,
  setting: keyof OrganizationSettings,
  store: Pick<AccountDeps['store'], 'findOrganizationSettings'>,
): Promise<boolean> {
  if (member.role !== 'member') return member.role === 'owner';
  return (await store.findOrganizationSettings(organization.id))[setting];
}

/** For one that the operator names: a member's own exists. */
export async function requireOrganization(store: AccountDeps['store'], organizationId: string): Promise<void> {
  if ((await store.findOrganization(organizationId)) === undefined) throw noSuchOrganization();
}

function noSuchOrganization(): AccountError {
  return new AccountError('not_found', 'There is no organization with this id.');
}
