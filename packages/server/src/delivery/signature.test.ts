// Our signatures, as the official library of Standard Webhooks judges them.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signatureHeaders } from './signature.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const oldSecret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const message = { id: 'evt_a0b1', body: '{"type":"contact.created","name":"Zoë 李娜"}' };
const hourMs = 3_600_000;

const signedAt = (atMs: number, secrets: Partial<Parameters<typeof signatureHeaders>[0]> = {}) =>
  signatureHeaders({ secret, oldSecret: null, oldSecretUntilMs: null, ...secrets }, message, atMs);

/** The library compares with the real clock. */
const verify = (key: string, headers: Record<string, string>, body = message.body) =>
  new Webhook(key).verify(body, headers);

suite('a signature', () => {
  test('is accepted by the official library', () => {
    assert.deepEqual(verify(secret, signedAt(Date.now())), JSON.parse(message.body));
  });

  test('is refused for another body, id or secret', () => {
    const headers = signedAt(Date.now());
    assert.throws(() => verify(secret, headers, message.body.replace('created', 'deleted')), WebhookVerificationError);
    assert.throws(() => verify(secret, { ...headers, 'webhook-id': 'evt_other' }), WebhookVerificationError);
    assert.throws(() => verify(oldSecret, headers), WebhookVerificationError);
  });

  test('is refused when it is old, or its time was changed', () => {
    const old = signedAt(Date.now() - hourMs);
    assert.throws(() => verify(secret, old), /too old/);
    const now = String(Math.floor(Date.now() / 1000));
    assert.throws(() => verify(secret, { ...old, 'webhook-timestamp': now }), /No matching signature/);
  });

  test('is made with both secrets until the old one ends, the new one first', () => {
    const nowMs = Date.now();
    const rotated = { oldSecret, oldSecretUntilMs: nowMs + 24 * hourMs };
    const both = signedAt(nowMs, rotated);
    assert.deepEqual(verify(secret, both), verify(oldSecret, both));
    const signatures = both['webhook-signature'].split(' ');
    assert.deepEqual(signatures, [
      signedAt(nowMs)['webhook-signature'],
      signedAt(nowMs, { secret: oldSecret })['webhook-signature'],
    ]);
    const afterwards = signedAt(rotated.oldSecretUntilMs, rotated)['webhook-signature'];
    assert.equal(afterwards.split(' ').length, 1);
  });
});
