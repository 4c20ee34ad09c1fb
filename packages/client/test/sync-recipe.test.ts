// The recipe of docs/sync.md, as the page prints it, against the real server: the copy becomes equal to the bot's
// contacts, and misses what the page says it misses.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Contact, ContactSelection, Roster } from '../src/index.ts';
import { clientOfNewBot, collect, sampleContacts, startServer, wholeFile } from './harness.ts';

type Copy = Map<string, Contact>;
type Reader = { contacts: { exportAll(selection?: ContactSelection): AsyncIterable<Contact> } };
interface Recipe {
  readChanges(roster: Reader, copy: Copy, since?: Date): Promise<Date>;
  removeDeleted(roster: Reader, copy: Copy): Promise<void>;
}

const page = await readFile(new URL('../../../docs/sync.md', import.meta.url), 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'roster-sync-'));
wholeFile.after(() => rm(folder, { recursive: true }));
await writeFile(join(folder, 'recipe.mjs'), /^```js\n(.*?)^```$/ms.exec(page)?.[1] ?? '');
const recipe = (await import(pathToFileURL(join(folder, 'recipe.mjs')).href)) as Recipe;

const server = await startServer(wholeFile);
const hourMs = 3_600_000;
const writeEvery = 400;

/** The same client, with writes after every few contacts that an export yields. Counts them. */
function disturbed({ contacts }: Roster, write: (last: Contact) => Promise<unknown>) {
  const reader = {
    count: 0,
    contacts: {
      async *exportAll(selection?: ContactSelection) {
        for await (const contact of contacts.exportAll(selection)) {
          yield contact;
          if (++reader.count % writeEvery === 0) await write(contact);
        }
      },
    },
  };
  return reader;
}

suite('the recipe of docs/sync.md', () => {
  test('reads all contacts, then changes alone, and those made during a run in the next one', async () => {
    const roster = await clientOfNewBot(server);
    server.clock.nowMs = Date.now() - hourMs;
    await roster.contacts.upsertAll(sampleContacts(2500));
    const copy: Copy = new Map();

    server.clock.nowMs = Date.now();
    // It was read before it changes.
    const first = disturbed(roster, ({ id }) => roster.contacts.update(id, { phone: 'during the first run' }));
    const since = await recipe.readChanges(first, copy);
    assert.equal(first.count, 2500);
    assert.notDeepEqual([...copy.values()], await collect(roster.contacts.exportAll()));

    await roster.contacts.upsert([{ email: 'person7@example.com', phone: '7' }, ...newOnes(3)]);
    const second = disturbed(roster, async () => undefined);
    await recipe.readChanges(second, copy, since);
    assert.equal(second.count, Math.floor(2500 / writeEvery) + 1 + 3);
    assert.deepEqual([...copy.values()], await collect(roster.contacts.exportAll()));
  });

  test('does not see deletions among the changes, and sees them by reading everything', async () => {
    const roster = await clientOfNewBot(server);
    server.clock.nowMs = Date.now();
    await roster.contacts.upsertAll(sampleContacts(1500));
    const copy: Copy = new Map();
    const since = await recipe.readChanges(roster, copy);
    const ids = [...copy.keys()];
    await roster.contacts.deleteMany(ids.slice(0, 100));
    await recipe.readChanges(roster, copy, since);
    assert.equal(copy.size, 1500);

    const reader = disturbed(roster, () => roster.contacts.upsert(newOnes(1)));
    await recipe.removeDeleted(reader, copy);
    assert.deepEqual(
      ids.map((id) => copy.has(id)),
      ids.map((_, n) => n >= 100),
    );
    // What was created after the last page.
    await recipe.readChanges(roster, copy, since);
    assert.deepEqual([...copy.values()], await collect(roster.contacts.exportAll()));
  });
});

let made = 0;
function newOnes(count: number) {
  return Array.from({ length: count }, () => ({ name: 'New', email: `new${made++}@example.com` }));
}
