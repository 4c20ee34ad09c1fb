// Checked by the compiler, never run: valid calls compile, and invalid calls do not.
import type { IncomingHttpHeaders } from 'node:http';
import {
  ApiError,
  ConnectionError,
  type Contact,
  EmailTakenError,
  Roster,
  RosterError,
  type RowResult,
  ValidationError,
  verifyWebhook,
} from '../../src/index.ts';

declare const contact: Contact;
declare const signal: AbortSignal;
const options = { secret: 'rst_…', botId: 'bot_…', baseUrl: 'https://contacts.example.com' };

export function construct(maybe: number | undefined) {
  new Roster(options);
  new Roster({ ...options, timeoutMs: maybe, fetch, onRetry: ({ waitMs }) => waitMs.toFixed() });
  // @ts-expect-error It needs options.
  new Roster();
  // @ts-expect-error The secret is missing.
  new Roster({ botId: 'bot_…', baseUrl: 'https://contacts.example.com' });
  // @ts-expect-error The bot is missing.
  new Roster({ secret: 'rst_…', baseUrl: 'https://contacts.example.com' });
  // @ts-expect-error The address is missing.
  new Roster({ secret: 'rst_…', botId: 'bot_…' });
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

  contacts.search({ filter: { email: maybe, createdAt: { gte: '-30d', lt: new Date() } }, sort: '-updatedAt' });
  // @ts-expect-error Conditions are in the filter.
  contacts.search({ email: 'jane@example.com' });
  // @ts-expect-error There is no such condition.
  contacts.search({ filter: { name: 'Jane' } });
  // @ts-expect-error A time is compared with an operator.
  contacts.search({ filter: { createdAt: '-30d' } });
  // @ts-expect-error There is no such operator.
  contacts.search({ filter: { createdAt: { since: '-30d' } } });
  // @ts-expect-error A number could be seconds or milliseconds.
  contacts.search({ filter: { updatedAt: { gte: 1_790_000_000 } } });
  // @ts-expect-error There is no such order.
  contacts.search({ sort: 'phone' });

  const jane: Contact | undefined = (await contacts.find({ email: 'jane@example.com' }, { signal })).data;
  contacts.find({ wid: '+15550100123' });
  // @ts-expect-error There may be none.
  (await contacts.find({ mid: '42' })).data.name;
  // @ts-expect-error It needs one of them.
  contacts.find({});
  // @ts-expect-error A value that may be missing would find any contact.
  contacts.find({ phone: maybe });
  // @ts-expect-error `retrieve` is by id.
  contacts.find({ id: contact.id });

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
  return [shownStatus, shownId, total, name, nothing, jane];
}

export async function values({ contacts, segments }: Roster<{ plan: 'free' | 'pro'; seats: number; renewal: string }>) {
  const include = ['attributes', 'tags'] as const;
  const fields = { name: 'Jane', email: 'jane@example.com' };
  const { data: jane } = await contacts.create({ ...fields, attributes: { plan: 'pro', seats: null } }, { include });
  const tags: string[] = jane.tags;
  const plan: 'free' | 'pro' | undefined = jane.attributes.plan;
  // @ts-expect-error The contact may have no value.
  jane.attributes.seats.toFixed();
  // @ts-expect-error There is no such attribute.
  jane.attributes.color;
  // @ts-expect-error There is no such attribute.
  contacts.create({ ...fields, attributes: { color: 'red' } });
  // @ts-expect-error A plan is one of two.
  contacts.update(jane.id, { attributes: { plan: 'gold' } });
  // @ts-expect-error Tags are a list.
  contacts.upsert([{ email: jane.email, addTags: 'vip' }]);
  // @ts-expect-error Only with `include`.
  (await contacts.retrieve(jane.id)).data.tags;
  // @ts-expect-error Tags alone were asked for.
  (await contacts.find({ email: jane.email }, { include: ['tags'] })).data?.attributes;
  // @ts-expect-error There is nothing else to include.
  contacts.search({ include: ['tokens'] });
  for await (const { tags } of contacts.iterate({ include: ['tags'], segment: 'large' })) tags.join();
  for await (const { attributes } of contacts.exportAll({ include: ['attributes'] })) attributes.seats?.toFixed();

  const filter = {
    tag: ['vip'],
    attributes: { plan: ['pro'], seats: { gte: 10 }, renewal: { lt: new Date() } },
  } as const;
  contacts.search({ filter });
  segments.define('large', { label: 'Large', filter, sort: 'name' });
  contacts.search({ filter: { attributes: { plan: { exists: false }, seats: [1, 2], renewal: { gte: '-30d' } } } });
  // @ts-expect-error Several tags are a list, and so is one.
  contacts.search({ filter: { tag: 'vip' } });
  // @ts-expect-error There is no such attribute.
  contacts.search({ filter: { attributes: { color: ['red'] } } });
  // @ts-expect-error A plan has no order.
  contacts.search({ filter: { attributes: { plan: { gte: 'free' } } } });
  // @ts-expect-error Seats are numbers.
  contacts.search({ filter: { attributes: { seats: ['10'] } } });
  // @ts-expect-error A segment needs a filter, even an empty one.
  segments.define('large', { label: 'Large' });
  const total: number = (await segments.retrieve('large', { include: ['total'] })).data.total;
  // @ts-expect-error Only with `include`.
  (await segments.retrieve('large')).data.total;

  const { errors } = await contacts.upsert([{ email: jane.email }], { onError: 'skip' });
  const messages: string[] = errors.map(({ message }) => message);
  // @ts-expect-error Without `onError` an upsert is all or nothing.
  (await contacts.upsert([{ email: jane.email }])).errors.length;
  return [tags, plan, total, messages];
}

export function attributesOfBots(roster: Roster) {
  interface Values {
    seats: number;
  }
  roster.withOptions<Values>({ botId: 'bot_…' }).contacts.update(contact.id, { attributes: { seats: 7 } });
  roster.contacts.update(contact.id, { attributes: { seats: 7, plan: 'pro', trial: true } });
  // @ts-expect-error Nothing is coerced: no list is a value.
  roster.contacts.update(contact.id, { attributes: { seats: [7] } });
  // @ts-expect-error No attribute is a list.
  new Roster<{ seats: number[] }>(options);
  roster.attributes.define('seats', { type: 'number', label: 'Seats' });
  // @ts-expect-error There is no such type.
  roster.attributes.define('seats', { type: 'integer', label: 'Seats' });
  // @ts-expect-error The new name has a name.
  roster.tags.rename('vip', 'important');
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

export async function webhooks({ webhooks }: Roster, request: Request, headers: IncomingHttpHeaders) {
  const { data } = await webhooks.create({ url: 'https://shop.example.com', types: ['contact.created'] as const });
  const secret: string = data.secret;
  // @ts-expect-error The secret is shown once.
  (await webhooks.retrieve(data.id)).data.secret;
  // @ts-expect-error The address is missing.
  webhooks.create({ types: null });
  // @ts-expect-error There is no such type.
  webhooks.create({ url: 'https://shop.example.com', types: ['contact.merged'] });
  webhooks.update(data.id, { isEnabled: true, types: null });
  // @ts-expect-error Enabling has a name.
  webhooks.update(data.id, true);
  // @ts-expect-error There is no such status.
  webhooks.deliveries(data.id, { status: 'ok' });
  // @ts-expect-error The event is missing.
  webhooks.retry(data.id);
  webhooks.replay(data.id, { after: '000000000000-1' }, { signal });

  const message = await verifyWebhook<{ seats: number }>(await request.text(), request.headers, secret);
  const seats: number | undefined = message.data.contact?.attributes.seats;
  await verifyWebhook(await request.arrayBuffer(), headers, [secret, secret]);
  // @ts-expect-error The contact may be gone.
  message.data.contact.name;
  // @ts-expect-error The body is raw.
  verifyWebhook(await request.json().then((parsed: object) => parsed), headers, secret);
  // @ts-expect-error The secret is missing.
  verifyWebhook('', headers);
  return seats;
}

export async function many({ contacts }: Roster, rows: AsyncIterable<{ email: string; line: number }>) {
  for await (const { email } of contacts.iterate({ query: 'jane' }, { signal })) email.trim();
  contacts.iterate({ filter: { updatedAt: { gte: '-7d' } } });
  // @ts-expect-error An iteration has no pages.
  contacts.iterate({ page: 2 });
  // @ts-expect-error An iteration has an order of its own.
  contacts.iterate({ sort: 'name' });
  for await (const { email } of contacts.exportAll({ query: 'jane', filter: { phone: '1' } }, { signal })) email.trim();
  contacts.export({ filter: { mid: '42' }, after: 'con_', limit: 5 });
  // @ts-expect-error An export is oldest first.
  contacts.export({ sort: 'createdAt' });
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
