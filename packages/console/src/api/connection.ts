// The console's connection to the server: the client's transport with the session cookie. Every request goes to the
// page's own origin.
import {
  Attributes,
  Contacts,
  type Operation,
  type RequestOptions,
  Segments,
  Tags,
  Transport,
  Webhooks,
} from '@roster/client/parts';
import type { csrfHeader as CsrfHeader, taskHeader as TaskHeader } from '@roster/contract';
import { type AnswerOf, type BodyOf, type EndpointName, endpoints, type PathOf } from './endpoints.ts';
import { isPasswordRequired } from './failure.ts';

const csrfHeader: typeof CsrfHeader = 'Roster-Csrf';
const taskHeader: typeof TaskHeader = 'Roster-Task';

/** A password must not be sent again without the user's doing: each time counts as an attempt. */
const withPassword: readonly EndpointName[] = ['confirmPassword', 'updateOwnMember', 'changePassword'];

const timeoutMs = 30_000;
const maxRetries = 2;
const retryDelayMs = 400;

/** Includes the path of a proxy: the page is `…/console`. */
export const serviceUrl = `${location.origin}${location.pathname.replace(/\/console\/?$/, '')}`;

type CallInput<Of extends EndpointName> = (keyof PathOf<Of> extends never ? { path?: never } : { path: PathOf<Of> }) &
  (undefined extends BodyOf<Of> ? { body?: never } : { body: BodyOf<Of> }) & {
    query?: Record<string, string | number | readonly string[] | undefined>;
  };

/** The CSRF token that requests must carry besides the session cookie. */
export interface CsrfProof {
  csrfToken: string;
  /** Reads the token of the current session after a refusal. Undefined when it is another member's session. */
  renew(): Promise<string | undefined>;
  /** Asks the member for the password. False when they would rather not. */
  confirmPassword(): Promise<boolean>;
}

/** Sends a request again when the server has refused it until the member confirms their password. */
class ConfirmingTransport extends Transport {
  readonly #proof: CsrfProof | undefined;

  constructor(settings: ConstructorParameters<typeof Transport>[0], proof: CsrfProof | undefined) {
    super(settings);
    this.#proof = proof;
  }

  override async call<Body>(...args: Parameters<Transport['call']>) {
    try {
      return await super.call<Body>(...args);
    } catch (error) {
      if (!isPasswordRequired(error) || !(await this.#proof?.confirmPassword())) throw error;
      return super.call<Body>(...args);
    }
  }
}

export class Connection {
  readonly #transport: Transport;
  readonly #proof: CsrfProof | undefined;

  /** Without `proof`: a connection for pages without a session. */
  constructor(proof?: CsrfProof) {
    this.#proof = proof && { ...proof };
    // Without a session there are no retries: almost every request has a password or a code.
    this.#transport = this.#makeTransport(serviceUrl, proof === undefined ? 0 : maxRetries);
  }

  async call<Of extends EndpointName>(
    name: Of,
    { path, body, query }: CallInput<Of>,
    options?: RequestOptions,
  ): Promise<AnswerOf<Of>> {
    const operation: Operation = { id: name, ...(endpoints[name] as Omit<Operation, 'id'>) };
    const call = {
      operation,
      ...(path && { path }),
      ...(query && { query }),
      ...(body !== undefined && { body }),
    };
    const retries = withPassword.includes(name) ? { maxRetries: 0 } : {};
    return (await this.#transport.call<AnswerOf<Of>>(call, { ...options, ...retries })).body;
  }

  /** The client's operations on the contacts of a bot. `task`: what they are part of, for the audit log. */
  contactsOf(botId: string, task?: Record<string, string>): Contacts {
    const headers = task && { [taskHeader]: new URLSearchParams(task).toString() };
    return new Contacts(this.#transportOf(botId, headers));
  }

  attributesOf(botId: string): Attributes {
    return new Attributes(this.#transportOf(botId));
  }

  tagsOf(botId: string): Tags {
    return new Tags(this.#transportOf(botId));
  }

  segmentsOf(botId: string): Segments {
    return new Segments(this.#transportOf(botId));
  }

  webhooksOf(botId: string): Webhooks {
    return new Webhooks(this.#transportOf(botId));
  }

  #transportOf(botId: string, headers?: Record<string, string>): Transport {
    return this.#makeTransport(`${serviceUrl}/v1/account/bots/${encodeURIComponent(botId)}`, maxRetries, headers);
  }

  #makeTransport(botUrl: string, maxRetries: number, headers: Record<string, string> = {}): Transport {
    const settings = {
      botUrl,
      headers: { Accept: 'application/json', ...headers },
      secrets: [],
      fetch: (url: string, init: RequestInit) => this.#fetch(url, { ...init, credentials: 'same-origin' }),
      timeoutMs,
      maxRetries,
      retryDelayMs,
      onRetry: undefined,
    };
    return new ConfirmingTransport(settings, this.#proof);
  }

  /**
   * All tabs share one session cookie, but each has its own copy of the CSRF token: after a sign-in in another tab,
   * this tab's token is refused, and so is a request that was in flight with the old cookie. The server refuses them
   * before it does anything, so the request can safely be sent again.
   */
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const proof = this.#proof;
    if (proof === undefined) return fetch(url, init);
    const { csrfToken } = proof;
    const send = (token: string) => fetch(url, { ...init, headers: { ...init.headers, [csrfHeader]: token } });
    const reply = await send(csrfToken);
    if (reply.status !== 401 && reply.status !== 403) return reply;
    // Another request may have renewed the token meanwhile. When renewing fails, the refusal is the result.
    if (proof.csrfToken === csrfToken) proof.csrfToken = (await proof.renew().catch(() => undefined)) ?? csrfToken;
    if (proof.csrfToken === csrfToken) return reply;
    await reply.body?.cancel();
    return send(proof.csrfToken);
  }
}
