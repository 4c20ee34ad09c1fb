// What requests act in: a server of its own, an organization whose owner is never handed out, and for each episode a bot,
// a secret and a member of its own with all that they make. Turns plans into bytes.
import { randomBytes } from 'node:crypto';
import { csrfHeader, idKinds, operations, permissionNames, sessionCookie } from '@roster/contract';
import { ConsolePage, consoleOrigin } from '../console-client.ts';
import { callerOf, type Reply, type Tenant } from '../harness.ts';
import type { ServerProcess } from '../process/server-process.ts';
import type { RequestPlan } from './plans.ts';
import type { RawRequest } from './raw-bytes.ts';
import { closedReceiver, password } from './schema-values.ts';
import type { WireAnswer } from './wire.ts';

export const metricsToken = 'the-metrics-token-of-the-fuzz';

/** For the server's process: a loopback proxy is believed, so that each request has an address and a limit of its own. */
export const serverSettings = {
  ROSTER_PUBLIC_URL: consoleOrigin,
  ROSTER_TRUST_PROXY: '1',
  ROSTER_METRICS_TOKEN: metricsToken,
  ROSTER_SECURITY_CONTACT: 'mailto:security@example.com',
  // Its webhooks lead to closed ports of this machine.
  ROSTER_WEBHOOK_PRIVATE: '1',
};

const anyAddress = () => ({ 'x-forwarded-for': `203.0.${randomBytes(2).join('.')}` });

/** The organization, as its owner sees it. */
export class Owner {
  readonly url: string;
  readonly memberId: string;
  readonly #page: ConsolePage;
  /** Of the files that the server has, by path parameter. */
  readonly files: ReadonlyMap<string, string>;

  private constructor(page: ConsolePage, member: { url: string; id: string }, files: ReadonlyMap<string, string>) {
    this.url = member.url;
    this.memberId = member.id;
    this.#page = page;
    this.files = files;
  }

  static async setUp({ url, output }: Pick<ServerProcess, 'url' | 'output'>): Promise<Owner> {
    const code = /#\/setup\/(\S+)/.exec(output.stdout)?.[1];
    const page = new ConsolePage({ url }, {} as Tenant);
    const body = { code, organizationName: 'Fuzz', name: 'Owner', email: 'owner@example.com', password };
    const signedIn = require(await page.call('POST', 'setup', { body, headers: anyAddress() }), 200);
    const { json } = require(await page.call('GET', operations.readWidgetIntegrity.path), 200);
    const { text } = require(await page.call('GET', operations.readConsole.path), 200);
    const file = /console\/assets\/([\w.-]+)/.exec(text)?.[1] ?? '';
    const guide = require(await page.call('GET', operations.readGuide.path), 200);
    const guideFile = /guide\/files\/([\w.-]+)/.exec(guide.text)?.[1] ?? '';
    return new Owner(
      page,
      { url, id: signedIn.json.data.member.id },
      new Map([
        ['version', json.data.version as string],
        ['file', file],
        ['page', 'api'],
        ['section', 'operations'],
        ['subpage', 'install'],
        ['guideFile', guideFile],
      ]),
    );
  }

  /** A page of a new owner. */
  async join(): Promise<ConsolePage> {
    const email = `member-${randomBytes(8).toString('hex')}@example.com`;
    const invited = await this.#page.call('POST', 'invitations', { body: { email, role: 'owner' } });
    const token = /[^/]+$/.exec(require(invited, 201).json.data.link)?.[0];
    const page = new ConsolePage(this, {} as Tenant);
    const body = { token, name: 'Member', password };
    require(await page.call('POST', 'invitations/accept', { body, headers: anyAddress() }), 200);
    return page;
  }

  async makeBot(): Promise<string> {
    return require(await this.#page.call('POST', 'bots', { body: { name: 'Fuzz' } }), 201).json.data.id;
  }

  async makeSecret(): Promise<{ id: string; secret: string }> {
    const body = { name: 'Fuzz', permissions: permissionNames };
    return require(await this.#page.call('POST', 'secrets', { body }), 201).json.data;
  }

  /** A long run outlasts the time for which a typed password counts. */
  async confirmPassword(): Promise<void> {
    require(await this.#page.call('POST', 'session/confirm', { body: { password }, headers: anyAddress() }), 204);
  }

  /** What is gone already is fine. */
  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) await this.#page.call('DELETE', path);
  }
}

function require(reply: Reply, status: number): Reply {
  if (reply.status !== status) throw new Error(`The fuzz could not prepare: ${reply.status} ${reply.text}`);
  return reply;
}

/** Where a member finds each kind of object, to remove it. */
const collections = { botId: 'bots', secretId: 'secrets', memberId: 'members', invitationId: 'invitations' } as const;
const idForm = /\b([a-z]{3})_(?:[a-z][0-9]){17}\b/g;
const kindOfPrefix = new Map<string, string>(
  Object.entries(idKinds).map(([kind, { prefix }]) => [prefix, `${kind}Id`]),
);

export class World {
  readonly #owner: Owner;
  /** By kind; the first of each is the run's own. */
  readonly #known = new Map<string, string[]>();
  #secret = '';
  #cookie = '';
  #csrfToken = '';
  #requests = 0;

  private constructor(owner: Owner) {
    this.#owner = owner;
    for (const [kind, name] of owner.files) this.#note(kind, name);
  }

  static async open(owner: Owner): Promise<World> {
    const world = new World(owner);
    await owner.confirmPassword();
    world.#note('botId', await owner.makeBot());
    world.#note('botId', await owner.makeBot());
    await world.#renewSecret();
    await world.#renewSession();
    await world.#addContacts();
    return world;
  }

  /** Secrets, sessions and tokens: nothing that a log may hold. */
  get credentials(): string[] {
    const told = ['token', 'webhookSecret'].flatMap((kind) => this.#known.get(kind) ?? []);
    return [this.#secret, this.#cookie.replace(/^.*=/, ''), ...told];
  }

  get botId(): string {
    return this.#resolve('~botId.0~');
  }

  get secret(): string {
    return this.#secret;
  }

  /** Replaces the bot that an odd request has deleted, and the secret that one has revoked or limited. */
  async restore(): Promise<void> {
    const call = () => this.#callBot('GET', 'contacts?limit=1');
    if ((await call()).status === 404) this.#noteFirst('botId', await this.#owner.makeBot());
    if ((await call()).status !== 200) await this.#renewSecret();
  }

  toRequest(plan: RequestPlan): RawRequest {
    const { method, isChunked } = plan;
    const target = this.#resolve(plan.target);
    const body = plan.body && Buffer.from(this.#resolve(plan.body.toString('latin1')), 'latin1');
    const given = plan.headers.map(([name, value]) => [name, this.#resolve(value)]);
    const names = new Set(given.map(([name]) => name));
    const own: [string, string][] = [
      ['host', 'roster.test'],
      // Of this episode's own making, and the same in a replay.
      ['x-forwarded-for', `198.51.${(this.#requests++ >> 8) & 255}.${this.#requests & 255}`],
      ...this.#credentialOf(plan),
      ...(body === undefined
        ? []
        : [isChunked ? ['transfer-encoding', 'chunked'] : ['content-length', String(body.length)]]),
    ] as [string, string][];
    const headers = [...own.filter(([name]) => !names.has(name)), ...given];
    const head = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
    return { head, body: body === undefined ? Buffer.alloc(0) : isChunked ? inChunks(body) : body };
  }

  /** What an answer brings to light is used by later requests. What the answer ends is replaced. */
  async learn(plan: RequestPlan, { status, headers, body }: WireAnswer): Promise<void> {
    const text = body.toString('latin1');
    if (status < 300 && text.length < 200_000) {
      for (const [id, prefix] of text.matchAll(idForm)) {
        const kind = kindOfPrefix.get(`${prefix}_`);
        // Lists name what belongs to other episodes.
        const isOwn = kind !== undefined && (!(kind in collections) || plan.method !== 'GET');
        // The owner stays, who is named as the creator of secrets.
        if (isOwn && id !== this.#owner.memberId) this.#note(kind, id);
      }
      for (const [token] of text.matchAll(/c:[\w-]{43}/g)) this.#note('token', token);
      for (const [secret] of text.matchAll(/whsec_[\w+/]{43}=/g)) this.#note('webhookSecret', secret);
      for (const [, token = ''] of text.matchAll(/console#\/\w+\/([\w-]+)/g)) this.#note('linkToken', token);
      this.#keepSession(headers.get('set-cookie') ?? '', text);
    }
    if (status === 401 && plan.credential === 'own') {
      if (plan.kind === 'session') await this.#renewSession();
      if (plan.kind === 'secret') await this.#renewSecret();
    }
  }

  /** The organization is left as it was found, so that no list of it grows without end. */
  async close(): Promise<void> {
    const paths = Object.entries(collections).flatMap(([kind, collection]) =>
      (this.#known.get(kind) ?? []).map((id) => `${collection}/${id}`),
    );
    await this.#owner.remove(paths);
  }

  #note(kind: string, value: string): void {
    const known = this.#known.get(kind) ?? [];
    if (!known.includes(value)) known.push(value);
    this.#known.set(kind, known);
  }

  #noteFirst(kind: string, value: string): void {
    this.#known.set(kind, [value, ...(this.#known.get(kind) ?? [])]);
  }

  #resolve(text: string): string {
    return text.replaceAll(/~(\w+)([.!])(\d+)~/g, (_, kind: string, which: string, n: string) => {
      const known = this.#known.get(kind) ?? [];
      const choice = which === '.' ? known : known.slice(1);
      const prefix = idKinds[kind.replace(/Id$/, '') as keyof typeof idKinds]?.prefix ?? '';
      return choice[Number(n) % choice.length] ?? `${prefix}${'a0'.repeat(17)}`;
    });
  }

  async #renewSecret(): Promise<void> {
    const { id, secret } = await this.#owner.makeSecret();
    this.#secret = secret;
    this.#noteFirst('secretId', id);
  }

  async #renewSession(): Promise<void> {
    const page = await this.#owner.join();
    this.#cookie = page.cookie ?? '';
    this.#csrfToken = page.csrfToken ?? '';
    const { json } = await page.call('GET', 'session');
    this.#known.set('memberEmail', [json.data.member.email]);
    this.#noteFirst('memberId', json.data.member.id);
  }

  #callBot(method: string, path: string, body?: object): Promise<Reply> {
    const call = callerOf(this.#owner.url, { secret: this.#secret, bot: { id: this.botId } } as Tenant);
    return call(method, path, body === undefined ? {} : { body });
  }

  async #addContacts(): Promise<void> {
    const values = { attributes: { plan: 'pro', size: 'large' }, tags: ['vip'] };
    require(await this.#callBot('PUT', 'attributes/plan', { type: 'text', label: 'Plan' }), 201);
    const size = { type: 'choice', label: 'Size', choices: ['Small', 'Large'] };
    require(await this.#callBot('PUT', 'attributes/size', size), 201);
    require(await this.#callBot('PUT', 'segments/plan', { label: 'Plan', filter: { tag: ['vip'] } }), 201);
    this.#note('key', 'plan');
    this.#note('key', 'size');
    this.#note('tag', 'vip');
    const data = Array.from({ length: 8 }, (_, n) => ({ name: `Fuzz ${n}`, email: `fuzz${n}@example.com`, ...values }));
    const { json } = require(await this.#callBot('PATCH', 'contacts', { data }), 200);
    for (const { id } of json.data) this.#note('contactId', id);
    const token = require(await this.#callBot('POST', 'auth/contact', { email: 'fuzz0@example.com' }), 200);
    this.#note('token', token.json.token);
    this.#note('tokenId', '1-0000000000000000');
    const webhook = require(await this.#callBot('POST', 'webhooks', { url: closedReceiver }), 201);
    this.#note('webhookId', webhook.json.data.id);
  }

  #keepSession(setCookie: string, text: string): void {
    const cookie = new RegExp(`^${sessionCookie.plain}=[^;]+`, 'm').exec(setCookie)?.[0];
    const csrfToken = /"csrfToken":"([^"]+)"/.exec(text)?.[1];
    if (cookie === undefined || csrfToken === undefined) return;
    this.#cookie = cookie;
    this.#csrfToken = csrfToken;
  }

  #credentialOf({ credential, kind }: RequestPlan): [string, string][] {
    const page: [string, string][] = [['origin', consoleOrigin]];
    const session: [string, string][] = [...page, ['cookie', this.#cookie], [csrfHeader, this.#csrfToken]];
    const bearer = (token: string): [string, string][] => [['authorization', `Bearer ${token}`]];
    const contactToken = this.#resolve('~token.0~');
    switch (credential) {
      case 'none':
        return [];
      case 'malformed':
        return kind === 'session' ? [...page, ['cookie', `${sessionCookie.plain}=${'x'.repeat(43)}`]] : bearer('rst_x');
      case 'unknown':
        return kind === 'session'
          ? [...page, ['cookie', `${this.#cookie.slice(0, -1)}~`]]
          : bearer(`${this.#secret.slice(0, -1)}~`);
      case 'otherKind':
        return kind === 'secret' ? bearer(contactToken) : bearer(`c:${'x'.repeat(43)}`);
    }
    switch (kind) {
      case 'secret':
        return bearer(this.#secret);
      case 'contactToken':
        return bearer(contactToken);
      case 'session':
        return session;
      case 'signIn':
        return page;
      case 'metrics':
        return bearer(metricsToken);
      default:
        return [];
    }
  }
}

function inChunks(body: Buffer): Buffer {
  const middle = Math.floor(body.length / 3);
  const parts = [body.subarray(0, middle), body.subarray(middle)].filter((part) => part.length > 0);
  const chunks = parts.map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  );
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}
