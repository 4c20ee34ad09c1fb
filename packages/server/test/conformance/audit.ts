// Conformance: the audit log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowestId, makeId } from '../../src/contacts/ids.ts';
import type { AuditEntry, AuditPage } from '../../src/store/account/account-store.ts';
import { sampleAuditEntry, sampleContext, sampleNowMs, sampleOrganization } from '../sample.ts';
import { type Engine, shareStore } from './engine.ts';

const idAt = (ms: number) => makeId('auditEntry', ms * 1000);

export function testAudit(engine: Engine): void {
  const start = shareStore(engine);
  const open = async () => {
    const { store } = await start();
    const organization = sampleOrganization();
    await store.createOrganization(organization, sampleContext());
    const list = async () => (await store.listAudit(organization.id, { before: undefined, limit: 100 })).entries;
    return { store, organizationId: organization.id, list };
  };

  test('entries are read whole, newest first, in pages that neither repeat nor leave out any', async () => {
    const { store, organizationId } = await open();
    const other = await open();
    const entries = Array.from({ length: 7 }, (_, index) =>
      sampleAuditEntry(organizationId, {
        id: idAt(sampleNowMs + index),
        atMs: sampleNowMs + index,
        ...(index % 2 === 0 && {
          actor: { kind: 'operator' as const, id: undefined, name: 'Zoë "😀"' },
          object: { id: undefined, name: '' },
          address: undefined,
          filter: 'query,attributes[plan][gte]',
        }),
      }),
    );
    await Promise.all(entries.map((entry) => store.recordAudit(sampleContext({ audit: { entry } }))));
    await store.recordAudit(sampleContext({ audit: { entry: sampleAuditEntry(other.organizationId) } }));
    const read = [];
    let before: string | undefined;
    do {
      const page = await store.listAudit(organizationId, { before, limit: 3 });
      read.push(...page.entries);
      before = page.next;
    } while (before !== undefined);
    assert.deepEqual(read, entries.toReversed());
    assert.equal((await store.listAudit(organizationId, { before: undefined, limit: 7 })).next, undefined);
    assert.equal((await other.list()).length, 1);
  });

  test('entries are in the order of their times, also when an earlier one counts what came later', async () => {
    const { store, organizationId, list } = await open();
    const record = (number: number, changes: Partial<AuditEntry> = {}) => {
      const [id, atMs] = [idAt(sampleNowMs + number), sampleNowMs + number];
      const merge = { from: lowestId('auditEntry', sampleNowMs * 1000) };
      const entry = sampleAuditEntry(organizationId, { id, atMs, ...changes });
      return store.recordAudit(sampleContext({ audit: { entry, merge } }));
    };
    await record(1, { action: 'contacts.import' });
    await record(2);
    await record(3, { action: 'contacts.import' });
    await record(4, { action: 'bot.delete' });
    await record(5, { action: 'bot.create', atMs: sampleNowMs + 4 });
    const times = (entries: readonly AuditEntry[]) => entries.map(({ atMs, count }) => [atMs - sampleNowMs, count]);
    const expected = [
      [4, 1],
      [4, 1],
      [3, 2],
      [2, 1],
    ];
    assert.deepEqual(times(await list()), expected);
    const paged = [];
    for (let before: string | undefined, page = 0; page === 0 || before !== undefined; page++) {
      const read = await store.listAudit(organizationId, { before, limit: 1 });
      paged.push(...read.entries);
      before = read.next;
    }
    assert.deepEqual(times(paged), expected);
  });

  test('an entry that counts again between two pages is on neither twice', async () => {
    const { store, organizationId } = await open();
    const record = (number: number, action: AuditEntry['action']) => {
      const [id, atMs] = [idAt(sampleNowMs + number), sampleNowMs + number];
      const merge = { from: lowestId('auditEntry', sampleNowMs * 1000) };
      return store.recordAudit(
        sampleContext({ audit: { entry: sampleAuditEntry(organizationId, { id, atMs, action }), merge } }),
      );
    };
    const actions = ['contact.create', 'bot.update', 'contacts.import', 'bot.create'] as const;
    for (const [number, action] of actions.entries()) await record(number, action);
    const page = async (before: string | undefined, limit: number) => {
      const { entries, next } = await store.listAudit(organizationId, { before, limit });
      return { next, read: entries.map(({ action }) => action) };
    };
    const first = await page(undefined, 2);
    await record(9, 'contacts.import');
    assert.deepEqual(
      [first.read, (await page(first.next, 2)).read],
      [
        ['bot.create', 'contacts.import'],
        ['bot.update', 'contact.create'],
      ],
    );
    assert.equal((await page(first.next, 2)).next, undefined);
  });

  test('entries are found by their actor, actions and time, page by page', async () => {
    const { store, organizationId } = await open();
    const jane = { kind: 'member' as const, id: makeId('member', 1), name: 'Jane' };
    const operator = { kind: 'operator' as const, id: undefined, name: 'operator' };
    const given = [
      { actor: jane, action: 'contacts.import' as const },
      { actor: operator, action: 'bot.create' as const },
      { actor: jane, action: 'contacts.export' as const },
      { actor: jane, action: 'contact.delete' as const },
    ];
    for (const [number, changes] of given.entries()) {
      const [id, atMs] = [idAt(sampleNowMs + number), sampleNowMs + number];
      await store.recordAudit(
        sampleContext({ audit: { entry: sampleAuditEntry(organizationId, { id, atMs, ...changes }) } }),
      );
    }
    const find = async (wanted: Partial<AuditPage>) =>
      (await store.listAudit(organizationId, { before: undefined, limit: 10, ...wanted })).entries.map(
        ({ atMs }) => atMs - sampleNowMs,
      );
    assert.deepEqual(await find({ actor: jane.id }), [3, 2, 0]);
    assert.deepEqual(await find({ actor: 'operator' }), [1]);
    assert.deepEqual(await find({ actor: makeId('member', 2) }), []);
    assert.deepEqual(await find({ actions: ['contacts.import', 'contact.delete'] }), [3, 0]);
    assert.deepEqual(await find({ actions: ['contact.update'] }), []);
    assert.deepEqual(await find({ fromMs: sampleNowMs + 1, toMs: sampleNowMs + 2 }), [2, 1]);
    const wanted = { actor: jane.id, toMs: sampleNowMs + 2, limit: 1 };
    const first = await store.listAudit(organizationId, { ...wanted, before: undefined });
    assert.deepEqual(await find({ ...wanted, before: first.next }), [0]);
  });

  test('what is done for one task is one entry, from whatever address, which adds up what was created and updated', async () => {
    const { store, organizationId, list } = await open();
    const merge = { from: lowestId('auditEntry', (sampleNowMs - 1000) * 1000) };
    const record = (task: AuditEntry['task'], changes: Partial<AuditEntry> = {}) =>
      store.recordAudit(
        sampleContext({ audit: { entry: sampleAuditEntry(organizationId, { count: 10, task, ...changes }), merge } }),
      );
    const task = { id: 'task-0001', name: 'José “1”.csv', created: 7, updated: 2 };
    await Promise.all(['192.0.2.1', '192.0.2.1', '192.0.2.2'].map((address) => record(task, { address })));
    await record({ ...task, id: 'task-0002' });
    await record(undefined);
    const entries = (await list()).toSorted((one, other) => other.count - one.count);
    assert.deepEqual(
      entries.map((entry) => entry.task),
      [{ ...task, created: 21, updated: 6 }, ...entries.slice(1).map((entry) => entry.task)],
    );
    assert.deepEqual(new Set(entries.slice(1).map((entry) => entry.task?.id)), new Set(['task-0002', undefined]));
    assert.deepEqual(
      entries.map(({ count }) => count),
      [30, 10, 10],
    );
  });

  test('the same action again is counted in the entry that is there, also when many come at once', async () => {
    const { store, organizationId, list } = await open();
    const merge = { from: lowestId('auditEntry', (sampleNowMs - 1000) * 1000) };
    const entry = (number: number) =>
      sampleAuditEntry(organizationId, {
        id: idAt(sampleNowMs + number),
        atMs: sampleNowMs + number,
        action: 'contacts.import',
        address: '192.0.2.1',
        count: 10,
      });
    await store.recordAudit(sampleContext({ audit: { entry: entry(1), merge } }));
    await Promise.all(
      [2, 3, 4, 5].map((number) => store.recordAudit(sampleContext({ audit: { entry: entry(number), merge } }))),
    );
    await store.recordAudit(sampleContext({ audit: { entry: { ...entry(9), count: 2 }, merge } }));
    const [merged, ...others] = await list();
    assert.deepEqual(others, []);
    assert.deepEqual([merged?.count, merged?.atMs, merged?.address], [52, sampleNowMs + 9, '192.0.2.1']);
  });

  test('entries of one action are of so many addresses, and those of all others share one without an address', async () => {
    const { store, organizationId, list } = await open();
    const merge = { from: lowestId('auditEntry', (sampleNowMs - 1000) * 1000), addressesMax: 2 };
    const fail = (number: number, address: string, object: AuditEntry['object']) =>
      store.recordAudit(
        sampleContext({
          audit: {
            entry: sampleAuditEntry(organizationId, {
              id: idAt(sampleNowMs + number),
              atMs: sampleNowMs + number,
              action: 'member.signInFailed',
              actor: { kind: 'nobody', id: undefined, name: '' },
              object,
              address,
            }),
            merge,
          },
        }),
      );
    const known = { id: makeId('member', 1), name: 'Dana' };
    const unknown = { id: undefined, name: 'unknown email' };
    // Others that share the object's kind, but not the object, have addresses of their own.
    await fail(0, '192.0.2.99', unknown);
    for (const [index, last] of [1, 2, 1, 3, 4, 2, 5].entries()) await fail(index + 1, `192.0.2.${last}`, known);
    assert.deepEqual(
      (await list()).map(({ object, address, count, atMs }) => [object.name, address, count, atMs - sampleNowMs]),
      [
        ['Dana', undefined, 3, 7],
        ['Dana', '192.0.2.2', 2, 6],
        ['Dana', '192.0.2.1', 2, 3],
        ['unknown email', '192.0.2.99', 1, 0],
      ],
    );
  });

  test('many addresses that come at once leave no more entries than may be', async () => {
    const { store, organizationId, list } = await open();
    const merge = { from: lowestId('auditEntry', (sampleNowMs - 1000) * 1000), addressesMax: 3 };
    const entries = Array.from({ length: 12 }, (_, index) =>
      sampleAuditEntry(organizationId, { action: 'member.signInFailed', address: `192.0.2.${index}` }),
    );
    await Promise.all(entries.map((entry) => store.recordAudit(sampleContext({ audit: { entry, merge } }))));
    const counts = (await list()).map(({ address, count }) => [address === undefined, count]);
    assert.deepEqual(counts.toSorted(), [
      [false, 1],
      [false, 1],
      [false, 1],
      [true, 9],
    ]);
  });

  test('many that come at once, and are the first of their kind, are one entry', async () => {
    const { store, organizationId, list } = await open();
    const merge = { from: lowestId('auditEntry', (sampleNowMs - 1000) * 1000) };
    const entries = Array.from({ length: 8 }, () => sampleAuditEntry(organizationId));
    await Promise.all(entries.map((entry) => store.recordAudit(sampleContext({ audit: { entry, merge } }))));
    assert.deepEqual(
      (await list()).map(({ count }) => count),
      [8],
    );
  });

  test('what differs in action, actor, object, address or filter, or came too long ago, is an entry of its own', async () => {
    const { store, organizationId, list } = await open();
    const other = await open();
    const merge = { from: lowestId('auditEntry', sampleNowMs * 1000) };
    const entry = sampleAuditEntry(organizationId, {
      id: idAt(sampleNowMs),
      actor: { kind: 'nobody', id: undefined, name: '' },
    });
    const variants = [
      entry,
      { ...entry, action: 'bot.delete' as const },
      { ...entry, actor: { kind: 'operator' as const, id: undefined, name: '' } },
      { ...entry, actor: { kind: 'member' as const, id: makeId('member', 2), name: '' } },
      { ...entry, object: { id: makeId('bot', 2), name: '' } },
      { ...entry, object: { id: undefined, name: '' } },
      { ...entry, address: '192.0.2.77' },
      { ...entry, filter: 'tag' },
      { ...entry, filter: 'query' },
      { ...entry, organizationId: other.organizationId },
    ];
    await store.recordAudit(sampleContext({ audit: { entry: { ...entry, id: idAt(sampleNowMs - 1) } } }));
    for (const [index, variant] of variants.entries()) {
      await store.recordAudit(
        sampleContext({ audit: { entry: { ...variant, id: idAt(sampleNowMs + index) }, merge } }),
      );
    }
    const counts = [...(await list()), ...(await other.list())].map(({ count }) => count);
    assert.deepEqual(counts, [1, ...variants.map(() => 1)]);
    for (const variant of variants)
      await store.recordAudit(sampleContext({ audit: { entry: { ...variant, id: idAt(sampleNowMs + 50) }, merge } }));
    const counted = [...(await list()), ...(await other.list())].map(({ count }) => count);
    assert.deepEqual(counted.toSorted(), [1, ...variants.map(() => 2)]);
  });

  test('entries are removed in slices, those before a time and no other', async () => {
    const { store, organizationId, list } = await open();
    // Before those of all other tests.
    const oldMs = sampleNowMs - 1_000_000;
    for (const number of [1, 2, 3, 4, 5]) {
      await store.recordAudit(
        sampleContext({ audit: { entry: sampleAuditEntry(organizationId, { id: idAt(oldMs + number) }) } }),
      );
    }
    const before = lowestId('auditEntry', (oldMs + 4) * 1000);
    assert.equal(await store.purgeAudit(before, 2, sampleContext()), true);
    assert.equal(await store.purgeAudit(before, 2, sampleContext()), false);
    assert.equal((await list()).length, 2);
  });
}
