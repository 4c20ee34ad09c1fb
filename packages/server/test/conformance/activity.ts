// Conformance: how a bot is used. Contacts by the day of their creation, visitors by when they were seen, first uses.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { WantedActivity } from '../../src/store/activity/activity-store.ts';
import { keptDays } from '../../src/store/activity/rows.ts';
import type { Store } from '../../src/store/store.ts';
import { sampleBot, sampleCaller, sampleContext, sampleFields, sampleNowMs, sampleToken } from '../sample.ts';
import { type Engine, shareStore } from './engine.ts';

const dayMs = 86_400_000;
const today = Math.floor(sampleNowMs / dayMs);

async function activityOf(store: Store, botId: string, changes: Partial<WantedActivity> = {}) {
  const wanted = { fromDay: today - 30, seenSinceMs: sampleNowMs, tokensMax: 100, visitorsMax: 10, ...changes };
  const activity = await store.findActivity(botId, wanted, sampleCaller);
  assert.ok(activity);
  return activity;
}

export function testActivity(engine: Engine): void {
  const start = shareStore(engine);

  suite('contacts by day', () => {
    /** Creates so many contacts, at the time that is so many days after the sample's. */
    const createOn = async (store: Store, botId: string, days: number, count: number) => {
      for (let made = 0; made < count; made++) {
        const outcome = await store.createContact(
          botId,
          sampleFields(),
          sampleContext({ nowMs: sampleNowMs + days * dayMs }),
        );
        assert.equal(outcome.kind, 'created');
      }
    };

    test('contacts are counted on the day of their creation, and days without any are left out', async () => {
      const { store, botId } = await start();
      assert.deepEqual((await activityOf(store, botId)).createdByDay, []);
      for (const [days, count] of [
        [0, 2],
        [1, 1],
        [4, 3],
      ] as const) {
        await createOn(store, botId, days, count);
      }
      const counted = [
        { day: today, count: 2 },
        { day: today + 1, count: 1 },
        { day: today + 4, count: 3 },
      ];
      assert.deepEqual((await activityOf(store, botId)).createdByDay, counted);
      assert.deepEqual((await activityOf(store, botId, { fromDay: today + 1 })).createdByDay, counted.slice(1));
      assert.deepEqual((await activityOf(store, botId, { fromDay: today + 5 })).createdByDay, []);
    });

    test('an upsert counts those that it creates', async () => {
      const { store, botId, create } = await start();
      const { email, name } = await create();
      const items = [sampleFields({ email, name }), sampleFields(), sampleFields()];
      await store.upsertContacts(botId, items, sampleContext({ nowMs: sampleNowMs + dayMs }));
      const { createdByDay, contactCount } = await activityOf(store, botId);
      assert.deepEqual(createdByDay, [
        { day: today, count: 1 },
        { day: today + 1, count: 2 },
      ]);
      assert.equal(contactCount, 3);
    });

    test('a deleted contact stays in the count of its day, and leaves that of contacts', async () => {
      const { store, botId, create } = await start();
      await create();
      const { id } = await create();
      await store.deleteContact(botId, id, sampleContext());
      await createOn(store, botId, 1, 1);
      const { createdByDay, contactCount } = await activityOf(store, botId);
      assert.deepEqual(createdByDay, [
        { day: today, count: 2 },
        { day: today + 1, count: 1 },
      ]);
      assert.equal(contactCount, 2);
    });

    test('creates at once around midnight are each counted once', async () => {
      const { store, botId } = await start();
      const midnightMs = (today + 1) * dayMs;
      const times = Array.from({ length: 40 }, (_, index) => midnightMs - 20 + index);
      await Promise.all(times.map((ms) => store.createContact(botId, sampleFields(), sampleContext({ nowMs: ms }))));
      const { createdByDay } = await activityOf(store, botId);
      const contacts = await store.exportContacts(botId, { after: undefined, limit: 100 }, sampleCaller);
      const days = contacts.contacts.map(({ createdAt }) => Math.floor(Date.parse(createdAt) / dayMs));
      const expected = [today, today + 1].map((day) => ({ day, count: days.filter((one) => one === day).length }));
      assert.deepEqual(
        createdByDay,
        expected.filter(({ count }) => count > 0),
      );
    });

    test('old days are forgotten', async () => {
      const { store, botId } = await start();
      for (const days of [0, 1, keptDays + 1, keptDays + 2]) await createOn(store, botId, days, 1);
      const { createdByDay } = await activityOf(store, botId, { fromDay: 0 });
      assert.deepEqual(
        createdByDay.map(({ day }) => day - today),
        [1, keptDays + 1, keptDays + 2],
      );
    });
  });

  suite('visitors', () => {
    test('contacts whose tokens were seen are listed once each, the latest first', async () => {
      const { store, botId, create } = await start();
      const [jane, joe, unseen] = [await create({ name: 'Jane' }), await create({ name: 'Joe' }), await create()];
      const seen: { hash: Uint8Array; seenAtMs: number }[] = [];
      for (const [contact, seconds] of [
        [jane, 1],
        [joe, 2],
        [jane, 3],
        [unseen, undefined],
      ] as const) {
        const token = sampleToken();
        await store.createContactToken(botId, contact.id, token, undefined, sampleContext());
        if (seconds !== undefined) seen.push({ hash: token.hash, seenAtMs: sampleNowMs + seconds * 1000 });
      }
      await store.noteTokensSeen(botId, seen, sampleContext());
      const [janes, joes] = [
        { id: jane.id, name: 'Jane', lastSeenAtMs: sampleNowMs + 3000 },
        { id: joe.id, name: 'Joe', lastSeenAtMs: sampleNowMs + 2000 },
      ];
      const { visitors, visitorCount, hasMoreVisitors } = await activityOf(store, botId);
      assert.deepEqual(
        { visitors, visitorCount, hasMoreVisitors },
        { visitors: [janes, joes], visitorCount: 2, hasMoreVisitors: false },
      );
      const few = await activityOf(store, botId, { visitorsMax: 1 });
      assert.deepEqual([few.visitors, few.visitorCount], [[janes], 2]);
      const late = await activityOf(store, botId, { seenSinceMs: sampleNowMs + 2500 });
      assert.deepEqual([late.visitors, late.visitorCount], [[janes], 1]);
      const bounded = await activityOf(store, botId, { tokensMax: 2 });
      assert.deepEqual([bounded.visitorCount, bounded.hasMoreVisitors], [2, true]);

      await store.deleteContact(botId, jane.id, sampleContext());
      assert.deepEqual((await activityOf(store, botId)).visitors, [joes]);
      const other = await start();
      assert.deepEqual((await activityOf(other.store, other.botId)).visitors, []);
    });
  });

  suite('first uses', () => {
    test('the first time of each is kept', async () => {
      const { store, botId } = await start();
      const firstUses = async () => {
        const { widgetLoadedAtMs, visitorRecognizedAtMs } = await activityOf(store, botId);
        return [widgetLoadedAtMs, visitorRecognizedAtMs];
      };
      assert.deepEqual(await firstUses(), [undefined, undefined]);
      await store.noteFirstUse(botId, 'widgetLoaded', sampleContext());
      await store.noteFirstUse(botId, 'widgetLoaded', sampleContext({ nowMs: sampleNowMs + 1 }));
      assert.deepEqual(await firstUses(), [sampleNowMs, undefined]);
      await store.noteFirstUse(botId, 'visitorRecognized', sampleContext({ nowMs: sampleNowMs + 2 }));
      await store.noteFirstUse(botId, 'visitorRecognized', sampleContext({ nowMs: sampleNowMs + 3 }));
      assert.deepEqual(await firstUses(), [sampleNowMs, sampleNowMs + 2]);
    });

    test('a bot that is deleted, or never existed, has no activity and notes none', async () => {
      const { store, botId } = await start();
      await store.createContact(botId, sampleFields(), sampleContext());
      await store.deleteBot(botId, sampleContext());
      const wanted = { fromDay: 0, seenSinceMs: 0, tokensMax: 10, visitorsMax: 10 };
      for (const id of [botId, sampleBot('org_none').id]) {
        await store.noteFirstUse(id, 'widgetLoaded', sampleContext());
        assert.equal(await store.findActivity(id, wanted, sampleCaller), undefined);
      }
    });
  });
}
