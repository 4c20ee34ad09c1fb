// How the console reaches the server: the client's transport, over the session in the cookie. Every request goes to the
// origin that the page came from.
import { Contacts, type Operation, type RequestOptions, Transport } from '@roster/client/parts';
import type { csrfHeader as CsrfHeader, Session } from '@roster/contract';
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

export class Connection {
  readonly #transport: Transport;
  readonly #headers: Record<string, string>;

  /** Without a session: for the pages on which there is none yet. */
  constructor(session?: Pick<Session, 'csrfToken'>) {
    this.#headers = { Accept: 'application/json', ...(session && { [csrfHeader]: session.csrfToken }) };
    // Before anybody is signed in, a refusal is shown at once: a password must not be sent again behind one's back.
    this.#transport = makeTransport(serviceUrl, this.#headers, session === undefined ? 0 : maxRetries);
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
    return new Contacts(
      makeTransport(`${serviceUrl}/v1/account/bots/${encodeURIComponent(botId)}`, this.#headers, maxRetries),
    );
  }
}

function makeTransport(botUrl: string, headers: Record<string, string>, maxRetries: number): Transport {
  return new Transport({
    botUrl,
    headers,
    secrets: [],
    fetch: (url, init) => fetch(url, { ...init, credentials: 'same-origin' }),
    timeoutMs,
    maxRetries,
    retryDelayMs,
    onRetry: undefined,
  });
}
