// A page of the console, for tests: it keeps its cookie as a browser does, and sends what the console sends.
import { csrfHeader, type Role } from '@roster/contract';
import { hashCredential } from '../src/account/credentials.ts';
import { csrfTokenOf, makeSession } from '../src/account/sessions.ts';
import type { Member, NewSession } from '../src/store/account/account-store.ts';
import { type CallOptions, callerOf, type Reply, type Tenant, type TestServer } from './harness.ts';
import { sampleContext, sampleHash, sampleInvitation, sampleJoining } from './sample.ts';

/** The public origin of the harness's servers. */
export const consoleOrigin = 'http://roster.test';

export class ConsolePage {
  /** As `name=value`; undefined without a session. */
  cookie: string | undefined;
  /** As `name=value`; undefined before a sign-in. */
  deviceCookie: string | undefined;
  csrfToken: string | undefined;
  readonly #call: ReturnType<typeof callerOf>;

  constructor(server: Pick<TestServer, 'url'>, tenant: Tenant) {
    this.#call = callerOf(server.url, tenant);
  }

  /** What the answer to a sign-in would have brought. */
  begin(token: string): void {
    this.cookie = `roster=${token}`;
    this.csrfToken = csrfTokenOf(hashCredential(token));
  }

  /** `path` is relative to `/v1/account`, or absolute. */
  async call(method: string, path: string, { headers = {}, ...options }: CallOptions = {}): Promise<Reply> {
    const target = path.startsWith('/') ? path : `/v1/account/${path}`;
    const reply = await this.#call(method, target, {
      ...options,
      token: null,
      headers: { ...this.headers(), ...headers },
    });
    for (const [pair, ...attributes] of reply.headers.getSetCookie().map((line) => line.split('; '))) {
      if (/^[\w-]*roster-device=/.test(pair ?? '')) this.deviceCookie = pair;
      else this.cookie = attributes.includes('Max-Age=0') ? undefined : pair;
    }
    if (typeof reply.json?.data?.csrfToken === 'string') this.csrfToken = reply.json.data.csrfToken;
    return reply;
  }

  headers(): Record<string, string> {
    const cookies = [this.cookie, this.deviceCookie].filter((cookie) => cookie !== undefined);
    return {
      origin: consoleOrigin,
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
      ...(this.csrfToken !== undefined && { [csrfHeader]: this.csrfToken }),
    };
  }
}

/** Another session of somebody whom `signInAs` has made. */
export async function signInAgain(server: TestServer, member: Member): Promise<ConsolePage> {
  const { token, session } = makeSession(server.clock.nowMs, { userAgent: undefined, address: undefined });
  await server.store.createSession(member.id, session, { passwordHash: nobodysPassword }, sampleContext());
  const page = new ConsolePage(server, server.mine);
  page.begin(token);
  return page;
}

/** In the right form, and of no password that anybody knows. */
const nobodysPassword = `$argon2id$v=19$m=64,t=1,p=1$${'c2Fs'.repeat(5)}$${'aGFz'.repeat(10)}aGE`;

/** Somebody who is signed in, made in the store: hashing a password takes as long as a hundred requests. */
export async function signInAs(
  server: TestServer,
  role: Role,
  tenant: Tenant = server.mine,
  passwordHash = nobodysPassword,
): Promise<{ page: ConsolePage; member: Member; token: string; session: NewSession }> {
  const { store, clock } = server;
  const hash = sampleHash();
  const expiresAtMs = clock.nowMs + 1000;
  await store.createInvitation(
    sampleInvitation(tenant.organizationId, { role, expiresAtMs }),
    hash,
    undefined,
    sampleContext(),
  );
  const { token, session } = makeSession(clock.nowMs, { userAgent: undefined, address: undefined });
  const outcome = await store.acceptInvitation(hash, sampleJoining({ passwordHash }), session, sampleContext());
  if (outcome.kind !== 'joined') throw new Error(outcome.kind);
  const page = new ConsolePage(server, tenant);
  page.begin(token);
  return { page, member: outcome.member, token, session };
}

/** A set-up code that works. */
export async function plantSetUpCode({ store, clock }: TestServer, code: string): Promise<void> {
  await store.keepSetUpCode(hashCredential(code), sampleContext({ nowMs: clock.nowMs }));
}
