// What is deleted is gone: the raw bytes of the database, of its log and of a backup hold nothing of it any more. One bot is
// searched by its rows, the other by the index.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { define } from '../../../test/conformance/attributes.ts';
import { addBot, sqliteUnderLoad } from '../../../test/conformance/engine.ts';
import { addMarked, eraseSome, markedFields, marksIn } from '../../../test/marked-contacts.ts';
import { until } from '../../../test/process/waiting.ts';
import { sampleContext, withKey } from '../../../test/sample.ts';
import type { EngineSettings } from './settings.ts';
import { openSqliteStore } from './sqlite-store.ts';

const contactCount = 600;
const regimes: Record<string, Partial<EngineSettings>> = {
  'a bot that is searched by its rows': { indexThreshold: contactCount },
  'a bot that is searched by the index': { indexThreshold: 100, checkedRowsMax: -1, quickEffortMax: -1 },
};

function freePagesOf(path: string): number {
  using db = new DatabaseSync(path, { readOnly: true });
  return Number(db.prepare('PRAGMA freelist_count').get()?.['freelist_count']);
}

async function openStore(t: TestContext, options: Partial<EngineSettings>) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-erasure-'));
  t.after(() => rm(folder, { recursive: true }));
  const onFatal = (error: Error) => {
    throw error;
  };
  const store = await openSqliteStore({ folder, readers: 1, ...sqliteUnderLoad, ...options, onFatal });
  t.after(() => store.close());
  const path = join(folder, 'roster.db');
  return {
    store,
    /** As a server does it every minute, when what was written is indexed. */
    async purge() {
      await until('all rows to be indexed', async () => {
        await store.ping();
        return (await store.gauges()['store_unindexed_rows']?.()) === 0;
      });
      while (await store.purge(500, 0, sampleContext()));
      await until('the log to be emptied', async () => (await stat(`${path}-wal`)).size === 0);
    },
    holds: async (text: string) => (await readFile(path)).includes(text),
    backUp: async () => store.backup?.(`${path}-backup`),
    /** Of the file, and of the backup. */
    countFreePages: () => ['', '-backup'].map((ending) => freePagesOf(path + ending)),
    /** What the files hold of these contacts. */
    async find(numbers: readonly number[]): Promise<string[]> {
      const endings = ['', '-wal', '-backup'].filter((ending) => existsSync(path + ending));
      const texts = await Promise.all(endings.map((ending) => readFile(path + ending, 'latin1')));
      return texts.flatMap((text) => marksIn(text, numbers));
    },
  };
}

for (const [regime, options] of Object.entries(regimes)) {
  suite(regime, () => {
    test('after the next purge no file holds what a contact had that was deleted or changed', async (t) => {
      const { store, purge, backUp, find } = await openStore(t, options);
      const bot = await addBot({ store });
      const made = await addMarked(bot, contactCount);
      await purge();
      const all = Array.from({ length: contactCount }, (_, number) => number);
      assert.equal((await find(all)).length, 2 * contactCount);
      const gone = await eraseSome(bot, contactCount, made);
      await purge();
      assert.deepEqual(await find(gone), []);
      await backUp();
      assert.deepEqual(await find(gone), []);
      // A name and a phone number, in the file and in the backup.
      assert.equal((await find(all)).length, 2 * 2 * (contactCount - gone.length));
    });

    test('of a deleted bot, and of a deleted attribute, no file holds anything after the purge', async (t) => {
      const { store, purge, backUp, countFreePages, find } = await openStore(t, options);
      const [bot, other] = [await addBot({ store }), await addBot({ store })];
      await addMarked(bot, contactCount);
      const values = markedFields(contactCount, await define(other, 'plan'));
      const anonymous = withKey({ ...values, name: 'A', email: 'a@example.com', phone: '', mid: '' });
      await store.createContact(other.botId, anonymous, sampleContext());
      await store.deleteBot(bot.botId, sampleContext());
      await store.deleteAttribute(other.botId, 'plan', sampleContext());
      await purge();
      await backUp();
      assert.deepEqual(await find(Array.from({ length: contactCount + 1 }, (_, number) => number)), []);
      const [inFile = 0, inBackup] = countFreePages();
      assert.ok(inFile > 0);
      assert.equal(inBackup, 0);
    });
  });
}

test('the pieces of a deleted contact, which may be a whole name, leave the search index when it is merged', async (t) => {
  const { store, purge, holds } = await openStore(t, { indexThreshold: 100, mergeDeletedEveryMs: 0 });
  const bot = await addBot({ store });
  await addMarked(bot, contactCount);
  const { id } = await bot.create({ name: '⌬⌭⌮' });
  await purge();
  assert.ok(await holds('⌬⌭⌮'));
  await store.deleteContact(bot.botId, id, sampleContext());
  await until('the merge', async () => {
    await purge();
    return !(await holds('⌬⌭⌮'));
  });
  assert.equal((await bot.search('zoe')).total, contactCount);
});
