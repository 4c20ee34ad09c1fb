// A server whose database is damaged while it runs: it goes on as a process, and its log says once what to do.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { damagePages } from '../damaged-pages.ts';
import { callFirstBot, makeHome, startFirst } from './server-process.ts';
import { until } from './waiting.ts';

test('a damaged database is not backed up, and is in the log as one fatal line that names the way out', async (t) => {
  const home = await makeHome(t);
  const first = await startFirst(home);
  const items = Array.from({ length: 1000 }, (_, n) => ({ name: `Jane ${n}`, email: `jane${n}@example.com` }));
  assert.equal((await callFirstBot(first.url, first.firstRun, 'PATCH', 'contacts', { data: items })).status, 200);
  await first.stop();
  const server = await home.start();
  const call = (method: string, path: string, body?: unknown) =>
    callFirstBot(server.url, first.firstRun, method, path, body);
  await damagePages(join(home.dataDir, 'roster.db'));

  const backup = await home.run({ args: ['backup', 'backup.db'] });
  assert.deepEqual([backup.code, backup.stdout], [1, '']);
  const reason = /^roster: No backup was created: the database is damaged \([^\n]+\)\. Run "roster doctor"[^\n]+\n$/m;
  assert.match(backup.stderr, reason);
  assert.deepEqual(await readdir(home.folder), ['data']);

  // It looks for the damage in its own file now.
  await until('the server to be not ready', async () => (await call('GET', '/readyz')).status === 503);
  for (let count = 0; count < 3; count++) {
    assert.equal((await call('PUT', 'contacts', { name: 'Joe', email: 'joe@example.com' })).status, 503);
    assert.equal((await call('GET', 'export?limit=1000')).status, 503);
  }
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  const lines = server.output.stderr.split('\n').filter((line) => line.includes('"level":60'));
  assert.equal(lines.length, 1, server.output.stderr);
  const { msg, err } = JSON.parse(lines[0] as string);
  assert.match(msg, /^the database is damaged .*"roster doctor".*"roster restore"$/);
  assert.ok(err.message);

  const { code, stderr } = await home.run();
  assert.equal(code, 1);
  assert.match(stderr, /^roster: \S+roster\.db is damaged: [^\n]*Restore a backup[^\n]*\n$/);
});
