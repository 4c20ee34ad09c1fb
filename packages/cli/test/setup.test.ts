// roster setup, and the settings ROSTER_SETUP_… of roster serve: what they create, that it is created once, and that nothing
// secret leaves its file. Takes some 20 CPU-seconds: the same on a running server, on closed SQLite and on PostgreSQL, and several
// servers as processes.
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { loadConfig } from '@roster/server/operator';
import { createDatabase } from '../../server/test/postgres/databases.ts';
import { makeHomeHere } from '../../server/test/process/serve-here.ts';
import { until } from '../../server/test/process/waiting.ts';
import { openOperator } from '../src/operator/open-operator.ts';
import { makeHome, operatorCommands, runCli } from './harness.ts';
import { afterMigration } from './prepared-data.ts';

const secretForm = /^rst_[0-9A-Za-z]{46}\n$/;
const linkForm = /^http:\/\/\S+\/console#\/link\/[\w-]{43}\n$/;

const names = { ROSTER_SETUP_ORG: 'Acme', ROSTER_SETUP_BOT: 'Shop', ROSTER_SETUP_OWNER: 'dana@example.com' };

/** The commands in this process, for the data folder of a home. */
function stationIn(home: { folder: string; dataDir: string }, settings: Record<string, string> = {}) {
  const { folder } = home;
  const commands = operatorCommands(home, settings);
  const setUp = (...more: string[]) =>
    commands.run(['setup', '--org', 'Acme', '--bot', 'Shop', '--owner', 'dana@example.com', ...more]);
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  return { ...commands, folder, secretFile: join(folder, 'shop.secret'), setUp, read };
}

type Station = ReturnType<typeof stationIn>;

interface ServingStation extends Station {
  /** The address of a server, which is started in this process unless one runs already. */
  serve(): Promise<string>;
}

/** Empty. A test makes its home first: hooks run in their order, and a database goes when its servers have ended. */
async function makeDatabase(t: TestContext): Promise<{ DATABASE_URL: string }> {
  const { url, drop } = await createDatabase('plain');
  t.after(drop);
  return { DATABASE_URL: url };
}

async function makeEmptyPostgresStation(t: TestContext): Promise<ServingStation> {
  const home = await makeHomeHere(t);
  const station = stationIn(home, await makeDatabase(t));
  return { ...station, serve: async () => (await home.start(station.env)).url };
}

/** Everything that a setup may change. */
async function stateOf({ env, folder }: Station) {
  const operator = await openOperator(loadConfig({}, env, folder));
  const state: Record<string, unknown> = {
    organizations: await operator.listOrganizations(),
    bots: await operator.listBots(),
    secrets: await operator.listSecrets(),
    members: await operator.listMembers(),
  };
  await operator.close();
  for (const name of await readdir(folder)) {
    if (name.startsWith('shop')) state[name] = await readFile(join(folder, name), 'utf8');
  }
  return state;
}

const stations: Record<string, (t: TestContext) => Promise<ServingStation>> = {
  async 'with a running server, on SQLite'(t) {
    const home = await makeHomeHere(t);
    const { url } = await home.start();
    return { ...stationIn(home), serve: async () => url };
  },
  'without a server, on PostgreSQL': makeEmptyPostgresStation,
};

async function makeEmptySqliteStation(t: TestContext): Promise<ServingStation> {
  const home = await makeHomeHere(t);
  return { ...stationIn(home), serve: async () => (await home.start()).url };
}

async function makeMigratedSqliteStation(t: TestContext): Promise<Station> {
  const home = await makeHomeHere(t);
  await (await afterMigration()).copyTo(home.dataDir);
  return stationIn(home);
}

for (const [name, make] of Object.entries({ ...stations, 'without a server, on SQLite': makeEmptySqliteStation })) {
  suite(`roster setup ${name}`, () => {
    test('creates everything once, with the secret and the link in files for this user alone', async (t) => {
      const station = await make(t);
      const { setUp, json, read, secretFile, serve } = station;
      const first = await setUp('--secret-file', 'shop.secret');
      assert.equal(first.code, 0, first.stderr);
      assert.match(
        first.stdout,
        /^Created the organization Acme \(org_\w+\)\.\nCreated the bot Shop \(bot_\w+\)\.\nCreated the secret Setup \(sec_\w+\)\. It is in .*shop\.secret\.\nInvited dana@example\.com \(owner\)\. The one-time link is in .*shop\.secret\.owner-link\. It expires on \d{4}-\d\d-\d\d\.\n$/,
      );
      const [secret, link] = [await read('shop.secret'), await read('shop.secret.owner-link')];
      assert.match(secret, secretForm);
      assert.match(link, linkForm);
      for (const text of [secret, link]) assert.ok(!(first.stdout + first.stderr).includes(text.trim()));
      for (const file of [secretFile, `${secretFile}.owner-link`]) {
        assert.equal(((await stat(file)).mode & 0o777).toString(8), '600');
      }

      const before = await stateOf(station);
      const again = await setUp('--secret-file', 'shop.secret', '--json');
      assert.equal(again.code, 0, again.stderr);
      const { organization, bot, secret: made, owner } = JSON.parse(again.stdout);
      assert.deepEqual(
        [organization.name, organization.isNew, bot.name, bot.isNew, made.name, made.isNew, made.file],
        ['Acme', false, 'Shop', false, 'Setup', false, secretFile],
      );
      assert.deepEqual(
        [owner.email, owner.role, owner.isNew, owner.linkFile, Object.keys(owner).includes('link')],
        ['dana@example.com', 'owner', false, null, false],
      );
      assert.deepEqual(await stateOf(station), before);

      const stored = (await json('secret', 'list')).find(({ id }: { id: string }) => id === made.id);
      assert.deepEqual([stored.bots, stored.expiresAt, stored.state], [[bot.id], null, 'active']);
      const reply = await fetch(`${await serve()}/v1/bots/${bot.id}/contacts`, {
        headers: { authorization: `Bearer ${secret.trim()}` },
      });
      assert.equal(reply.status, 200);
    });
  });
}

for (const [name, make] of Object.entries({ ...stations, 'without a server, on SQLite': makeMigratedSqliteStation })) {
  suite(`roster setup ${name}`, () => {
    test('completes what an earlier call left: a secret in a file that was never stored', async (t) => {
      const station = await make(t);
      assert.equal((await station.setUp('--secret-file', 'shop.secret')).code, 0);
      const other = (await station.read('shop.secret')).trim();
      const [{ id }] = (await station.json('secret', 'list')).filter((each: { name: string }) => each.name === 'Setup');
      assert.equal((await station.run(['secret', 'revoke', id, '--yes'])).code, 0);
      const refused = await station.setUp('--secret-file', 'shop.secret');
      assert.equal(refused.code, 3);
      assert.match(refused.stderr, /The secret in the file is revoked/);
      assert.equal((await station.read('shop.secret')).trim(), other, 'a file that was there is left alone');
      await rm(station.secretFile);
      const repaired = await station.setUp('--secret-file', 'shop.secret');
      assert.equal(repaired.code, 0, repaired.stderr);
      assert.match(repaired.stdout, /The bot Shop .* already exists\.\nCreated the secret/);
      const unstored = await station.read('shop.secret');
      // As after a crash before the secret was stored: the file is there, and the database knows nothing of it.
      const fresh = await make(t);
      await writeFile(fresh.secretFile, unstored, { mode: 0o600 });
      const completed = await fresh.setUp('--secret-file', 'shop.secret', '--json');
      assert.equal(completed.code, 0, completed.stderr);
      assert.equal(JSON.parse(completed.stdout).secret.isNew, true);
      assert.equal(await fresh.read('shop.secret'), unstored);
    });
  });
}

// What a command does without a server it does alike on both engines, and each command takes half a second to open SQLite.
for (const [name, make] of Object.entries(stations)) {
  suite(`roster setup ${name}`, () => {
    test('refuses when the file of an existing secret is gone, and leaves no other', async (t) => {
      const station = await make(t);
      assert.equal((await station.setUp('--secret-file', 'shop.secret')).code, 0);
      await rm(station.secretFile);
      const refused = await station.setUp('--secret-file', 'shop.secret');
      assert.deepEqual([refused.code, refused.stdout], [3, '']);
      assert.match(refused.stderr, /The secret sec_\w+ was created before, and can't be shown again/);
      const files = (await readdir(station.folder)).filter((name) => name.startsWith('shop'));
      assert.deepEqual(files, ['shop.secret.owner-link']);
    });
  });
}

suite('roster setup', () => {
  test('creates nothing if the file cannot be written, is not private, or holds something else', async (t) => {
    const station = await makeEmptyPostgresStation(t);
    const { setUp, secretFile, folder, json } = station;
    const missing = await setUp('--secret-file', 'nowhere/shop.secret');
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /Cannot write .*nowhere\/shop\.secret: .*Nothing was created\./);
    await mkdir(join(folder, 'folder'));
    assert.equal((await setUp('--secret-file', 'folder')).code, 1);
    await writeFile(secretFile, 'not a secret\n', { mode: 0o600 });
    const other = await setUp('--secret-file', 'shop.secret');
    assert.equal(other.code, 1);
    assert.match(other.stderr, /does not contain a Roster secret/);
    await chmod(secretFile, 0o644);
    assert.match((await setUp('--secret-file', 'shop.secret')).stderr, /chmod 600/);
    assert.deepEqual(await json('org', 'list'), []);
  });

  test('needs an organization, a bot and a file, which the environment can name', async (t) => {
    const { run, secretFile, json } = await makeEmptyPostgresStation(t);
    for (const [args, message] of [
      [['setup'], /Pass --org, --bot and --secret-file/],
      [['setup', '--org', 'Acme'], /are needed together\. Set all three\./],
      [
        ['setup', '--org', 'Acme', '--bot', 'Shop', '--secret-file', 'x', '--owner', 'dana'],
        /ROSTER_SETUP_OWNER must be/,
      ],
    ] as const) {
      const refused = await run([...args]);
      assert.equal(refused.code, 2, refused.stderr);
      assert.match(refused.stderr, message);
    }
    const env = { ...names, ROSTER_SETUP_SECRET_FILE: secretFile };
    const ran = await run(['setup', '--bot', 'Support'], { env });
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(
      (await json('bot', 'list')).map((bot: { name: string }) => bot.name),
      ['Support'],
    );
  });

  test('refuses a name that two organizations have', async (t) => {
    const { run, setUp, folder } = await makeEmptyPostgresStation(t);
    for (let count = 0; count < 2; count++) await run(['org', 'create', 'Acme']);
    const refused = await setUp('--secret-file', 'shop.secret');
    assert.equal(refused.code, 3);
    assert.match(refused.stderr, /Several organizations are named "Acme"\. Rename all but one/);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('shop')),
      [],
    );
  });
});

suite('roster serve with ROSTER_SETUP_…', () => {
  test('creates what is missing before it listens, prints no secret, and no link for strangers', async (t) => {
    const home = await makeHome(t);
    const { env, secretFile, read, json } = stationIn(home);
    const settings = { ...env, ...names, ROSTER_SETUP_SECRET_FILE: secretFile };
    const first = await home.start({ env: settings });
    const [secret, link] = [await read('shop.secret'), await read('shop.secret.owner-link')];
    assert.match(secret, secretForm);
    assert.match(link, linkForm);
    assert.match(first.output.stdout, /Created the organization Acme/);
    for (const hidden of [secret.trim(), link.trim(), 'Set up your account', 'My organization']) {
      assert.ok(!(first.output.stdout + first.output.stderr).includes(hidden), hidden);
    }
    await first.stop();
    const second = await home.start({ env: settings });
    assert.doesNotMatch(second.output.stdout, /Created|Acme/);
    assert.deepEqual([(await json('org', 'list')).length, (await json('secret', 'list')).length], [1, 1]);
    const [{ id }] = await json('secret', 'list');
    // What somebody has revoked on purpose must not keep the service from starting.
    assert.equal((await runCli(['secret', 'revoke', id, '--yes'], { env })).code, 0);
    await second.stop();
    const third = await home.start({ env: settings });
    await until('the line of the log', () => /"msg":"the setup was rejected"/.test(third.output.stderr));
  });

  test('does not start if the file cannot be written, and creates nothing', async (t) => {
    const home = await makeHome(t);
    const { env, json } = stationIn(home, await makeDatabase(t));
    const settings = { ...env, ...names, ROSTER_SETUP_SECRET_FILE: '/nonexistent/shop.secret' };
    const failed = await home.run({ env: settings });
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /Cannot write \/nonexistent\/shop\.secret/);
    assert.deepEqual(await json('org', 'list'), []);
  });

  test('servers that start at once, each with its own file, create it once', async (t) => {
    const home = await makeHome(t);
    const database = await makeDatabase(t);
    const { json, read } = stationIn(home, database);
    const start = (number: number, args = ['serve']) =>
      home.start({
        args,
        env: { ...database, ...names, ROSTER_SETUP_SECRET_FILE: join(home.folder, `shop.${number}`) },
      });
    const servers = await Promise.all([start(1), start(2), start(3, ['serve', '--workers', '2'])]);
    for (const kind of ['org', 'bot', 'secret']) assert.equal((await json(kind, 'list')).length, 1, kind);
    const files = (await readdir(home.folder)).filter((name) => name.startsWith('shop'));
    assert.equal(files.length, 2, files.join());
    const [secretFile = ''] = files.toSorted();
    const [bot] = await json('bot', 'list');
    for (const server of servers) {
      const reply = await fetch(`${server.url}/v1/bots/${bot.id}/contacts`, {
        headers: { authorization: `Bearer ${(await read(secretFile)).trim()}` },
      });
      assert.equal(reply.status, 200);
    }
  });

  test('servers that start at once with the same file create it once', async (t) => {
    const home = await makeHome(t);
    const database = await makeDatabase(t);
    const { json, secretFile } = stationIn(home, database);
    const env = { ...database, ...names, ROSTER_SETUP_SECRET_FILE: secretFile };
    await Promise.all([home.start({ env }), home.start({ env }), home.start({ env })]);
    for (const kind of ['org', 'bot', 'secret']) assert.equal((await json(kind, 'list')).length, 1, kind);
  });
});
