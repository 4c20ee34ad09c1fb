// Which writes the writer is sent first. What each of them does is tested through the port.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addTenant } from '../../../test/harness.ts';
import { sampleContext, sampleFields } from '../../../test/sample.ts';
import { openSqliteStore } from './sqlite-store.ts';

const itemsOf = (count: number) => Array.from({ length: count }, () => sampleFields());

test('a small write waits for one large write of another bot at most, and overtakes none of its own bot', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-writer-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await openSqliteStore({
    folder,
    readers: 1,
    onFatal(error) {
      throw error;
    },
  });
  t.after(() => store.close());
  const busy = (await addTenant(store)).bot.id;
  const other = (await addTenant(store)).bot.id;
  const answered: string[] = [];
  const note = (name: string, write: Promise<unknown>) => write.then(() => answered.push(name));
  const writes = [1, 2, 3, 4].map((number) =>
    note(`large ${number}`, store.upsertContacts(busy, itemsOf(1000), sampleContext())),
  );
  writes.push(note('small of the same bot', store.createContact(busy, sampleFields(), sampleContext())));
  writes.push(note('small', store.createContact(other, sampleFields(), sampleContext())));
  await Promise.all(writes);
  assert.deepEqual(answered, ['large 1', 'small', 'large 2', 'large 3', 'large 4', 'small of the same bot']);
});
