// The operations on a bot's contacts as members call them: derived from those with a secret, under the account's paths
// and with a session. Nothing is declared here but what they write into the audit log, the role they need, and which needs
// the password again.
import type { AuditAction, Role } from './account.ts';
import { contactOperations } from './contact-operations.ts';
import type { Operation } from './operation.ts';

type ContactOperations = typeof contactOperations;
export type ContactOperationName = keyof ContactOperations;

type ForMembers<Op extends Operation> = Omit<Op, 'id' | 'path' | 'credentials' | 'permissions'> & {
  readonly id: `account.${Op['id']}`;
  readonly path: Op['path'] extends `/v1/bots/${infer Rest}` ? `/v1/account/bots/${Rest}` : never;
  readonly credentials: readonly ['session'];
  readonly audit?: AuditAction;
  readonly role?: Role;
  readonly needsRecentPassword?: boolean;
};

type MemberContactOperations = {
  readonly [Name in ContactOperationName as `${Name}AsMember`]: ForMembers<ContactOperations[Name]>;
};

const audits: Partial<Record<ContactOperationName, AuditAction>> = {
  createContact: 'contact.create',
  upsertContacts: 'contacts.import',
  updateContact: 'contact.update',
  deleteContact: 'contact.delete',
  deleteContacts: 'contact.delete',
  exportContacts: 'contacts.export',
};

/** An export takes a copy of everything at once, which is more than to look at contacts. */
const roles: Partial<Record<ContactOperationName, Role>> = { searchContacts: 'viewer', exportContacts: 'member' };

function forMembers([name, { permissions: _, ...operation }]: [string, Operation]): [string, Operation] {
  const audit = audits[name as ContactOperationName];
  const role = roles[name as ContactOperationName];
  const derived = {
    ...operation,
    id: `account.${operation.id}`,
    path: operation.path.replace('/v1/bots/', '/v1/account/bots/'),
    credentials: ['session'],
    ...(audit !== undefined && { audit }),
    ...(role !== undefined && { role }),
    // All contacts at once are what a stolen session is worth most for.
    ...(name === 'exportContacts' && { needsRecentPassword: true }),
  } as const;
  return [`${name}AsMember`, derived];
}

export const memberContactOperations = Object.fromEntries(
  Object.entries<Operation>(contactOperations).map(forMembers),
) as MemberContactOperations;
