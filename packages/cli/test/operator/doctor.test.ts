// Looking at the set-up: each thing that can be wrong is found, named, and comes with what to do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { type Config, type Finding, loadConfig, migrate, runDoctor, StoreOpenError } from '@roster/server/operator';
import { createDatabase, createEmptyDatabase, query } from '../../../server/test/postgres/databases.ts';
import { makeHome, startFirst } from '../../../server/test/process/server-process.ts';
import { findServer } from '../../src/operator/socket-client.ts';
import { configOf, databaseConfig, engines, makeFolder, open } from './setup.ts';

async function find(config: Config, check: string): Promise<Omit<Finding, 'check'>> {
  const findings = await runDoctor({ ...config, port: config.port === 8080 ? 0 : config.port }, findServer);
  const found = findings.filter((finding) => finding.check === check);
  assert.equal(found.length, 1, JSON.stringify(findings));
  const { level, message } = found[0] as Finding;
  return { level, message };
}

async function assertFinding(config: Config, check: string, level: Finding['level'], message: RegExp): Promise<void> {
  const found = await find(config, check);
  assert.match(found.message, message);
  assert.equal(found.level, level, found.message);
}

suite('examining the set-up', () => {
  test('finds all well, on both engines', async (t) => {
    for (const makeConfig of Object.values(engines)) {
      const config = await makeConfig(t);
      const findings = await runDoctor({ ...config, port: 0 }, findServer);
      assert.deepEqual(
        // The PostgreSQL of the tests does without syncs, and must be distinguished from one that is meant to last.
        findings.filter(({ check, level }) => (check === 'durability' ? level !== 'warning' : level !== 'ok')),
        [],
      );
      assert.ok(findings.length > 5);
    }
  });

  test('reports every wrong setting, and no secret value', async () => {
    const environment = { ROSTER_PORT: 'http', DATABASE_URL: 'mysql://canary@db/roster' };
    const findings = await runDoctor(() => loadConfig({}, environment, '/nowhere'), findServer);
    assert.deepEqual(
      findings.map(({ check, level, message }) => [check, level, message.split(' ', 1)[0]]),
      [
        ['settings', 'problem', 'ROSTER_PORT'],
        ['settings', 'problem', 'DATABASE_URL'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(findings), /canary/);
  });

  test('makes and changes nothing', async (t) => {
    const config = configOf(await makeFolder(t));
    await assertFinding(config, 'data folder', 'ok', /does not exist yet; the first start creates it/);
    assert.deepEqual(await readdir(join(config.dataDir, '..')), []);
    await migrate(config);
    const read = async () => {
      const names = await readdir(config.dataDir);
      return Promise.all(
        names.map(async (name) => [name, (await readFile(join(config.dataDir, name))).toString('base64')]),
      );
    };
    const before = await read();
    await runDoctor({ ...config, port: 0 }, findServer);
    assert.deepEqual(await read(), before);
  });

  test('finds a data folder that is a file, or open to others', async (t) => {
    const folder = await makeFolder(t);
    await writeFile(join(folder, 'file'), '');
    await assertFinding(
      configOf(folder, { ROSTER_DATA_DIR: 'file/data' }),
      'data folder',
      'problem',
      /file is not a folder/,
    );
    const config = configOf(folder);
    await mkdir(config.dataDir);
    await chmod(config.dataDir, 0o755);
    await assertFinding(config, 'data folder', 'warning', /Other users .* can read .*data\. Run "chmod go-rwx .*data"/);
  });

  test('finds a data folder that no start could make', { skip: process.platform !== 'linux' }, async (t) => {
    const folder = await makeFolder(t);
    await symlink('nowhere', join(folder, 'dangling'));
    await symlink('loop', join(folder, 'loop'));
    const impossible: [dataDir: string, message: RegExp][] = [
      ['dangling', /dangling is a broken link/],
      ['dangling/data', /dangling is a broken link/],
      ['loop', /loop cannot be read \(ELOOP\)/],
      ['x'.repeat(300), /x cannot be read \(ENAMETOOLONG\)/],
      ['/proc', /([Cc]annot create a folder in|cannot write to) \/proc/],
      ['/proc/roster', /([Cc]annot create a folder in|cannot write to) \/proc/],
    ];
    for (const [dataDir, message] of impossible) {
      const config = configOf(folder, { ROSTER_DATA_DIR: dataDir });
      await assert.rejects(migrate(config), StoreOpenError, dataDir);
      await assertFinding(config, 'data folder', 'problem', message);
      await assertFinding(config, 'data folder', 'problem', /[Ss]et ROSTER_DATA_DIR to another/);
    }
    assert.deepEqual((await readdir(folder)).toSorted(), ['dangling', 'loop']);
  });

  test('does not suggest to close a folder that others use too', async (t) => {
    const folder = await makeFolder(t);
    const config = configOf(folder);
    await mkdir(config.dataDir);
    await chmod(config.dataDir, 0o755);
    await writeFile(join(config.dataDir, 'theirs'), '');
    await assertFinding(
      config,
      'data folder',
      'warning',
      /can read .*data\. Set ROSTER_DATA_DIR to a folder of its own/,
    );
  });

  test('finds a database that is damaged, not ours, or newer', async (t) => {
    const config = await engines.SQLite(t);
    const path = join(config.dataDir, 'roster.db');
    const whole = await readFile(path);
    await assertFinding(config, 'database', 'ok', /is intact, and its schema is up to date/);
    await writeFile(path, Buffer.from(whole).fill('garbage!', 3 * 4096, 5 * 4096));
    await assertFinding(config, 'database', 'problem', /roster\.db is damaged: .* restore FILE/s);
    await writeFile(path, 'Dear diary');
    await assertFinding(config, 'database', 'problem', /is not a Roster database/);
    const newer = Buffer.from(whole);
    newer.writeUInt32BE(99, 60);
    await writeFile(path, newer);
    await assertFinding(config, 'database', 'problem', /newer version of Roster \(schema version 99/);
    const older = Buffer.from(whole);
    older.writeUInt32BE(0, 60);
    await writeFile(path, older);
    await assertFinding(
      config,
      'database',
      'warning',
      /Its schema has version 0; the next start updates it to \d+, so make a backup/,
    );
  });

  test('finds a running server, a folder that is taken, and the socket of a killed server', async (t) => {
    const home = await makeHome(t);
    const config = configOf(home.folder);
    const server = await startFirst(home);
    await assertFinding(config, 'server', 'ok', /^A server is running on .*data \(version \d/);
    const { port } = new URL(server.url);
    await assertFinding(
      { ...config, port: Number(port) },
      'port',
      'ok',
      /A Roster server is listening on 127\.0\.0\.1 port/,
    );
    await server.stop('SIGKILL');
    await assertFinding(config, 'server', 'ok', /^No server is running .* killed left its socket/);
    await open(t, config);
    await assertFinding(config, 'server', 'warning', /A process is using .* does not respond at .*roster\.sock/);
  });

  test('finds a port that another program has, and an address that this machine lacks', async (t) => {
    const config = configOf(await makeFolder(t));
    const other = createServer((socket) => socket.end('SSH-2.0-nothing', () => socket.destroy())).listen(
      0,
      '127.0.0.1',
    );
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await assertFinding({ ...config, port }, 'port', 'problem', /Another program is listening on .* set ROSTER_PORT/);
    await assertFinding({ ...config, host: '203.0.113.1', port }, 'port', 'problem', /EADDRNOTAVAIL.*ROSTER_HOST/);
    other.close();
    await once(other, 'close');
    await assertFinding({ ...config, port }, 'port', 'ok', /is free/);
  });

  const addresses: [Record<string, string>, Finding['level'], RegExp][] = [
    [{}, 'ok', /for this machine only/],
    [{ ROSTER_HOST: '0.0.0.0' }, 'warning', /only browsers on this machine.*ROSTER_PUBLIC_URL/],
    [{ ROSTER_PUBLIC_URL: 'http://0.0.0.0:8080' }, 'warning', /browsers cannot reach.*ROSTER_PUBLIC_URL/],
    [
      { ROSTER_HOST: '0.0.0.0', ROSTER_PUBLIC_URL: 'http://localhost:8080' },
      'warning',
      /only browsers on this machine/,
    ],
    [{ ROSTER_TRUST_PROXY: '1' }, 'warning', /only browsers on this machine/],
    [{ ROSTER_PUBLIC_URL: 'http://contacts.example.com' }, 'warning', /unencrypted/],
    [{ ROSTER_PUBLIC_URL: 'https://contacts.example.com' }, 'warning', /ROSTER_TRUST_PROXY=1/],
    [{ ROSTER_PUBLIC_URL: 'https://contacts.example.com', ROSTER_TRUST_PROXY: '1' }, 'ok', /contacts\.example\.com/],
  ];
  const networks: [check: string, Record<string, string>, Finding['level'], RegExp][] = [
    ['TLS', {}, 'ok', /Not needed/],
    [
      'TLS',
      { ROSTER_HOST: '0.0.0.0' },
      'warning',
      /Other machines can reach 0\.0\.0\.0 port .*unencrypted.*ROSTER_PUBLIC_URL/,
    ],
    [
      'TLS',
      { ROSTER_PUBLIC_URL: 'http://contacts.example.com' },
      'warning',
      /A proxy has to terminate TLS for contacts/,
    ],
    ['TLS', { ROSTER_HSTS_SUBDOMAINS: 'true' }, 'warning', /ROSTER_HSTS_SUBDOMAINS has no effect/],
    ['TLS', { ROSTER_PUBLIC_URL: 'https://contacts.example.com' }, 'ok', /^A proxy terminates TLS\.$/],
    [
      'TLS',
      { ROSTER_PUBLIC_URL: 'https://contacts.example.com', ROSTER_HOST: '0.0.0.0' },
      'ok',
      /let only the proxy reach it/,
    ],
    ['proxy', {}, 'ok', /No proxy is trusted/],
    ['proxy', { ROSTER_TRUST_PROXY: '2' }, 'ok', /2 proxies in front/],
    ['proxy', { ROSTER_TRUST_PROXY: 'loopback' }, 'ok', /Proxies at loopback are trusted/],
    ['proxy', { ROSTER_TRUST_PROXY: '10.0.0.0/8,0.0.0.0/0' }, 'warning', /trusts every address \(0\.0\.0\.0\/0\)/],
    ['proxy', { ROSTER_TRUST_PROXY: '10.0.0.0/8' }, 'warning', /Only proxies on this machine can reach.*Add loopback/],
    ['proxy', { ROSTER_TRUST_PROXY: '10.0.0.0/8', ROSTER_HOST: '0.0.0.0' }, 'ok', /Proxies at 10\.0\.0\.0\/8/],
  ];
  for (const [check, environment, level, message] of networks) {
    test(`judges ${check} with ${JSON.stringify(environment)}`, async (t) =>
      assertFinding(configOf(await makeFolder(t), environment), check, level, message));
  }

  test('finds a clock that is behind the newest data', async (t) => {
    const config = await engines.SQLite(t);
    await assertFinding(config, 'clock', 'ok', /not behind/);
    const database = new DatabaseSync(join(config.dataDir, 'roster.db'));
    const future = Date.now() + 7_200_000;
    database.exec(`INSERT INTO organizations (id, name, created_at) VALUES ('org_1', 'Acme', 1);
      INSERT INTO secrets (id, organization_id, name, prefix, permissions, hash, created_at)
        VALUES ('sec_1', 'org_1', 'Late', '', '[]', x'01', ${future});`);
    database.close();
    await assertFinding(config, 'clock', 'warning', /1[12]\d minutes behind the newest data\. Synchronize it with NTP/);
  });

  test('finds the newest backup and its age, in the folder that the operator names', async (t) => {
    const config = await engines.SQLite(t);
    const folder = await makeFolder(t);
    const look = (level: Finding['level'], message: RegExp, backupDir: string | undefined = folder) =>
      assertFinding({ ...config, backupDir }, 'backups', level, message);
    await assertFinding(config, 'backups', 'ok', /not checked: set ROSTER_BACKUP_DIR/);
    await look('problem', /does not exist.*Check ROSTER_BACKUP_DIR/, join(folder, 'nowhere'));
    await writeFile(join(folder, 'backup.log'), 'done');
    await look('problem', /There is no backup in .*roster backup FILE/);
    const operator = await open(t, config);
    await operator.backup(join(folder, 'one.db'));
    await look('ok', /The newest backup is 0 hours old \(.*one\.db\)\.$/);
    const daysAgo = new Date(Date.now() - 5 * 86_400_000);
    await utimes(join(folder, 'one.db'), daysAgo, daysAgo);
    await look('warning', /The newest backup is 5 days old .*roster backup FILE/);
  });

  for (const [environment, level, message] of addresses) {
    test(`judges the public address with ${JSON.stringify(environment)}`, async (t) =>
      assertFinding(configOf(await makeFolder(t), environment), 'public address', level, message));
  }
});

suite('examining PostgreSQL', () => {
  const modes: [url: string, level: Finding['level'], RegExp][] = [
    ['postgres://roster@127.0.0.1:1/roster', 'ok', /on this machine/],
    [
      'postgres://roster@127.0.0.1:1,db.invalid/roster?sslmode=disable',
      'warning',
      /db\.invalid is not encrypted.*verify-full/,
    ],
    ['postgres://roster@db.invalid/roster?sslmode=require', 'warning', /certificate is not verified.*verify-full/],
    ['postgres://roster@db.invalid/roster?sslmode=verify-full', 'ok', /is verified \(verify-full\)/],
  ];
  for (const [url, level, message] of modes) {
    test(`judges the connection of ${url}`, async (t) =>
      assertFinding(configOf(await makeFolder(t), { DATABASE_URL: url }), 'database TLS', level, message));
  }

  test('finds the age of dumps, in the folder that the operator names', async (t) => {
    const config = await engines.PostgreSQL(t);
    const backupDir = await makeFolder(t);
    await assertFinding({ ...config, backupDir }, 'backups', 'problem', /There is no backup in .*pg_dump/);
    await writeFile(join(backupDir, 'roster.dump'), 'PGDMP');
    await assertFinding({ ...config, backupDir }, 'backups', 'ok', /roster\.dump/);
  });

  test('finds one that does not answer, and prints no password', async (t) => {
    const folder = await makeFolder(t);
    const found = await find(
      configOf(folder, { DATABASE_URL: 'postgres://roster:canary@127.0.0.1:1/x' }),
      'PostgreSQL',
    );
    assert.equal(found.level, 'problem');
    assert.match(found.message, /ECONNREFUSED.*Check its address/);
    assert.doesNotMatch(found.message, /canary/);
    const open = await find(configOf(folder, { DATABASE_URL: 'postgres://roster:canary@db.internal/x' }), 'PostgreSQL');
    assert.match(open.message, /sslmode/);
    assert.doesNotMatch(open.message, /canary/);
  });

  test('finds a schema that is missing or newer, and too few connections', async (t) => {
    const config = await databaseConfig(t, await createEmptyDatabase());
    await assertFinding(config, 'schema', 'ok', /There is no schema yet/);
    await migrate(config);
    await assertFinding(config, 'schema', 'ok', /is up to date/);
    const url = config.database?.url as string;
    await query(url, 'UPDATE installation SET schema_version = 99');
    await assertFinding(config, 'database', 'problem', /has schema version 99, but this version/);
    await query(url, 'UPDATE installation SET schema_version = 1');
    const database = { ...(config.database as NonNullable<Config['database']>), connections: 100 };
    await assertFinding({ ...config, database, workers: 16 }, 'connections', 'problem', /up to 1603 connections/);
  });

  test('finds an encoding that is not UTF8, and tables that this user may not write', async (t) => {
    const { url, drop } = await createDatabase('plain');
    t.after(drop);
    const config = configOf(await makeFolder(t), { DATABASE_URL: url });
    await assertFinding(config, 'privileges', 'ok', /every table/);
    const { username } = new URL(url);
    await query(url, `REVOKE UPDATE ON secrets FROM "${username}"`);
    await assertFinding(config, 'privileges', 'problem', /cannot read and write secrets\./);
    const latin = `latin_${Date.now()}`;
    await query(url, `CREATE DATABASE ${latin} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
    try {
      const latinUrl = Object.assign(new URL(url), { pathname: latin }).href;
      await assertFinding(
        configOf('/nowhere', { DATABASE_URL: latinUrl }),
        'database',
        'problem',
        /LATIN1; Roster needs UTF8/,
      );
    } finally {
      await query(url, `DROP DATABASE ${latin}`);
    }
  });
});
