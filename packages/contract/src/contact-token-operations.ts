// The operations on the tokens of a contact, without the tokens themselves.
import * as z from 'zod';
import { contactTokenStateSchema } from './account.ts';
import type { Operation } from './operation.ts';
import { tokensQuerySchema } from './paging.ts';

const tokens = '/v1/account/bots/{botId}/contacts/{contactId}/tokens';

export const contactTokenOperations = {
  listContactTokens: {
    id: 'account.contacts.listTokens',
    method: 'GET',
    path: tokens,
    credentials: ['session', 'secret'],
    permissions: ['account:read'],
    summary: 'List the active tokens of a contact',
    description: 'Oldest first, without the tokens themselves. Pass `next` as `after` until it is null.',
    query: tokensQuerySchema,
    answer: {
      status: 200,
      description: 'One page and the position of the next.',
      schema: z.strictObject({
        data: z.array(contactTokenStateSchema),
        next: z
          .string()
          .nullable()
          .meta({ description: 'Pass it as `after` to get the next page; null on the last page.' }),
      }),
    },
  },
  revokeListedToken: {
    id: 'account.contacts.revokeToken',
    method: 'DELETE',
    path: `${tokens}/{tokenId}`,
    credentials: ['session', 'secret'],
    permissions: ['tokens:write'],
    summary: 'Revoke one token of a contact',
    description: 'Get `tokenId` from the list of the contact’s tokens.',
    audit: 'contact.revokeToken',
    answer: { status: 204, description: 'The token no longer works.' },
  },
  revokeContactTokens: {
    id: 'account.contacts.revokeTokens',
    method: 'DELETE',
    path: tokens,
    credentials: ['session', 'secret'],
    permissions: ['tokens:write'],
    summary: 'Revoke all tokens of a contact',
    audit: 'contact.revokeTokens',
    answer: { status: 204, description: 'All tokens of the contact no longer work.' },
  },
} as const satisfies Record<string, Operation>;
