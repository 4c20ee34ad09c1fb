// The recipe of docs/events.md, as the page prints it, against the real server: however often it ends in the middle, the copy
// becomes equal to the bot's contacts.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sampleContext } from '../../server/test/sample.ts';
import type { Contact, Roster } from '../src/index.ts';
import { clientOfNewBot, collect, sampleContacts, startServer, wholeFile } from './harness.ts';

type Copy = Map<string, Contact>;
interface Recipe {
  follow(
    roster: Roster,
    copy: Copy,
    options: { after: string | undefined; keep(position: string): Promise<void>; signal: AbortSignal },
  ): Promise<void>;
}

const page = await readFile(new URL('../../../docs/events.md', import.meta.url), 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'roster-events-'));
wholeFile.after(() => rm(folder, { recursive: true }));
const code = /^```js\n(.*?)^```$/ms.exec(page)?.[1] ?? '';
const client = new URL('../src/index.ts', import.meta.url).href;
await writeFile(join(folder, 'recipe.mjs'), code.replace("'@roster/client'", `'${client}'`));
const recipe = (await import(pathToFileURL(join(folder, 'recipe.mjs')).href)) as Recipe;

const server = await startServer(wholeFile);

class Killed extends Error {}

/** Follows with what was kept, until the copy is equal, or until it is killed: when so many positions were kept. */
async function run(roster: Roster, kept: { position?: string; copy: Copy }, killedAfter: number): Promise<void> {
  const stop = new AbortController();
  // What a killed process had in memory, and had not kept.
  const copy = new Map(kept.copy);
  let count = 0;
  const keep = async (position: string) => {
    if (++count > killedAfter) throw new Killed();
    kept.position = position;
    kept.copy = new Map(copy);
    const contacts = await collect(roster.contacts.exportAll());
    if (isEqual(copy, contacts)) stop.abort();
  };
  await recipe.follow(roster, copy, { after: kept.position, keep, signal: stop.signal }).catch((error) => {
    if (!(error instanceof Killed)) throw error;
  });
}

const byId = (one: Contact, other: Contact) => (one.id < other.id ? -1 : 1);
const isEqual = (copy: Copy, contacts: Contact[]) =>
  JSON.stringify([...copy.values()].sort(byId)) === JSON.stringify(contacts);

suite('the recipe of docs/events.md', () => {
  test('makes the copy equal, after it was killed in the middle and the events had expired', async () => {
    const roster = await clientOfNewBot(server);
    await roster.contacts.upsertAll(sampleContacts(30));
    const kept: { position?: string; copy: Copy } = { copy: new Map() };
    for (let round = 0; round < 6; round++) {
      const contacts = await collect(roster.contacts.exportAll());
      await roster.contacts.delete(contacts[round * 2]?.id ?? '');
      await roster.contacts.upsert([{ email: 'person20@example.com', phone: `${round}` }]);
      await roster.contacts.create({ name: 'New', email: `new${round}@example.com` });
      if (round === 4)
        while (await server.store.purge(100, server.clock.nowMs + 1, sampleContext({ nowMs: server.clock.nowMs }))) {}
      await run(roster, kept, round);
    }
    // One more change, so that there is something to follow to the end.
    await roster.contacts.create({ name: 'Last', email: 'last@example.com' });
    await run(roster, kept, Number.POSITIVE_INFINITY);
    assert.ok(isEqual(kept.copy, await collect(roster.contacts.exportAll())));
  });
});
