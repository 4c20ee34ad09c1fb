// The feed newest first, as the console reads it from a real server: nothing is missing, nothing comes twice, and the number of
// requests is bounded.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { EventType, Roster } from '@roster/client';
import type { FeedEvent } from '@roster/contract';
import { clientOfNewBot, startServer, wholeFile } from '../../client/test/harness.ts';
import { sampleContext } from '../../server/test/sample.ts';
import {
  type EventHistory,
  type EventReader,
  eventsOf,
  eventsWanted,
  readLatest,
  readNewer,
  readOlder,
  withOlder,
} from '../src/events/event-history.ts';

const server = await startServer(wholeFile);

interface Selection {
  type?: EventType;
  contactId?: string;
}

class CountingReader implements EventReader {
  requests = 0;
  readonly isOfContact: boolean;
  readonly readPage: EventReader['readPage'];

  constructor(roster: Roster, selection: Selection = {}) {
    this.isOfContact = selection.contactId !== undefined;
    this.readPage = async (wanted) => {
      this.requests += 1;
      const { data, next } = await roster.events.list({ ...selection, ...wanted });
      return { data: data as FeedEvent[], next };
    };
  }
}

let added = 0;

/** So many new contacts: an event each. */
async function addContacts(roster: Roster, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 1000) {
    const rows = Array.from({ length: Math.min(left, 1000) }, () => ({ name: 'N', email: `n${++added}@example.com` }));
    const { data } = await roster.contacts.upsert(rows);
    ids.push(...data.map(({ id }) => id));
  }
  return ids;
}

/** So many changes of the same thousand contacts: creating as many contacts would take longer than the tests. */
async function addOtherEvents(roster: Roster, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1000) {
    const name = `Changed ${++added}`;
    const length = Math.min(left, 1000);
    await roster.contacts.upsert(Array.from({ length }, (_, at) => ({ name, email: `changed${at}@example.com` })));
  }
}

/** As often as it takes. */
async function readAll(reader: EventReader): Promise<EventHistory> {
  let history = await readLatest(reader);
  while (!history.isWhole) history = await goBack(reader, history);
  return history;
}

async function goBack(reader: EventReader, history: EventHistory): Promise<EventHistory> {
  const older = await readOlder(reader, history);
  assert.ok(older !== undefined);
  return withOlder(history, history, older);
}

/** The ids of all events of the feed that are wanted, oldest first. */
async function walk(roster: Roster, selection: Selection = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { data, next } = await roster.events.list({ ...selection, limit: 1000, after });
    if (next === after) return ids;
    ids.push(...data.map(({ id }) => id));
    after = next;
  }
}

const idsOf = (history: EventHistory) => eventsOf(history).map(({ id }) => id);

const isBackwards = async (roster: Roster, history: EventHistory, selection?: Selection) =>
  assert.deepEqual(idsOf(history), (await walk(roster, selection)).toReversed());

suite('the latest events', () => {
  for (const count of [0, 1, eventsWanted, eventsWanted + 1, 230]) {
    test(`are the feed backwards: ${count} of them`, async () => {
      const roster = await clientOfNewBot(server);
      await addContacts(roster, count);
      const reader = new CountingReader(roster);
      const latest = await readLatest(reader);
      assert.ok(reader.requests <= 2, `${reader.requests} requests`);
      assert.deepEqual(idsOf(latest), (await walk(roster)).toReversed().slice(0, eventsWanted));
      await isBackwards(roster, await readAll(reader));
    });
  }

  test('of a type are the feed backwards, be they rare, frequent or in one place', async () => {
    const roster = await clientOfNewBot(server);
    const ids = await addContacts(roster, 2500);
    for (const id of ids.slice(0, 30)) await roster.contacts.delete(id);
    await addContacts(roster, 3100);
    await addOtherEvents(roster, 4000);
    await roster.contacts.deleteMany(ids.slice(40, 460));
    for (const id of ids.slice(1000, 1003)) await roster.contacts.delete(id);
    await addContacts(roster, 700);
    for (const type of ['contact.deleted', 'contact.created', 'tag.deleted'] as const) {
      await isBackwards(roster, await readAll(new CountingReader(roster, { type })), { type });
    }
  });

  test('of a contact are found far back, and end with its creation', async () => {
    const roster = await clientOfNewBot(server);
    await addOtherEvents(roster, 3000);
    const { data: contact } = await roster.contacts.create({ name: 'Jane', email: 'far@example.com' });
    for (let at = 0; at < 5; at++) await roster.contacts.update(contact.id, { name: `Jane ${at}` });
    await addOtherEvents(roster, 9000);
    await roster.contacts.update(contact.id, { name: 'Jane Doe' });
    const selection = { contactId: contact.id };
    const reader = new CountingReader(roster, selection);
    const history = await readLatest(reader);
    assert.ok(history.isWhole && reader.requests <= 3, `${reader.requests} requests`);
    await isBackwards(roster, history, selection);
  });

  test('of a contact that changes all the time are read in parts', async () => {
    const roster = await clientOfNewBot(server);
    const { data: contact } = await roster.contacts.create({ name: 'Jane', email: 'busy@example.com' });
    for (let at = 0; at < 450; at++) await roster.contacts.update(contact.id, { name: `Jane ${at}` });
    const selection = { contactId: contact.id };
    const reader = new CountingReader(roster, selection);
    assert.ok(idsOf(await readLatest(reader)).length <= 200);
    await isBackwards(roster, await readAll(reader), selection);
  });

  test('end where events are not kept any more', async () => {
    const roster = await clientOfNewBot(server);
    await addContacts(roster, 700);
    const keptFromMs = server.clock.nowMs + 1000;
    server.clock.nowMs = keptFromMs;
    const ids = await addContacts(roster, 400);
    while (await server.store.purge(100, keptFromMs, sampleContext({ nowMs: server.clock.nowMs }))) {}
    const history = await readAll(new CountingReader(roster));
    assert.equal(eventsOf(history).length, 400);
    await isBackwards(roster, history);
    const selection = { contactId: ids[0] as string };
    await isBackwards(roster, await readAll(new CountingReader(roster, selection)), selection);
  });
});

suite('newer events', () => {
  test('are added, and do not get among older ones that are read meanwhile', async () => {
    const roster = await clientOfNewBot(server);
    const ids = await addContacts(roster, 150);
    for (const id of ids.slice(1)) {
      await addContacts(roster, 3);
      await roster.contacts.delete(id);
    }
    const type = 'contact.deleted';
    const reader = new CountingReader(roster, { type });
    const before = await readLatest(reader);
    const expected = (await walk(roster, { type })).toReversed();
    await roster.contacts.delete(ids[0] as string);
    const older = await readOlder(reader, before);
    assert.ok(older !== undefined);
    const grown = idsOf(withOlder(before, before, older));
    assert.ok(grown.length >= idsOf(before).length + eventsWanted);
    assert.deepEqual(grown, expected.slice(0, grown.length));
    let now = await readNewer(reader, () => before, 0);
    now = withOlder(now, before, older);
    while (!now.isWhole) now = await goBack(reader, now);
    await isBackwards(roster, now, { type });
  });

  test('are added to what was read during the request', async () => {
    const roster = await clientOfNewBot(server);
    await addContacts(roster, 200);
    const reader = new CountingReader(roster);
    let now = await readLatest(reader);
    const held = Promise.withResolvers<void>();
    const readPage: EventReader['readPage'] = (wanted) => held.promise.then(() => reader.readPage(wanted));
    const newer = readNewer({ ...reader, readPage }, () => now, 20);
    now = await goBack(reader, now);
    const grown = idsOf(now);
    await addContacts(roster, 1);
    held.resolve();
    now = await newer;
    assert.deepEqual(idsOf(now).slice(1), grown);
    while (!now.isWhole) now = await goBack(reader, now);
    await isBackwards(roster, now);
  });

  test('replace the list when there are very many, and what was read for the former one is left out', async () => {
    const roster = await clientOfNewBot(server);
    const ids = await addContacts(roster, 200);
    for (const selection of [{}, { type: 'contact.deleted' }] as const) {
      const reader = new CountingReader(roster, selection);
      const before = await readLatest(reader);
      const older = await readOlder(reader, before);
      assert.ok(older !== undefined);
      await addOtherEvents(roster, 5500);
      await roster.contacts.delete(ids.pop() ?? '');
      reader.requests = 0;
      let now = await readNewer(reader, () => before, 0);
      now = withOlder(now, before, older);
      if (!('type' in selection)) assert.ok(reader.requests <= 3, `${reader.requests} requests`);
      while (!now.isWhole) now = await goBack(reader, now);
      await isBackwards(roster, now, selection);
    }
  });

  test('push out the oldest, which are then read again', async () => {
    const roster = await clientOfNewBot(server);
    await addContacts(roster, 60);
    const reader = new CountingReader(roster);
    let now = await readAll(reader);
    for (let at = 0; at < 12; at++) {
      await addContacts(roster, 100);
      now = await readNewer(reader, () => now, 0);
    }
    assert.ok(!now.isWhole && eventsOf(now).length < 1200, `${eventsOf(now).length} events`);
    while (!now.isWhole) now = await goBack(reader, now);
    await isBackwards(roster, now);
  });

  test('of data that was restored or moved begin a new list', async () => {
    const roster = await clientOfNewBot(server);
    await addContacts(roster, 100);
    const reader = new CountingReader(roster);
    const other: EventHistory = { pages: [], end: '000000000000-70', isWhole: false };
    assert.equal(await readOlder(reader, other), undefined);
    const now = await readNewer(reader, () => other, 0);
    assert.deepEqual(now, await readLatest(reader));
  });
});

test('a search for events that are very rare ends after some requests, and goes on from there', async () => {
  const roster = await clientOfNewBot(server);
  const [first = ''] = await addContacts(roster, 1);
  await roster.contacts.delete(first);
  await addOtherEvents(roster, 50_000);
  const reader = new CountingReader(roster, { type: 'contact.deleted' });
  let history = await readLatest(reader);
  assert.ok(!history.isWhole && reader.requests <= 13, `${reader.requests} requests`);
  assert.deepEqual(idsOf(history), []);
  while (!history.isWhole) history = await goBack(reader, history);
  assert.equal(idsOf(history).length, 1);
});
