// The widget's script: for any page, quickly, and with a hash to check it by.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { codeOf, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { makeContactToken } from '../account/credentials.ts';
import { loadWidgetScript } from '../program/built-files.ts';

const server = await startServer(wholeFile);
const { call, mine } = server;
const script = loadWidgetScript();
const versioned = `/widget/${script.version}/widget.js`;

const read = (path: string, headers: Record<string, string> = {}) => call('GET', path, { token: null, headers });

suite('the script', () => {
  test('is served to any page, without a credential, whatever its query says', async () => {
    const queries = ['', `?bot=${mine.bot.id}`, `?bot=${mine.bot.id}&token=${makeContactToken()}`, '?bot=x&bot=y&%zz'];
    for (const path of queries.flatMap((query) => [`/widget.js${query}`, `/widget.mjs${query}`])) {
      const { status, headers, text } = await read(path);
      assert.equal(status, 200, path);
      assert.equal(text, script.plain.toString());
      assert.match(headers.get('content-type') ?? '', /^text\/javascript; charset=utf-8$/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  });

  test('may be read by other origins, as integrity checks and isolated pages need', async () => {
    for (const path of ['/widget.js', '/widget.mjs', versioned]) {
      for (const origin of ['https://shop.example', 'null']) {
        const { headers } = await read(path, { origin });
        assert.equal(headers.get('access-control-allow-origin'), '*');
        assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
        assert.equal(headers.get('access-control-allow-credentials'), null);
      }
    }
  });

  test('is cached for minutes, and requested again by its tag', async () => {
    const { headers } = await read('/widget.js');
    assert.match(headers.get('cache-control') ?? '', /^public, max-age=300\b/);
    const etag = headers.get('etag') ?? '';
    assert.match(etag, /^W\/"\w+"$/);
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await read('/widget.js', { 'if-none-match': known });
      assert.deepEqual([again.status, again.text], [304, ''], known);
      for (const name of ['etag', 'cache-control', 'vary', 'access-control-allow-origin']) {
        assert.equal(again.headers.get(name), headers.get(name), name);
      }
    }
    for (const other of ['"other"', 'W/"other"', 'nonsense']) {
      assert.equal((await read('/widget.js', { 'if-none-match': other })).status, 200, other);
    }
  });

  test('is compressed for those who take it, and for no others', async () => {
    for (const path of ['/widget.js', versioned]) {
      const gzipped = await server.app.http.inject({ url: path, headers: { 'accept-encoding': 'br, gzip' } });
      assert.equal(gzipped.headers['content-encoding'], 'gzip');
      assert.deepEqual(gunzipSync(gzipped.rawPayload), script.plain);
      const plain = await server.app.http.inject({ url: path, headers: { 'accept-encoding': 'gzip;q=0' } });
      assert.equal(plain.headers['content-encoding'], undefined);
      for (const { headers } of [gzipped, plain]) assert.equal(headers['vary'], 'Accept-Encoding');
    }
  });

  test('has a version of its own for ever, and another version is not there', async () => {
    const { status, headers, text } = await read(`${versioned}?bot=${mine.bot.id}`);
    assert.deepEqual([status, text], [200, script.plain.toString()]);
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    for (const version of ['0000000000000000', 'latest', `${script.version}0`]) {
      const missing = await read(`/widget/${version}/widget.js`);
      assert.deepEqual(codeOf(missing), [404, 'not_found']);
      assert.equal(missing.headers.get('cache-control'), 'no-store');
    }
  });

  test('has a hash that names exactly what is served', async () => {
    const { status, json, headers } = await read('/widget/integrity.json');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json.data).sort(), ['integrity', 'url', 'version']);
    assert.equal(json.data.url, `http://roster.test${versioned}`);
    assert.equal(headers.get('cache-control'), 'no-store');
    const { text } = await read(versioned);
    assert.equal(json.data.integrity, `sha384-${createHash('sha384').update(text).digest('base64')}`);
  });
});
