// What changing the values of contacts means, with its limits and counts, without an engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '@roster/contract';
import { toTag } from '../../contacts/values.ts';
import type { ValueChanges } from './attribute-store.ts';
import { BotValues, type StoredTag } from './contact-values.ts';
import { noValues, type StoredValues, textsOf, toValues, withoutRemoved } from './stored-values.ts';

/** Attributes by number with their counts, and tags. */
function botValuesOf(attributes: Record<number, number>, tags: StoredTag[] = []) {
  let next = 100;
  return new BotValues({
    findAttribute(number) {
      const contactCount = attributes[number];
      return contactCount === undefined ? undefined : { number, key: `a${number}`, contactCount };
    },
    findTag: (number) => tags.find((tag) => tag.number === number),
    findTagByKey: (key) => tags.find((tag) => tag.key === key),
    countTags: () => tags.length,
    takeNumber: () => next++,
  });
}

const stored = (number: number, name: string, contactCount: number): StoredTag => ({
  number,
  ...toTag(name),
  contactCount,
});

function changed(botValues: BotValues, before: StoredValues, changes: ValueChanges): StoredValues {
  const values = botValues.change(before, changes);
  assert.ok(typeof values !== 'string', values as string);
  return values;
}

const noChanges = { attributeCounts: [], newTags: [], changedTags: [], deletedTags: [] };

test('values are the same text whatever the order in which they were given, and nothing is null', () => {
  const botValues = botValuesOf({ 1: 0, 2: 0, 10: 0 });
  const one = changed(botValues, noValues, { attributes: { 10: 'x', 2: 5 } });
  assert.deepEqual(one, ['{"2":5,"10":"x"}', null]);
  assert.deepEqual(changed(botValues, ['{"2":5}', null], { attributes: { 10: 'x' } }), one);
  assert.deepEqual(changed(botValues, one, { attributes: { 10: null, 2: null } }), noValues);
  assert.deepEqual(toValues('{"2":5,"10":"x"}', null), { attributes: { 2: 5, 10: 'x' }, tags: [] });
  assert.deepEqual(toValues(null, '[1,2]'), { attributes: {}, tags: [1, 2] });
});

test('what changes nothing is the same text, also with numbers that mean nothing any more', () => {
  const botValues = botValuesOf({ 1: 1 }, [stored(2, 'vip', 1)]);
  const before: StoredValues = ['{"1":"pro","7":"gone"}', '[2,8]'];
  const changes = { attributes: { 1: 'pro' }, tags: { add: [toTag('VIP')], remove: ['none'] } };
  assert.deepEqual(changed(botValues, before, changes), before);
  assert.deepEqual(botValues.changes, noChanges);
});

test('a change drops what means nothing any more, without counting it', () => {
  const botValues = botValuesOf({ 1: 3, 2: 0 }, [stored(3, 'vip', 2)]);
  const before: StoredValues = ['{"1":"pro","7":"gone"}', '[3,8]'];
  const after = changed(botValues, before, { attributes: { 2: true }, tags: { add: [toTag('new')], remove: [] } });
  assert.deepEqual(after, ['{"1":"pro","2":true}', '[3,100]']);
  assert.deepEqual(botValues.changes, {
    ...noChanges,
    attributeCounts: [{ number: 2, contactCount: 1 }],
    newTags: [stored(100, 'new', 1)],
  });
});

test('what is changed and changed back is the same, whatever was dropped on the way', () => {
  const botValues = botValuesOf({ 1: 1, 2: 0 }, [stored(3, 'vip', 1)]);
  const before: StoredValues = ['{"1":"pro","7":"gone"}', '[3,8]'];
  const tags = { set: [toTag('new')] };
  const there = changed(botValues, before, { attributes: { 1: null, 2: 5 }, tags });
  assert.ok(!botValues.isSame(before, there));
  const back = changed(botValues, there, { attributes: { 1: 'pro', 2: null }, tags: { set: [toTag('vip')] } });
  assert.deepEqual(back, ['{"1":"pro"}', '[3]']);
  assert.ok(botValues.isSame(before, back));
  assert.deepEqual(botValues.changes, noChanges);
  assert.ok(!botValues.isSame(before, changed(botValues, back, { tags: { set: [] } })), 'the tag ends with it');
});

test('the counts of a transaction are added up, and a tag that nobody has is deleted', () => {
  const botValues = botValuesOf({ 1: 5 }, [stored(2, 'vip', 2), stored(3, 'lead', 1)]);
  const first = changed(botValues, ['{"1":1}', '[2,3]'], { attributes: { 1: null }, tags: { set: [toTag('x')] } });
  const second = changed(botValues, noValues, { attributes: { 1: 2 }, tags: { set: [toTag('X'), toTag('vip')] } });
  assert.deepEqual(
    [first, second],
    [
      [null, '[100]'],
      ['{"1":2}', '[2,100]'],
    ],
  );
  assert.deepEqual(botValues.changes, { ...noChanges, newTags: [stored(100, 'x', 2)], deletedTags: [3] });
  botValues.release(second);
  assert.deepEqual(botValues.changes, {
    ...noChanges,
    attributeCounts: [{ number: 1, contactCount: 4 }],
    newTags: [stored(100, 'x', 1)],
    changedTags: [stored(2, 'vip', 1)],
    deletedTags: [3],
  });
});

test('a tag that ends and begins again within a transaction has its new spelling', () => {
  const botValues = botValuesOf({}, [stored(2, 'vip', 1)]);
  changed(botValues, [null, '[2]'], { tags: { set: [] } });
  assert.deepEqual(changed(botValues, noValues, { tags: { set: [toTag('VIP'), toTag('Vip')] } }), [null, '[2]']);
  assert.deepEqual(botValues.changes, { ...noChanges, changedTags: [stored(2, 'VIP', 1)] });
});

test('a write that is undone leaves counts, tags and names as they were', () => {
  const botValues = botValuesOf({ 1: 1 }, [stored(2, 'vip', 1)]);
  botValues.begin();
  const kept = changed(botValues, noValues, { attributes: { 1: 1 }, tags: { set: [toTag('kept')] } });
  botValues.begin();
  changed(botValues, [null, '[2]'], { tags: { set: [] } });
  changed(botValues, noValues, { attributes: { 1: 1 }, tags: { set: [toTag('VIP'), toTag('new')] } });
  botValues.release(kept);
  botValues.undo();
  assert.deepEqual(botValues.changes, {
    ...noChanges,
    attributeCounts: [{ number: 1, contactCount: 2 }],
    newTags: [stored(100, 'kept', 1)],
  });
});

test('a fault changes nothing', () => {
  const botValues = botValuesOf({ 1: 0 });
  const tags = { set: [toTag('vip')] };
  assert.equal(botValues.change(noValues, { attributes: { 1: 'x', 9: 'y' }, tags }), 'undefined_attribute');
  assert.equal(botValues.change(noValues, { attributes: { 9: null }, tags }), 'undefined_attribute');
  const many = Array.from({ length: limits.tagsPerContact + 1 }, (_, index) => toTag(`tag${index}`));
  assert.equal(botValues.change(noValues, { attributes: { 1: 'x' }, tags: { set: many } }), 'too_many_tags');
  assert.deepEqual(botValues.changes, noChanges);
});

test('text is limited by all that a contact has, not by what is given', () => {
  const numbers = Array.from({ length: 9 }, (_, index) => index + 1);
  const botValues = botValuesOf(Object.fromEntries(numbers.map((number) => [number, 1])));
  const full = Object.fromEntries(
    numbers.slice(0, 8).map((number) => [number, 'x'.repeat(limits.attributeTextLength)]),
  );
  const before = changed(botValues, noValues, { attributes: full });
  assert.equal(botValues.change(before, { attributes: { 9: 'x' } }), 'too_much_text');
  assert.equal(typeof botValues.change(before, { attributes: { 9: 5 } }), 'object');
  assert.equal(typeof botValues.change(before, { attributes: { 9: 'x', 1: null } }), 'object');
  // A deleted attribute makes room at once.
  const gone: StoredValues = [JSON.stringify({ ...full, 99: 'x'.repeat(1000) }), null];
  assert.equal(typeof botValues.change(gone, { attributes: { 1: 'y' } }), 'object');
});

test('a bot at its limit of tags takes those that it has, and as many new ones as go', () => {
  const tags = Array.from({ length: limits.tagsPerBot }, (_, index) => stored(index + 1, `tag${index}`, 1));
  const botValues = botValuesOf({}, tags);
  assert.equal(botValues.change(noValues, { tags: { set: [toTag('new')] } }), 'too_many_tags_in_bot');
  assert.deepEqual(changed(botValues, noValues, { tags: { set: [toTag('TAG0')] } }), [null, '[1]']);
  // Two contacts have the first tag by now, so it stays when one of them loses it, and makes no room.
  assert.equal(botValues.change([null, '[1]'], { tags: { set: [toTag('new')] } }), 'too_many_tags_in_bot');
  assert.equal(typeof botValues.change([null, '[2]'], { tags: { set: [toTag('new')] } }), 'object');
  botValues.release([null, '[3]']);
  assert.equal(typeof botValues.change(noValues, { tags: { set: [toTag('other')] } }), 'object');
});

test('numbers without a definition are dropped, and what needs no dropping is the same', () => {
  const values: StoredValues = ['{"1":"a","2":5}', '[3,4]'];
  assert.equal(withoutRemoved(values, new Set([1, 2, 3, 4])), values);
  assert.equal(withoutRemoved(noValues, new Set()), noValues);
  assert.deepEqual(withoutRemoved(values, new Set([2, 4])), ['{"2":5}', '[4]']);
  assert.deepEqual(withoutRemoved(values, new Set([3])), [null, '[3]']);
  assert.deepEqual(withoutRemoved(values, new Set()), noValues);
});

test('only text is searched', () => {
  assert.deepEqual(textsOf('{"1":"a","2":5,"3":true,"10":"b"}'), ['a', 'b']);
  assert.deepEqual(textsOf(null), []);
});
