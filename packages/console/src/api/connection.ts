// How the console reaches the server: the client's transport, over the session in the cookie. Every request goes to the
// origin that the page came from.
import { Contacts, type Operation, type RequestOptions, Transport } from '@roster/client/parts';
import type { csrfHeader as CsrfHeader } from '@roster/contract';
import { type AnswerOf, type BodyOf, type EndpointName, endpoints, type PathOf } from './endpoints.ts';

const csrfHeader: typeof CsrfHeader = 'Roster-Csrf';

const timeoutMs = 30_000;
const maxRetries = 2;
const retryDelayMs = 400;

/** Below a proxy's path too: the page is `…/console`. */
export const serviceUrl = `${location.origin}${location.pathname.replace(/\/console\/?$/, '')}`;

type Given<Of extends EndpointName> = (keyof PathOf<Of> extends never ? { path?: never } : { path: PathOf<Of> }) &
  (undefined extends BodyOf<Of> ? { body?: never } : { body: BodyOf<Of> }) & {
    query?: Record<string, string | number | undefined>;
  };

/** What the session in the cookie asks of requests that change something. */
export interface SessionProof {
  csrfToken: string;
  /** Asked when a request was refused: the token of the session that the cookie holds now, if it is the same member's. */
  renew(): Promise<string | undefined>;
}

export class Connection {
  readonly #transport: Transport;
  readonly #proof: SessionProof | undefined;

  /** Without a session: for the pages on which there is none yet. */
  constructor(proof?: SessionProof) {
    this.#proof = proof && { ...proof };
    // Before anybody is signed in, a refusal is shown at once: a password must not be sent again behind one's back.
    this.#transport = this.#makeTransport(serviceUrl, proof === undefined ? 0 : maxRetries);
  }

  async call<Of extends EndpointName>(
    name: Of,
    { path, body, query }: Given<Of>,
    options?: RequestOptions,
  ): Promise<AnswerOf<Of>> {
    const operation: Operation = { id: name, ...(endpoints[name] as Omit<Operation, 'id'>) };
    const call = {
      operation,
      ...(path && { path }),
      ...(query && { query }),
      ...(body !== undefined && { body }),
    };
    return (await this.#transport.call<AnswerOf<Of>>(call, options)).body;
  }

  /** The contacts of a bot, as the client has them. */
  contactsOf(botId: string): Contacts {
    return new Contacts(this.#makeTransport(`${serviceUrl}/v1/account/bots/${encodeURIComponent(botId)}`, maxRetries));
  }

  #makeTransport(botUrl: string, maxRetries: number): Transport {
    return new Transport({
      botUrl,
      headers: { Accept: 'application/json' },
      secrets: [],
      fetch: (url, init) => this.#fetch(url, { ...init, credentials: 'same-origin' }),
      timeoutMs,
      maxRetries,
      retryDelayMs,
      onRetry: undefined,
    });
  }

  /**
   * All tabs have one cookie, but each has the token that it was told last: after a sign-in in another tab this one's is
   * refused. Such a refusal comes before anything is done, so that whatever was asked may be asked once more.
   */
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const proof = this.#proof;
    if (proof === undefined) return fetch(url, init);
    const { csrfToken } = proof;
    const send = (token: string) => fetch(url, { ...init, headers: { ...init.headers, [csrfHeader]: token } });
    const reply = await send(csrfToken);
    if (reply.status !== 403) return reply;
    // Unless another request has done so meanwhile. When it cannot be asked, the refusal stands.
    if (proof.csrfToken === csrfToken) proof.csrfToken = (await proof.renew().catch(() => undefined)) ?? csrfToken;
    if (proof.csrfToken === csrfToken) return reply;
    await reply.body?.cancel();
    return send(proof.csrfToken);
  }
}
