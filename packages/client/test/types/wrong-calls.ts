// Checked by the compiler, never run: valid calls compile, and invalid calls do not.
import {
  ApiError,
  ConnectionError,
  type Contact,
  EmailTakenError,
  Roster,
  RosterError,
  type RowResult,
  ValidationError,
} from '../../src/index.ts';

declare const contact: Contact;
declare const signal: AbortSignal;
const options = { orgToken: 'rst_…', botId: 'bot_…', baseUrl: 'https://contacts.example.com' };

export function construct(maybe: number | undefined) {
  new Roster(options);
  new Roster({ ...options, timeoutMs: maybe, fetch, onRetry: ({ waitMs }) => waitMs.toFixed() });
  // @ts-expect-error It needs options.
  new Roster();
  // @ts-expect-error The secret is missing.
  new Roster({ botId: 'bot_…', baseUrl: 'https://contacts.example.com' });
  // @ts-expect-error The bot is missing.
  new Roster({ orgToken: 'rst_…', baseUrl: 'https://contacts.example.com' });
  // @ts-expect-error The address is missing.
  new Roster({ orgToken: 'rst_…', botId: 'bot_…' });
  // @ts-expect-error There is no such option.
  new Roster({ ...options, timeout: 5 });
  // @ts-expect-error A function is wanted, not its result.
  new Roster({ ...options, fetch: fetch('') });
}

export async function contacts({ contacts }: Roster, maybe: string | undefined) {
  const { status, data } = await contacts.create({ name: 'Jane', email: 'jane@example.com', phone: null, wid: maybe });
  const [shownStatus, shownId]: [number, string] = [status, data.id];
  // @ts-expect-error Only a search has pagination.
  (await contacts.create({ name: 'Jane', email: 'jane@example.com' })).pagination;
  // @ts-expect-error The email is missing.
  contacts.create({ name: 'Jane' });
  // @ts-expect-error The name is missing.
  contacts.create({ email: 'jane@example.com' });
  // @ts-expect-error Nothing is coerced: a phone number is text.
  contacts.create({ name: 'Jane', email: 'jane@example.com', phone: 5550100 });
  // @ts-expect-error The name cannot be cleared.
  contacts.create({ name: null, email: 'jane@example.com' });
  // @ts-expect-error There is no such field.
  contacts.create({ name: 'Jane', email: 'jane@example.com', fone: '1' });

  contacts.upsert([{ email: 'jane@example.com' }, contact] as const);
  // @ts-expect-error An upsert takes many.
  contacts.upsert({ email: 'jane@example.com' });
  // @ts-expect-error The email decides which contact it is.
  contacts.upsert([{ name: 'Jane' }]);

  const found = await contacts.search({ query: 'jane', page: 2, limit: 50 }, { signal, timeoutMs: 500, maxRetries: 0 });
  const total: number = found.pagination.total;
  contacts.search();
  contacts.search({ query: maybe });
  // @ts-expect-error A query is an object, so that there is room for page and limit.
  contacts.search('jane');
  // @ts-expect-error A page is a number.
  contacts.search({ page: '2' });
  // @ts-expect-error There is no such parameter.
  contacts.search({ q: 'jane' });

  const name: string = (await contacts.retrieve(contact.id)).data.name;
  // @ts-expect-error An id is text.
  contacts.retrieve(contact);
  // @ts-expect-error It needs an id.
  contacts.retrieve();

  contacts.update(contact.id, { phone: null });
  contacts.update(contact.id, contact);
  contacts.update(contact.id, { ...contact, name: 'Jane Roe' });
  // @ts-expect-error The changes are missing.
  contacts.update(contact.id);
  // @ts-expect-error There is no such field.
  contacts.update(contact.id, { fullName: 'Jane Roe' });

  const nothing: null = (await contacts.delete(contact.id)).data;
  // @ts-expect-error There is no such option.
  contacts.delete(contact.id, { force: true });
  return [shownStatus, shownId, total, name, nothing];
}

export async function tokens({ auth }: Roster) {
  const { data } = await auth.contacts.tokenize({ id: contact.id });
  const until: string = data.expiresAt;
  auth.contacts.tokenize({ email: 'jane@example.com' });
  // @ts-expect-error Either is needed.
  auth.contacts.tokenize({});
  // @ts-expect-error The id has a name.
  auth.contacts.tokenize(contact.id);
  auth.contacts.revoke({ contactToken: data.token });
  // @ts-expect-error The token has a name.
  auth.contacts.revoke(data.token);
  return until;
}

export async function many({ contacts }: Roster, rows: AsyncIterable<{ email: string; line: number }>) {
  for await (const { email } of contacts.iterate({ query: 'jane' }, { signal })) email.trim();
  // @ts-expect-error An iteration has no pages.
  contacts.iterate({ page: 2 });
  for await (const { email } of contacts.exportAll({ query: 'jane' }, { signal })) email.trim();
  // @ts-expect-error Single pages are of `export`.
  contacts.exportAll({ after: 'con_' });
  const { rejected } = await contacts.upsertAll(rows, {
    concurrency: 2,
    onProgress: ({ rows }) => void rows.toFixed(),
  });
  contacts.upsertAll([{ email: 'jane@example.com', name: 'Jane' }], { onResults: async (results) => void results });
  // @ts-expect-error These are not contacts.
  contacts.upsertAll(['jane@example.com']);
  // @ts-expect-error There is no such field.
  contacts.upsertAll([{ email: 'jane@example.com', fone: '1' }]);
  // @ts-expect-error There is no such option value.
  contacts.upsertAll([], { invalidRows: 'ignore' });
  return rejected;
}

export function results(result: RowResult): string {
  // @ts-expect-error Only a row that was written has an id.
  result.id;
  return result.outcome === 'upserted' ? result.id : result.errors.map(({ message }) => message).join();
}

export function errors(error: unknown): string | number | undefined {
  if (error instanceof EmailTakenError) return error.contactId;
  if (error instanceof ValidationError) return error.errors[0]?.field;
  // @ts-expect-error Other refusals name no contact.
  if (error instanceof ApiError) return error.contactId ?? error.status;
  // @ts-expect-error There is no status without an answer.
  if (error instanceof ConnectionError) return error.status.toFixed();
  if (error instanceof RosterError) return error.error?.code;
  return undefined;
}
