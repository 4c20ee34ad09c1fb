// The operations on a bot's contacts, as an organization's server calls them with its secret.
import * as z from 'zod';
import {
  type ContactInclude,
  contactCreateSchema,
  contactIdSchema,
  contactUpdateSchema,
  contactUpsertSchema,
  type IncludingContact,
  includingContactSchema,
  memberContactSchema,
} from './contact.ts';
import { errorsTruncatedSchema, fieldErrorSchema } from './errors.ts';
import { limits } from './limits.ts';
import { contactOutcomes, readOnlyContactFields } from './names.ts';
import type { Operation } from './operation.ts';
import {
  exportQuerySchema,
  include,
  paginationSchema,
  searchQuerySchema,
  totalAge,
  upsertQuerySchema,
} from './paging.ts';

/** The parameters and answers that depend on what `include` may name. */
function schemasOf(names: readonly ContactInclude[], contact: z.ZodType<IncludingContact>) {
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const including = { include: include(names, `What to add to each contact: ${listed}.`) };
  return {
    query: z.object(including),
    searchQuery: searchQuerySchema.safeExtend(including),
    exportQuery: exportQuerySchema.safeExtend(including),
    oneContact: z.strictObject({ data: contact }),
    changedContact: z.strictObject({ data: contact }),
    contactPage: z.strictObject({ data: z.array(contact), pagination: paginationSchema }),
    exportPage: z.strictObject({
      data: z.array(contact),
      next: z
        .string()
        .nullable()
        .meta({ description: 'Pass it as `after` to get the next page; null on the last page.' }),
    }),
  };
}

const idAlone = z
  .strictObject({ id: contactIdSchema })
  .meta({ description: 'All that is answered to a secret without `contacts:read`.' });

export const schemasOfSecrets = {
  ...schemasOf(['attributes', 'tags'], includingContactSchema),
  changedContact: z.strictObject({ data: z.union([includingContactSchema, idAlone]) }),
};
/** When a contact was last seen is for people to look at. */
export const schemasOfMembers = schemasOf(['attributes', 'tags', 'lastSeenAt'], memberContactSchema);
const { query, searchQuery, exportQuery, oneContact, changedContact, contactPage, exportPage } = schemasOfSecrets;

/** A member reads when a contact was last seen, and may send it back. */
const readOnly = [...readOnlyContactFields, 'lastSeenAt'];

const collection = '/v1/bots/{botId}/contacts';
const member = '/v1/bots/{botId}/contacts/{contactId}';

export const contactOperations = {
  createContact: {
    id: 'contacts.create',
    method: 'PUT',
    path: collection,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    permissionToInclude: 'contacts:read',
    summary: 'Create a contact',
    query,
    body: { schema: contactCreateSchema, media: ['json'], holdsContacts: true, isValidatedByHandler: true, readOnly },
    answer: {
      status: 201,
      description: 'The new contact.',
      schema: oneContact,
      headers: ['Location', 'ETag'],
    },
    errors: ['email_taken', 'limit_reached'],
  },
  upsertContacts: {
    id: 'contacts.upsert',
    method: 'PATCH',
    path: collection,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Create or update many contacts',
    description: `Up to ${limits.contactsPerUpsert} contacts, matched by email. All or nothing: if one item is invalid, nothing is written, unless you pass \`onError=skip\`. Items are applied in order, so a later item with the same email updates the earlier one.`,
    query: upsertQuerySchema,
    body: {
      schema: z.object({ data: z.array(contactUpsertSchema).max(limits.contactsPerUpsert) }),
      media: ['json'],
      holdsContacts: true,
      isValidatedByHandler: true,
      readOnly,
    },
    answer: {
      status: 200,
      description: 'One row per item, in order.',
      schema: z.strictObject({
        data: z.array(
          z.strictObject({
            index: z.int().min(0),
            id: contactIdSchema,
            outcome: z.enum(contactOutcomes).optional().meta({ description: 'Only with `include=outcome`.' }),
          }),
        ),
        errors: z.array(fieldErrorSchema).optional().meta({
          description: 'Only with `onError=skip`: why the other items were skipped, at least one error for each.',
        }),
        errorsTruncated: errorsTruncatedSchema.optional(),
      }),
    },
    errors: ['too_many_contacts', 'limit_reached'],
  },
  searchContacts: {
    id: 'contacts.search',
    method: 'POST',
    path: collection,
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'Search contacts',
    description: `Newest first, unless you pass \`sort\`. Without a query and filters, lists all contacts of the bot. A body is ignored. ${totalAge}`,
    query: searchQuery,
    isLogged: false,
    answer: { status: 200, description: 'One page of contacts.', schema: contactPage },
  },
  listContacts: {
    id: 'contacts.list',
    method: 'GET',
    path: collection,
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'List or search contacts',
    description: 'The same as the search with POST.',
    query: searchQuery,
    answer: { status: 200, description: 'One page of contacts.', schema: contactPage },
  },
  retrieveContact: {
    id: 'contacts.retrieve',
    method: 'GET',
    path: member,
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'Retrieve a contact',
    query,
    answer: { status: 200, description: 'The contact.', schema: oneContact, headers: ['ETag'] },
  },
  updateContact: {
    id: 'contacts.update',
    method: 'PATCH',
    path: member,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    permissionToInclude: 'contacts:read',
    summary: 'Update a contact',
    description:
      'A field that is left out keeps its value. `null` and the empty string clear phone, wid and mid, and remove the value of an attribute. A secret without `contacts:read` gets the id alone, without an `ETag`.',
    query,
    body: {
      schema: contactUpdateSchema,
      media: ['json'],
      holdsContacts: true,
      isOptional: true,
      isValidatedByHandler: true,
      readOnly,
    },
    takesIfMatch: true,
    answer: { status: 200, description: 'The updated contact.', schema: changedContact, headers: ['ETag'] },
    errors: ['email_taken', 'limit_reached'],
  },
  deleteContact: {
    id: 'contacts.delete',
    method: 'DELETE',
    path: member,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Delete a contact',
    description: 'Also deletes its contact tokens.',
    takesIfMatch: true,
    answer: { status: 204, description: 'Deleted.' },
  },
  deleteContacts: {
    id: 'contacts.deleteMany',
    method: 'POST',
    path: '/v1/bots/{botId}/contacts/delete',
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Delete many contacts',
    description: `Up to ${limits.contactsPerDelete} contacts by id, with their contact tokens, in one transaction. Unknown ids are not an error.`,
    body: {
      schema: z.object({ ids: z.array(z.string()).max(limits.contactsPerDelete) }),
      media: ['json'],
      isValidatedByHandler: true,
    },
    answer: {
      status: 200,
      description: 'One row per id, in order.',
      schema: z.strictObject({
        data: z.array(
          z.strictObject({
            index: z.int().min(0),
            id: z.string(),
            isDeleted: z.boolean().meta({ description: 'Whether a contact with this id was deleted.' }),
          }),
        ),
      }),
    },
    errors: ['too_many_contacts'],
  },
  exportContacts: {
    id: 'contacts.export',
    method: 'GET',
    path: '/v1/bots/{botId}/export',
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'Export all or matching contacts',
    description:
      'Oldest first. Pass `next` as `after` until it is null, with the same query and filters. Each page is equally fast, however many contacts there are.',
    query: exportQuery,
    isLogged: true,
    answer: {
      status: 200,
      description: 'One page and the position of the next.',
      schema: exportPage,
    },
  },
} as const satisfies Record<string, Operation>;
