// Several servers on one database: they agree as if they were one.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { hashCredential } from '../../src/account/credentials.ts';
import { preparePurgeTime } from '../../src/process/purge-time.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { assertAscending, botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { makeHomeHere } from '../process/serve-here.ts';
import { callFirstBot } from '../process/server-process.ts';
import { unlessBusy } from '../process/unless-busy.ts';
import {
  sampleBot,
  sampleCaller,
  sampleContext,
  sampleCounted,
  sampleFields,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
  withKey,
} from '../sample.ts';
import { createDatabase, type DatabaseKind, query } from './databases.ts';

const storesCount = 3;
const clientsPerStore = 4;
const stepsPerClient = 25;
const emails = Array.from({ length: 20 }, (_, index) => `shared${index}@example.com`);

suite('several stores on one database', () => {
  const databases: { kind: DatabaseKind; title: string; setting?: string }[] = [
    { kind: 'plain', title: 'plain' },
    { kind: 'partitioned', title: 'partitioned' },
    {
      kind: 'plain',
      title: 'of an operator who prefers another isolation',
      setting: "SET default_transaction_isolation = 'repeatable read'",
    },
  ];
  for (const { kind, title, setting } of databases) {
    test(`ids ascend in the order of commits, emails are unique and totals exact: ${title}`, async (t) => {
      const { stores } = await openStores(t, kind, setting);
      const [first] = stores as [Store];
      const organization = sampleOrganization();
      await first.createOrganization(organization, sampleContext());
      const { id: botId } = sampleBot(organization.id);
      await first.createBot(sampleBot(organization.id, { id: botId }), undefined, sampleContext());

      const load = new Load(botId);
      const written = Promise.all(
        stores.flatMap((store, number) =>
          // The clocks of servers do not agree.
          Array.from({ length: clientsPerStore }, () => load.write(store, sampleNowMs - 5000 * number)),
        ),
      );
      const followed = follow(stores.at(-1) as Store, botId, written);
      await written;

      const all = await botIn(first, botId).exportAll();
      assert.ok(all.length > 50, `${all.length} contacts`);
      assertAscending(
        all.map(({ id }) => id),
        { isStrict: true },
      );
      assertAscending(
        all.map(({ createdAt }) => createdAt),
        { isStrict: false },
      );
      const seen = await followed;
      const missed = all.filter(({ id }) => !seen.has(id));
      assert.deepEqual(missed, [], 'who followed the export missed some: they came before what was there already');
      assert.equal(new Set(all.map(({ email }) => email.toLowerCase())).size, all.length);
      for (const store of stores) {
        const found = await botIn(store, botId).search('', { limit: 10_000 });
        assert.deepEqual(found, { contacts: all.toReversed(), total: all.length });
      }
      assert.equal(
        all.length,
        load.created.size - load.deleted.size,
        'one that was created or deleted was not counted',
      );
      for (const id of load.created)
        assert.equal(
          all.some((one) => one.id === id),
          !load.deleted.has(id),
          id,
        );
    });
  }

  test('all contacts of a deleted bot go, though several purge it at once', async (t) => {
    const { stores, url } = await openStores(t, 'plain');
    const [first] = stores as [Store];
    const organization = sampleOrganization();
    await first.createOrganization(organization, sampleContext());
    const bot = sampleBot(organization.id);
    await first.createBot(bot, undefined, sampleContext());
    for (let batch = 0; batch < 3; batch++) {
      await first.upsertContacts(
        bot.id,
        Array.from({ length: 1000 }, () => sampleFields()),
        sampleContext(),
      );
    }
    await first.deleteBot(bot.id, sampleContext());
    await Promise.all(
      stores.map(async (store) => {
        while (await store.purge(200, 0, sampleContext())) {}
      }),
    );
    assert.deepEqual(await query(url, 'SELECT count(*)::int AS rows FROM contacts'), [{ rows: 0 }]);
  });

  test('a server whose clock differs from that of the database pauses purging, and the others purge on', async (t) => {
    const { stores } = await openStores(t, 'plain');
    const [store] = stores as [Store];
    const dayMs = 86_400_000;
    for (const aheadMs of [40 * dayMs, -40 * dayMs]) {
      const warnings: unknown[] = [];
      const logger = { warn: (line: unknown) => warnings.push(line) } as never;
      const right = preparePurgeTime({ store, logger, clock: () => Date.now() });
      const findRightTime = async () => {
        const beganMs = Date.now();
        assert.ok((await right()) >= beganMs);
      };
      // They start in turn, so that whatever one of them notes would mislead the next.
      for (let start = 0; start < 3; start++) {
        const wrong = preparePurgeTime({ store, logger, clock: () => Date.now() + aheadMs });
        for (let run = 0; run < 2; run++) assert.ok((await wrong()) < Date.now() + dayMs);
        await findRightTime();
      }
      assert.deepEqual(warnings, Array(3).fill({ aheadHours: (aheadMs / dayMs) * 24 }));
      assert.equal((await store.findPurging()).pausedUntilMs, undefined);
    }
  });

  test('of parallel guesses at one password by several servers as many are counted as may be made', async (t) => {
    const { stores } = await openStores(t, 'plain');
    const guesses = stores.flatMap((store) =>
      // Each from an address of its own that guesses at another account too: keys that are locked in any order.
      Array.from({ length: 30 }, (_, number) =>
        store.reserveAttempt(
          [
            sampleCounted(`address ${number}`),
            sampleCounted('account'),
            sampleCounted(`address ${(number * 7) % 30} on another account`),
          ],
          sampleContext(),
        ),
      ),
    );
    const outcomes = await Promise.all(guesses);
    assert.equal(outcomes.filter(({ kind }) => kind === 'counted').length, sampleCounted('account').backoff.free);
  });

  test('of those that make the first organization at once, one does', async (t) => {
    for (let round = 0; round < 3; round++) {
      const { url, stores } = await openStores(t, 'plain');
      const isMade = await Promise.all(
        stores.map((store) => {
          const organization = sampleOrganization();
          const { id } = organization;
          return store.createFirstOrganization(
            { organization, bot: sampleBot(id), secret: sampleSecret(id) },
            sampleContext(),
          );
        }),
      );
      assert.equal(isMade.filter((isFirst) => isFirst).length, 1);
      assert.equal((await query(url, 'SELECT FROM organizations')).length, 1);
    }
  });
});

async function openStores(t: TestContext, kind: DatabaseKind, setting?: string) {
  const { url, drop } = await createDatabase(kind);
  if (setting !== undefined) await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} ${setting}`);
  const open = () => openPostgresStore({ url, ...postgresUnderLoad });
  const stores = await Promise.all(Array.from({ length: storesCount }, open));
  t.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await drop();
  });
  return { url, stores };
}

/** Clients of several stores that write to the same bot. */
class Load {
  /** By a create or an upsert. */
  readonly created = new Set<string>();
  readonly deleted = new Set<string>();
  readonly #botId: string;
  /** Those of `created` whose making was answered, once. An upsert by a shared email may be answered before it. */
  readonly #answered = new Set<string>();
  /** The greatest id of an answered create. */
  #newest = '';

  constructor(botId: string) {
    this.#botId = botId;
  }

  async write(store: Store, nowMs: number): Promise<void> {
    for (let step = 0; step < stepsPerClient; step++) {
      const dice = randomInt(10);
      if (dice < 4) await this.#create(store, nowMs + step);
      else if (dice < 6) await this.#upsert(store, nowMs + step);
      else if (dice < 8) await this.#update(store, nowMs + step);
      else await this.#delete(store);
    }
  }

  async #create(store: Store, nowMs: number): Promise<void> {
    const newest = this.#newest;
    const fields = sampleFields(randomInt(2) === 0 ? {} : { email: pick(emails) });
    const outcome = await store.createContact(this.#botId, fields, sampleContext({ nowMs }));
    if (outcome.kind === 'created') this.#note(outcome.contact.id, newest);
    else assert.equal(outcome.kind, 'email_taken');
  }

  async #upsert(store: Store, nowMs: number): Promise<void> {
    const newest = this.#newest;
    const items = [sampleFields(), sampleFields({ email: pick(emails) }), sampleFields()];
    const outcome = await store.upsertContacts(this.#botId, items, sampleContext({ nowMs }));
    assert.ok(outcome.kind === 'upserted');
    const [one, shared, another] = outcome.ids as [string, string, string];
    this.#note(one, newest);
    this.#note(another, newest);
    assert.ok(one < another);
    this.created.add(shared);
  }

  async #update(store: Store, nowMs: number): Promise<void> {
    const id = pick([...this.created]);
    if (id === undefined) return;
    const outcome = await store.updateContact(
      this.#botId,
      id,
      withKey({ email: pick(emails) as string }),
      sampleContext({ nowMs }),
    );
    if (outcome.kind === 'missing') assert.ok(this.deleted.has(id) || this.#isBeingDeleted.has(id), id);
  }

  readonly #isBeingDeleted = new Set<string>();

  async #delete(store: Store): Promise<void> {
    const id = pick([...this.created].filter((one) => !this.#isBeingDeleted.has(one)));
    if (id === undefined) return;
    this.#isBeingDeleted.add(id);
    assert.equal(await store.deleteContact(this.#botId, id, sampleContext()), true, id);
    this.deleted.add(id);
  }

  #note(id: string, newest: string): void {
    assert.ok(id > newest, `${id} was created after ${newest} had been answered`);
    assert.ok(!this.#answered.has(id), `${id} was created twice`);
    this.#answered.add(id);
    this.created.add(id);
    if (id > this.#newest) this.#newest = id;
  }
}

function pick<Value>(values: readonly Value[]): Value {
  return values[randomInt(Math.max(1, values.length))] as Value;
}

/** Reads the export page by page, from where it stood, as one does to keep a copy up to date. Tells which ids it saw. */
async function follow(store: Store, botId: string, written: Promise<unknown>): Promise<Set<string>> {
  const seen = new Set<string>();
  let isOver = false;
  const over = written.finally(() => {
    isOver = true;
  });
  let after: string | undefined;
  for (let isLast = false; ; isLast = isOver) {
    const { contacts } = await store.exportContacts(botId, { after, limit: 1000 }, sampleCaller);
    for (const { id } of contacts) seen.add(id);
    after = contacts.at(-1)?.id ?? after;
    if (isLast) break;
  }
  await over;
  return seen;
}

suite('several servers on one database', () => {
  test('a revoked secret and a deleted bot are refused by every other server within a second', async (t) => {
    const home = await makeHomeHere(t);
    const { url: databaseUrl, drop } = await createDatabase('plain');
    const env = { DATABASE_URL: databaseUrl };
    const first = await home.startFirst(env);
    const second = await home.start(env);
    const { firstRun } = first;
    const another = await openPostgresStore({ url: databaseUrl, ...postgresUnderLoad });
    t.after(async () => {
      await another.close();
      await drop();
    });
    const bot = sampleBot(firstRun.organizationId);
    await another.createBot(bot, undefined, sampleContext());

    const statusesOf = (botId: string) =>
      Promise.all(
        [first, second].map(async ({ url }) => {
          const reply = await unlessBusy(() => callFirstBot(url, { ...firstRun, botId }, 'GET', 'contacts'));
          await reply.arrayBuffer();
          return reply.status;
        }),
      );
    /** Asks all the time, so that an entry which lives for as long as it is used is caught. */
    const afterOneSecond = async (botId: string) => {
      const endMs = performance.now() + 1000;
      while (performance.now() < endMs) {
        await statusesOf(botId);
        await delay(20);
      }
      return statusesOf(botId);
    };

    assert.deepEqual(await statusesOf(bot.id), [200, 200]);
    assert.equal(await another.deleteBot(bot.id, sampleContext({ nowMs: Date.now() })), true);
    assert.deepEqual(await afterOneSecond(bot.id), [404, 404]);

    assert.deepEqual(await statusesOf(firstRun.botId), [200, 200]);
    const secret = await another.findSecret(hashCredential(firstRun.secret));
    assert.equal(await another.revokeSecret(secret?.id as string, sampleContext({ nowMs: Date.now() })), true);
    assert.deepEqual(await afterOneSecond(firstRun.botId), [401, 401]);
    await Promise.all([first.stop(), second.stop()]);
  });
});
