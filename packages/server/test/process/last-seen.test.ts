// What is known only in memory is written before the process ends.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeHomeHere } from './serve-here.ts';
import { callFirstBot } from './server-process.ts';

test('a token that was seen just before the stop is noted as seen', async (t) => {
  const home = await makeHomeHere(t);
  const { url, firstRun, stop } = await home.startFirst();
  const created = await callFirstBot(url, firstRun, 'PUT', 'contacts', { name: 'Jane', email: 'jane@example.com' });
  const { data } = (await created.json()) as { data: { id: string } };
  const issued = await callFirstBot(url, firstRun, 'POST', 'auth/contact', { id: data.id });
  const { token } = (await issued.json()) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  const before = Date.now();
  assert.equal((await fetch(`${url}/v1/bots/${firstRun.botId}/auth/contact`, { headers })).status, 200);
  const readLastSeen = () => {
    const db = new DatabaseSync(join(home.dataDir, 'roster.db'), { readOnly: true });
    const row = db.prepare('SELECT last_seen_at FROM contact_tokens').get() as { last_seen_at: number | null };
    db.close();
    return row.last_seen_at;
  };
  const seenBefore = readLastSeen();
  // After five seconds, which a busy machine may take until here, it is written together with others.
  if (Date.now() - before < 4900) assert.equal(seenBefore, null, 'a page view is no write of its own');
  await stop();
  const seenAtMs = readLastSeen() ?? 0;
  assert.ok(seenAtMs >= before && seenAtMs <= Date.now());
});
