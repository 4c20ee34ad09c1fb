// What of an attack's figures is too much. A minute of each load is judged more strictly than some seconds.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Latencies } from '../soak/latencies.ts';
import { problemsOf } from './report.ts';
import type { Noticed } from './run.ts';

const minute = 60;
const seconds = 2;

/** All as slow as each other, but for those that are given. */
function latenciesOf(ms: number, ...others: number[]): Latencies {
  const latencies = new Latencies();
  for (let count = 0; count < 1000; count++) latencies.add(ms);
  for (const other of others) latencies.add(other);
  return latencies;
}

function noticed(load: string, changed: Partial<Noticed> & { searches?: Latencies } = {}): Noticed {
  const { searches: search = latenciesOf(20), ...others } = changed;
  const latencies = { read: latenciesOf(20), write: latenciesOf(20), search };
  return { load, latencies, failures: [], memoryMiB: 600, answers: {}, ...others };
}

const found = (lasted: number, ...attacks: Noticed[]) => problemsOf([noticed('none'), ...attacks], lasted);

suite('what an attack may do to another organization', () => {
  test('is to make its p99 ten times as long, and its worst a second', () => {
    const of = (searches: Latencies) => found(minute, noticed('attack', { searches }));
    assert.deepEqual([of(latenciesOf(200)), of(latenciesOf(220))], [[], ['attack: p99 of search 220']]);
    assert.deepEqual([of(latenciesOf(20, 1000)), of(latenciesOf(20, 1001))], [[], ['attack: worst search 1001']]);
  });

  test('is what nobody notices, however many times as long it is', () => {
    const quiet = noticed('none', { searches: latenciesOf(1) });
    const of = (ms: number) => problemsOf([quiet, noticed('attack', { searches: latenciesOf(ms) })], minute);
    assert.deepEqual([of(100), of(101)], [[], ['attack: p99 of search 101']]);
  });

  test('is no error', () => {
    const failures = ['read: 503', 'read: 503', 'write: 0'];
    assert.deepEqual(found(seconds, noticed('attack', { failures })), [
      'attack: read: 503 of another organization',
      'attack: write: 0 of another organization',
    ]);
  });

  test('takes no more than 600 MiB of memory', () => {
    assert.deepEqual(found(seconds, noticed('attack', { memoryMiB: 601 })), ['attack: 601 MiB of memory']);
  });

  test('in some seconds is compared with as many connections that do nothing heavy, and not by its worst', () => {
    const light = noticed('reads by key', { searches: latenciesOf(200) });
    const attack = noticed('attack', { searches: latenciesOf(2000) });
    assert.deepEqual(found(seconds, light, attack), []);
    assert.deepEqual(found(minute, light, attack), ['attack: p99 of search 2000', 'attack: worst search 2000']);
  });

  test('in some seconds is judged by nine of ten, since a machine that does other work may stand still meanwhile', () => {
    const slow = (count: number) => latenciesOf(20, ...Array<number>(count).fill(2000));
    const of = (lasted: number, count: number) => found(lasted, noticed('attack', { searches: slow(count) }));
    assert.deepEqual([of(seconds, 90), of(seconds, 200)], [[], ['attack: p90 of search 2000']]);
    assert.deepEqual(of(minute, 90), ['attack: p99 of search 2000', 'attack: worst search 2000']);
  });
});
