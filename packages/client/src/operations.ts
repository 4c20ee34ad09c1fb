// The operations that the client calls: method, path and success status as in the contract (contract.test.ts compares
// them), and whether each may be retried.

/**
 * The effect of a request, which decides whether it is retried when the outcome of a try is unknown:
 *
 * - `read`: changes nothing, so it is retried.
 * - `repeatable`: idempotent, so it is retried.
 * - `removal`: idempotent, so it is retried; "not found" after a try with unknown outcome is a success.
 * - `once`: not retried. If the first try was applied, a second one would conflict with it and report a failure.
 */
export type Effect = 'read' | 'repeatable' | 'removal' | 'once';

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the bot, with `{name}` for a path parameter. */
  readonly path: string;
  /** The only status of success. Any other 2xx did not come from Roster. */
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
  // What a first try with unknown outcome deleted, a second one finds gone.
  deleteContacts: {
    id: 'contacts.deleteMany',
    method: 'POST',
    path: '/contacts/delete',
    success: 200,
    effect: 'repeatable',
  },
  exportContacts: { id: 'contacts.export', method: 'GET', path: '/export', success: 200, effect: 'read' },
  // A retry issues a second token. The first was lost with the answer and cannot be used: the server stores its hash
  // only.
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

/** Limits of the contract that batches and page walks depend on. contract.test.ts compares them. */
export const limits = { contactsPerUpsert: 1000, pageSizeMax: 100 } as const;
