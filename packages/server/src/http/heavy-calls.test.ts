// What each organization may have of the heavy calls that are in flight, and the order in which the others begin.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { suite, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { patientTimeouts } from '../../test/harness.ts';
import { HeavyCalls } from './heavy-calls.ts';
import { TimeSlices } from './time-slices.ts';

interface Call {
  name: string;
  /** The client has read the answer, or has left before. */
  leave(hasRead?: boolean): void;
  end(): void;
}

/** Begins calls of organizations, and notes the order in which they got in. */
function world() {
  const heavyCalls = new HeavyCalls(patientTimeouts);
  const begun: string[] = [];
  const begin = (organizationId: string, name = organizationId): Call => {
    const work = Promise.withResolvers<object>();
    const answer = new EventEmitter();
    const access = { secret: { organizationId } };
    const request = { access, answer } as unknown as FastifyRequest;
    heavyCalls
      .run(request, () => {
        begun.push(name);
        return work.promise;
      })
      .catch((error: Error) => begun.push(`${name}: ${error.message}`));
    const leave = (hasRead = true) => Object.assign(answer, { writableFinished: hasRead }).emit('close');
    return { name, leave, end: () => work.resolve({}) };
  };
  return { heavyCalls, begun, begin };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const times = <Value>(count: number, make: (at: number) => Value) => Array.from({ length: count }, (_, at) => make(at));

suite('heavy calls', () => {
  test('a lone organization has all slots but one, which another one gets at once', async () => {
    const { begun, begin } = world();
    times(20, () => begin('a'));
    await settled();
    assert.deepEqual(
      begun,
      times(7, () => 'a'),
    );
    begin('b');
    await settled();
    assert.deepEqual(begun.slice(7), ['b']);
  });

  test('two organizations share the slots, whoever came first', async () => {
    const { begun, begin } = world();
    const first = times(20, (at) => begin('a', `a${at}`));
    begin('b', 'b0');
    await settled();
    times(20, (at) => begin('b', `b${at + 1}`));
    for (const call of first.slice(0, 7)) {
      call.end();
      call.leave();
      await settled();
    }
    assert.deepEqual(begun.slice(8), ['a7', 'b1', 'a8', 'b2', 'a9', 'b3', 'a10']);
  });

  test('an organization whose clients do not read their answers keeps its own slots and none of the others', async () => {
    const { begun, begin } = world();
    for (const call of times(7, () => begin('a'))) call.end();
    begin('a', 'a too many');
    await settled();
    times(7, () => begin('b'));
    await settled();
    assert.deepEqual(begun, [...times(7, () => 'a'), ...times(7, () => 'b')]);
  });

  test('a call that is over makes room, however it ended', async () => {
    const { begun, begin } = world();
    const [first] = times(8, (at) => begin('a', `a${at}`));
    await settled();
    first?.end();
    await settled();
    assert.equal(begun.length, 7, 'the client has not read the answer yet');
    first?.leave();
    await settled();
    assert.deepEqual(begun.at(-1), 'a7');
  });

  test('a call whose answer is still to come keeps no slot', async () => {
    const { heavyCalls, begun, begin } = world();
    const answer = new EventEmitter();
    const request = { access: { secret: { organizationId: 'a' } }, answer } as unknown as FastifyRequest;
    for (let count = 0; count < 20; count++) await heavyCalls.run(request, async () => undefined);
    times(8, () => begin('a'));
    await settled();
    assert.equal(begun.length, 7);
    assert.equal(answer.listenerCount('close'), 1, 'that by which it knows whether the client has left');
  });

  test('a client that has left does not begin any more', async () => {
    const { begun, begin } = world();
    const calls = times(8, (at) => begin('a', `a${at}`));
    await settled();
    calls.at(-1)?.leave(false);
    for (const call of calls) {
      call.end();
      call.leave();
    }
    await settled();
    assert.deepEqual(begun.at(-1), 'a7: the caller has left');
  });

  test('a large body takes more slots, and no more than its organization has', async () => {
    const { heavyCalls } = world();
    const admitted: string[] = [];
    const send = (organizationId: string, bytes: number) => {
      const answer = new EventEmitter();
      const request = { access: { secret: { organizationId } }, answer } as unknown as FastifyRequest;
      heavyCalls.admitBody(request, bytes).then(() => admitted.push(`${organizationId} ${bytes}`));
      return answer;
    };
    const mebibyte = 1024 * 1024;
    const [first] = [send('a', 100 * mebibyte), send('a', mebibyte), send('b', 10 * mebibyte), send('b', mebibyte)];
    await settled();
    assert.deepEqual(admitted, [`a ${100 * mebibyte}`, `b ${10 * mebibyte}`, `b ${mebibyte}`]);
    first.emit('close');
    await settled();
    assert.equal(admitted.at(-1), `a ${mebibyte}`);
  });
});

suite('long work of the main thread', () => {
  function* busy(done: string[], name: string, steps: number): Generator<void, string> {
    for (let step = 0; step < steps; step++) {
      const endMs = performance.now() + 3;
      while (performance.now() < endMs);
      done.push(name);
      yield;
    }
    return name;
  }

  test('lets others in between its slices, and organizations take turns', async () => {
    const [timeSlices, done] = [new TimeSlices(), [] as string[]];
    const works = [
      timeSlices.inSlices('a', busy(done, 'a', 3)),
      timeSlices.inSlices('a', busy(done, 'A', 3)),
      timeSlices.inSlices('b', busy(done, 'b', 2)),
    ];
    let rounds = 0;
    const count = () => {
      rounds++;
      if (done.length < 8) setImmediate(count);
    };
    setImmediate(count);
    assert.deepEqual(await Promise.all(works), ['a', 'A', 'b']);
    assert.deepEqual(done.slice(0, 4), ['a', 'b', 'A', 'b']);
    assert.ok(rounds >= 8, 'each slice has a round of the event loop');
  });

  test('ends with the error of a step', async () => {
    function* failing(): Generator<void> {
      yield;
      throw new Error('a step failed');
    }
    const timeSlices = new TimeSlices();
    await assert.rejects(timeSlices.inSlices('a', failing()), /a step failed/);
    await timeSlices.next('a');
  });
});
