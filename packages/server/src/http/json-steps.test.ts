// Long answers: what is written in steps is what would be written at once.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { isLongAnswer, toJson } from './json-steps.ts';

function write(body: { data: readonly unknown[] }): { text: string; steps: number } {
  const writing = toJson(body);
  for (let steps = 0; ; steps++) {
    const step = writing.next();
    if (step.done) return { text: step.value, steps };
  }
}

suite('a long answer', () => {
  test('is written as JSON.stringify writes it, whatever is in its list and beside it', () => {
    const values = fc.array(fc.jsonValue(), { minLength: 1 });
    const others = fc.record({ next: fc.option(fc.string()), pagination: fc.jsonValue() }, { requiredKeys: [] });
    fc.assert(
      fc.property(values, fc.nat(60), others, (items, length, rest) => {
        const body = { data: Array.from({ length }, (_, at) => items[at % items.length]), ...rest };
        assert.equal(write(body).text, JSON.stringify(body));
      }),
    );
  });

  test('is written in a step for twenty items, so that other requests are served between them', () => {
    assert.ok(write({ data: Array(1000).fill({ id: 'a' }) }).steps >= 50);
  });

  test('is one with a list of more than a page of a hundred', () => {
    const bodies = [undefined, {}, { data: {} }, { data: Array(100).fill(0) }, { data: Array(101).fill(0) }];
    assert.deepEqual(bodies.map(isLongAnswer), [false, false, false, false, true]);
  });
});
