// Iterating over contacts while others write: each that exists from beginning to end is yielded once, and in order.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { startFaultProxy } from '../test/fault-proxy.ts';
import { clientOf, collect, startServer, wholeFile } from '../test/harness.ts';
import type { Contact } from './index.ts';
import { walkMatches, windowFrom, windowUpTo } from './walk.ts';

const server = await startServer(wholeFile);
const proxy = await startFaultProxy(wholeFile, server.url);
const roster = clientOf(server, { baseUrl: proxy.url });

const count = 2345;
const contacts = Array.from({ length: count }, (_, n) => ({
  name: `Person ${n}`,
  email: `p${n}@${n % 10 === 0 ? 'tenth.example' : 'example.com'}`,
}));
// One request after the other, so that they are created in this order.
await clientOf(server).contacts.upsertAll(contacts, { concurrency: 1 });

const emailsOf = (contacts: readonly { email: string }[]) => contacts.map(({ email }) => email);

suite('iterate', () => {
  test('without a query yields all contacts, oldest first, by export', async () => {
    for (const walk of [roster.contacts.iterate(), roster.contacts.iterate({ query: ' ' })]) {
      proxy.arrivals.length = 0;
      const seen = await collect(walk);
      assert.deepEqual(emailsOf(seen), emailsOf(contacts));
      assert.equal(proxy.arrivals.length, Math.ceil(count / 1000));
      assert.ok(proxy.arrivals.every(({ url }) => url.includes('/export')));
    }
  });

  test('with a query yields all matches, newest first, over all pages', async () => {
    proxy.arrivals.length = 0;
    const seen = await collect(roster.contacts.iterate({ query: '@tenth.example' }));
    const tenth = contacts.filter((_, n) => n % 10 === 0);
    assert.deepEqual(emailsOf(seen), emailsOf(tenth).reverse());
    assert.equal(proxy.arrivals.length, 3);
  });

  test('exportAll yields all matches, oldest first, by export', async () => {
    for (const [query, expected] of [
      ['@tenth.example', contacts.filter((_, n) => n % 10 === 0)],
      ['', contacts],
    ] as const) {
      proxy.arrivals.length = 0;
      assert.deepEqual(emailsOf(await collect(roster.contacts.exportAll({ query }))), emailsOf(expected));
      assert.equal(proxy.arrivals.length, Math.ceil(expected.length / 1000));
      assert.ok(proxy.arrivals.every(({ url }) => url.includes('/export')));
    }
    assert.deepEqual(emailsOf(await collect(roster.contacts.exportAll())), emailsOf(contacts));
  });

  test('a page of an export of matches names the position after it', async () => {
    const tenth = contacts.filter((_, n) => n % 10 === 0);
    const first = await roster.contacts.export({ query: '@tenth.example', limit: 200 });
    assert.deepEqual(emailsOf(first.data), emailsOf(tenth.slice(0, 200)));
    const rest = await roster.contacts.export({ query: '@tenth.example', after: first.next ?? '' });
    assert.deepEqual([emailsOf(rest.data), rest.next], [emailsOf(tenth.slice(200)), null]);
  });

  test('fetches pages as they are needed, and none after a break', async () => {
    proxy.arrivals.length = 0;
    for await (const contact of roster.contacts.iterate({ query: '@tenth.example' })) {
      assert.ok(contact);
      break;
    }
    assert.equal(proxy.arrivals.length, 1);
  });

  test('yields nothing when nothing matches', async () => {
    assert.deepEqual(await collect(roster.contacts.iterate({ query: 'nobody at all' })), []);
  });

  test('yields every contact although each is deleted during the iteration', async () => {
    const deleted = Array.from({ length: 250 }, (_, n) => ({ name: 'Deleted', email: `deleted${n}@example.com` }));
    await roster.contacts.upsert(deleted);
    const seen: Contact[] = [];
    for await (const contact of roster.contacts.iterate({ query: 'deleted' })) {
      seen.push(contact);
      await roster.contacts.delete(contact.id);
    }
    assert.deepEqual(emailsOf(seen), emailsOf(deleted).reverse());
  });

  test('yields no contact twice when others are created meanwhile', async () => {
    const kept = Array.from({ length: 250 }, (_, n) => ({ name: 'Kept', email: `kept${n}@example.com` }));
    await roster.contacts.upsert(kept);
    const seen: Contact[] = [];
    for await (const contact of roster.contacts.iterate({ query: 'kept' })) {
      if (seen.push(contact) % 20 === 1) {
        server.clock.nowMs++;
        await roster.contacts.upsert(
          Array.from({ length: 30 }, (_, n) => ({ name: 'Kept', email: `new${seen.length}-${n}@example.com` })),
        );
      }
    }
    assert.deepEqual(emailsOf(seen), emailsOf(kept).reverse());
  });

  test('ends when the signal is aborted', async () => {
    const controller = new AbortController();
    const walk = roster.contacts.iterate({}, { signal: controller.signal });
    await walk.next();
    controller.abort();
    await assert.rejects(collect(walk), { name: 'AbortError' });
  });
});

/** A contact of which only the order matters. Several share a creation time. */
function numbered(n: number): Contact {
  const createdAt = new Date(Math.floor(n / 3)).toISOString();
  const id = `con_${String(n).padStart(9, '0')}`;
  return { id, createdAt, updatedAt: createdAt, name: '', email: '', phone: '', mid: '', wid: '' };
}

suite('the iteration over pages', () => {
  test('yields what matches throughout exactly once and in order, whatever changes between two pages', async () => {
    // Between two pages, some numbers start to match and others stop, anywhere in the order.
    const changes = fc.array(
      fc.record({ comes: fc.array(fc.nat(2000)), goes: fc.array(fc.nat(2000), { maxLength: 400 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(2000), { maxLength: 1000, size: 'max' }),
        changes,
        async (start, steps) => {
          const matching = new Set(start);
          const staying = new Set(start);
          const between = [...steps];
          const walk = walkMatches(async ({ page, limit }) => {
            const sorted = [...matching].sort((a, b) => b - a);
            const data = sorted.slice((page - 1) * limit, page * limit).map(numbered);
            const { comes, goes } = between.shift() ?? { comes: [], goes: [] };
            for (const n of comes) matching.add(n);
            for (const n of goes) {
              matching.delete(n);
              staying.delete(n);
            }
            return { data, pagination: { total: sorted.length } };
          });
          const seen = (await collect(walk)).map(({ id }) => Number(id.slice(4)));
          assert.deepEqual(
            seen.filter((n) => staying.has(n)),
            [...staying].sort((a, b) => b - a),
          );
          for (const [at, n] of seen.entries())
            assert.ok(at === 0 || n < (seen[at - 1] as number), 'strictly in order');
        },
      ),
    );
  });

  test('sends at most a fifth more requests than plain pages of a hundred', () => {
    let position = 0;
    let requests = 0;
    while (position < 100_000) {
      const { page, limit } = windowFrom(position);
      position = page * limit - 1;
      requests++;
    }
    assert.ok(requests < 1200, `${requests} requests for 100,000 contacts`);
  });

  test('chooses pages that contain the wanted position and have a valid size', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (position) => {
        for (const { page, limit } of [windowFrom(position), windowUpTo(position)]) {
          assert.ok(limit >= 1 && limit <= 100);
          assert.ok((page - 1) * limit <= position && position < page * limit);
        }
        const { page, limit } = windowFrom(position);
        assert.ok(page * limit - 1 > position, 'the walk advances');
      }),
    );
  });
});
