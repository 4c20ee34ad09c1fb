// The receivers in examples/webhook-receivers get messages that the official package of Standard Webhooks signs: they must accept the
// right ones, refuse all others, and keep a copy that is right however often and late a message comes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { type WebhookMessage, webhookMessageSchema } from '@roster/contract';
import { Webhook } from 'standardwebhooks';
import { wholeFile } from './harness.ts';
import { placeClient } from './installed.ts';
import { languages, type Receiver, startReceiver } from './receivers.ts';

const makeSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = makeSecret();
const { folder: home } = await placeClient(wholeFile);

const makeId = (prefix: string) =>
  prefix + Array.from(randomBytes(17), (byte) => `${'abcdefghijklmnopqrstuvwxyz'[byte % 26]}${byte % 10}`).join('');

const minute = (number: number) => new Date(Date.UTC(2026, 10, 14, 9, number)).toISOString();

type Contact = WebhookMessage['data']['contact'];

function contactOf(id: string, name: string, updated: number): NonNullable<Contact> {
  const fields = { name, email: 'jose@example.com', phone: '', mid: '', wid: '' };
  const times = { createdAt: minute(0), updatedAt: minute(updated) };
  // An empty object must not become a list, nor characters beyond ASCII others.
  return { id, ...fields, ...times, attributes: {}, tags: ['señal 😀'] };
}

function messageOf(contactId: string | null, contact: Contact, type: WebhookMessage['type'] = 'contact.created') {
  const actor = { kind: 'operator', id: null } as const;
  const event = { id: makeId('evt_'), type, at: minute(0), contactId, actor };
  return webhookMessageSchema.parse({ type, timestamp: minute(0), data: { event, contact } });
}

interface Sending {
  signer?: string;
  /** The message as text, if not in the shortest form. */
  text?: string;
  /** Seconds from now. */
  shift?: number;
  /** What arrives in place of what was signed. */
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** The status of the response; undefined if the connection was closed without one. */
async function send(receiver: Receiver, message: WebhookMessage, sending: Sending = {}): Promise<number | undefined> {
  const { signer = secret, text = JSON.stringify(message), shift = 0, headers = {} } = sending;
  const { id } = message.data.event;
  const sentAt = new Date(Date.now() + shift * 1000);
  const signed = {
    'content-type': 'application/json',
    // A receiver may close a connection that was idle just when it is used again.
    connection: 'close',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(signer).sign(id, sentAt, text),
  };
  try {
    const request = { method: 'POST', headers: { ...signed, ...headers }, body: sending.body ?? text };
    return (await fetch(receiver.url, request)).status;
  } catch {
    return undefined;
  }
}

const signatureOf = (message: WebhookMessage, signer: string, at: Date) =>
  new Webhook(signer).sign(message.data.event.id, at, JSON.stringify(message));

for (const language of languages) {
  suite(`the receiver in ${language.name}`, () => {
    let receiver: Receiver;
    const ends: (() => unknown)[] = [];
    before(async () => {
      receiver = await startReceiver({ after: (end) => ends.unshift(end as () => unknown) }, language, {
        home,
        secret,
      });
      // One of the receivers creates its tables with the first message.
      assert.equal(await send(receiver, messageOf(null, null, 'webhook.test')), 204, receiver.printed());
    });
    after(async () => {
      for (const end of ends) await end();
    });

    const copyOf = (id: string) => {
      const row = receiver.db.prepare('SELECT contact FROM contacts WHERE id = ?').get(id);
      return typeof row?.['contact'] === 'string' ? JSON.parse(row['contact']) : row?.['contact'];
    };
    const isHandled = ({ data }: WebhookMessage) =>
      receiver.db.prepare('SELECT 1 FROM handled WHERE webhook_id = ?').get(data.event.id) !== undefined;
    const accept = async (message: WebhookMessage, sending?: Sending) =>
      assert.equal(await send(receiver, message, sending), 204, receiver.printed());
    const refuse = async (why: string, sending: Sending) => {
      const id = makeId('con_');
      const message = messageOf(id, contactOf(id, 'José', 0));
      assert.equal(await send(receiver, message, sending), 400, `${why}: ${receiver.printed()}`);
      assert.equal(copyOf(id), undefined, why);
      assert.ok(!isHandled(message), why);
      await accept(message);
    };

    test('accepts a message and keeps its contact', async () => {
      const id = makeId('con_');
      await accept(messageOf(id, contactOf(id, 'José 😀', 0)));
      assert.deepEqual(copyOf(id), contactOf(id, 'José 😀', 0));
    });

    test('takes the body as it came', async () => {
      const id = makeId('con_');
      const message = messageOf(id, contactOf(id, 'José', 0));
      await accept(message, { text: `${JSON.stringify(message, null, 3).replace('é', '\\u00e9')}\r\n` });
      assert.equal(copyOf(id).name, 'José');
    });

    test('accepts a message of which any signature is right', async () => {
      const id = makeId('con_');
      for (const arrange of [
        (right: string, wrong: string) => `${right} ${wrong}`,
        (right: string, wrong: string) => `${wrong} ${right}`,
        (right: string) => `v1a,AAAA v2,AAAA ${right}`,
      ]) {
        const message = messageOf(id, contactOf(id, 'José', 0));
        const at = new Date();
        const right = signatureOf(message, secret, at);
        const wrong = signatureOf(message, makeSecret(), at);
        const timestamp = String(Math.floor(at.getTime() / 1000));
        await accept(message, {
          headers: { 'webhook-timestamp': timestamp, 'webhook-signature': arrange(right, wrong) },
        });
      }
    });

    test('refuses a body that was changed, and one that was formatted anew', async () => {
      const other = messageOf(makeId('con_'), null);
      await refuse('another body', { body: JSON.stringify(other) });
      await refuse('formatted anew', { body: JSON.stringify(other, null, 1) });
      await refuse('no body', { body: '' });
      await refuse('not UTF-8', { body: Uint8Array.of(0xff, 0xfe, 0x00) });
    });

    test('refuses a wrong secret, and the signature of another message', async () => {
      await refuse('a wrong secret', { signer: makeSecret() });
      const other = signatureOf(messageOf(null, null), secret, new Date());
      await refuse('of another message', { headers: { 'webhook-signature': other } });
      await refuse('two wrong ones', { headers: { 'webhook-signature': `${other} v1,` } });
      await refuse('another id', { headers: { 'webhook-id': makeId('evt_') } });
    });

    test('refuses a timestamp that is more than five minutes off, or is none', async () => {
      for (const shift of [-310, 900, -86_400]) await refuse(`${shift} s`, { shift });
      for (const timestamp of ['', 'now', '-1', '1e9', '9'.repeat(400)])
        await refuse(timestamp, { headers: { 'webhook-timestamp': timestamp } });
    });

    test('refuses headers that are missing or malformed', async () => {
      for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
        await refuse(`without ${name}`, { headers: { [name]: '' } });
      for (const signature of ['v1', 'v1,', 'v1,é', 'v1,!!!', ' ', 'v1,AAAA'])
        await refuse(signature, { headers: { 'webhook-signature': signature } });
    });

    test('accepts messages that took up to five minutes', async () => {
      for (const shift of [-120, 120]) await accept(messageOf(null, null, 'tag.deleted'), { shift });
    });

    test('handles a message once, and responds to a repetition with success', async () => {
      const id = makeId('con_');
      const message = messageOf(id, contactOf(id, 'José', 0));
      await accept(message);
      const again = { ...message, data: { ...message.data, contact: contactOf(id, 'Handled twice', 1) } };
      await accept(again);
      assert.equal(copyOf(id).name, 'José');
    });

    test('does not replace a newer contact with that of a late message', async () => {
      const id = makeId('con_');
      for (const updated of [1, 3, 2]) await accept(messageOf(id, contactOf(id, `Version ${updated}`, updated)));
      assert.equal(copyOf(id).name, 'Version 3');
    });

    test('removes a deleted contact, which no late message brings back', async () => {
      const id = makeId('con_');
      await accept(messageOf(id, contactOf(id, 'José', 1)));
      await accept(messageOf(id, null, 'contact.deleted'));
      assert.equal(copyOf(id), null);
      await accept(messageOf(id, contactOf(id, 'José', 2)));
      assert.equal(copyOf(id), null);
    });

    test('accepts several messages at the same time', async () => {
      for (let round = 0; round < 5; round++) {
        // So many connections can wait for Python to accept them. A further one would be made again a second later.
        const messages = Array.from({ length: 6 }, (_, n) => {
          const id = makeId('con_');
          return messageOf(id, contactOf(id, `Person ${n}`, n));
        });
        await Promise.all(messages.map((message) => accept(message)));
        for (const { data } of messages) assert.deepEqual(copyOf(data.contact?.id ?? ''), data.contact);
      }
    });

    test('does not respond with success to what it cannot store, and accepts it later', async () => {
      const id = makeId('con_');
      const message = messageOf(id, contactOf(id, 'José', 0));
      receiver.db.exec('ALTER TABLE contacts RENAME COLUMN version TO something');
      const status = (await send(receiver, message)) ?? 500;
      receiver.db.exec('ALTER TABLE contacts RENAME COLUMN something TO version');
      assert.ok(status >= 500, `${status}: ${receiver.printed()}`);
      assert.ok(!isHandled(message));
      await accept(message);
      assert.equal(copyOf(id).name, 'José');
    });

    test('refuses a body that is too large, even if it is signed, and goes on', async () => {
      const message = messageOf(null, null);
      const text = `${JSON.stringify(message)}${' '.repeat(12 * 1024 * 1024)}`;
      const status = (await send(receiver, message, { text })) ?? 400;
      assert.ok(status >= 400, String(status));
      assert.ok(!isHandled(message));
      await accept(messageOf(null, null, 'webhook.test'));
    });
  });
}
