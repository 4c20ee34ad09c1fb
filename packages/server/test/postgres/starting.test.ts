// Starting on a PostgreSQL database: several servers at once, and what is said when one cannot start. Most starts are in this
// process: those of a process of its own are here for what the command line adds.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { FirstRun } from '../../src/process/first-run.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { StoreOpenError } from '../../src/store/store.ts';
import { makeHomeHere } from '../process/serve-here.ts';
import {
  callFirstBot,
  type Exit,
  findFirstRun,
  makeHome,
  type Output,
  type StartOptions,
} from '../process/server-process.ts';
import { unlessBusy } from '../process/unless-busy.ts';
import { createDatabase, createEmptyDatabase, query } from './databases.ts';

// Side by side: some of them wait for long.
suite('starting on PostgreSQL', { concurrency: 3 }, () => {
  suite('servers that start at once on an empty database', () => {
    test('all come up, one of them makes the first organization, and its secret works with all', async (t) => {
      const env = { DATABASE_URL: await makeBlankDatabase(t) };
      const home = await makeHomeHere(t);
      const servers = await Promise.all([1, 2, 3].map(() => home.start(env)));
      const [firstRun, ...more] = servers.flatMap((server) => server.firstRun ?? []);
      assert.ok(firstRun);
      assert.deepEqual(more, []);
      for (const { url } of servers) assert.equal(await statusOfList(url, firstRun), 200);
      assert.equal((await query(env.DATABASE_URL, 'SELECT FROM organizations')).length, 1);
      await Promise.all(servers.map((server) => server.stop()));
    });

    test('create nothing when the first secret cannot be written, so that the next start is the first', async (t) => {
      const home = await makeHome(t);
      const env = { DATABASE_URL: await makeBlankDatabase(t), ROSTER_PRINT_SECRETS: 'false' };
      for (const args of [['serve'], ['serve', '--workers', '2']]) {
        // Nobody can write there, not even root.
        const options = { args, env: { ...env, ROSTER_DATA_DIR: '/proc/roster-data', ROSTER_LOG_LEVEL: 'silent' } };
        const line = await refusalOf(home.run(options), options);
        assert.match(line, /^Cannot write \/proc\/roster-data\/first-secret\.txt: .*ROSTER_PRINT_SECRETS=true/);
      }
      assert.deepEqual(await query(env.DATABASE_URL, 'SELECT FROM organizations'), []);
      const server = await (await makeHomeHere(t)).start({ ...env, ROSTER_DATA_DIR: home.dataDir });
      const firstRun = findFirstRun(readFileSync(join(home.dataDir, 'first-secret.txt'), 'utf8'));
      assert.ok(firstRun);
      assert.equal(await statusOfList(server.url, firstRun), 200);
      await server.stop();
    });

    test('bring the schema up to date once', async (t) => {
      for (let round = 0; round < 3; round++) {
        const url = await makeBlankDatabase(t);
        const migrations = await Promise.all(Array.from({ length: 6 }, () => migratePostgres(url)));
        assert.equal(migrations.filter(({ from }) => from === 0).length, 1);
      }
    });
  });

  suite('the schema', () => {
    test('is brought up to date by migrate, which then has nothing more to do; --no-migrate waits for it', async (t) => {
      const home = await makeHome(t);
      const here = await makeHomeHere(t);
      const env = { DATABASE_URL: await makeBlankDatabase(t) };
      const options = { args: ['serve', '--no-migrate'], env };
      for (const line of [
        await refusalOf(home.run(options), options),
        await reasonOf(here.start({ ...env, ROSTER_MIGRATE: 'false' }), env.DATABASE_URL),
      ]) {
        assert.match(
          line,
          /^The database has schema version 0, but this version of Roster needs \d+\. Run "roster migrate", or start without /,
        );
      }
      assert.deepEqual(await query(env.DATABASE_URL, "SELECT FROM pg_class WHERE relname = 'contacts'"), []);

      const first = await home.run({ args: ['migrate'], env });
      assert.match(first.stdout, /^Updated the schema from version 0 to \d+\.\n$/, first.stderr);
      const second = await home.run({ args: ['migrate'], env });
      assert.deepEqual(second, { code: 0, signal: null, stdout: 'The schema is up to date.\n', stderr: '' });
      const server = await here.startFirst({ ...env, ROSTER_MIGRATE: 'false' });
      await server.stop();
    });

    test('of the first version is brought up to date with its members', async (t) => {
      const url = await makeBlankDatabase(t);
      const first = new URL('../../src/store/postgres/migrations/0001-initial.sql', import.meta.url);
      await query(url, readFileSync(first, 'utf8'));
      await query(
        url,
        `CREATE TABLE installation (id smallint PRIMARY KEY, schema_version integer NOT NULL, checked_at bigint NOT NULL);
        INSERT INTO installation VALUES (1, 1, 0);
        INSERT INTO organizations VALUES ('org', 'First', 1), ('other', 'Other', 2);
        INSERT INTO members VALUES ('mem', 'org', 'Dana', 'D@e.fr', 'd@e.fr', 'owner', 'hash', 3, 4);
        INSERT INTO sessions VALUES ('\\x01', 'mem', 6, 7, 8)`,
      );
      assert.equal((await migratePostgres(url)).from, 1);
      const member = `INSERT INTO members VALUES ($1, $2, 'Dana', 'D@e.fr', 'd@e.fr', 'member', 'hash', 5, 6)`;
      await query(url, member, ['new', 'other']);
      await assert.rejects(query(url, member, ['again', 'other']), { code: '23505' });
      assert.deepEqual(await query(url, 'SELECT id FROM members ORDER BY id'), [{ id: 'mem' }, { id: 'new' }]);
      assert.equal((await query(url, 'SELECT FROM sessions')).length, 1);
    });

    test('of a newer version is refused, whatever is asked for', async (t) => {
      const home = await makeHome(t);
      const here = await makeHomeHere(t);
      const { url, drop } = await createDatabase('plain');
      t.after(drop);
      await query(url, 'UPDATE installation SET schema_version = 99');
      const env = { DATABASE_URL: url };
      const refusalOfCommand = (...args: string[]) => refusalOf(home.run({ args, env }), { env });
      for (const line of [
        await reasonOf(here.start(env), url),
        await reasonOf(here.start({ ...env, ROSTER_MIGRATE: 'false' }), url),
        await refusalOfCommand('migrate'),
        await refusalOfCommand('serve', '--workers', '2'),
      ]) {
        assert.match(
          line,
          /^The database has schema version 99, but this version of Roster only supports up to \d+\. Start a newer /,
        );
      }
    });
  });

  suite('a database that cannot be used is named in one line without the password', { concurrency: 8 }, () => {
    const cases: [what: string, change: (url: URL) => unknown, wanted: RegExp][] = [
      [
        'wrong password',
        (url) => Object.assign(url, { password: 'wrong%20word' }),
        /password authentication failed for user "roster"/,
      ],
      [
        'unknown user',
        (url) => Object.assign(url, { username: 'nobody' }),
        /password authentication failed for user "nobody"/,
      ],
      ['unknown database', (url) => Object.assign(url, { pathname: 'nowhere' }), /database "nowhere" does not exist/],
      ['nothing listens there', (url) => Object.assign(url, { port: '1' }), /connect ECONNREFUSED 127\.0\.0\.1:1\./],
      [
        'nothing listens at a name',
        (url) => Object.assign(url, { hostname: 'localhost', port: '1' }),
        /ECONNREFUSED 127\.0\.0\.1:1\b/,
      ],
      [
        'unknown host',
        (url) => Object.assign(url, { hostname: 'db.invalid', search: 'sslmode=disable' }),
        /ENOTFOUND db\.invalid/,
      ],
      [
        'no encryption there',
        (url) => Object.assign(url, { search: 'sslmode=require' }),
        /server does not support SSL/,
      ],
    ];
    for (const [what, change, wanted] of cases) {
      test(what, async (t) => {
        const url = new URL(await makeBlankDatabase(t));
        change(url);
        assert.match(await reasonOfStart(t, url.href), wanted);
      });
    }

    test('a server that never answers', async (t) => {
      const silent = createServer().listen(0, '127.0.0.1');
      t.after(() => silent.close());
      await once(silent, 'listening');
      const url = `postgres://roster:canary@127.0.0.1:${(silent.address() as { port: number }).port}/roster`;
      assert.match(await reasonOfStart(t, url), /timeout/);
    });

    test('no right to create tables', async (t) => {
      const url = await makeBlankDatabase(t);
      await query(url, 'REVOKE CREATE ON SCHEMA public FROM pg_database_owner, PUBLIC');
      assert.match(await reasonOfStart(t, url), /permission denied for schema public/);
    });

    test('an encoding that cannot hold every character', async (t) => {
      const url = await makeBlankDatabase(t, "ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'");
      assert.match(await reasonOfStart(t, url), /encoding LATIN1; Roster needs UTF8/);
    });

    test('an address of another machine that does not mention encryption', async (t) => {
      const url = 'postgres://roster:canary@db.example.com/roster';
      assert.match(await reasonOfStart(t, url), /db\.example\.com.*sslmode=verify-full/);
    });
  });
});

async function statusOfList(url: string, firstRun: FirstRun): Promise<number> {
  return (await unlessBusy(() => callFirstBot(url, firstRun, 'GET', 'contacts'))).status;
}

/** Without a schema. */
async function makeBlankDatabase(t: TestContext, options?: string): Promise<string> {
  const { url, drop } = await createEmptyDatabase(options);
  t.after(drop);
  return url;
}

/** The one line of a start in this process that fails, which the command line prints as it is. */
async function reasonOf(start: Promise<unknown>, databaseUrl: string): Promise<string> {
  const error = await start.then(
    () => assert.fail('it started'),
    (error: Error) => error,
  );
  assert.ok(error instanceof StoreOpenError, error.stack);
  assertOneLine(error.message, databaseUrl);
  return error.message;
}

async function reasonOfStart(t: TestContext, databaseUrl: string): Promise<string> {
  return reasonOf((await makeHomeHere(t)).start({ DATABASE_URL: databaseUrl }), databaseUrl);
}

function assertOneLine(line: string, databaseUrl: string): void {
  assert.doesNotMatch(line, /\n/);
  const { password } = new URL(databaseUrl);
  assert.ok(!line.includes(password) && !line.includes(decodeURIComponent(password)), 'the password is in the line');
}

/** The one line of a process that could not start, after checking what all of them have in common. */
async function refusalOf(run: Promise<Exit & Output>, { env = {} }: StartOptions): Promise<string> {
  const { code, stdout, stderr } = await run;
  assert.equal(code, 1, stderr);
  assert.equal(stdout, '');
  const line = stderr.replace(/^roster: /, '').trimEnd();
  assertOneLine(line, env['DATABASE_URL'] ?? '');
  return line;
}
