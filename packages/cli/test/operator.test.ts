// The operator's commands: on a running server, by its socket, and where no server runs. Every command runs on PostgreSQL, which
// each opens by itself, and those of each kind on an SQLite database that no process has open: opening it takes a command
// half a second. operator/operations.test.ts has all operations on an SQLite database, opened once.
import assert from 'node:assert/strict';
import files, { readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { isFolderTaken, openStore } from '../../server/src/store/open.ts';
import { callFirstBot } from '../../server/test/process/server-process.ts';
import { until } from '../../server/test/process/waiting.ts';
import { sampleContext } from '../../server/test/sample.ts';
import {
  finish,
  makeClosedStation,
  makeFolder,
  makeHome,
  makePostgresStation,
  makeServingStation,
  runCli,
  spawnCli,
  startCli,
  startFirst,
  wholeFile,
} from './harness.ts';

const slowCopies = { NODE_OPTIONS: `--import=${new URL('./slow-copies.ts', import.meta.url).href}` };

/** A backup in the folder, and whatever there is of one. */
const copiesIn = async ({ folder }: { folder: string }) =>
  (await readdir(folder)).filter((name) => name.startsWith('backup.db'));

/** For tests that leave its one organization, its one bot and its first secret as they are. */
const serving = await makeServingStation(wholeFile);

const everyCommand = {
  'on a running server': makeServingStation,
  'on PostgreSQL, which each command opens': makePostgresStation,
};

for (const [title, make] of Object.entries(everyCommand)) {
  suite(title, () => {
    test('organizations, bots and secrets are made, listed, renamed and ended', async (t) => {
      const { run, json, firstRun } = await make(t);
      const [first] = await json('org', 'list');
      assert.deepEqual(Object.keys(first), ['id', 'name', 'createdAt']);
      const acme = await json('org', 'create', 'Acme');
      assert.equal((await json('org', 'rename', 'Acme', 'Acme Ltd')).name, 'Acme Ltd');
      assert.equal((await run(['bot', 'create', 'Shop'])).code, 2, 'there are two organizations');
      const shop = await json('bot', 'create', 'Shop', '--org', 'Acme Ltd', '--color', '#123456');
      assert.deepEqual([shop.organizationId, shop.color, shop.allowedOrigins], [acme.id, '#123456', []]);
      const set = await json('bot', 'set', 'Shop', '--allow-origin', 'https://a.example', '--greeting', 'Hi');
      assert.deepEqual([set.allowedOrigins, set.greeting, set.color], [['https://a.example'], 'Hi', '#123456']);
      assert.deepEqual((await json('bot', 'set', 'Shop', '--any-origin')).allowedOrigins, []);
      const channel = ['--channel', 'whatsapp=+1 555 010 0123', '--channel', 'link=https://a.example/?q=1|Help'];
      const spoken = await json('bot', 'set', 'Shop', ...channel, '--greeting-in', 'pt-br=Oi = olá');
      assert.deepEqual(spoken.greetings, { 'pt-BR': 'Oi = olá' });
      assert.deepEqual(spoken.channels, [
        { type: 'whatsapp', value: '+15550100123', label: '' },
        { type: 'link', value: 'https://a.example/?q=1', label: 'Help' },
      ]);
      for (const wrong of [
        ['--channel', 'whatsapp'],
        ['--clear-channels', '--channel', 'phone=110'],
        ['--greeting-in', 'x'],
      ]) {
        assert.equal((await run(['bot', 'set', 'Shop', ...wrong])).code, 2, wrong.join(' '));
      }
      assert.match((await run(['bot', 'set', 'Shop', '--channel', 'link=http://a.example'])).stderr, /https:/);
      const cleared = await json('bot', 'set', 'Shop', '--clear-channels', '--clear-greetings');
      assert.deepEqual([cleared.channels, cleared.greetings], [[], {}]);
      assert.equal((await json('bot', 'set', 'Shop', '--token-max-seconds', '3600')).tokenMaxSeconds, 3600);
      assert.equal((await run(['bot', 'set', 'Shop', '--token-max-seconds', '59'])).code, 2);
      assert.equal((await json('bot', 'set', 'Shop', '--token-max-seconds', '31536000')).tokenMaxSeconds, 31_536_000);
      assert.equal((await json('bot', 'rename', 'Shop', 'Store')).name, 'Store');
      assert.deepEqual(await json('bot', 'show', shop.id), { ...set, allowedOrigins: [], name: 'Store' });
      const bots = await json('bot', 'list');
      assert.deepEqual(
        bots.map((bot: { id: string; contactCount: number }) => [bot.id, bot.contactCount]),
        [
          [firstRun.botId, 0],
          [shop.id, 0],
        ],
      );
      assert.equal((await run(['bot', 'delete', 'Store'])).code, 2, 'there is no terminal to ask');
      assert.deepEqual(await json('bot', 'delete', 'Store', '--yes'), { deleted: shop.id });
      assert.equal((await json('bot', 'list', '--org', acme.id)).length, 0);
    });

    test('a new secret is all that stdout holds, and is shown once', async (t) => {
      const { run, json } = await make(t);
      const made = await run(['secret', 'create', '--name', 'Import', '--expires', '90d']);
      assert.match(made.stdout, /^rst_\w{40,}\n$/);
      assert.match(made.stderr, /won't be shown again/);
      const listed = await run(['secret', 'list']);
      assert.ok(!listed.stdout.includes(made.stdout.trim()));
      const [, secret] = await json('secret', 'list');
      assert.deepEqual([secret.name, secret.state, secret.revokedAt], ['Import', 'active', null]);
      assert.ok(Math.abs(Date.parse(secret.expiresAt) - Date.now() - 90 * 86_400_000) < 3_600_000);
      assert.equal((await json('secret', 'rename', 'Import', 'Other')).name, 'Other');
      assert.equal((await run(['secret', 'revoke', 'Other'])).code, 2, 'there is no terminal to ask');
      assert.equal((await json('secret', 'revoke', 'Other', '--yes')).state, 'revoked');
      assert.equal((await run(['secret', 'revoke', 'Other', '--yes'])).code, 3);
      for (const when of ['2020-01-01', 'tomorrow', '0d', '2027-13-01']) {
        assert.equal((await run(['secret', 'create', '--name', 'x', '--expires', when])).code, 2, when);
      }
    });

    test('a secret gets the permissions and bots that are named, and expires unless told otherwise', async (t) => {
      const { run, json } = await make(t);
      const create = (...options: string[]) => json('secret', 'create', '--name', 'x', ...options);
      const usual = await create();
      assert.deepEqual(usual.permissions, ['contacts:read', 'contacts:write', 'tokens:write']);
      assert.equal(usual.bots, null);
      assert.ok(Math.abs(Date.parse(usual.expiresAt) - Date.now() - 90 * 86_400_000) < 3_600_000);
      const bot = await json('bot', 'create', 'Shop');
      const scope = ['--permissions', 'account:read, contacts:read', '--bots', `My bot,${bot.id}`];
      const made = await create(...scope, '--expires', 'never');
      assert.deepEqual(made.permissions, ['contacts:read', 'account:read']);
      assert.deepEqual([made.bots.length, made.bots[1], made.expiresAt], [2, bot.id, null]);
      const listed = await run(['secret', 'list']);
      assert.match(listed.stdout, /contacts:read, account:read +bot_\w+, bot_\w+ /);
      for (const [options, code, message] of [
        [['--permissions', 'contacts:delete'], 2, /"contacts:delete" is not a permission.*contacts:read/],
        [['--permissions', ','], 2, /Pass at least one/],
        [['--bots', ''], 2, /names no bot/],
        [['--bots', 'Nobody'], 3, /no bot "Nobody"/],
      ] as const) {
        const refused = await run(['secret', 'create', '--name', 'x', ...options]);
        assert.deepEqual([refused.code, refused.stdout], [code, '']);
        assert.match(refused.stderr, message);
      }
      const noted = await run(['secret', 'create', '--name', 'x']);
      assert.match(
        noted.stderr,
        /It expires on \w+ \d+, \d{4}, .*\. To choose another date or "never", pass --expires\./,
      );
    });

    test('what is not there or not allowed is refused in one line', async (t) => {
      const { run } = await make(t);
      const cases: [string[], number, RegExp][] = [
        [['bot', 'show', 'nobody'], 3, /no bot "nobody"/],
        [['bot', 'set', '--color', 'red'], 3, /color must be/],
        [['bot', 'set'], 2, /Nothing to change/],
        [['bot', 'set', '--any-origin', '--allow-origin', 'https://x'], 2, /cannot be combined/],
        [['org', 'rename', 'nobody', 'x'], 3, /no organization "nobody"/],
        [['secret', 'create'], 2, /--name/],
        [['member', 'remove', 'nobody@example.com', '--yes'], 3, /no member "nobody@example.com"/],
        [['member', 'invite', 'nobody'], 3, /email must be an email address/],
        [['member', 'invite', 'a@b', '--role', 'king'], 2, /owner, member, viewer/],
        [['move', 'sideways'], 2, /to-postgres, to-sqlite/],
      ];
      for (const [args, code, message] of cases) {
        const ran = await run(args);
        assert.equal(ran.code, code, ran.stderr);
        assert.match(ran.stderr, message);
        assert.equal(ran.stderr.trimEnd().split('\n').length, 1, ran.stderr);
      }
    });
  });
}

suite('on a database that no process has open', () => {
  test('a command of each kind opens it, and closes it when it is done or has failed', async (t) => {
    const { home, run } = await makeClosedStation(t);
    const commands: [args: string[], code: number, output: RegExp][] = [
      [['org', 'rename', 'My organization', 'Acme'], 0, /Acme/],
      [['bot', 'create', 'Shop'], 0, /Shop/],
      [['bot', 'delete', 'My bot', '--yes'], 0, /Deleted bot_/],
      [['bot', 'show', 'My bot'], 3, /no bot "My bot"/],
      [['secret', 'create', '--name', 'New'], 0, /^rst_/],
      [['bot', 'list'], 0, /^id .*\nbot_\w+ +Shop .*\n$/],
    ];
    for (const [args, code, output] of commands) {
      const ran = await run(args);
      assert.equal(ran.code, code, ran.stderr);
      assert.match(ran.stdout + ran.stderr, output);
      assert.equal(isFolderTaken(home.dataDir), false, args.join(' '));
    }
  });

  test('a backup that is interrupted leaves nothing behind', async (t) => {
    const { home, env } = await makeClosedStation(t);
    const child = spawnCli(['backup', 'backup.db'], { cwd: home.folder, env: { ...env, ...slowCopies } });
    t.after(() => child.kill('SIGKILL'));
    const ended = finish(child);
    await until('a copy that has begun', async () => (await copiesIn(home)).length > 0);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.deepEqual([code, /Interrupted\. No backup was created/.test(stderr)], [130, true], stderr);
    assert.deepEqual(await copiesIn(home), []);
  });

  test('a backup that is interrupted when it is complete is said to be', async (t) => {
    const { home, env } = await makeClosedStation(t);
    const { link } = files;
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    t.mock.method(files, 'link', async (from: string, to: string) => {
      await link(from, to);
      running.stop();
    });
    syncBuiltinESMExports();
    const running = startCli(t, ['backup', 'backup.db'], { cwd: home.folder, env });
    const { code, stdout, stderr } = await running.ended;
    const said = /Interrupted, but the backup was already complete: backup\.db\./;
    assert.deepEqual([code, stdout, said.test(stderr)], [130, '', true], stderr);
    assert.ok((await readdir(home.folder)).includes('backup.db'));
  });
});

for (const [title, make] of Object.entries({
  'on a running server': makeServingStation,
  'on a database that no process has open': makeClosedStation,
})) {
  suite(title, () => {
    test('a backup is restored into another folder, and nothing is overwritten without --force', async (t) => {
      const { home, run, json, firstRun } = await make(t);
      const file = join(home.folder, 'backup.db');
      const { bytes } = await json('backup', file);
      assert.ok(bytes > 10_000);
      assert.match((await run(['backup', join(home.folder, 'second.db')])).stderr, /^Checking the copy …$/m);
      assert.equal((await run(['backup', file])).code, 3);
      const other = { env: { ROSTER_DATA_DIR: join(home.folder, 'other') } };
      assert.equal((await run(['restore', file], other)).code, 0);
      const refused = await run(['restore', file], other);
      assert.deepEqual([refused.code === 0, /--force|force/.test(refused.stderr)], [false, true], refused.stderr);
      assert.equal((await run(['restore', file, '--force'], other)).code, 0);
      const { stdout } = await run(['bot', 'list', '--json'], other);
      assert.equal(JSON.parse(stdout)[0].id, firstRun.botId);
    });
  });
}

suite('on a running server', () => {
  test('a backup that is interrupted leaves nothing behind', async (t) => {
    const home = await makeHome(t);
    await startFirst(home, { env: slowCopies });
    const env = { ROSTER_DATA_DIR: home.dataDir };
    const running = startCli(t, ['backup', 'backup.db'], { cwd: home.folder, env });
    await until('a copy that has begun', async () => (await copiesIn(home)).length > 0);
    const { code, stderr } = await running.stop();
    assert.deepEqual([code, /Interrupted\. The server is canceling/.test(stderr)], [130, true], stderr);
    // The server removes its part when it notices that the client is gone.
    await until('the server to clean up', async () => (await copiesIn(home)).length === 0);
  });

  test('a secret works as soon as it is made, and not any more when it is revoked', async () => {
    const { run, server, firstRun } = serving;
    const secret = (await run(['secret', 'create', '--name', 'New'])).stdout.trim();
    const first = { ...firstRun, secret };
    assert.equal((await callFirstBot(server.url, first, 'GET', 'contacts')).status, 200);
    await run(['secret', 'revoke', 'New', '--yes']);
    assert.equal((await callFirstBot(server.url, first, 'GET', 'contacts')).status, 401);
  });

  test('purge --now ends a pause of purging that began when the server started', async (t) => {
    const { home, run, json } = await makeClosedStation(t);
    const closed = await openStore({ dataDir: home.dataDir, database: undefined, onFatal: assert.fail });
    const purgedAtMs = Date.now() - 5 * 3_600_000;
    await closed.savePurging({ purgedAtMs }, sampleContext());
    await closed.close();
    const { store } = (await home.start()).deps;
    await until('the pause', async () => (await store.findPurging()).pausedUntilMs !== undefined);
    const refused = await run(['purge']);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /check the clock of this machine, then run "roster purge --now"/);
    assert.equal((await store.findPurging()).purgedAtMs, purgedAtMs);
    const { stdout } = await run(['purge', '--now']);
    assert.match(stdout, /^Purging was paused until .+\. Servers purge again within a minute\.\n$/);
    const ended = await store.findPurging();
    assert.equal(ended.pausedUntilMs, undefined);
    assert.ok((ended.purgedAtMs ?? 0) > purgedAtMs);
    assert.equal((await run(['purge', '--now'])).stdout, 'Purging was not paused. Servers purge every minute.\n');
    assert.deepEqual(await json('purge', '--now'), { pausedUntil: null });
  });

  test('health says whether the server is ready, by its exit code', async (t) => {
    const { run, server } = await makeServingStation(t);
    const env = { ROSTER_PORT: new URL(server.url).port };
    const ready = await run(['health'], { env });
    assert.deepEqual([ready.code, ready.stdout], [0, 'The server is ready.\n']);
    assert.deepEqual(JSON.parse((await run(['health', '--json'], { env })).stdout), { status: 'ready' });
    await server.stop();
    const stopped = await run(['health'], { env });
    assert.equal(stopped.code, 1);
    assert.match(stopped.stderr, /No server responds at http:\/\/127\.0\.0\.1:\d+\./);
  });

  test('doctor looks at all of it, and its exit code says whether something is wrong', async () => {
    const { run, json, server, firstRun } = serving;
    const { secret, botId } = firstRun;
    // Port 8080 may belong to another program.
    const env = { ROSTER_SECRET: secret, ROSTER_BOT: botId, ROSTER_URL: server.url, ROSTER_PORT: '0' };
    const well = await run(['doctor'], { env });
    assert.equal(well.code, 0, `${well.stdout}${well.stderr}`);
    assert.match(well.stdout, /^ok +contact commands: .* accepts the secret\. The bot has 0 contacts/m);
    const wrong = await run(['doctor'], { env: { ...env, ROSTER_BOT: 'bot_nope' } });
    assert.equal(wrong.code, 4);
    assert.match(wrong.stdout, /^PROBLEM +contact commands: /m);
    for (const finding of await json('doctor')) assert.deepEqual(Object.keys(finding), ['check', 'level', 'message']);
  });
});

suite('the web framework', () => {
  /** Prints to stderr, when the command ends, whether its modules are loaded. */
  const probe = `data:text/javascript,${encodeURIComponent(`
    import { Module } from 'node:module';
    process.on('exit', () => {
      const isLoaded = Object.keys(Module._cache).some((file) => file.includes('/node_modules/fastify/'));
      process._rawDebug('fastify ' + (isLoaded ? 'loaded' : 'not loaded'));
    });`)}`;

  const isLoadedIn = async (env: Record<string, string>) => {
    const probed = { ...env, NODE_OPTIONS: `--import=${probe}` };
    const { code, stderr } = await finish(spawnCli(['bot', 'list'], { env: probed }));
    assert.equal(code, 0, stderr);
    // Each thread reports. Those of a database do without it.
    assert.match(stderr, /^fastify (not )?loaded$/m);
    return /^fastify loaded$/m.test(stderr);
  };

  test('is not loaded where a server runs', async () => {
    assert.equal(await isLoadedIn(serving.env), false);
  });

  test('is loaded where no server runs', async (t) => {
    assert.equal(await isLoadedIn((await makeClosedStation(t)).env), true);
  });
});

suite('the service', () => {
  test('roster serve serves until a signal stops it, and roster migrate prepares a database', async (t) => {
    const home = await makeHome(t);
    const env = { ROSTER_DATA_DIR: home.dataDir, ROSTER_PORT: '0' };
    const migrated = await runCli(['migrate'], { cwd: home.folder, env });
    assert.deepEqual([migrated.code, migrated.stdout], [0, 'The schema is up to date.\n'], migrated.stderr);
    const child = spawnCli(['serve'], { cwd: home.folder, env });
    t.after(() => child.kill('SIGKILL'));
    const ended = finish(child);
    const url = await new Promise<string>((resolve) => {
      let text = '';
      child.stdout?.on('data', (chunk) => {
        text += chunk;
        const [, found] = /listens on (\S+) /.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  test('a start with a wrong option ends as wrong usage, in one line', async (t) => {
    const env = { ROSTER_DATA_DIR: await makeFolder(t) };
    const ended = await finish(spawnCli(['serve', '--workers', 'many'], { env }));
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /^roster: ROSTER_WORKERS .*\n$/);
  });

  test('wrong settings are wrong usage, and all reported at once', async () => {
    const { code, stderr } = await runCli(['bot', 'list'], { env: { ROSTER_PORT: 'x', ROSTER_LOG_LEVEL: 'loud' } });
    assert.equal(code, 2);
    assert.match(stderr, /ROSTER_PORT must be/);
    assert.match(stderr, /ROSTER_LOG_LEVEL must be/);
  });
});
