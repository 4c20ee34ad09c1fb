// The client: its options, which the constructor checks, and its resources.
import { fillPath, readBaseUrl } from './address.ts';
import type { AttributeTypes, AttributeValues } from './attribute-types.ts';
import { Attributes } from './attributes.ts';
import { ContactTokens } from './contact-tokens.ts';
import { Contacts } from './contacts.ts';
import { UsageError } from './errors.ts';
import { Events } from './events.ts';
import { refuseBrowsers } from './refuse-browsers.ts';
import { Segments } from './segments.ts';
import { Tags } from './tags.ts';
import { type Retry, Transport } from './transport.ts';
import type { Fetch } from './try-once.ts';
import { version } from './version.ts';
import { Webhooks } from './webhooks.ts';

export interface RosterOptions {
  /** The secret of your organization, `rst_…`. For servers only. */
  secret: string;
  /** `bot_…`: whose contacts these are. */
  botId: string;
  /** Address of your Roster server, like `https://contacts.example.com`. */
  baseUrl: string;
  /** For each try, including reading the answer. Default 30 seconds. */
  timeoutMs?: number | undefined;
  /** Tries after the first, where a retry is safe. Default 3. */
  maxRetries?: number | undefined;
  /** Upper limit of the delay before the first retry; it doubles with each further one. Default 500. */
  retryDelayMs?: number | undefined;
  /** Called before each delay, for example to log it. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Replaces the platform's `fetch`, for a proxy, a custom certificate or tracing. */
  fetch?: Fetch | undefined;
}

/** The secret's earlier name, which goes on working. */
type Earlier<Options extends { secret?: unknown }> = Omit<Options, 'secret'> & { orgToken: string };

const timeoutDefaultMs = 30_000;
const maxRetriesDefault = 3;
const retryDelayDefaultMs = 500;

/** The characters of a bearer token (RFC 6750). fetch would quote any other header value in its error. */
const bearerForm = /^[\w.~+/-]+=*$/;

/** The type parameter says which attributes the bot defines. Only the compiler uses it. */
export class Roster<AttributesOfBot extends AttributeTypes<AttributesOfBot> = AttributeValues> {
  readonly baseUrl: string;
  readonly botId: string;
  readonly contacts: Contacts<AttributesOfBot>;
  readonly attributes: Attributes;
  readonly tags: Tags;
  readonly segments: Segments<AttributesOfBot>;
  readonly events: Events<AttributesOfBot>;
  readonly webhooks: Webhooks;
  readonly auth: { readonly contacts: ContactTokens };
  /** A private field, so that the secret is in no inspection, copy or JSON of a client. */
  readonly #options: RosterOptions;

  constructor(given: RosterOptions | Earlier<RosterOptions>) {
    refuseBrowsers();
    const options = readOptions(given);
    const { secret, botId, fetch = platformFetch } = options;
    this.#options = options;
    this.baseUrl = readBaseUrl(options.baseUrl);
    this.botId = botId;
    const transport = new Transport({
      botUrl: `${this.baseUrl}${fillPath('/v1/bots/{botId}', { botId })}`,
      headers: {
        Authorization: `Bearer ${secret}`,
        Accept: 'application/json',
        'User-Agent': `roster-node/${version}`,
      },
      secrets: [secret],
      fetch,
      timeoutMs: options.timeoutMs ?? timeoutDefaultMs,
      maxRetries: options.maxRetries ?? maxRetriesDefault,
      retryDelayMs: options.retryDelayMs ?? retryDelayDefaultMs,
      onRetry: options.onRetry,
    });
    this.contacts = new Contacts(transport);
    this.attributes = new Attributes(transport);
    this.tags = new Tags(transport);
    this.segments = new Segments(transport);
    this.events = new Events(transport);
    this.webhooks = new Webhooks(transport);
    this.auth = { contacts: new ContactTokens(transport) };
  }

  /** The same client with other options, for example for another bot of the organization. */
  withOptions<AttributesOfOther extends AttributeTypes<AttributesOfOther> = AttributesOfBot>(
    changes: Partial<RosterOptions> | Earlier<Partial<RosterOptions>>,
  ): Roster<AttributesOfOther> {
    return new Roster({ ...this.#options, ...withSecret(changes) });
  }
}

/** Looked up at each call, so that tools which replace the global `fetch` later take effect. */
const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init);

function withSecret(given: Partial<RosterOptions> & { orgToken?: string }): Partial<RosterOptions> {
  const { orgToken, ...options } = given;
  return orgToken === undefined ? options : { secret: orgToken, ...options };
}

function readOptions(given: RosterOptions | Earlier<RosterOptions>): RosterOptions {
  if (typeof given !== 'object' || given === null) {
    throw new UsageError('new Roster() needs { secret, botId, baseUrl }');
  }
  const options = withSecret(given) as RosterOptions;
  const { secret, fetch, retryDelayMs = 0 } = options;
  if (typeof secret !== 'string' || secret === '') {
    throw new UsageError('secret is missing: the secret of your organization, which begins with rst_');
  }
  // The message does not quote the value: it may be a valid secret with a trailing line break.
  if (!bearerForm.test(secret)) {
    throw new UsageError('secret holds characters that no secret has; is there white space around it?');
  }
  if (fetch !== undefined && typeof fetch !== 'function') throw new UsageError('fetch must be a function');
  if (!(retryDelayMs >= 0 && Number.isFinite(retryDelayMs))) {
    throw new UsageError('retryDelayMs must be a number of milliseconds, 0 or more');
  }
  return options;
}
