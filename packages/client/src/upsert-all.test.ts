// Upserting streams of any length, against the real server: results, order and memory.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import {
  clientOf,
  clientOfNewBot,
  clientThrough,
  collect,
  sampleContacts,
  startServer,
  wholeFile,
} from '../test/harness.ts';
import { type ContactUpsert, type Fetch, type RowResult, UsageError } from './index.ts';

const server = await startServer(wholeFile);

async function* slowly<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  for (const item of items) {
    await new Promise(setImmediate);
    yield item;
  }
}

suite('upsertAll', () => {
  test('writes every row of an array, and reports the id of each with its index, in order', async () => {
    const roster = await clientOfNewBot(server);
    const results: RowResult[] = [];
    const rows = sampleContacts(2500);
    const totals = await roster.contacts.upsertAll(rows, {
      onResults(some) {
        results.push(...some);
      },
    });
    assert.deepEqual(totals, { rows: 2500, upserted: 2500, rejected: 0 });
    const stored = await collect(roster.contacts.iterate());
    const idsByEmail = new Map(stored.map(({ email, id }) => [email, id]));
    assert.deepEqual(
      results,
      rows.map(({ email }, index) => ({ index, outcome: 'upserted', id: idsByEmail.get(email) })),
    );
  });

  test('reports what became of each contact with include', async () => {
    const roster = await clientOfNewBot(server);
    const [first, second, third] = sampleContacts(3) as [ContactUpsert, ContactUpsert, ContactUpsert];
    await roster.contacts.upsert([first, second]);
    const results: RowResult[] = [];
    const rows = [first, { ...second, phone: '7' }, third, { ...third, phone: '8' }, { email: 'bad' }];
    const totals = await roster.contacts.upsertAll(rows, {
      include: ['outcome'],
      onResults: (some) => void results.push(...some),
    });
    assert.deepEqual(totals, { rows: 5, upserted: 4, rejected: 1 });
    assert.deepEqual(
      results.map((result) => (result.outcome === 'upserted' ? result.contactOutcome : result.outcome)),
      ['unchanged', 'updated', 'created', 'created', 'rejected'],
    );
  });

  test('takes any iterable', async () => {
    const rows = sampleContacts(25);
    const sources = {
      generator: (function* () {
        yield* rows;
      })(),
      'async generator': slowly(rows),
      set: new Set(rows),
      'Node stream': Readable.from(rows),
      'web stream': new ReadableStream<ContactUpsert>({
        start(controller) {
          for (const row of rows) controller.enqueue(row);
          controller.close();
        },
      }),
      nothing: [],
    };
    for (const [name, source] of Object.entries(sources)) {
      const roster = await clientOfNewBot(server);
      const totals = await roster.contacts.upsertAll(source, { batchSize: 10 });
      assert.equal(totals.rows, name === 'nothing' ? 0 : 25, name);
      assert.equal((await roster.contacts.search()).pagination.total, totals.rows);
    }
  });

  test('sends a thousand rows per request, and reports its progress after each', async () => {
    const { roster, proxy } = await clientThrough(server, []);
    const progress: number[] = [];
    await roster.contacts.upsertAll(sampleContacts(2001), {
      onProgress({ rows, upserted, rejected }) {
        assert.equal(rows, upserted + rejected);
        progress.push(rows);
      },
    });
    assert.deepEqual(progress, [1000, 2000, 2001]);
    const sizes = proxy.arrivals.map(({ body }) => (JSON.parse(body) as { data: unknown[] }).data.length);
    assert.deepEqual(
      sizes.sort((a, b) => b - a),
      [1000, 1000, 1],
    );
  });

  test('neither loses nor duplicates a row when answers are lost', async () => {
    const { roster } = await clientThrough(server, ['drop answer', 'pass', 'drop request', 'cut answer']);
    const before = (await roster.contacts.search()).pagination.total;
    const rows = sampleContacts(50).map(({ name }, n) => ({ name, email: `again${n}@example.com` }));
    const totals = await roster.contacts.upsertAll(rows, { batchSize: 10 });
    assert.deepEqual(totals, { rows: 50, upserted: 50, rejected: 0 });
    assert.equal((await roster.contacts.search()).pagination.total, before + 50);
  });

  test('rejects invalid options and sources before it reads a row', async () => {
    const roster = clientOf(server);
    const unread = {
      [Symbol.iterator](): Iterator<ContactUpsert> {
        throw new Error('the source was read');
      },
    };
    const wrong = [
      { concurrency: 0 },
      { concurrency: 1.5 },
      { batchSize: 0 },
      { batchSize: 1001 },
      { invalidRows: 'skip' },
    ];
    for (const options of wrong) await assert.rejects(roster.contacts.upsertAll(unread, options as object), UsageError);
    for (const source of [7, undefined, null, {}, 'jane@example.com']) {
      await assert.rejects(roster.contacts.upsertAll(source as unknown as []), UsageError);
    }
  });
});

suite('order', () => {
  /** Delays requests at random, so that those which may overtake each other do. */
  const shuffling: Fetch = async (url, init) => {
    await delay(Math.random() * 8);
    return fetch(url, init);
  };

  test('rows with the same email are applied in the order of the source, at any concurrency', async () => {
    const emails = [
      'a@example.com',
      'A@Example.com',
      ' b@example.com',
      'b@EXAMPLE.com',
      'jos\u00e9@example.com',
      'Jose\u0301@example.com',
    ];
    const row = fc.record({ email: fc.constantFrom(...emails), name: fc.stringMatching(/^[a-z]{1,8}$/) });
    const shape = { batchSize: fc.integer({ min: 1, max: 4 }), concurrency: fc.integer({ min: 1, max: 8 }) };
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 30 }), fc.record(shape), async (rows, options) => {
        const roster = await clientOfNewBot(server, { fetch: shuffling });
        await roster.contacts.upsertAll(rows, options);
        const last = new Map(rows.map(({ email, name }) => [email.trim().normalize('NFC').toLowerCase(), name]));
        const stored = await collect(roster.contacts.iterate());
        const names = new Map(stored.map(({ email, name }) => [email.normalize('NFC').toLowerCase(), name]));
        assert.deepEqual(names, last);
      }),
      { numRuns: 40 },
    );
  });

  test('requests that share no email run concurrently, up to the given concurrency', async () => {
    let inFlight = 0;
    let most = 0;
    const counting: Fetch = async (url, init) => {
      most = Math.max(most, ++inFlight);
      try {
        return await shuffling(url, init);
      } finally {
        inFlight--;
      }
    };
    const roster = await clientOfNewBot(server, { fetch: counting });
    await roster.contacts.upsertAll(sampleContacts(60), { batchSize: 5, concurrency: 3 });
    assert.equal(most, 3);
  });
});

/** Node's garbage collector, which is only exposed by a flag. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

suite('memory', () => {
  test('at most one batch is read ahead of the requests in flight, however long the source', async () => {
    const roster = await clientOfNewBot(server);
    const [batchSize, concurrency] = [10, 3];
    let [read, settled, most] = [0, 0, 0];
    function* endless() {
      for (const row of sampleContacts(1000)) {
        read++;
        most = Math.max(most, read - settled);
        yield row;
      }
    }
    await roster.contacts.upsertAll(endless(), {
      batchSize,
      concurrency,
      onResults(results) {
        settled += results.length;
      },
    });
    assert.ok(most <= (concurrency + 1) * batchSize, `${most} rows were held`);
  });

  test('rows are released once their results are delivered', async () => {
    const roster = await clientOfNewBot(server);
    const collectGarbage = garbageCollector();
    const early: WeakRef<ContactUpsert>[] = [];
    function* source() {
      for (let n = 0; n < 400; n++) {
        const row = { name: `Row ${n}`, email: `row${n}@example.com` };
        if (n < 100) early.push(new WeakRef(row));
        yield row;
      }
    }
    let held = early.length;
    await roster.contacts.upsertAll(source(), {
      batchSize: 10,
      concurrency: 2,
      async onProgress({ rows }) {
        if (rows !== 300) return;
        // A WeakRef that was dereferenced in this turn of the event loop stays alive until the next.
        await new Promise(setImmediate);
        collectGarbage();
        held = early.filter((row) => row.deref() !== undefined).length;
      },
    });
    assert.deepEqual([early.length, held], [100, 0]);
  });

  test('reading waits for a slow callback', async () => {
    const roster = await clientOfNewBot(server);
    const gate = Promise.withResolvers<void>();
    let read = 0;
    function* source() {
      for (const row of sampleContacts(100)) {
        read++;
        yield row;
      }
    }
    const done = roster.contacts.upsertAll(source(), { batchSize: 10, concurrency: 2, onResults: () => gate.promise });
    let total = 0;
    while (total < 20) ({ total } = (await roster.contacts.search()).pagination);
    // As many round trips as all ten requests would take, if nothing held them back.
    for (let request = 0; request < 10; request++) await roster.contacts.search();
    assert.ok(read <= 30, `${read} rows were read`);
    gate.resolve();
    assert.equal((await done).rows, 100);
  });

  test('results are delivered while a slow source is still being read', async () => {
    const roster = await clientOfNewBot(server);
    const first = Promise.withResolvers<void>();
    async function* source() {
      yield* sampleContacts(2);
      await first.promise;
      yield { name: 'Last', email: 'last@example.com' };
    }
    const totals = await roster.contacts.upsertAll(source(), { batchSize: 1, onResults: () => first.resolve() });
    assert.equal(totals.rows, 3);
  });
});
