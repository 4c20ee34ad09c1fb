// Conformance: organizations take turns in what may take long. All is told by the order of the answers, not by time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { type Caller, type Store, StoreUnavailableError } from '../../src/store/store.ts';
import { sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { addBot, type Engine, openStore } from './engine.ts';

/** More than an engine takes at once, over all of its threads or connections. */
const takenAtOnceMax = 60;
const flood = 400;
const longFlood = 100;
/** So many that to find all of them is no matter of an instant, to any engine. */
const manyContacts = 3000;
/** No index narrows it much. */
const words = parseQuery('ja');
const triesMax = 10;
/** More than one organization may have waiting. */
const tooMany = 1500;

export function testTurns(engine: Engine): void {
  for (const what of ['search', 'export page'] as const) {
    test(`an organization that floods does not keep another one's ${what} waiting`, async (t) => {
      const started = await start(await openStore(t, engine));
      const { ask, theirs, mine } = started;
      await assertTurn(started, async () => {
        const flooding = Array.from({ length: flood }, () => ask(theirs, what));
        await ask(mine, what);
        return flooding;
      });
    });
  }

  test('many bots of an organization have one turn between them', async (t) => {
    const started = await start(await openStore(t, engine));
    const { ask, theirs, mine, botIds } = started;
    await assertTurn(started, async () => {
      const flooding = Array.from({ length: flood }, (_, index) =>
        ask(theirs, 'search', botIds[index % botIds.length]),
      );
      await ask(mine, 'search');
      return flooding;
    });
  });

  test('a quick search does not wait for those of its organization that take long', async (t) => {
    const opened = await openStore(t, engine, { quickEffortMax: manyContacts / 2 });
    const started = await start(opened);
    const { ask, theirs, mine } = started;
    const { botId, create } = await addBot(opened);
    await Promise.all(Array.from({ length: manyContacts }, () => create({ name: 'Jane Doe' })));
    const sameOrganization = { ...mine, organizationId: theirs.organizationId };
    await assertTurn({ ...started, mine: sameOrganization }, async () => {
      const flooding = Array.from({ length: longFlood }, () => ask(theirs, 'search', botId));
      await ask(sameOrganization, 'search');
      return flooding;
    });
  });

  test('many writes to one bot do not keep a write to another waiting', async (t) => {
    const started = await start(await openStore(t, engine));
    const { store, answered, theirs, mine, botIds } = started;
    const [flooded, other] = botIds as [string, string];
    const upsert = async () => {
      const items = Array.from({ length: 100 }, (_, n) => withKey({ email: `p${n}@example.com` }));
      await store.upsertContacts(flooded, items, sampleNowMs);
      answered.push(theirs);
    };
    await assertTurn(started, async () => {
      const flooding = Array.from({ length: longFlood }, upsert);
      await store.createContact(other, sampleFields(), sampleNowMs);
      answered.push(mine);
      return flooding;
    });
  });

  test('too many searches of one organization are refused; others are taken, and reads by key go on', async (t) => {
    const { store, ask, answered, refused, theirs, mine, botIds, contactId } = await start(await openStore(t, engine));
    let refusedBefore = 0;
    await assertOnce('a read by key, and a search of another, do not wait for searches', async () => {
      const flooding = Array.from({ length: tooMany }, () => ask(theirs, 'search'));
      const read = await store.findContact(botIds[0] as string, contactId);
      assert.equal(read?.id, contactId);
      const answeredBefore = answered.length;
      await ask(mine, 'search');
      assert.ok(answered.includes(mine));
      const { store_waiting_searches: waiting = 0, store_running_searches: running = 0 } = store.gauges();
      await Promise.all(flooding);
      assert.ok(refused.length > 0);
      assert.ok(refused.every((caller) => caller === theirs));
      assert.equal(answered.length + refused.length, tooMany + 1);
      refusedBefore += refused.length;
      assert.equal(store.gauges()['store_refused_searches_total'], refusedBefore);
      assert.equal(store.gauges()['store_waiting_searches'], 0);
      answered.length = refused.length = 0;
      const isSo = answeredBefore < tooMany / 4 && waiting > 0 && running > 0;
      return { isSo, said: `${answeredBefore} answered, ${waiting} waiting, ${running} running` };
    });
    await ask(theirs, 'search');
    assert.equal(answered.at(-1), theirs, 'it is taken again');
  });

  test('a search whose caller has left is not carried out', async (t) => {
    const { store, botIds, theirs } = await start(await openStore(t, engine));
    const leaving = new AbortController();
    const search = { words, offset: 0, limit: 10 };
    const asked = Array.from({ length: 200 }, (_, index) => {
      const caller = index === 199 ? { ...theirs, signal: leaving.signal } : theirs;
      return store.searchContacts(botIds[0] as string, search, caller);
    });
    leaving.abort();
    await assert.rejects(asked.pop() as Promise<unknown>, StoreUnavailableError);
    await Promise.all(asked);
  });
}

/**
 * What is so at one of several tries. A machine may leave one thread standing with what it was given while another goes
 * on, so it is tried again: without turns it would not be so at any of them.
 */
async function assertOnce(what: string, tryOnce: () => Promise<{ isSo: boolean; said: string }>): Promise<void> {
  const said: string[] = [];
  while (said.length < triesMax) {
    const outcome = await tryOnce();
    if (outcome.isSo) return;
    said.push(outcome.said);
  }
  assert.fail(`${what}: ${said.join('; ')}`);
}

/** That the one who asks last is answered among the first. */
function assertTurn(
  { answered, refused, mine }: Pick<Awaited<ReturnType<typeof start>>, 'answered' | 'refused' | 'mine'>,
  run: () => Promise<Promise<void>[]>,
): Promise<void> {
  return assertOnce('whoever asks last is answered among the first', async () => {
    answered.length = refused.length = 0;
    const flooding = await run();
    assert.ok(answered.includes(mine));
    const place = answered.indexOf(mine);
    await Promise.all(flooding);
    // On a busy machine the last of the flood may have waited for longer than anybody is kept waiting.
    assert.equal(answered.length + refused.length, flooding.length + 1);
    return { isSo: place < takenAtOnceMax, said: `answered as number ${place} of ${flooding.length}` };
  });
}

async function start(opened: { store: Store }) {
  const { store } = opened;
  const bots = [await addBot(opened), await addBot(opened), await addBot(opened)];
  const contact = await bots[0]?.create({ name: 'Jane Doe' });
  const [theirs, mine]: Caller[] = [{ organizationId: 'org_theirs' }, { organizationId: 'org_mine' }];
  const botIds = bots.map(({ botId }) => botId);
  // Those that were answered and those that were refused, in this order.
  const answered: Caller[] = [];
  const refused: Caller[] = [];
  const ask = async (caller: Caller, what: 'search' | 'export page', botId = botIds[0] as string) => {
    try {
      if (what === 'search') await store.searchContacts(botId, { words, offset: 0, limit: 10 }, caller);
      else await store.exportContacts(botId, { after: undefined, limit: 10 }, caller);
      answered.push(caller);
    } catch (error) {
      assert.ok(error instanceof StoreUnavailableError, String(error));
      refused.push(caller);
    }
  };
  return {
    ...{ store, botIds, contactId: contact?.id as string },
    ...{ theirs: theirs as Caller, mine: mine as Caller, ask, answered, refused },
  };
}
