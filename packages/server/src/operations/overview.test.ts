// The overview of an organization's bots: who may read it, what it counts, and what ticks the first uses.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Overview } from '@roster/contract';
import { type ConsolePage, signInAs } from '../../test/console-client.ts';
import { callerOf, codeOf, createContact, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { until } from '../../test/process/waiting.ts';
import { sampleBot, sampleContext, sampleFields, sampleToken } from '../../test/sample.ts';
import { StoreUnavailableError } from '../store/store.ts';

const server = await startServer(wholeFile);
const { mine, theirs, store, app, clock } = server;
const dayMs = 86_400_000;

async function addBot(changes = {}) {
  const bot = sampleBot(mine.organizationId, changes);
  await store.createBot(bot, undefined, sampleContext());
  return { bot, call: callerOf(server.url, { ...mine, bot }) };
}

suite('the overview of a bot', () => {
  test('counts contacts by day, and lists the visitors who were recognised last', async () => {
    const { page } = await signInAs(server, 'viewer');
    const { bot, call } = await addBot();
    const nowMs = clock.nowMs;
    for (const daysAgo of [40, 29, 29, 1])
      await store.createContact(bot.id, sampleFields(), sampleContext({ nowMs: nowMs - daysAgo * dayMs }));
    const jane = await createContact(call, { name: 'Jane' });
    const [seen, old] = [sampleToken(), sampleToken()];
    for (const token of [seen, old]) await store.createContactToken(bot.id, jane.id, token, undefined, sampleContext());
    await store.noteTokensSeen(
      bot.id,
      [
        { hash: seen.hash, seenAtMs: nowMs - 5000 },
        { hash: old.hash, seenAtMs: nowMs - 8 * dayMs },
      ],
      sampleContext(),
    );
    const { status, json } = await page.call('GET', `bots/${bot.id}/overview`);
    assert.equal(status, 200);
    const { days, ...rest } = json.data;
    assert.deepEqual(rest, {
      id: bot.id,
      contactCount: 5,
      newContactCount: 4,
      visitorCount: 1,
      hasMoreVisitors: false,
      widgetLoadedAt: null,
      visitorRecognizedAt: null,
      visitors: [{ id: jane.id, name: 'Jane', lastSeenAt: new Date(nowMs - 5000).toISOString() }],
    });
    assert.equal(days.length, 30);
    const dateOf = (daysAgo: number) => new Date(nowMs - daysAgo * dayMs).toISOString().slice(0, 10);
    assert.deepEqual(days[0], { date: dateOf(29), newContactCount: 2 });
    assert.deepEqual(days.slice(-2), [
      { date: dateOf(1), newContactCount: 1 },
      { date: dateOf(0), newContactCount: 1 },
    ]);
    assert.equal(days[1].newContactCount, 0);
  });

  test('is closed to other organizations and to secrets', async () => {
    const { page } = await signInAs(server, 'owner');
    assert.deepEqual(codeOf(await page.call('GET', `bots/${theirs.bot.id}/overview`)), [404, 'not_found']);
    for (const path of ['overview', `bots/${mine.bot.id}/overview`]) {
      assert.equal((await server.call('GET', `/v1/account/${path}`)).status, 401);
    }
  });
});

suite('the overview of all bots', () => {
  /** Asks until it is as wanted: bots that a busy machine does not read within two seconds are left out. */
  const readOverview = async (page: ConsolePage, isWanted: (data: Overview) => boolean): Promise<Overview> => {
    let data: Overview | undefined;
    await until('an overview with its bots', async () => {
      const { status, text, json } = await page.call('GET', 'overview');
      assert.equal(status, 200, text);
      data = json.data as Overview;
      return isWanted(data);
    });
    return data as unknown as Overview;
  };

  test('sums the days of all, and has each bot of the organization alone', async (t) => {
    const alone = await startServer(t, { storeOf: server });
    const { page } = await signInAs(alone, 'viewer');
    const second = sampleBot(alone.mine.organizationId);
    await alone.store.createBot(second, undefined, sampleContext());
    for (const botId of [alone.mine.bot.id, second.id, second.id, alone.theirs.bot.id]) {
      await alone.store.createContact(botId, sampleFields(), sampleContext({ nowMs: alone.clock.nowMs }));
    }
    const data = await readOverview(page, ({ isComplete }) => isComplete);
    assert.deepEqual(
      data.bots.map(({ id, contactCount, newContactCount }) => [id, contactCount, newContactCount]),
      // In the order of ids, which is random for bots that were created in the same millisecond.
      [[alone.mine.bot.id, 1, 1] as const, [second.id, 2, 2] as const].toSorted(([one], [other]) =>
        one < other ? -1 : 1,
      ),
    );
    assert.equal(data.days.at(-1)?.newContactCount, 3);
    assert.equal(data.isComplete, true);
  });

  test('leaves out bots whose part of the database does not answer', async (t) => {
    const isUp = new Set<string>();
    const broken = await startServer(t, {
      storeOf: server,
      wrapStore: (inner) => ({
        ...inner,
        async findActivity(botId, ...rest) {
          if (!isUp.has(botId)) throw new StoreUnavailableError('the node is down');
          return inner.findActivity(botId, ...rest);
        },
      }),
    });
    isUp.add(broken.mine.bot.id);
    await broken.store.createBot(sampleBot(broken.mine.organizationId), undefined, sampleContext());
    const { page } = await signInAs(broken, 'viewer');
    const data = await readOverview(page, ({ bots }) => bots.length > 0);
    assert.deepEqual(
      data.bots.map(({ id }) => id),
      [broken.mine.bot.id],
    );
    assert.equal(data.isComplete, false);
  });
});

suite('first uses', () => {
  const usesOf = async (botId: string) => {
    const { page } = await signInAs(server, 'viewer');
    await app.flush();
    const { widgetLoadedAt, visitorRecognizedAt } = (await page.call('GET', `bots/${botId}/overview`)).json.data;
    return [widgetLoadedAt, visitorRecognizedAt];
  };
  const shop = { origin: 'https://shop.example' };

  test('the first load from a page of another origin is noted, and no later one', async () => {
    const { bot, call } = await addBot();
    await call('GET', 'widget', { token: null });
    await call('GET', 'widget', { token: null, headers: { origin: 'http://roster.test' } });
    assert.deepEqual(await usesOf(bot.id), [null, null]);
    const firstAt = new Date(clock.nowMs).toISOString();
    await call('GET', 'widget', { token: null, headers: shop });
    assert.deepEqual(await usesOf(bot.id), [firstAt, null]);
    clock.nowMs += 1000;
    await call('GET', 'widget', { token: null, headers: shop });
    assert.deepEqual(await usesOf(bot.id), [firstAt, null]);
  });

  test('a load from an origin that the bot does not allow is not one', async () => {
    const { bot, call } = await addBot({ allowedOrigins: ['https://other.example'] });
    await call('GET', 'widget', { token: null, headers: shop });
    assert.deepEqual(await usesOf(bot.id), [null, null]);
  });

  test('the first visitor with a token that works is noted, and one with a wrong token is not', async () => {
    const { bot, call } = await addBot();
    const { id } = await createContact(call);
    const { token } = (await call('POST', 'auth/contact', { body: { id } })).json;
    await call('GET', 'auth/contact', { token: `${token.slice(0, -1)}x`, headers: shop });
    assert.deepEqual(await usesOf(bot.id), [null, null]);
    assert.equal((await call('GET', 'auth/contact', { token, headers: shop })).status, 200);
    assert.deepEqual(await usesOf(bot.id), [null, new Date(clock.nowMs).toISOString()]);
  });
});
