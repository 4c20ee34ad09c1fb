// Conformance: organizations share fairly what may take long. Fairness shows in the order of the answers, not in times:
// the engine does one thing at a time (`isSerial`), so that answers come in the order in which requests were started.
// A flood and what competes with it are asked for in one turn of the event loop, before any answer can arrive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { type Caller, StoreUnavailableError } from '../../src/store/store.ts';
import { sampleContext, sampleFields, withKey } from '../sample.ts';
import { type Engine, type StartTest, shareStore, shareStoreInSuite } from './engine.ts';

/** More than an engine starts before it looks at the queue again. */
const startedAtOnceMax = 60;
const flood = 400;
const writeFlood = 100;
/** More than one organization may have pending. */
const tooMany = 1500;
/** So many that finding all of them is a long search to any engine, and a broad one to a planner that has a sample. */
const manyContacts = 6000;
/** Together they take every engine some seconds, unless their callers leave. */
const longFlood = 500;

/** A name of which every three neighbouring letters make a word to search for. */
const name = 'abcdefghijklmnopqrstuvwxyz';
const trigramCount = name.length - 2;

/** Each number has words of its own, so that no two searches of a flood can share their work. All find `name`. */
function wordsOf(number: number) {
  const positions = [number, number / trigramCount, number / trigramCount ** 2].map((at) => Math.floor(at));
  const trigrams = positions.map((position) => name.slice(position % trigramCount, (position % trigramCount) + 3));
  return parseQuery(trigrams.join(' '));
}

export function testFairness(engine: Engine): void {
  const startShared = shareStore(engine);
  const startSerial = shareStoreInSuite(engine, { isSerial: true });
  const startBroad = shareStoreInSuite(engine, { quickEffortMax: manyContacts / 2 });

  for (const what of ['search', 'export page'] as const) {
    test(`an organization that floods does not delay another one's ${what}`, async () => {
      const started = await start(startSerial);
      const { ask, theirs, mine } = started;
      const flooding = Array.from({ length: flood }, () => ask(theirs, what));
      await ask(mine, what);
      await assertStartedEarly(started, flooding);
    });
  }

  test('many bots of an organization share one turn', async () => {
    const started = await start(startSerial);
    const { ask, theirs, mine, botIds } = started;
    const flooding = Array.from({ length: flood }, (_, index) => ask(theirs, 'search', botIds[index % botIds.length]));
    await ask(mine, 'search');
    await assertStartedEarly(started, flooding);
  });

  test('a quick search does not wait for long ones of its own organization', async () => {
    const { ask, answered, theirs, mine } = await start(startBroad);
    const { store, botId } = await startBroad();
    for (let count = 0; count < manyContacts; count += 1000) {
      const items = Array.from({ length: 1000 }, () => sampleFields({ name }));
      await store.upsertContacts(botId, items, sampleContext());
    }
    const leaving = new AbortController();
    const long: Caller = { ...theirs, signal: leaving.signal };
    const quick: Caller = { ...mine, organizationId: theirs.organizationId };
    await ask(long, 'search', botId);
    const flooding = Array.from({ length: longFlood }, () => ask(long, 'search', botId));
    await ask(quick, 'search');
    const position = answered.indexOf(quick);
    assert.ok(position >= 0, 'the quick search is answered');
    // Other threads or connections go on with long ones while that of the quick one stands still. In turn it would be the last.
    assert.ok(position < longFlood * 0.9, `${position} of ${longFlood} long searches were answered before it`);
    leaving.abort();
    await Promise.all(flooding);
  });

  test('many writes to one bot do not delay a write to another', async () => {
    const started = await start(startSerial);
    const { store, answered, theirs, mine, botIds } = started;
    const [flooded, other] = botIds as [string, string];
    const upsert = async () => {
      const items = Array.from({ length: 100 }, (_, n) => withKey({ email: `p${n}@example.com` }));
      await store.upsertContacts(flooded, items, sampleContext());
      answered.push(theirs);
    };
    const flooding = Array.from({ length: writeFlood }, upsert);
    await store.createContact(other, sampleFields(), sampleContext());
    answered.push(mine);
    await assertStartedEarly(started, flooding);
  });

  test('too many searches of one organization are refused; others are served, and reads by key go on', async () => {
    const { store, ask, answered, refused, theirs, mine, botIds, contactId } = await start(startSerial);
    const gauge = async (name: string) => (await store.gauges()[`store_${name}`]?.()) ?? 0;
    const refusedBefore = await gauge('refused_searches_total');
    const flooding = Array.from({ length: tooMany }, () => ask(theirs, 'search'));
    const asked = ask(mine, 'search').then(() => Promise.all([gauge('pending_searches'), gauge('running_searches')]));
    const read = await store.findContact(botIds[0] as string, contactId);
    assert.equal(read?.id, contactId);
    assert.ok(answered.length + refused.length < tooMany, 'a read by key does not wait for all searches');
    const [pending, running] = await asked;
    assert.ok(answered.includes(mine));
    assert.ok(pending > 0 && running > 0, `${pending} pending and ${running} running beside the answered search`);
    await Promise.all(flooding);
    assert.ok(refused.length > 0);
    assert.ok(refused.every((caller) => caller === theirs));
    assert.equal(answered.length + refused.length, tooMany + 1);
    assert.equal(await gauge('refused_searches_total'), refusedBefore + refused.length);
    assert.equal(await gauge('pending_searches'), 0);
    await ask(theirs, 'search');
    assert.equal(answered.at(-1), theirs, 'it is served again');
  });

  test('a search whose caller has left is not carried out', async () => {
    const { store, botIds, theirs } = await start(startShared);
    const leaving = new AbortController();
    const asked = Array.from({ length: 200 }, (_, index) => {
      const caller = index === 199 ? { ...theirs, signal: leaving.signal } : theirs;
      return store.searchContacts(botIds[0] as string, { words: wordsOf(index), offset: 0, limit: 10 }, caller);
    });
    leaving.abort();
    await assert.rejects(asked.pop() as Promise<unknown>, StoreUnavailableError);
    await Promise.all(asked);
  });
}

/** That the caller who came last, and has its answer now, was among the first to be answered. */
async function assertStartedEarly(
  { answered, refused, mine }: Pick<Awaited<ReturnType<typeof start>>, 'answered' | 'refused' | 'mine'>,
  flooding: Promise<void>[],
): Promise<void> {
  const position = answered.indexOf(mine);
  assert.ok(position >= 0, 'it is answered');
  assert.ok(position < startedAtOnceMax, `answered as number ${position} of ${flooding.length}`);
  await Promise.all(flooding);
  assert.deepEqual([answered.length, refused.length], [flooding.length + 1, 0]);
}

async function start(startTest: StartTest) {
  const bots = [await startTest(), await startTest(), await startTest()] as const;
  const [{ store, create }] = bots;
  const contact = await create({ name });
  const [theirs, mine]: Caller[] = [{ organizationId: 'org_theirs' }, { organizationId: 'org_mine' }];
  const botIds = bots.map(({ botId }) => botId);
  // Who was answered and who was refused, in this order.
  const answered: Caller[] = [];
  const refused: Caller[] = [];
  let number = 0;
  const ask = async (caller: Caller, what: 'search' | 'export page', botId = botIds[0] as string) => {
    number++;
    try {
      if (what === 'search')
        await store.searchContacts(botId, { words: wordsOf(number), offset: 0, limit: 10 }, caller);
      else await store.exportContacts(botId, { after: undefined, limit: number }, caller);
      answered.push(caller);
    } catch (error) {
      assert.ok(error instanceof StoreUnavailableError, String(error));
      refused.push(caller);
    }
  };
  // An engine may look up a bot before its first search enters the queue. From here on searches enter it at once.
  // What was looked up is forgotten after some seconds: at once, so that it is for all bots at the same time.
  await Promise.all(botIds.map((botId) => ask(mine as Caller, 'search', botId)));
  answered.length = 0;
  return {
    ...{ store, botIds, contactId: contact.id },
    ...{ theirs: theirs as Caller, mine: mine as Caller, ask, answered, refused },
  };
}
