import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FairQueue, type QueueLimits } from './fair-queue.ts';
import { StoreUnavailableError } from './store.ts';

/** Requests are named by their organization and their number: `a1` is the first of organization a. */
function start(limits: Partial<QueueLimits> = {}) {
  const queue = new FairQueue<string, string>(limits);
  const refused: string[] = [];
  const ask = (request: string, signal?: AbortSignal) => {
    const answer = queue.wait(request, { organizationId: request.slice(0, 1), signal });
    answer.catch((error) => {
      assert.ok(error instanceof StoreUnavailableError);
      refused.push(request);
    });
    return answer;
  };
  const askAll = (requests: string) => {
    for (const request of requests.split(' ')) ask(request);
  };
  const take = (count: number) => queue.take(count).map(({ request }) => request);
  return { queue, ask, askAll, take, refused };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const numbered = (organization: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${organization}${index + 1}`).join(' ');

suite('turns', () => {
  test('organizations take turns, each in its own order', () => {
    const { askAll, take } = start();
    askAll('a1 a2 a3 a4 b1 b2 c1');
    assert.deepEqual(take(3), ['a1', 'b1', 'c1']);
    assert.deepEqual(take(10), ['a2', 'b2', 'a3', 'a4']);
  });

  test('one who comes to a flood waits for one of it at the most', () => {
    const { askAll, take } = start();
    askAll(numbered('a', 500));
    assert.deepEqual(take(2), ['a1', 'a2']);
    askAll('b1 b2');
    assert.deepEqual(take(4), ['a3', 'b1', 'a4', 'b2']);
  });

  test('one who comes back goes behind those who wait for their turn', () => {
    const { askAll, take } = start();
    askAll('a1 b1 c1');
    assert.deepEqual(take(1), ['a1']);
    askAll('a2');
    assert.deepEqual(take(3), ['b1', 'c1', 'a2']);
  });

  test('what is put back is the next to be taken, in the same order', () => {
    const { queue, askAll, take } = start();
    askAll('a1 a2 b1 b2 c1');
    const [first, ...behind] = queue.take(4);
    assert.equal(first?.request, 'a1');
    askAll('d1');
    queue.putBack(behind);
    assert.equal(queue.length, 5);
    assert.deepEqual(take(5), ['b1', 'c1', 'a2', 'd1', 'b2']);
    assert.equal(queue.length, 0);
  });

  test('whoever takes a request answers it', async () => {
    const { queue, ask } = start();
    const [one, two] = [ask('a1'), ask('b1')];
    const [first, second] = queue.take(2);
    first?.resolve('found');
    second?.reject(new StoreUnavailableError('lost'));
    assert.equal(await one, 'found');
    await assert.rejects(two, /lost/);
  });
});

suite('limits', () => {
  test('an organization that has too many waiting is refused, and others are not', async () => {
    const { queue, askAll, take, refused } = start({ perOrganization: 2 });
    askAll('a1 a2 a3 a4 b1 b2');
    await settled();
    assert.deepEqual(refused, ['a3', 'a4']);
    assert.equal(queue.refused, 2);
    assert.deepEqual(take(1), ['a1']);
    askAll('a5');
    assert.deepEqual(take(10), ['b1', 'a2', 'b2', 'a5']);
  });

  test('when all is full, the last of whoever has most gives way to one who has less', async () => {
    const { askAll, take, refused } = start({ inAll: 5 });
    askAll('a1 a2 a3 b1 b2 c1 c2');
    await settled();
    assert.deepEqual(refused, ['a3', 'c2'], 'a has more than c, and then nobody has');
    assert.deepEqual(take(10), ['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  test('one that waited for too long is refused', async () => {
    const { queue, ask } = start({ waitMs: 1 });
    await assert.rejects(ask('a1'), /take too long/);
    assert.deepEqual([queue.length, queue.refused], [0, 1]);
    assert.deepEqual(queue.take(1), []);
  });

  test('one that was put back does not wait anew', async () => {
    const { queue, ask } = start({ waitMs: 1 });
    const answer = ask('a1');
    queue.putBack(queue.take(1));
    await assert.rejects(answer, /take too long/);
  });
});

suite('the end', () => {
  test('one whose caller has left is not taken, and does not count as refused', async () => {
    const { queue, ask, askAll, take, refused } = start();
    const caller = new AbortController();
    askAll('a1');
    ask('b1', caller.signal);
    askAll('b2');
    caller.abort();
    assert.deepEqual(take(10), ['a1', 'b2']);
    await settled();
    assert.deepEqual([refused, queue.refused, queue.length], [['b1'], 0, 0]);
  });

  test('one whose caller has left makes room before its turn comes', async () => {
    const { queue, ask, take } = start({ perOrganization: 1 });
    const caller = new AbortController();
    const left = ask('a1', caller.signal);
    caller.abort();
    await assert.rejects(left, /has left/);
    ask('a2');
    assert.deepEqual([take(2), queue.length], [['a2'], 0]);
  });

  test('closing refuses what waits, what comes, and what is put back', async () => {
    const { queue, ask } = start();
    const [taken, waiting] = [ask('a1'), ask('a2')];
    const under = queue.take(1);
    queue.close();
    queue.putBack(under);
    for (const answer of [taken, waiting, ask('b1')]) await assert.rejects(answer, /closed/);
    assert.equal(queue.length, 0);
  });
});
