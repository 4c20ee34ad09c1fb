// The operations on a bot's contacts, attributes, tags, segments, events and webhooks as members call them: derived from those with a secret, under
// the account's paths and with a session. Nothing is declared here but what they write into the audit log, the role they
// need, what only they may include, and which needs the password again.
import type { AuditAction, OrganizationSettings } from './account.ts';
import { attributeOperations } from './attribute-operations.ts';
import { contactOperations, schemasOfMembers, schemasOfSecrets } from './contact-operations.ts';
import { eventOperations } from './event-operations.ts';
import type { Role } from './names.ts';
import type { Operation, RecentPassword } from './operation.ts';
import { segmentOperations } from './segment-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

type OfSecrets = typeof contactOperations &
  typeof attributeOperations &
  typeof segmentOperations &
  typeof eventOperations &
  typeof webhookOperations;
export type ContactOperationName = keyof typeof contactOperations;
export type AttributeOperationName = keyof typeof attributeOperations;
export type SegmentOperationName = keyof typeof segmentOperations;
export type EventOperationName = keyof typeof eventOperations;
export type WebhookOperationName = keyof typeof webhookOperations;
type Name = keyof OfSecrets;

type ForMembers<Op extends Operation> = Omit<
  Op,
  'id' | 'path' | 'credentials' | 'permissions' | 'permissionToInclude'
> & {
  readonly id: `account.${Op['id']}`;
  readonly path: Op['path'] extends `/v1/bots/${infer Rest}` ? `/v1/account/bots/${Rest}` : never;
  readonly credentials: readonly ['session'];
  readonly audit?: AuditAction;
  readonly role?: Role;
  readonly needsRecentPassword?: RecentPassword;
  readonly roleToInclude?: Role;
  readonly settingForMembers?: keyof OrganizationSettings;
};

type MemberContactOperations = { readonly [Each in Name as `${Each}AsMember`]: ForMembers<OfSecrets[Each]> };

const audits: Partial<Record<Name, AuditAction>> = {
  createContact: 'contact.create',
  upsertContacts: 'contacts.import',
  updateContact: 'contact.update',
  deleteContact: 'contact.delete',
  deleteContacts: 'contact.delete',
  exportContacts: 'contacts.export',
  defineAttribute: 'attribute.define',
  deleteAttribute: 'attribute.delete',
  renameTag: 'tag.rename',
  deleteTag: 'tag.delete',
  defineSegment: 'segment.define',
  deleteSegment: 'segment.delete',
};

/**
 * An export takes a copy of everything at once, which is more than to look at contacts. The URL of a webhook may hold a
 * credential of its receiver.
 */
const roles: Partial<Record<Name, Role>> = {
  searchContacts: 'viewer',
  exportContacts: 'member',
  listWebhooks: 'member',
  retrieveWebhook: 'member',
  listDeliveries: 'member',
  retrieveDelivery: 'member',
};

const forWebhookOwners: readonly Name[] = ['createWebhook', 'replayEvents', 'rotateWebhookSecret'];

/** The members' schema in place of the one for secrets, where there are two. */
function schemaForMembers<Schema>(schema: Schema): Schema {
  const names = Object.keys(schemasOfSecrets) as (keyof typeof schemasOfSecrets)[];
  const name = names.find((each) => Object.is(schemasOfSecrets[each], schema));
  return name === undefined ? schema : (schemasOfMembers[name] as Schema);
}

function forMembers([name, { permissions: _, permissionToInclude: _p, ...operation }]: [string, Operation]): [
  string,
  Operation,
] {
  const audit = audits[name as Name];
  const role = roles[name as Name];
  const { query, answer } = operation;
  const derived = {
    ...operation,
    id: `account.${operation.id}`,
    path: operation.path.replace('/v1/bots/', '/v1/account/bots/'),
    credentials: ['session'],
    ...(query !== undefined && { query: schemaForMembers(query) }),
    answer: answer.schema === undefined ? answer : { ...answer, schema: schemaForMembers(answer.schema) },
    ...(audit !== undefined && { audit }),
    ...(role !== undefined && { role }),
    // A page of events would otherwise be an export for viewers, whose role it is to look at contacts.
    ...(name === 'listEvents' && { roleToInclude: 'member' as const }),
    // Whoever names the receiver takes contacts out, and goes on to after they have left.
    ...(forWebhookOwners.includes(name as Name) && {
      role: 'owner' as const,
      settingForMembers: 'membersMayManageWebhooks' as const,
      needsRecentPassword: true,
    }),
    // A changed address alone needs it, which only its handler knows.
    ...(name === 'updateWebhook' && { errors: [...(operation.errors ?? []), 'password_required' as const] }),
    // All contacts at once are what a stolen session is worth most for.
    ...(name === 'exportContacts' && { needsRecentPassword: 'unlessContinued' as const }),
  } as const;
  return [`${name}AsMember`, derived];
}

export const memberContactOperations = Object.fromEntries(
  Object.entries<Operation>({
    ...contactOperations,
    ...attributeOperations,
    ...segmentOperations,
    ...eventOperations,
    ...webhookOperations,
  }).map(forMembers),
) as MemberContactOperations;
