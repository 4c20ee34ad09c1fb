// The operations that the client calls: method, path and success as the contract has them (contract.test.ts compares),
// and what a second try of each may do.

/**
 * What a try leaves behind, and so whether another may follow when nobody knows if it was applied:
 *
 * - `read`: nothing.
 * - `repeatable`: the same whether it is applied once or twice.
 * - `removal`: nothing is left to remove the second time, so "not found" then means that it is done.
 * - `once`: a second try would be refused because of the first, and the caller told of a failure that was none.
 */
export type Effect = 'read' | 'repeatable' | 'removal' | 'once';

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the bot, with `{name}` for a path parameter. */
  readonly path: string;
  /** The one status of success. Anything else in the 200s did not come from Roster. */
  readonly success: 200 | 201 | 204;
  readonly effect: Effect;
}

export const operations = {
  createContact: { id: 'contacts.create', method: 'PUT', path: '/contacts', success: 201, effect: 'once' },
  upsertContacts: { id: 'contacts.upsert', method: 'PATCH', path: '/contacts', success: 200, effect: 'repeatable' },
  searchContacts: { id: 'contacts.search', method: 'POST', path: '/contacts', success: 200, effect: 'read' },
  retrieveContact: {
    id: 'contacts.retrieve',
    method: 'GET',
    path: '/contacts/{contactId}',
    success: 200,
    effect: 'read',
  },
  updateContact: {
    id: 'contacts.update',
    method: 'PATCH',
    path: '/contacts/{contactId}',
    success: 200,
    effect: 'repeatable',
  },
  deleteContact: {
    id: 'contacts.delete',
    method: 'DELETE',
    path: '/contacts/{contactId}',
    success: 204,
    effect: 'removal',
  },
  exportContacts: { id: 'contacts.export', method: 'GET', path: '/export', success: 200, effect: 'read' },
  // A repeat issues a second token. The first was lost on the way: only its hash is kept, so nobody can ever use it.
  tokenizeContact: {
    id: 'auth.contacts.tokenize',
    method: 'PUT',
    path: '/auth/contacts',
    success: 200,
    effect: 'repeatable',
  },
  revokeContactToken: {
    id: 'auth.contacts.revoke',
    method: 'DELETE',
    path: '/auth/contacts/{token}',
    success: 204,
    effect: 'removal',
  },
} as const satisfies Record<string, Operation>;

/** Limits of the contract that the client must know to cut and to walk. contract.test.ts compares them. */
export const limits = { contactsPerUpsert: 1000, pageSizeMax: 100 } as const;
