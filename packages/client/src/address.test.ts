// URLs: the server decodes exactly the text that was encoded.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { startFaultProxy } from '../test/fault-proxy.ts';
import { rejectionOf, wholeFile } from '../test/harness.ts';
import { fillPath, makeQuery, readBaseUrl } from './address.ts';
import { Roster, UsageError } from './index.ts';

/** Any text that UTF-8 can carry. */
const text = fc.string({ unit: 'binary' });
const segment = text.filter((value) => !['', '.', '..'].includes(value));

suite('addresses', () => {
  test('any segment and any query arrive as they were given', async () => {
    // Answers every request with a fixed body; the test is about the URL that it received.
    const echo = await startFaultProxy(wholeFile, 'http://127.0.0.1:1');
    await fc.assert(
      fc.asyncProperty(segment, segment, text, async (botId, contactId, query) => {
        const roster = new Roster({ secret: 'rst_test', botId, baseUrl: echo.url });
        echo.faults.push({ status: 200, body: '{"data":{}}' }, { status: 200, body: '{"data":[]}' });
        await roster.contacts.retrieve(contactId);
        await roster.contacts.search({ query, page: 2 });
        const [retrieved, searched] = echo.arrivals.splice(0);
        const [, , , bot = '', , contact = '', ...more] = retrieved?.url.split('/') ?? [];
        assert.deepEqual([bot, contact].map(decodeURIComponent), [botId, contactId]);
        assert.deepEqual(more, []);
        const { searchParams } = new URL(searched?.url ?? '', echo.url);
        assert.deepEqual(
          [...searchParams],
          [
            ['query', query],
            ['page', '2'],
          ],
        );
      }),
    );
  });

  test('text that no URL can carry is refused before anything is sent', async () => {
    const roster = new Roster({ secret: 'rst_test', botId: 'bot_1', baseUrl: 'http://127.0.0.1:1' });
    for (const id of ['', '.', '..', '\ud800', undefined, 7]) {
      const error = await rejectionOf(roster.contacts.delete(id as string));
      assert.ok(error instanceof UsageError, String(id));
      assert.match(error.message, /contactId must/);
    }
    assert.ok((await rejectionOf(roster.contacts.search({ query: 'a\udc00' }))) instanceof UsageError);
    assert.throws(() => roster.withOptions({ botId: '..' }), UsageError);
  });

  test('path parameters are replaced by their encoded values', () => {
    const path = fillPath('/contacts/{contactId}/x', { contactId: 'a/b %' });
    assert.equal(path, '/contacts/a%2Fb%20%25/x');
  });

  test('an undefined query parameter is left out, and an empty one is not', () => {
    assert.equal(makeQuery({ query: undefined, page: undefined }), '');
    assert.equal(makeQuery({ query: '', page: 0 }), '?query=&page=0');
  });

  test('names of parameters are encoded too', () => {
    assert.equal(makeQuery({ 'createdAt[gte]': '-30d' }), '?createdAt%5Bgte%5D=-30d');
  });
});

suite('baseUrl', () => {
  test('is an http or https address, with or without a path and a slash', () => {
    assert.equal(readBaseUrl('https://example.com'), 'https://example.com');
    assert.equal(readBaseUrl('https://example.com:8443/roster//'), 'https://example.com:8443/roster');
    assert.equal(readBaseUrl('http://[::1]:8080/'), 'http://[::1]:8080');
  });

  test('of any other form is refused, and the error does not quote it, because it may contain a password', () => {
    const wrong = [
      '',
      'example.com',
      'ftp://example.com',
      'https://jane:hunter2@example.com',
      'https://example.com/?a=hunter2',
      'https://example.com/#hunter2',
      undefined,
    ];
    for (const baseUrl of wrong) {
      assert.throws(
        () => readBaseUrl(baseUrl),
        (error) => error instanceof UsageError && !error.message.includes('hunter2'),
        String(baseUrl),
      );
    }
  });
});
