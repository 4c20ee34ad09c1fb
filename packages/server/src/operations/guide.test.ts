// The guide's pages and files as they are served: to everybody, under a strict policy, compressed ahead.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { codeOf, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { loadGuide } from '../program/built-files.ts';

const server = await startServer(wholeFile);
const guide = loadGuide();
const addressOf = (path: string) => `/docs/guide${path === '' ? '' : `/${path}`}`;
const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.call(method, path, { token: null, headers });

suite('pages of the guide', () => {
  test('are served without a credential, each under its title, with the version that they belong to', async () => {
    const paths = guide.paths();
    assert.ok(paths.length > 20);
    for (const path of paths) {
      const { status, headers, text } = await read(addressOf(path));
      assert.equal(status, 200, path);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('set-cookie'), null);
      assert.equal(text, guide.page(path)?.plain.toString());
      assert.match(text, /<title>[^<]+ · Roster \d+\.\d+\.\d+<\/title>/, path);
    }
  });

  test('answer HEAD as GET, without the page', async () => {
    const [head, get] = [await read('/docs/guide', {}, 'HEAD'), await read('/docs/guide')];
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const name of ['etag', 'content-type', 'content-security-policy']) {
      assert.equal(head.headers.get(name), get.headers.get(name), name);
    }
  });

  test('are requested again at every load, and answered 304 while they are the same', async () => {
    const { headers } = await read('/docs/guide/api');
    assert.equal(headers.get('cache-control'), 'no-cache');
    const again = await read('/docs/guide/api', { 'if-none-match': headers.get('etag') ?? '' });
    assert.deepEqual([again.status, again.text], [304, '']);
    assert.equal((await read('/docs/guide/api', { 'if-none-match': 'W/"other"' })).status, 200);
  });

  test('run no script and take no style but files of this origin, and cannot be framed', async () => {
    const policy = (await read('/docs/guide')).headers.get('content-security-policy') ?? '';
    const directives = new Map(policy.split('; ').map((each) => each.split(/ (.*)/s, 2) as [string, string]));
    for (const name of ['default-src', 'frame-ancestors']) assert.equal(directives.get(name), "'none'");
    for (const name of ['script-src', 'style-src', 'img-src', 'connect-src'])
      assert.equal(directives.get(name), "'self'");
    assert.doesNotMatch(policy, /unsafe|data:|https?:|\*/);
    for (const path of guide.paths()) {
      const text = guide.page(path)?.plain.toString() ?? '';
      const tags = Array.from(text.matchAll(/<[a-z][^>]*>/g), ([tag]) => tag).join('\n');
      assert.doesNotMatch(tags, /<style|<script(?![^>]* src=)| style=| on\w+=| src="(?:https?:)?\/\//, path);
    }
  });

  test('are compressed for those who take it, and for no others', async () => {
    const ask = async (accepted: string) => {
      const request = { url: '/docs/guide/api', headers: { 'accept-encoding': accepted } };
      const { headers, rawPayload } = await server.app.http.inject(request);
      assert.equal(headers['vary'], 'Accept-Encoding');
      return { encoding: headers['content-encoding'], body: rawPayload };
    };
    const plain = guide.page('api')?.plain;
    const [br, gzip, none] = [await ask('gzip, deflate, br'), await ask('gzip, br;q=0'), await ask('identity')];
    assert.deepEqual([br.encoding, gzip.encoding, none.encoding], ['br', 'gzip', undefined]);
    assert.deepEqual(brotliDecompressSync(br.body), plain);
    assert.deepEqual(gunzipSync(gzip.body), plain);
    assert.deepEqual(none.body, plain);
  });

  test('that do not exist are a page with the menu for browsers, and a problem for programs', async () => {
    for (const path of [
      'nowhere',
      'operations/nowhere',
      '',
      'operations/',
      'operations%2finstall',
      '404',
      'index',
      '..%2fapi',
    ]) {
      const page = await read(`/docs/guide/${path}`, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
      assert.equal(page.status, 404, path);
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/);
      assert.match(page.text, /Page not found/);
      assert.match(page.text, /href="(?:\.\.\/)+guide\/operations\/install"/);
      assert.deepEqual(codeOf(await read(`/docs/guide/${path}`, { accept: '*/*' })), [404, 'not_found'], path);
    }
  });
});

suite('files of the guide', () => {
  test('are kept for ever, since their names change with their content', async () => {
    const names = guide.fileNames();
    for (const ending of ['.css', '.js', '.json', '.png', '.sql', '.svg']) {
      assert.ok(
        names.some((name) => name.endsWith(ending)),
        ending,
      );
    }
    for (const name of names) {
      const { statusCode, headers, rawPayload } = await server.app.http.inject(`/docs/guide/files/${name}`);
      assert.equal(statusCode, 200, name);
      assert.match(name, /-[A-Za-z0-9]{8}\.\w+$/);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.deepEqual(rawPayload, guide.file(name)?.plain);
      if (name.endsWith('.png')) assert.equal(headers['content-type'], 'image/png');
      else assert.ok(guide.file(name)?.br, `${name} is compressed ahead`);
    }
  });

  test('of another version, and every other path, are not found', async () => {
    const [name = ''] = guide.fileNames();
    for (const wrong of [
      'guide-00000000.js',
      '..%2fversion',
      '..%2fpages%2fapi.html',
      `${name}.br`,
      '__proto__',
      'x.html',
    ]) {
      assert.deepEqual(codeOf(await read(`/docs/guide/files/${wrong}`)), [404, 'not_found'], wrong);
    }
  });
});
