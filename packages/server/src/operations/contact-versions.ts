// Versions of a contact in HTTP: the ETag of an answer, and If-Match of a write (RFC 9110, 8.8.3 and 13.1.1).
import { type Contact, isId } from '@roster/contract';
import { ApiError, invalidRequest, noSuchContact } from '../http/api-error.ts';
import type { Bot, ContactRef, Store } from '../store/store.ts';

export function etagOf({ updatedAt }: Contact): { ETag: string } {
  return { ETag: `"${Date.parse(updatedAt)}"` };
}

interface ConditionalCall {
  bot: Bot;
  params: { contactId: string };
  request: { headers: { 'if-match'?: string | undefined } };
}

/** What a write is about: the contact in the path, whose existence is checked first, or only the versions that the caller names. */
export async function contactOf(
  { bot, params: { contactId }, request }: ConditionalCall,
  store: Pick<Store, 'findContact'>,
): Promise<ContactRef> {
  if (!isId('contact', contactId)) throw noSuchContact();
  const ifMatch = request.headers['if-match']?.trim() ?? '*';
  if (ifMatch === '*') return contactId;
  const updatedAtMs = parseTags(ifMatch);
  if (updatedAtMs !== undefined) return { id: contactId, updatedAtMs };
  if ((await store.findContact(bot.id, contactId)) === undefined) throw noSuchContact();
  const message = 'must be the ETag of the contact, quotes included, like "1794648600123"; several with commas; or *';
  throw invalidRequest([{ field: 'If-Match', message }]);
}

/** The answer is the same for every reason, and names no version: not every caller who may write may read. */
export function otherVersion(): ApiError {
  const detail =
    'The contact is another version than If-Match names, so nothing was changed. Retrieve it, then repeat the request with its new ETag, which must not be weak (W/).';
  return new ApiError('precondition_failed', detail);
}

const tag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/** The times that the strong tags name; weak ones, and those of another form, are no version of ours. Undefined when malformed. */
function parseTags(list: string): number[] | undefined {
  const elements = list.replaceAll(tag, '""').split(',');
  const isList = elements.every((element) => ['', '""'].includes(element.trim())) && list.includes('"');
  if (!isList) return undefined;
  const strong = Array.from(list.matchAll(tag), ([, weak, text = '']) => (weak === undefined ? text : ''));
  return strong.filter((text) => /^[1-9][0-9]*$/.test(text)).map(Number);
}
