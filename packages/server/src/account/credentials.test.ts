// Secrets and contact tokens: their form, their randomness, and typos found without a database.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { contactTokenPattern, secretPattern, webhookSecretPattern } from '@roster/contract';
import fc from 'fast-check';
import { hashCredential, looksLikeSecret, makeContactToken, makeSecret, makeWebhookSecret } from './credentials.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a secret is rst_ and at least 40 base62 characters, and looks like one', () => {
  for (let i = 0; i < 200; i++) {
    const secret = makeSecret();
    assert.match(secret, /^rst_[0-9A-Za-z]{40,}$/);
    assert.match(secret, secretPattern);
    assert.ok(looksLikeSecret(secret));
  }
});

test('the checksum is the documented one, so that a scanner can recompute it', () => {
  for (const body of ['0'.repeat(40), 'z'.repeat(40), makeSecret().slice(4, 44)]) {
    assert.equal(looksLikeSecret(`rst_${body}${checksumByDefinition(body)}`), true);
  }
});

test('a typo in any one character is found', () => {
  fc.assert(
    fc.property(fc.nat({ max: 45 }), fc.constantFrom(...base62), (at, character) => {
      const secret = makeSecret();
      const position = 4 + at;
      fc.pre(secret[position] !== character);
      return !looksLikeSecret(secret.slice(0, position) + character + secret.slice(position + 1));
    }),
    { numRuns: 1000 },
  );
});

test('two neighbouring characters that changed places are found', () => {
  fc.assert(
    fc.property(fc.nat({ max: 44 }), (at) => {
      const secret = makeSecret();
      const position = 4 + at;
      const [one = '', other = ''] = secret.slice(position, position + 2);
      fc.pre(one !== other);
      return !looksLikeSecret(secret.slice(0, position) + other + one + secret.slice(position + 2));
    }),
  );
});

test('whatever else is sent is no secret', () => {
  const secret = makeSecret();
  const others = ['', 'rst_', secret.slice(0, -1), `${secret}0`, ` ${secret}`, `${secret}\n`, secret.toUpperCase()];
  for (const text of [...others, secret.slice(4), makeContactToken(), secret.replace('rst_', 'rsx_')]) {
    assert.equal(looksLikeSecret(text), false, text);
  }
  fc.assert(fc.property(fc.string(), (text) => !looksLikeSecret(text)));
});

test('a contact token is c: and at least 160 random bits, URL-safe', () => {
  for (let i = 0; i < 200; i++) {
    const token = makeContactToken();
    assert.match(token, contactTokenPattern);
    assert.equal(encodeURIComponent(token.slice(2)), token.slice(2));
    assert.ok(Buffer.from(token.slice(2), 'base64url').length * 8 >= 160);
  }
});

test('credentials do not repeat, and every character takes many values', () => {
  for (const make of [makeSecret, makeContactToken]) {
    const made = Array.from({ length: 2000 }, make);
    assert.equal(new Set(made).size, made.length);
    const [randomFrom, randomTo] = make === makeSecret ? [4, 44] : [2, 44];
    for (let at = randomFrom; at < randomTo; at++) {
      assert.ok(new Set(made.map((text) => text[at])).size > 50, `${make.name} at ${at}`);
    }
  }
});

test('a credential is kept as its SHA-256, of the whole', () => {
  for (const text of [makeSecret(), makeContactToken(), '']) {
    assert.deepEqual(hashCredential(text), createHash('sha256').update(text).digest());
  }
});

/** CRC-32 by its definition, bit by bit, in six base62 digits. */
function checksumByDefinition(body: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(body)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let value = (crc ^ 0xffffffff) >>> 0;
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = base62[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

test('the secret of a webhook has the form that Standard Webhooks has, and 256 random bits', () => {
  const secrets = Array.from({ length: 200 }, makeWebhookSecret);
  for (const secret of secrets) {
    assert.match(secret, webhookSecretPattern);
    assert.equal(Buffer.from(secret.slice('whsec_'.length), 'base64').length, 32);
  }
  assert.equal(new Set(secrets).size, secrets.length);
});
