// Ranges by tokens: every number in a range has one of its tokens, and no other number has one of those within it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ValueRange } from '../../../contacts/filters.ts';
import { filterTokensOf, placeOf, tokensOfRange } from './filter-tokens.ts';

const bot = 'bot_1';
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
);

test('places are in the order of the numbers, and small whole numbers have their own', () => {
  fc.assert(fc.property(number, number, (one, other) => one >= other || placeOf(one) <= placeOf(other)));
  assert.equal(placeOf(-0), placeOf(0));
  const whole = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(fc.property(whole, whole, (one, other) => one === other || placeOf(one) !== placeOf(other)));
});

function isIn(value: number, { gte, gt, lte, lt }: ValueRange): boolean {
  return (
    (gte === undefined || value >= gte) &&
    (gt === undefined || value > gt) &&
    (lte === undefined || value <= lte) &&
    (lt === undefined || value < lt)
  );
}

test('who is in a range has one of its tokens, and who has one of those within it is in it', () => {
  const bound = fc.option(number, { nil: undefined });
  const range = fc.record({ gte: bound, gt: bound, lte: bound, lt: bound }).map((bounds) => {
    return Object.fromEntries(Object.entries(bounds).filter(([, each]) => each !== undefined)) as ValueRange;
  });
  fc.assert(
    fc.property(range, fc.array(number, { maxLength: 5 }), (bounds, others) => {
      const { within, ends } = tokensOfRange(bot, 7, bounds);
      assert.ok(within.length + ends.length < 2000, 'a range is the union of few prefixes');
      // The bounds themselves, their neighbours, and any others.
      const near = Object.values(bounds).flatMap((each) => [each, each + 1, each - 1, each * 1.0000001]);
      for (const value of [...others, ...near].filter(Number.isFinite)) {
        const tokens = filterTokensOf(bot, [JSON.stringify({ 7: value }), null]) ?? [];
        const isWithin = tokens.some((token) => within.includes(token));
        const isAtEnd = tokens.some((token) => ends.includes(token));
        assert.ok(!isWithin || isIn(value, bounds), `${value} is not in ${JSON.stringify(bounds)}`);
        assert.ok(isWithin || isAtEnd || !isIn(value, bounds), `${value} is in ${JSON.stringify(bounds)}`);
      }
    }),
  );
});

test('tokens belong to one bot and one attribute or tag', () => {
  const tokensOf = (botId: string, values: object, tags: number[] = []) =>
    filterTokensOf(botId, [JSON.stringify(values), JSON.stringify(tags)]) ?? [];
  const all = [
    ...tokensOf('bot_1', { 1: 'pro' }),
    ...tokensOf('bot_2', { 1: 'pro' }),
    ...tokensOf('bot_1', { 2: 'pro' }),
    ...tokensOf('bot_1', { 3: true }),
    ...tokensOf('bot_1', { 4: 1 }),
    ...tokensOf('bot_1', { 5: 'true' }),
    ...tokensOf('bot_1', {}, [6, 7]),
  ];
  assert.equal(new Set(all).size, all.length);
  assert.deepEqual(tokensOf('bot_1', { 1: 'PRÓ' }), tokensOf('bot_1', { 1: 'pro' }));
  assert.equal(filterTokensOf('bot_1', [null, null]), null);
});
