// The queues of the reader threads.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sqliteUnderLoad } from '../../../test/conformance/engine.ts';
import { prepareDatabase } from './database.ts';
import { ReaderThreads } from './reader-threads.ts';
import { defaultSettings } from './settings.ts';
import { startThread } from './threads.ts';

test('while long reads are held, none begins, and quick ones are answered', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-readers-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'roster.db');
  prepareDatabase(path);
  const threads = await Promise.all(
    [1, 2].map(() => startThread('reader', { ...defaultSettings, ...sqliteUnderLoad, path })),
  );
  const readers = new ReaderThreads(
    threads.map(({ worker }) => worker),
    {
      onAnswer() {},
      noteError: (error) => error,
      onFatal(error) {
        throw error;
      },
    },
    sqliteUnderLoad.searchQueueTimeoutMs,
  );
  t.after(() => readers.close());
  const read = (isLong: boolean) => readers.read('listOrganizations', [], { organizationId: '' }, { isLong });
  readers.holdLong(true);
  let isAnswered = false;
  const long = read(true).then((organizations) => {
    isAnswered = true;
    return organizations;
  });
  for (let quick = 0; quick < 20; quick++) assert.deepEqual(await read(false), []);
  assert.equal(isAnswered, false);
  readers.holdLong(false);
  assert.deepEqual(await long, []);
});
