// The console's pages and files as they are served: under a strict policy, compressed, and kept for ever or not at all.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { codeOf, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { loadConsole } from '../program/built-files.ts';

const server = await startServer(wholeFile);
const { version, page, assets } = loadConsole();
const read = (path: string, headers: Record<string, string> = {}) => server.call('GET', path, { token: null, headers });

suite('the page', () => {
  test('is where the root leads to, below a proxy’s path too', async () => {
    const { status, headers, text } = await read('/');
    assert.deepEqual([status, headers.get('location'), text], [302, 'console', '']);
  });

  test('is requested again at every load, and answered 304 while it is the same', async () => {
    const { status, headers, text } = await read('/console');
    assert.equal(status, 200);
    assert.equal(text, page.plain.toString());
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'no-cache');
    const again = await read('/console', { 'if-none-match': `W/"${version}"` });
    assert.deepEqual([again.status, again.text], [304, '']);
  });

  test('runs no script and takes no style but files of this origin, and cannot be framed', async () => {
    const policy = (await read('/console')).headers.get('content-security-policy') ?? '';
    const directives = new Map(policy.split('; ').map((each) => each.split(/ (.*)/s, 2) as [string, string]));
    assert.equal(directives.get('default-src'), "'none'");
    assert.equal(directives.get('frame-ancestors'), "'none'");
    for (const name of ['script-src', 'style-src', 'connect-src', 'frame-src'])
      assert.equal(directives.get(name), "'self'");
    assert.doesNotMatch(policy, /unsafe|data:|https?:|\*/);
    assert.doesNotMatch(page.plain.toString(), /<style|<script(?![^>]* src=)|style="|\son\w+=|https?:/);
  });

  test('names only files that are there', () => {
    const named = Array.from(
      page.plain.toString().matchAll(/(?:src|href)="console\/assets\/([^"]+)"/g),
      ([, name]) => name,
    );
    assert.ok(named.length >= 3);
    for (const name of named) assert.ok(assets.has(name as string), name);
  });
});

suite('the preview', () => {
  test('is an origin of its own, framed only by the console', async () => {
    const { status, headers, text } = await read('/console/preview');
    assert.equal(status, 200);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^sandbox allow-scripts; default-src 'none';/);
    assert.match(policy, /frame-ancestors 'self'$/);
    assert.doesNotMatch(text, /type="module"|crossorigin/, 'an opaque origin may not load those');
  });
});

suite('files', () => {
  const [script = ''] = [...assets.keys()].filter((name) => name.startsWith('index-') && name.endsWith('.js'));

  test('are kept for ever, since their names change with their content', async () => {
    for (const [name, { type, plain }] of assets) {
      const { status, headers, text } = await read(`/console/assets/${name}`);
      assert.equal(status, 200, name);
      assert.match(name, /-[\w-]{8}\.(?:js|css|svg)$/);
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(headers.get('content-type'), type);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(text, plain.toString());
    }
  });

  test('are compressed for those who take it, and for no others', async () => {
    const ask = async (accepted: string) => {
      const url = `/console/assets/${script}`;
      const { headers, rawPayload } = await server.app.http.inject({ url, headers: { 'accept-encoding': accepted } });
      assert.equal(headers['vary'], 'Accept-Encoding');
      return { encoding: headers['content-encoding'], body: rawPayload };
    };
    const plain = assets.get(script)?.plain;
    const [br, gzip, none] = [await ask('gzip, deflate, br'), await ask('gzip, br;q=0'), await ask('identity')];
    assert.deepEqual([br.encoding, gzip.encoding, none.encoding], ['br', 'gzip', undefined]);
    assert.deepEqual(brotliDecompressSync(br.body), plain);
    assert.deepEqual(gunzipSync(gzip.body), plain);
    assert.deepEqual(none.body, plain);
  });

  test('of another version, and every other path, are not found', async () => {
    for (const name of [
      'index-00000000.js',
      '..%2f..%2fpackage.json',
      'index.html',
      script.replace('.js', '.js.br'),
      '__proto__',
    ]) {
      assert.deepEqual(codeOf(await read(`/console/assets/${name}`)), [404, 'not_found'], name);
    }
  });
});
