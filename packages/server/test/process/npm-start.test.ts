// The README's start command: signals for the npm process reach the server, and its port is free when npm has ended.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { callFirstBot, makeHome, startFirst } from './server-process.ts';
import { patientStop, untilStopping } from './stopping.ts';
import { beginUpsert } from './unfinished-requests.ts';

/** Below those that systems hand out by themselves: no other test is given the port of a server that is about to start again. */
const firstPort = 30_000;
const lastPort = 32_768;

const signals: [title: string, signal: NodeJS.Signals, isForGroup: boolean][] = [
  ['SIGTERM for npm', 'SIGTERM', false],
  ['SIGINT for npm', 'SIGINT', false],
  // The terminal signals npm and the server, and npm forwards its own signal to the server.
  ['Control-C in a terminal', 'SIGINT', true],
];

suite('npm start', () => {
  for (const [title, signal, isForGroup] of signals) {
    test(`${title} stops the server gracefully, and its port is free at once`, async (t) => {
      const home = await makeHome(t);
      const env = { ...patientStop, ROSTER_PORT: String(randomInt(firstPort, lastPort)) };
      const server = await startFirst(home, { isByNpm: true, env });
      const upsert = await beginUpsert(t, server, server.firstRun, 10);
      process.kill(isForGroup ? -server.pid : server.pid, signal);
      await untilStopping(server);
      upsert.finish();
      assert.match(await upsert.answer, /^HTTP\/1\.1 200 OK\r\n/);
      assert.deepEqual(await server.exited, { code: 0, signal: null });
      assert.match(server.output.stderr, /"msg":"stopped"/);

      // After one of the signals it is started again. After the others the port and the data that a start needs are looked at alone.
      if (isForGroup) {
        const again = await home.start({ isByNpm: true, env });
        assert.equal(again.url, server.url);
        const reply = await callFirstBot(again.url, server.firstRun, 'GET', 'contacts?limit=1');
        const { pagination } = (await reply.json()) as { pagination: { total: number } };
        assert.equal(pagination.total, 10);
        return;
      }
      const next = createServer().listen({ host: '127.0.0.1', port: Number(env.ROSTER_PORT) });
      t.after(() => next.close());
      await once(next, 'listening');
      const db = new DatabaseSync(join(home.dataDir, 'roster.db'), { readOnly: true });
      t.after(() => db.close());
      assert.deepEqual({ ...db.prepare('SELECT count(*) AS total FROM contacts').get() }, { total: 10 });
    });
  }
});
