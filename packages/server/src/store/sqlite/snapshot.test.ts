// The snapshot of the main thread beside the reader threads, which take newer ones.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sqliteUnderLoad } from '../../../test/conformance/engine.ts';
import { sampleBot, sampleCaller, sampleContext, sampleFields, sampleOrganization } from '../../../test/sample.ts';
import { openSqliteStore } from './sqlite-store.ts';

const rounds = 40;
/** Long enough for a reader thread to answer while nothing else runs here. If it does not, the round shows nothing. */
const blockedMs = 20;

test('a read by key is not older than the answer of a reader thread before it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-snapshot-'));
  const store = await openSqliteStore({
    folder,
    ...sqliteUnderLoad,
    onFatal(error) {
      throw error;
    },
  });
  // Commits without the writer thread, whose answer would drop the snapshot at the same moment.
  const db = new DatabaseSync(join(folder, 'roster.db'), { timeout: 60_000 });
  t.after(async () => {
    db.close();
    await store.close();
    await rm(folder, { recursive: true });
  });
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const { id: botId } = sampleBot(organization.id);
  await store.createBot(sampleBot(organization.id, { id: botId }), undefined, sampleContext());
  const created = await store.createContact(botId, sampleFields(), sampleContext());
  assert.ok(created.kind === 'created');
  const { id } = created.contact;
  const rename = db.prepare('UPDATE contacts SET name = ? WHERE id = ?');
  const exportPage = () => store.exportContacts(botId, { after: undefined, limit: 1 }, sampleCaller);

  for (let round = 0; round < rounds; round++) {
    await exportPage();
    // This read runs in the same turn of the event loop as the first reader thread's answer, and takes a snapshot.
    await store.findContact(botId, id);
    rename.run(`Version ${round}`, id);
    // The answer of the first thread comes in the next turn, that of the second one still in this turn.
    const answers = [exportPage(), exportPage()];
    const endMs = performance.now() + blockedMs;
    while (performance.now() < endMs) {}
    const exported = (await answers[1])?.contacts[0]?.name;
    const found = (await store.findContact(botId, id))?.name;
    assert.equal(found, exported);
    await Promise.all(answers);
  }
});
