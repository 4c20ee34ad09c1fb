// Which delivery is sent next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredEvent } from '../store/event-store.ts';
import { PendingDeliveries, type PendingDelivery } from './pending-deliveries.ts';

function delivery(number: number, contactId: string | null, dueAt = 0): PendingDelivery {
  const event: StoredEvent = {
    id: `evt_${number}`,
    number,
    type: 'contact.updated',
    atMs: 0,
    contactId,
    fields: [],
    actor: { kind: 'operator', id: null },
  };
  return { event, attempts: 0, dueAt };
}

function pendingOf(...deliveries: PendingDelivery[]): PendingDeliveries {
  const pending = new PendingDeliveries();
  pending.replace(deliveries);
  return pending;
}

const numberOf = (taken: PendingDelivery | undefined) => taken?.event.number;

test('the oldest that is due comes first, and one for each contact at a time', () => {
  const [first, second, third] = [delivery(1, 'a'), delivery(2, 'a'), delivery(3, 'b')];
  const pending = pendingOf(third, first, second);
  assert.equal(numberOf(pending.takeDue(0)), 1);
  assert.equal(numberOf(pending.takeDue(0)), 3);
  assert.equal(pending.takeDue(0), undefined);
  assert.equal(pending.inFlight, 2);
  pending.remove(first);
  assert.equal(numberOf(pending.takeDue(0)), 2);
  assert.equal(pending.size, 2);
});

test('one that failed holds back the later ones of its contact alone', () => {
  const failed = delivery(1, 'a');
  const pending = pendingOf(failed, delivery(2, 'a'), delivery(3, 'b'));
  pending.takeDue(0);
  failed.dueAt = 100;
  pending.putBack(failed);
  assert.equal(numberOf(pending.takeDue(99)), 3);
  assert.equal(pending.takeDue(99), undefined);
  assert.equal(pending.nextDueAt(), 100);
  assert.equal(numberOf(pending.takeDue(100)), 1);
  assert.equal(pending.nextDueAt(), Number.POSITIVE_INFINITY);
});

test('events of the whole bot are in one order', () => {
  const pending = pendingOf(delivery(1, null), delivery(2, null));
  assert.equal(numberOf(pending.takeDue(0)), 1);
  assert.equal(pending.takeDue(0), undefined);
});

test('an event that is replayed is pending once, in its place', () => {
  const pending = pendingOf({ ...delivery(5, 'a', 1000), attempts: 3 }, delivery(7, 'a'));
  pending.add(delivery(5, 'a'));
  pending.add(delivery(3, 'a'));
  assert.equal(pending.size, 3);
  const order: (number | undefined)[] = [];
  for (let taken = pending.takeDue(0); taken !== undefined; taken = pending.takeDue(0)) {
    order.push(numberOf(taken));
    assert.equal(taken.attempts, 0);
    pending.remove(taken);
  }
  assert.deepEqual(order, [3, 5, 7]);
  assert.equal(pending.size, 0);
});

test('one that is in flight is not replaced or overtaken', () => {
  const first = delivery(5, 'a');
  const pending = pendingOf(first);
  pending.takeDue(0);
  pending.add(delivery(5, 'a'));
  pending.add(delivery(3, 'a'));
  pending.add(delivery(4, 'a'));
  assert.equal(pending.takeDue(0), undefined);
  pending.remove(first);
  assert.equal(numberOf(pending.takeDue(0)), 3);
  assert.equal(pending.size, 2);
});

test('all can be brought forward, and none is put off by that', () => {
  const pending = pendingOf(delivery(1, 'a', 10), delivery(2, 'b', 1000), delivery(3, 'b', 1000));
  pending.bringForward(100);
  assert.deepEqual(
    Array.from(pending, ({ dueAt }) => dueAt),
    [10, 100, 100],
  );
});
