// Versions of a contact, as `If-Match` names them.
import type { Contact } from './api-types.ts';
import { UsageError } from './errors.ts';

/** The version of a contact: the `ETag` that the server sends with it. */
export function etagOf({ updatedAt }: Pick<Contact, 'updatedAt'>): string {
  const updatedAtMs = Date.parse(updatedAt);
  if (Number.isNaN(updatedAtMs)) throw new UsageError('a contact without a valid updatedAt has no version');
  return `"${updatedAtMs}"`;
}

/** What an HTTP header may hold; fetch refuses the rest. */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface IfMatch {
  /**
   * The contact as it was read, or the ETag of a version: only this version is changed. The server refuses another one with
   * `PreconditionFailedError`.
   */
  ifMatch?: Pick<Contact, 'updatedAt'> | string | undefined;
}

export function ifMatchHeader({ ifMatch }: IfMatch = {}): { 'If-Match': string } | undefined {
  if (ifMatch === undefined) return undefined;
  const etag = typeof ifMatch === 'string' ? ifMatch : etagOf(ifMatch);
  if (!headerText.test(etag)) throw new UsageError('ifMatch must be a contact or an ETag, like "1794648600123"');
  return { 'If-Match': etag };
}
