// Definitions of attributes, tags and segments, through the client, against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clientOf, clientOfNewBot, clientThrough, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import {
  AttributeTypeFixedError,
  ConnectionError,
  LimitReachedError,
  NotFoundError,
  type Roster,
  TagTakenError,
  UsageError,
  ValidationError,
} from './index.ts';

const server = await startServer(wholeFile);

async function isRejected(call: Promise<unknown>, Class: abstract new (...args: never) => Error) {
  const error = await rejectionOf(call);
  assert.ok(error instanceof Class, String(error));
}

suite('attributes', () => {
  test('are defined, changed, listed, retrieved and deleted', async () => {
    const roster = await clientOfNewBot(server);
    const plan = { key: 'plan', type: 'text', label: 'Plan', description: '', contactCount: 0 };
    const defined = await roster.attributes.define('plan', { type: 'text', label: 'Plan' });
    assert.deepEqual(defined, { status: 201, data: plan });
    const changes = { type: 'text', label: 'Tariff', description: 'What they pay for.' } as const;
    const changed = await roster.attributes.define('plan', changes);
    assert.deepEqual(changed, { status: 200, data: { ...plan, ...changes } });
    await roster.attributes.define('age', { type: 'number', label: 'Age' });
    await roster.contacts.create({ name: 'Jane', email: 'jane@example.com', attributes: { age: 30 } });
    const { data: all } = await roster.attributes.list();
    assert.deepEqual(
      all.map(({ key, contactCount }) => [key, contactCount]),
      [
        ['age', 1],
        ['plan', 0],
      ],
    );
    assert.deepEqual(await roster.attributes.retrieve('plan'), { status: 200, data: changed.data });
    assert.deepEqual(await roster.attributes.delete('plan'), { status: 204, data: null });
    await isRejected(roster.attributes.retrieve('plan'), NotFoundError);
    await isRejected(roster.attributes.delete('plan'), NotFoundError);
  });

  test('that cannot be are refused with a reason to branch on', async () => {
    const roster = await clientOfNewBot(server);
    await roster.attributes.define('plan', { type: 'text', label: 'Plan' });
    await isRejected(roster.attributes.define('plan', { type: 'number', label: 'Plan' }), AttributeTypeFixedError);
    await isRejected(roster.attributes.define('No key', { type: 'text', label: 'Plan' }), ValidationError);
    for (let count = 1; count < 100; count++) {
      await roster.attributes.define(`a${count}`, { type: 'text', label: 'One of many' });
    }
    await isRejected(roster.attributes.define('more', { type: 'text', label: 'Too many' }), LimitReachedError);
  });

  test('a definition whose answer is lost is sent again, and so is a deletion', async () => {
    const { roster } = await clientThrough(server, ['drop answer', 'pass', 'drop answer', 'pass']);
    const { status, data } = await roster.attributes.define('again', { type: 'date', label: 'Again' });
    assert.deepEqual([status, data.key], [200, 'again']);
    assert.deepEqual(await roster.attributes.delete('again'), { status: 204, data: null });
  });
});

suite('tags', () => {
  async function withTags(): Promise<Roster> {
    const roster = await clientOfNewBot(server);
    await roster.contacts.upsert([
      { email: 'ann@example.com', name: 'Ann', tags: ['VIP', 'a/b 100%'] },
      { email: 'ben@example.com', name: 'Ben', tags: ['vip', 'Élan'] },
    ]);
    return roster;
  }

  test('are listed in alphabetical order, renamed and deleted, whatever characters they have', async () => {
    const roster = await withTags();
    assert.deepEqual(await roster.tags.list(), {
      status: 200,
      data: [
        { name: 'a/b 100%', contactCount: 1 },
        { name: 'Élan', contactCount: 1 },
        { name: 'VIP', contactCount: 2 },
      ],
    });
    const renamed = await roster.tags.rename('a/b 100%', { name: 'b?&c' });
    assert.deepEqual(renamed, { status: 200, data: { name: 'b?&c', contactCount: 1 } });
    assert.deepEqual(await roster.tags.delete('b?&c'), { status: 204, data: null });
    const { data: ann } = await roster.contacts.find({ email: 'ann@example.com' }, { include: ['tags'] });
    assert.deepEqual(ann?.tags, ['VIP']);
    await isRejected(roster.tags.delete('b?&c'), NotFoundError);
    await isRejected(roster.tags.rename('vip', { name: 'elan' }), TagTakenError);
    await isRejected(roster.tags.delete('..'), UsageError);
  });

  test('a rename whose answer is lost is not sent again, and says that its outcome is unknown', async () => {
    const direct = clientOf(server);
    await direct.contacts.upsert([{ email: 'tagged@example.com', name: 'Tagged', tags: ['before'] }]);
    const { roster, retries } = await clientThrough(server, ['drop answer']);
    const error = await rejectionOf(roster.tags.rename('before', { name: 'after' }));
    assert.ok(error instanceof ConnectionError && error.isOutcomeUnknown);
    assert.equal(retries.length, 0);
    assert.deepEqual((await direct.tags.list()).data, [{ name: 'after', contactCount: 1 }]);
  });
});

suite('segments', () => {
  test('are defined, replaced, listed, retrieved with their total, and deleted', async () => {
    const roster = await clientOfNewBot(server);
    await roster.attributes.define('seats', { type: 'number', label: 'Seats' });
    await roster.contacts.upsert([
      { email: 'ann@example.com', name: 'Ann', tags: ['vip'], attributes: { seats: 12 } },
      { email: 'ben@example.com', name: 'Ben', tags: ['vip'], attributes: { seats: 2 } },
    ]);
    const filter = { tag: ['vip'], createdAt: { gte: '-30d' }, attributes: { seats: { gte: 10 } } };
    const defined = await roster.segments.define('large', { label: 'Large', filter });
    const large = { key: 'large', label: 'Large', query: '', filter, sort: '-createdAt' };
    assert.deepEqual(defined, { status: 201, data: large });
    assert.deepEqual(await roster.segments.retrieve('large'), { status: 200, data: large });
    const { data } = await roster.segments.retrieve('large', { include: ['total'] });
    assert.deepEqual(data, { ...large, total: 1 });

    const since = new Date('2026-01-31T12:00:00Z');
    const changes = { label: 'All', query: 'example', filter: { createdAt: { gte: since } }, sort: 'name' } as const;
    const replaced = await roster.segments.define('large', changes);
    assert.equal(replaced.status, 200);
    assert.deepEqual(replaced.data.filter, { createdAt: { gte: '2026-01-31T12:00:00.000Z' } });
    assert.deepEqual(await roster.segments.list(), { status: 200, data: [replaced.data] });
    // What was read can be sent back.
    assert.deepEqual(await roster.segments.define('large', replaced.data), replaced);
    assert.deepEqual(await roster.segments.delete('large'), { status: 204, data: null });
    await isRejected(roster.segments.retrieve('large'), NotFoundError);
  });

  test('that cannot be are refused, with what is wrong', async () => {
    const roster = await clientOfNewBot(server);
    const filter = { attributes: { color: ['red'] }, createdAt: { gte: new Date(Number.NaN) } };
    const error = await rejectionOf(roster.segments.define('bad', { label: ' ', filter }));
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(error.errors.map(({ field }) => field).sort(), ['filter.createdAt.gte', 'label']);
  });
});
