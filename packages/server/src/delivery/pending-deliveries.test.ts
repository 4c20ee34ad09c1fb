// Which delivery is sent next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredEvent } from '../store/events/event-store.ts';
import { PendingDeliveries, type PendingDelivery } from './pending-deliveries.ts';

function delivery(number: number, contactId: string | null, dueAt = 0, isDeferred = false): PendingDelivery {
  const event: StoredEvent = {
    id: `evt_${number}`,
    number,
    type: 'contact.updated',
    atMs: 0,
    contactId,
    fields: [],
    actor: { kind: 'operator', id: null },
  };
  return { event, attempts: 0, earlier: [], dueAt, isDeferred };
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
  assert.equal(numberOf(pending.takeDue(0, false)), 1);
  assert.equal(numberOf(pending.takeDue(0, false)), 3);
  assert.equal(pending.takeDue(0, false), undefined);
  assert.equal(pending.inFlight, 2);
  pending.remove(first);
  assert.equal(numberOf(pending.takeDue(0, false)), 2);
  assert.equal(pending.freshCount, 2);
});

test('one that failed leaves with the later ones of its contact, and is read again', () => {
  const [failed, other] = [delivery(1, 'a'), delivery(3, 'b')];
  const pending = pendingOf(failed, delivery(2, 'a'), other);
  pending.takeDue(0, false);
  pending.defer(failed, 100);
  assert.deepEqual([pending.freshCount, pending.needsDeferred, pending.inFlight], [1, true, 0]);
  pending.isStale = false;
  pending.replaceDeferred([delivery(1, 'a', 100, true)], false, 50);
  assert.deepEqual([pending.freshCount, pending.needsDeferred, pending.oldestMs], [1, false, 0]);
  assert.equal(numberOf(pending.takeDue(99, false)), 3);
  assert.equal(pending.takeDue(99, false), undefined);
  pending.remove(other);
  assert.equal(pending.nextDueAt(), 100);
  const retried = pending.takeDue(100, false);
  assert.equal(numberOf(retried), 1);
  assert.equal(pending.nextDueAt(), Number.POSITIVE_INFINITY);
  pending.remove(retried as PendingDelivery);
  assert.equal(pending.needsDeferred, true, 'the next of its contact is due');
});

test('deferred ones leave half of the slots to others, and come after them while all fail', () => {
  const deferred = Array.from({ length: 8 }, (_, index) => delivery(index + 1, `deferred ${index}`, 0, true));
  const pending = pendingOf(delivery(11, 'a'), delivery(12, 'b'));
  pending.replaceDeferred(deferred, true);
  assert.equal(numberOf(pending.takeDue(0, true)), 11);
  const taken = Array.from({ length: 7 }, () => numberOf(pending.takeDue(0, false)));
  assert.deepEqual(taken, [1, 2, 3, 4, 5, 12, undefined]);
  pending.remove(deferred[0] as PendingDelivery);
  assert.equal(numberOf(pending.takeDue(0, false)), 6);
});

test('what is due later than all deferred ones that were read is not read before those are used up', () => {
  const [fresh, first] = [delivery(9, 'fresh'), delivery(1, 'a', 100, true)];
  const pending = pendingOf(fresh);
  pending.replaceDeferred([first, delivery(2, 'b', 200, true)], true);
  pending.takeDue(0, false);
  pending.defer(fresh, 201);
  assert.equal(pending.needsDeferred, false);
  pending.takeDue(200, false);
  pending.defer(first, 150);
  assert.equal(pending.needsDeferred, true, 'it is due before one of them');
  pending.isStale = false;
  pending.takeDue(200, false);
  assert.equal(pending.needsDeferred, true, 'none is left');
});

test('deferred ones that are read again replace those before, but for one that is in flight', () => {
  const pending = pendingOf();
  const [first, second] = [delivery(1, 'a', 0, true), delivery(2, 'b', 500, true)];
  pending.replaceDeferred([first, second], true);
  assert.equal(pending.takeDue(0, false), first);
  pending.replaceDeferred([delivery(1, 'a', 0, true), delivery(3, 'c', 700, true)], true);
  assert.equal(pending.takeDue(0, false), undefined);
  assert.deepEqual(
    Array.from(pending, ({ event }) => event.number),
    [1, 3],
  );
  assert.equal(pending.needsDeferred, false);
  pending.putBack(first);
  pending.replaceDeferred([], false);
  assert.deepEqual([...pending], []);
});

test('events of the whole bot are in one order', () => {
  const pending = pendingOf(delivery(1, null), delivery(2, null));
  assert.equal(numberOf(pending.takeDue(0, false)), 1);
  assert.equal(pending.takeDue(0, false), undefined);
});

test('an event that is replayed is pending once, in its place', () => {
  const pending = pendingOf({ ...delivery(5, 'a', 1000), attempts: 3 }, delivery(7, 'a'));
  pending.add(delivery(5, 'a'));
  pending.add(delivery(3, 'a'));
  assert.equal(pending.freshCount, 3);
  const order: (number | undefined)[] = [];
  for (let taken = pending.takeDue(0, false); taken !== undefined; taken = pending.takeDue(0, false)) {
    order.push(numberOf(taken));
    assert.equal(taken.attempts, 0);
    pending.remove(taken);
  }
  assert.deepEqual(order, [3, 5, 7]);
  assert.equal(pending.freshCount, 0);
});

test('one that is in flight is not replaced or overtaken', () => {
  const first = delivery(5, 'a');
  const pending = pendingOf(first);
  pending.takeDue(0, false);
  pending.add(delivery(5, 'a'));
  pending.add(delivery(3, 'a'));
  pending.add(delivery(4, 'a'));
  assert.equal(pending.takeDue(0, false), undefined);
  pending.remove(first);
  assert.equal(numberOf(pending.takeDue(0, false)), 3);
  assert.equal(pending.freshCount, 2);
});
