// Verifies that a request to the receiver of a webhook came from Roster: Standard Webhooks, with the Web Crypto that
// servers and edge runtimes have. It needs neither a client nor a connection.
import type { AttributeValues } from './attribute-types.ts';
import { UsageError, WebhookVerificationError } from './errors.ts';
import type { WebhookMessage } from './webhook-types.ts';

/** The body of the request as it came, before anything parsed it. */
export type WebhookBody = string | Uint8Array | ArrayBuffer;

/** A `Headers` object, or a plain one as Node's `request.headers`. The case of names does not matter. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** How far the clocks of sender and receiver may differ. A message from longer ago may be a recorded one. */
const toleranceSeconds = 300;

/** More than this are not from Roster, and each would be compared with the whole body. */
const signaturesMax = 10;

/** Not over memory that threads share, which Web Crypto refuses. */
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Resolves with the message. Rejects with `WebhookVerificationError` when the request did not come from Roster or is too
 * old: respond with 400 then. Of several secrets, any may have signed it.
 */
export async function verifyWebhook<Attributes = AttributeValues>(
  body: WebhookBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<WebhookMessage<Attributes>> {
  const bytes = bytesOf(body);
  const keys = await Promise.all(keysOf(secret).map(importKey));
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'));
  checkTimestamp(timestamp);
  const signed = join(encode(`${id}.${timestamp}.`), bytes);
  for (const key of keys) {
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return parse<Attributes>(bytes);
    }
  }
  throw new WebhookVerificationError(
    'no signature matches. Check that the secret is that of this webhook, and that the body is passed as it came, before anything parses or changes it',
  );
}

function bytesOf(body: WebhookBody): Uint8Array {
  if (typeof body === 'string') return encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // Not `instanceof`: under some test runners, buffers come from another realm.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new UsageError(
    'body must be the raw body of the request: a string or bytes. What a framework has parsed cannot be verified; with Express, for example, use express.raw({ type: "application/json" })',
  );
}

/** No message quotes a secret. */
function keysOf(secret: string | readonly string[]): Bytes[] {
  const secrets: readonly unknown[] = typeof secret === 'string' ? [secret] : Array.isArray(secret) ? secret : [];
  const keys = secrets.map((text) => {
    const key = typeof text === 'string' ? fromBase64(text.trim().replace(/^whsec_/, '')) : undefined;
    if (key !== undefined && key.length > 0) return key;
    throw new UsageError('secret must be the secret of the webhook, which begins with whsec_, or a list of such');
  });
  if (keys.length === 0) throw new UsageError('secret is missing: that of the webhook, which begins with whsec_');
  return keys;
}

function importKey(key: Bytes) {
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = findHeader(headers, name);
  const text = typeof value === 'string' ? value : (value?.[0] ?? '');
  if (text !== '') return text;
  throw new WebhookVerificationError(
    `the header ${name} is missing. Check that the request came from Roster, and that no proxy in front of this receiver removes it`,
  );
}

function findHeader(headers: WebhookHeaders, name: string): string | readonly string[] | null | undefined {
  if (typeof headers !== 'object' || headers === null) throw new UsageError('headers must be those of the request');
  if (typeof headers.get === 'function') return headers.get(name);
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Those of version 1, of which there are several during a rotation: `v1,… v1,…`. */
function signaturesOf(header: string): Bytes[] {
  const found = header
    .split(' ')
    .filter((versioned) => versioned.startsWith('v1,'))
    .map((versioned) => fromBase64(versioned.slice('v1,'.length)))
    .filter((signature) => signature !== undefined);
  if (found.length > 0) return found.slice(0, signaturesMax);
  throw new WebhookVerificationError(
    'webhook-signature holds no signature like v1,… in base64. Check that the request came from Roster, and that nothing changes its headers',
  );
}

function checkTimestamp(timestamp: string): void {
  if (!/^\d{1,15}$/.test(timestamp)) {
    throw new WebhookVerificationError(
      'webhook-timestamp is no number of seconds. Check that the request came from Roster, and that nothing changes its headers',
    );
  }
  const ageSeconds = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  throw new WebhookVerificationError(
    ageSeconds > 0
      ? `the message was sent ${ageSeconds} seconds ago. Verify messages when they arrive, within five minutes, and check the clock of this machine`
      : `the message was sent ${-ageSeconds} seconds in the future. Check the clocks of this machine and of the Roster server`,
  );
}

function parse<Attributes>(bytes: Uint8Array): WebhookMessage<Attributes> {
  try {
    const message: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof message === 'object' && message !== null && 'data' in message) {
      return message as WebhookMessage<Attributes>;
    }
  } catch {
    // Not JSON: the error below says so.
  }
  throw new WebhookVerificationError(
    'the signature matches, but the body is not a message of Roster. Check whether another service signs with this secret',
  );
}

const encode = (text: string) => new TextEncoder().encode(text);

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    // Not base64, which each caller reports in its own words.
    return undefined;
  }
}

function join(head: Uint8Array, body: Uint8Array): Bytes {
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}
