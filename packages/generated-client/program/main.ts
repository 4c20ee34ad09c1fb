// A program with a generated client, as a user would write it: what the test compiles against the generated types and runs
// against a server. It reports what it saw as JSON.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type Contact = components['schemas']['Contact'];
type Problem = components['schemas']['Problem'];

const [baseUrl = '', botId = '', secret = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${secret}` } });
const path = { botId };

/** The data of an answer. An error ends the program. */
function take<Data>({ data, error }: { data?: Data; error?: Problem }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const collection = '/v1/bots/{botId}/contacts';
const single = '/v1/bots/{botId}/contacts/{contactId}';

const body = { name: 'Jane Doe', email: 'jane@example.com', phone: null };
const creation = await client.PUT(collection, { params: { path }, body });
const created: Contact = take(creation).data;
const one = { path: { botId, contactId: created.id } };

const search = await client.POST(collection, { params: { path, query: { query: 'doe jane', limit: 5 } } });
const { data: found, pagination } = take(search);
const read = take(await client.GET(single, { params: one })).data;
const updated = take(await client.PATCH(single, { params: one, body: { wid: '+1 (555) 010-0123' } })).data;
const rows = take(
  await client.PATCH(collection, { params: { path }, body: { data: [{ email: 'joe@example.com', name: 'Joe' }] } }),
).data;
const token = take(
  await client.POST('/v1/bots/{botId}/auth/contact', { params: { path }, body: { email: created.email } }),
);
const taken = await client.PUT(collection, { params: { path }, body });
const deletion = await client.DELETE(single, { params: one });
const gone = await client.GET(single, { params: one });
const { data: settings } = take(await client.GET('/v1/bots/{botId}/widget', { params: { path } }));

/** Never called: each line is a mistake, or an assumption that the API does not promise, which must not compile. */
export async function mistakes(): Promise<void> {
  // @ts-expect-error There is no such path.
  await client.GET('/v1/bots/{botId}/contact', { params: { path } });
  // @ts-expect-error A contact needs a name.
  await client.PUT(collection, { params: { path }, body: { email: 'jane@example.com' } });
  // @ts-expect-error A phone is text.
  await client.PUT(collection, { params: { path }, body: { ...body, phone: 5_550_100 } });
  // @ts-expect-error Nothing is coerced: a token is for an id or an email.
  await client.POST('/v1/bots/{botId}/auth/contact', { params: { path }, body: { id: 1 } });
  // @ts-expect-error A role that may be sent is one of those that the server knows.
  await client.PATCH('/v1/account/members/{memberId}', { params: { path: { memberId: '' } }, body: { role: 'admin' } });
  // @ts-expect-error Other positions may come.
  const position: 'left' | 'right' = settings.position;
  // @ts-expect-error Other codes may come.
  const code: 'email_taken' | 'not_found' | undefined = gone.error?.code;
  console.log(position, code);
}

console.log(
  JSON.stringify({
    created,
    creation: [creation.response.status, creation.response.headers.get('location')],
    found: [found.map(({ id }) => id), pagination.total],
    read,
    updated,
    rows: rows.map(({ index }) => index),
    token: token.token,
    taken: [taken.response.status, taken.error?.code, taken.error?.contactId],
    deletion: deletion.response.status,
    gone: [gone.response.status, gone.error?.code],
    settings: settings.name,
  }),
);
