// Backups of a server under load, and of a store: whole and consistent, or not there at all.
import assert from 'node:assert/strict';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { operatorOperations } from '@roster/contract';
import { pino } from 'pino';
import { defaultTimeouts } from '../../../server/src/deps.ts';
import type { FirstRun } from '../../../server/src/process/first-run.ts';
import { listenForOperator } from '../../../server/src/process/operator-listener.ts';
import { openSqliteStore } from '../../../server/src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../server/src/store/store.ts';
import { makeHomeHere } from '../../../server/test/process/serve-here.ts';
import { callFirstBot } from '../../../server/test/process/server-process.ts';
import { sampleBot, sampleContext, sampleFields, sampleOrganization } from '../../../server/test/sample.ts';
import { restore } from '../../src/operator/restore.ts';
import { type Copies, prepare } from '../prepared-data.ts';
import { configOf, engines, makeFolder, open } from './setup.ts';

interface Person {
  name: string;
  email: string;
}

/** Enough for an index, and for several steps of a backup. */
const contacts = 12_000;

async function exportAll(url: string, firstRun: FirstRun): Promise<string[]> {
  const emails: string[] = [];
  for (let after = ''; ; ) {
    const path = `export?limit=1000${after && `&after=${after}`}`;
    const reply = await callFirstBot(url, firstRun, 'GET', path);
    const { data, next } = (await reply.json()) as { data: Person[]; next: string | null };
    emails.push(...data.map(({ email }) => email));
    if (next === null) return emails;
    after = next;
  }
}

suite('a backup of a server that is being written to', () => {
  test('holds every write answered before it, is one moment of the data, and can be searched', async (t) => {
    const home = await makeHomeHere(t);
    const { firstRun, url } = await home.startFirst();
    for (let start = 0; start < contacts; start += 1000) {
      const page: Person[] = Array.from({ length: 1000 }, (_, index) => ({
        name: `Person ${start + index}`,
        email: `person${start + index}@example.com`,
      }));
      assert.equal((await callFirstBot(url, firstRun, 'PATCH', 'contacts', { data: page })).status, 200);
    }
    const answered: string[] = [];
    let isLoading = true;
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let count = 0; isLoading; count++) {
        const email = `load${client}-${count}@example.com`;
        const reply = await callFirstBot(url, firstRun, 'PUT', 'contacts', { name: `Load ${client} ${count}`, email });
        assert.equal(reply.status, 201);
        answered.push(email);
      }
    });
    const operator = await open(t, configOf(home.folder));
    const file = join(home.folder, 'backup.db');
    let before: string[];
    let progress: [number, number][];
    let bytes: number;
    // On a busy machine a backup may be done before the next write is: then it says nothing, and another is made.
    for (;;) {
      before = [...answered];
      progress = [];
      ({ bytes } = await operator.backup(file, {
        onProgress: (done, total) => progress.push([done, total]),
      }));
      if (answered.length > before.length) break;
      rmSync(file);
    }
    // One more than there are clients: at least one of these writes began after the backup.
    const enough = answered.length + clients.length + 1;
    while (answered.length < enough) await delay(5);
    isLoading = false;
    await Promise.all(clients);

    assert.equal(operator.via, 'server');
    assert.equal(statSync(file).size, bytes);
    assert.equal((statSync(file).mode & 0o777).toString(8), '600');
    assert.ok(progress.length > 2, 'it was copied in steps');
    for (const [index, [done]] of progress.entries())
      assert.ok(done > (progress[index - 1]?.[0] ?? 0), 'it went forward');
    const [done, total] = progress.at(-1) as [number, number];
    assert.equal(done, total);
    assert.ok(bytes <= total * 4096, 'free pages are left out');
    assert.deepEqual(
      readdirSync(home.folder).filter((name) => name.startsWith('backup')),
      ['backup.db'],
    );

    const copy = new DatabaseSync(file, { readOnly: true });
    assert.deepEqual({ ...copy.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    copy.close();

    const other = await makeHomeHere(t);
    assert.deepEqual(await restore(configOf(other.folder), file, { force: false }), { keptAs: undefined });
    const restored = await other.start();
    assert.equal(restored.firstRun, undefined);
    const [there, here] = await Promise.all([exportAll(restored.url, firstRun), exportAll(url, firstRun)]);
    // Contacts are exported in the order of their commits: one moment of the data is a beginning of the whole.
    assert.deepEqual(there, here.slice(0, there.length));
    const kept = new Set(there);
    assert.deepEqual(
      before.filter((email) => !kept.has(email)),
      [],
    );
    assert.ok(there.length < here.length, 'the load went on after the moment of the backup');
    const [bot] = await (await open(t, configOf(other.folder))).listBots();
    assert.equal(bot?.contactCount, there.length);
    const found = await callFirstBot(restored.url, firstRun, 'GET', `contacts?query=${there.at(-1)}`);
    const { data, pagination } = (await found.json()) as { data: Person[]; pagination: { total: number } };
    assert.deepEqual([data[0]?.email, pagination.total], [there.at(-1), 1]);
  });
});

suite('a backup', () => {
  const openIn = (folder: string) =>
    openSqliteStore({
      folder,
      readers: 1,
      onFatal(error) {
        throw error;
      },
    });
  let filled: Promise<Copies> | undefined;
  const fill = async (folder: string) => {
    const store = await openIn(join(folder, 'data'));
    const organization = sampleOrganization();
    await store.createOrganization(organization, sampleContext());
    const bot = sampleBot(organization.id);
    await store.createBot(bot, undefined, sampleContext());
    for (let count = 0; count < 12; count++) {
      await store.upsertContacts(
        bot.id,
        Array.from({ length: 1000 }, () => sampleFields()),
        sampleContext(),
      );
    }
    await store.close();
  };
  const openFilled = async (t: TestContext) => {
    const folder = await makeFolder(t);
    filled ??= prepare(fill);
    await (await filled).copyTo(folder);
    const store = await openIn(join(folder, 'data'));
    t.after(() => store.close());
    const backup = store.backup as NonNullable<typeof store.backup>;
    return { folder, store, backup, file: join(folder, 'backup.db') };
  };
  const brokenOff = { name: 'BackupError', message: 'The backup was canceled, and the incomplete file was deleted.' };

  test('that is broken off leaves nothing behind', async (t) => {
    const { folder, backup, file } = await openFilled(t);
    const interruption = new AbortController();
    const made = backup(file, { signal: interruption.signal, onProgress: () => interruption.abort() });
    await assert.rejects(made, brokenOff);
    assert.deepEqual(readdirSync(folder), ['data']);
    assert.ok((await backup(file)).bytes > 0);
  });

  test('is broken off by the end of the store, which waits for that', async (t) => {
    const { folder, store, backup, file } = await openFilled(t);
    let closed: Promise<void> | undefined;
    const made = backup(file, {
      onProgress() {
        closed ??= store.close();
      },
    });
    await assert.rejects(made, brokenOff);
    await closed;
    assert.deepEqual(readdirSync(folder), ['data']);
    await assert.rejects(backup(file), { name: 'StoreUnavailableError' });
  });

  test('never replaces a file, not even one that comes while it is being made', async (t) => {
    const { folder, backup, file } = await openFilled(t);
    const refused = {
      name: 'BackupError',
      message: `${file} already exists, and was not changed. Choose another name, or move the file away.`,
    };
    await assert.rejects(backup(file, { onProgress: () => writeFileSync(file, 'mine') }), refused);
    assert.equal(statSync(file).size, 4);
    await assert.rejects(backup(file), refused);
    assert.deepEqual(readdirSync(folder).toSorted(), ['backup.db', 'data']);
  });

  test('that cannot be written says why', async (t) => {
    const operator = await open(t, await engines.SQLite(t));
    const nowhere = join(await makeFolder(t), 'missing', 'backup.db');
    await assert.rejects(operator.backup(nowhere), {
      name: 'BackupError',
      message: /^Cannot write the backup .*ENOENT/,
    });
  });

  test('of PostgreSQL is refused, and pg_dump is named', async (t) => {
    const operator = await open(t, await engines.PostgreSQL(t));
    await assert.rejects(operator.backup('backup.db'), { name: 'OperatorError', code: 'refused', message: /pg_dump/ });
  });

  test('may be silent for longer than a connection of the port', async (t) => {
    const config = configOf(await makeFolder(t));
    await mkdir(config.dataDir);
    const timeouts = { ...defaultTimeouts, stalledMs: 50 };
    const backup: NonNullable<Store['backup']> = () => delay(1000, { bytes: 7 });
    const app = await listenForOperator(config.dataDir, {
      ...{ config, logger: pino({ level: 'silent' }), clock: Date.now, timeouts },
      ...{ store: { backup } as Store, requestsMax: 10, unreadFilesMax: 1, isStrict: true },
    });
    t.after(() => app?.http.close());
    const operator = await open(t, config);
    assert.deepEqual(await operator.backup('/nowhere/backup.db'), { bytes: 7 });
  });

  test('is broken off when the client disconnects, and when the server stops', async (t) => {
    const dataDir = await makeFolder(t);
    const started: AbortSignal[] = [];
    let pending = Promise.withResolvers<void>();
    /** A backup that takes for ever. */
    const backup: NonNullable<Store['backup']> = (_file, { signal } = {}) => {
      const { promise, reject } = Promise.withResolvers<never>();
      signal?.addEventListener('abort', () => reject(signal.reason));
      started.push(signal as AbortSignal);
      pending.resolve();
      return promise;
    };
    const app = await listenForOperator(dataDir, {
      ...{ config: configOf(dataDir), logger: pino({ level: 'silent' }), clock: Date.now, timeouts: defaultTimeouts },
      ...{ store: { backup } as Store, requestsMax: 10, unreadFilesMax: 1, isStrict: true },
    });
    const ask = async () => {
      pending = Promise.withResolvers();
      const path = operatorOperations.operatorBackUp.path;
      const headers = { 'content-type': 'application/json' };
      const sent = request({ socketPath: join(dataDir, 'roster.sock'), headers, agent: false, method: 'POST', path });
      sent.on('error', () => {});
      sent.end('{"file":"/nowhere/backup.db"}');
      await pending.promise;
      return sent;
    };
    const sent = await ask();
    const [first] = started as [AbortSignal];
    const aborted = new Promise((resolve) => first.addEventListener('abort', resolve));
    sent.destroy();
    await aborted;
    await ask();
    assert.equal(started[1]?.aborted, false);
    app?.beginStop();
    assert.equal(started[1]?.aborted, true);
    await app?.http.close();
  });
});
