// What verifyWebhook accepts and what it refuses, with messages that the official package of Standard Webhooks signs.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import { webhookMessageSchema } from '@roster/contract';
import { Webhook } from 'standardwebhooks';
import { rejectionOf } from '../test/harness.ts';
import { RosterError, UsageError, verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './index.ts';

const makeSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = makeSecret();
const id = 'evt_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0a0';
const message = webhookMessageSchema.parse({
  type: 'contact.updated',
  timestamp: '2026-11-14T09:30:00.123Z',
  data: {
    event: {
      id,
      type: 'contact.updated',
      at: '2026-11-14T09:30:00.123Z',
      contactId: null,
      fields: ['name'],
      actor: { kind: 'operator', id: null },
    },
    contact: null,
  },
});
// Beyond ASCII, so that bytes and characters differ.
const body = JSON.stringify(message).replace('name', 'näme 😀');

/** The same for all, so that their signatures can stand together. */
const nowMs = Date.now();

function headersFor(text: string, signer = secret, sentMs = nowMs) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentMs / 1000)),
    'webhook-signature': new Webhook(signer).sign(id, new Date(sentMs), text),
  };
}

const headers = headersFor(body);

/** Refused with this explanation, in which there is no secret. */
async function assertRefused(verifying: Promise<unknown>, why: RegExp): Promise<void> {
  const error = await rejectionOf(verifying);
  assert.ok(error instanceof WebhookVerificationError && error instanceof RosterError, String(error));
  assert.match(error.message, why);
  assert.doesNotMatch(inspect(error), /whsec_/);
}

suite('a message of Roster is accepted', () => {
  test('and comes back parsed', async () => {
    const verified = await verifyWebhook(body, headers, secret);
    assert.deepEqual(verified, JSON.parse(body));
    assert.equal(verified.data.event.id, headers['webhook-id']);
  });

  test('with its body as a string, as bytes, as a part of a larger buffer and as an ArrayBuffer', async () => {
    const bytes = new TextEncoder().encode(body);
    const part = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]).subarray(6, 6 + bytes.length);
    for (const given of [body, bytes, part, bytes.buffer]) {
      assert.deepEqual(await verifyWebhook(given, headers, secret), JSON.parse(body));
    }
  });

  test('with headers as Headers and as a plain object, whatever the case of their names', async () => {
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const odd = { ...headers, get: 'a header', host: undefined };
    for (const given of [new Headers(headers), headers, upper, lists, odd]) await verifyWebhook(body, given, secret);
  });

  test('signed by any of several secrets, and by several at once', async () => {
    const other = makeSecret();
    await verifyWebhook(body, headers, [other, secret]);
    const both = {
      ...headers,
      'webhook-signature': `${headersFor(body, other)['webhook-signature']} ${headers['webhook-signature']}`,
    };
    await verifyWebhook(body, both, secret);
    await verifyWebhook(body, both, other);
    const further = { ...headers, 'webhook-signature': `v1a,AAAA v2,AAAA v1,%%% ${headers['webhook-signature']}` };
    await verifyWebhook(body, further, secret);
  });

  test('with a secret without its prefix, or with white space around it', async () => {
    await verifyWebhook(body, headers, secret.slice('whsec_'.length));
    await verifyWebhook(body, headers, `${secret}\n`);
  });

  test('when clocks differ by less than five minutes', async () => {
    for (const offMs of [-200_000, 200_000]) {
      await verifyWebhook(body, headersFor(body, secret, Date.now() + offMs), secret);
    }
  });

  test('by the official package too, with the headers that this one takes', () => {
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
  });
});

suite('a message is refused', () => {
  test('when its body was changed', async () => {
    await assertRefused(verifyWebhook(body.replace('updated', 'deleted'), headers, secret), /no signature matches/);
    await assertRefused(verifyWebhook(`${body} `, headers, secret), /no signature matches.*before anything parses/);
  });

  test('when its id or its timestamp was changed', async () => {
    const { 'webhook-timestamp': timestamp } = headers;
    for (const changed of [
      { ...headers, 'webhook-id': 'evt_other' },
      { ...headers, 'webhook-timestamp': String(Number(timestamp) - 1) },
      { ...headers, 'webhook-timestamp': `0${timestamp}` },
    ]) {
      await assertRefused(verifyWebhook(body, changed, secret), /no signature matches/);
    }
  });

  test('when it was signed with another secret', async () => {
    await assertRefused(verifyWebhook(body, headers, makeSecret()), /Check that the secret is that of this webhook/);
    await assertRefused(verifyWebhook(body, headers, [makeSecret(), makeSecret()]), /no signature matches/);
  });

  test('when it is old, or from the future', async () => {
    const old = headersFor(body, secret, Date.now() - 310_000);
    await assertRefused(verifyWebhook(body, old, secret), /sent \d+ seconds ago\. Verify messages when they arrive/);
    const early = headersFor(body, secret, Date.now() + 400_000);
    await assertRefused(verifyWebhook(body, early, secret), /in the future\. Check the clocks/);
  });

  test('when a header is missing, and the reason names it', async () => {
    for (const name of Object.keys(headers)) {
      const given: WebhookHeaders = { ...headers, [name]: undefined };
      await assertRefused(verifyWebhook(body, given, secret), new RegExp(`the header ${name} is missing`));
      const some = new Headers(headers);
      some.delete(name);
      await assertRefused(verifyWebhook(body, some, secret), new RegExp(`the header ${name} is missing`));
    }
  });

  test('when its signature or its timestamp is garbage', async () => {
    for (const signature of ['garbage', 'v1,', 'v1', 'v2,AAAA', `v1=${'A'.repeat(44)}`, 'v1,not base64!']) {
      const given = { ...headers, 'webhook-signature': signature };
      await assertRefused(verifyWebhook(body, given, secret), /no signature/);
    }
    for (const timestamp of ['yesterday', '1.5', '-1', ' ', '1e9']) {
      const given = { ...headers, 'webhook-timestamp': timestamp };
      await assertRefused(verifyWebhook(body, given, secret), /webhook-timestamp is no number of seconds/);
    }
  });

  test('when it has more signatures than Roster sends, after the first ten', async () => {
    const many = `${'v1,AAAA '.repeat(10)}${headers['webhook-signature']}`;
    await assertRefused(verifyWebhook(body, { ...headers, 'webhook-signature': many }, secret), /no signature matches/);
  });

  test('when another service signed something that is no message', async () => {
    for (const text of ['', 'plain text', '"text"', 'null', '{}']) {
      await assertRefused(verifyWebhook(text, headersFor(text), secret), /is not a message of Roster/);
    }
  });
});

suite('a wrong call', () => {
  const refuse = async (verifying: Promise<unknown>, why: RegExp) => {
    const error = await rejectionOf(verifying);
    assert.ok(error instanceof UsageError, String(error));
    assert.match(error.message, why);
    assert.ok(!inspect(error).includes(secret.slice(6, 20)));
  };

  test('with a parsed body says how to get the raw one', async () => {
    for (const given of [message, undefined, null, 7]) {
      await refuse(verifyWebhook(given as never, headers, secret), /raw body.*express\.raw/);
    }
  });

  test('without a secret, or with something else, does not quote it', async () => {
    for (const given of ['', undefined, [], 7, 'whsec_', `rst_${secret}`, [secret, '']]) {
      await refuse(verifyWebhook(body, headers, given as never), /secret (must be|is missing).*whsec_/);
    }
  });

  test('without headers says so', async () => {
    await refuse(verifyWebhook(body, undefined as never, secret), /headers must be/);
  });
});
