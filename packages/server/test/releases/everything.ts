// Everything that an installation of a release holds, read over HTTP alone: once from the release itself, when its fixture is
// made (scripts/release-fixture.ts), and then from every later version that opens its data.

/** The public address of the servers, which is part of answers. */
export const publicUrl = 'http://roster.test';

/** How to get at what a fixture holds. Its credentials open nothing but the fixture. */
export interface Access {
  /** With all permissions, for all bots. */
  secret: string;
  /** Others that work, and one that was revoked. */
  limitedSecret: string;
  revokedSecret: string;
  botIds: string[];
  /** Of contacts of the first bot. */
  contactTokens: string[];
  revokedContactToken: string;
  owner: { email: string; password: string };
}

export type Everything = Awaited<ReturnType<typeof readEverything>>;

type Json = Record<string, unknown>;

export function requestsTo(url: string) {
  return async (
    method: string,
    path: string,
    options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const { token, body, headers } = options;
    const reply = await fetch(`${url}/v1/${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, json: text === '' ? undefined : JSON.parse(text) };
  };
}

export async function readEverything(url: string, access: Access) {
  const request = requestsTo(url);
  const get = async (path: string, token = access.secret) => {
    const { status, json } = await request('GET', path, { token });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  };
  const list = async (path: string): Promise<Json[]> => (await get(path)).data;
  const statusOf = async (path: string, token: string) => (await request('GET', path, { token })).status;
  const [firstBot = ''] = access.botIds;
  const bots: Json = {};
  for (const id of access.botIds) {
    const segments = await list(`bots/${id}/segments`);
    bots[id] = {
      contacts: await list(`bots/${id}/export?limit=1000&include=attributes,tags`),
      attributes: await list(`bots/${id}/attributes`),
      tags: await list(`bots/${id}/tags`),
      segments: await Promise.all(segments.map(({ key }) => get(`bots/${id}/segments/${key}?include=total`))),
      found: await Promise.all(
        ['zoë', 'example.com', '+1555'].map(async (words) => {
          const query = encodeURIComponent(words);
          return (await request('POST', `bots/${id}/contacts?query=${query}`, { token: access.secret })).json;
        }),
      ),
    };
  }
  const visitors = [];
  for (const token of access.contactTokens) visitors.push(await get(`bots/${firstBot}/auth/contact`, token));
  // When a secret was last used depends on who reads this.
  const secrets = (await list('account/secrets')).map(({ lastUsedAt: _, ...secret }) => secret);
  return {
    bots,
    visitors,
    accountBots: await list('account/bots'),
    secrets,
    members: await list('account/members'),
    invitations: await list('account/invitations'),
    audit: await list('account/audit?limit=100'),
    statuses: {
      limited: await Promise.all(access.botIds.map((id) => statusOf(`bots/${id}/contacts`, access.limitedSecret))),
      revoked: await statusOf(`bots/${firstBot}/contacts`, access.revokedSecret),
      revokedContactToken: await statusOf(`bots/${firstBot}/auth/contact`, access.revokedContactToken),
    },
  };
}

/** The status of a sign-in with the owner's password. */
export async function signIn(url: string, { email, password }: Access['owner']): Promise<number> {
  const headers = { origin: publicUrl };
  return (await requestsTo(url)('POST', 'account/session', { body: { email, password }, headers })).status;
}
