// The command as an operator runs it: what it prints, its exit code, and that the service goes on with the moved data.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { moveData } from '../../src/process/start.ts';
import { MoveError } from '../../src/store/move.ts';
import { createDatabase } from '../postgres/databases.ts';
import { makeHomeHere } from '../process/serve-here.ts';
import { callFirstBot, type Exit, makeHome, type Output } from '../process/server-process.ts';
import { unlessBusy } from '../process/unless-busy.ts';
import { unwatched } from './sides.ts';

/** One line on stderr, nothing else, and the code of a failure. */
function lineOf({ code, stdout, stderr }: Exit & Output, expectedCode = 1): string {
  assert.equal(code, expectedCode, stdout + stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /^[^\n]+\n$/);
  return stderr.replace(/^roster: /, '').trimEnd();
}

suite('roster move', () => {
  test('moves the data of a server to PostgreSQL and back, and never prints the password', async (t) => {
    const home = await makeHome(t);
    const servers = await makeHomeHere(t);
    const { url, drop } = await createDatabase('plain');
    t.after(drop);
    const { password } = new URL(url);
    assert.ok(password.length > 8);
    const first = await servers.startFirst();
    const call = (server: { url: string }, path: string, method = 'GET', body?: unknown) =>
      unlessBusy(() => callFirstBot(server.url, first.firstRun, method, path, body));
    await call(first, 'contacts', 'PUT', { name: 'Jane Doe', email: 'jane@example.com' });
    const contacts = await (await call(first, 'contacts')).json();

    const env = { DATABASE_URL: url, ROSTER_DATA_DIR: servers.dataDir };
    const busy = await home.run({ args: ['move', 'to-postgres'], env });
    assert.match(lineOf(busy), /^Another process is using the data folder/);
    await first.stop();

    const there = await home.run({ args: ['move', 'to-postgres'], env });
    assert.equal(there.code, 0, there.stderr);
    assert.match(there.stdout, /\ncontacts +1 +[0-9a-f]{16} +equal\n/);
    assert.match(there.stdout, /Start the servers with this DATABASE_URL/);
    const server = await servers.start(env);
    assert.deepEqual(await (await call(server, 'contacts')).json(), contacts);
    await server.stop();

    const newFolder = { ...env, ROSTER_DATA_DIR: join(home.folder, 'new') };
    const back = await home.run({ args: ['move', 'to-sqlite'], env: newFolder });
    assert.equal(back.code, 0, back.stderr);
    const { mode } = statSync(join(newFolder.ROSTER_DATA_DIR, 'roster.db'));
    assert.equal(mode & 0o077, 0, 'other users of the machine cannot read it');
    const second = await servers.start({ ROSTER_DATA_DIR: newFolder.ROSTER_DATA_DIR });
    assert.deepEqual(await (await call(second, 'contacts')).json(), contacts);

    const again = await home.run({ args: ['move', 'to-postgres'], env });
    assert.match(lineOf(again), /already contains organizations/);
    const wrong = url.replace(password, `${password}wrong`);
    const refused = moveData('to-postgres', loadConfig({}, { ...env, DATABASE_URL: wrong }, home.folder), unwatched);
    await assert.rejects(refused, (error: Error) => {
      assert.ok(error instanceof MoveError, error.stack);
      assert.match(error.message, /^[^\n]*password authentication failed[^\n]*$/);
      assert.ok(!error.message.includes(password), 'the password would be printed');
      return true;
    });
    for (const { stdout, stderr } of [busy, there, back, again]) {
      assert.ok(!`${stdout}${stderr}`.includes(password), 'the password was printed');
    }
  });

  test('says what it needs', async (t) => {
    const home = await makeHome(t);
    assert.match(lineOf(await home.run({ args: ['move', 'to-sqlite'] }), 2), /DATABASE_URL/);
    const unknown = await home.run({ args: ['move', 'to-mysql'] });
    assert.match(lineOf(unknown, 2), /'to-mysql' is invalid.* to-postgres, to-sqlite/);
  });
});
