// What a search means: folding, words, numbers and ids.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idKinds } from '@roster/contract/ids';
import fc from 'fast-check';
import { makeId } from './ids.ts';
import {
  canBeInId,
  fold,
  matches,
  parseQuery,
  type SearchableFields,
  searchTextOf,
  withoutImplied,
} from './search-text.ts';

const contact = { id: makeId('contact', 1), name: '', email: '', phone: '', mid: '', wid: '' };

function finds(query: string, fields: Partial<SearchableFields>): boolean {
  return matches({ ...contact, ...fields }, parseQuery(query));
}

/** Text of any script, with combining marks in odd places. */
const anyText = fc.string({ unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), mark()) });

function mark() {
  return fc.constantFrom('\u0301', '\u0308', '\u0345', '\u3099', '\u093c', '\u094d', '\u0307', 'Σ', 'ς', 'İ', 'ǅ', 'ﬁ');
}

test('folding twice changes nothing more', () => {
  // U+034F joins nothing visible and keeps marks from being reordered; without it they may be, on the second fold.
  const text = anyText.filter((value) => !value.includes('\u034f'));
  fc.assert(fc.property(text, (value) => fold(fold(value)) === fold(value)));
});

test('what one spells with accents another finds without, and the other way round', () => {
  assert.ok(finds('jose', { name: 'José' }));
  assert.ok(finds('José', { name: 'jose' }));
  assert.ok(finds('JOSE\u0301', { email: 'josé@example.com' }));
  assert.ok(finds('angstrom', { name: 'Ångström' }));
  assert.ok(finds('nguyen', { name: 'Nguyễn' }));
});

test('letters that Unicode does not decompose are found by the plain ones', () => {
  const pairs = {
    lukasz: 'Łukasz',
    strasse: 'Straße',
    STRASSE: 'STRAẞE',
    soren: 'Søren',
    dordevic: 'Đorđević',
    aegir: 'Ægir',
    thor: 'Þór',
    oeuvre: 'Œuvre',
    isik: 'Işık',
    ipek: 'İpek',
  };
  for (const [plain, spelled] of Object.entries(pairs)) {
    assert.ok(finds(plain, { name: spelled }), `${plain} finds ${spelled}`);
    assert.ok(finds(spelled, { name: plain }), `${spelled} finds ${plain}`);
  }
});

test('a final sigma is a sigma, wherever the word is cut', () => {
  for (const query of ['οδυσσευς', 'ΟΔΥΣΣΕΥΣ', 'οδυς', 'οδυσ', 'υσσ']) assert.ok(finds(query, { name: 'Οδυσσεύς' }));
});

test('compatibility forms are found by what they stand for', () => {
  assert.ok(finds('km', { name: '10 \u212am' }), 'the Kelvin sign');
  assert.ok(finds('\u212a', { name: 'kilo' }));
  assert.ok(finds('tel', { phone: '℡' }), 'capitals that only decomposing yields');
  assert.ok(finds('math', { name: '𝐌𝐀𝐓𝐇' }));
  assert.ok(finds('file', { name: 'ﬁle' }));
  assert.ok(finds('abc', { name: 'ＡＢＣ' }));
});

test('marks that carry meaning in their script are kept', () => {
  assert.ok(!finds('कमल', { name: 'किमल' }), 'a Hindi vowel sign');
  assert.ok(finds('कमला', { name: 'कमला' }));
  assert.ok(!finds('ไท', { name: 'ไม่ท' }), 'a Thai tone mark');
  assert.ok(finds('ไม่', { name: 'ไม่ทราบ' }));
  assert.ok(!finds('カラス', { name: 'ガラス' }), 'a Japanese voicing mark');
  assert.ok(finds('ガラス', { name: 'ｶﾞﾗｽ' }), 'but half-width letters are the same letters');
});

test('each word must occur, in any field and any order', () => {
  const jane = { name: 'Jane Doe', email: 'jd@example.com', phone: '+1 555', mid: 'M-9', wid: '+15550100' };
  for (const query of ['', '  ', 'doe jane', 'jd@ DOE', 'm-9 doe 0100', 'a\tn\u00a0e\u3000doe']) {
    assert.ok(finds(query, jane), query);
  }
  for (const query of ['doe john', 'janedoe', 'doe\u200bjane', 'jd@example.com5'])
    assert.ok(!finds(query, jane), query);
});

test('a match does not reach from one field into the next', () => {
  const text = searchTextOf({ name: 'Anna', email: 'bert@x', phone: '12', mid: '34', wid: '+5555555' });
  const lines = text.split('\n');
  assert.deepEqual(lines, ['anna', 'bert@x', '+5555555', '12', '34']);
  fc.assert(
    fc.property(anyText, (query) => parseQuery(query).every(({ spellings }) => !/\s/.test(spellings.join('')))),
  );
});

test('a number is found as written or by its digits', () => {
  for (const query of ['5550100', '(555)', '010-0', '+1', '1555', '555-0100', '+1(555)010-0', '1.555.0100']) {
    assert.ok(finds(query, { phone: '+1 (555) 010-0' }), query);
  }
  assert.ok(finds('555-0100', { mid: '555-0100' }));
  assert.ok(finds('+15550100', { wid: '+15550100' }));
  assert.ok(!finds('5550100', { mid: '555-0100' }), 'only the phone is searched by its digits');
  assert.ok(!finds('5550101', { phone: '+1 (555) 010-0' }));
  assert.ok(!finds('x5550100', { phone: '+1 (555) 010-0' }));
});

test('characters with a meaning elsewhere are plain characters', () => {
  for (const sign of ['%', '*', '"', "'", '\\', '?', '^', '+', '(', '-', '.', '@']) {
    assert.ok(finds(sign, { name: `a${sign}b` }), sign);
    assert.ok(!finds(`x${sign}z`, { name: 'xyz' }), sign);
  }
  assert.ok(!finds('x_z', { name: 'xyz' }));
  assert.ok(!finds('ja\0', { name: 'Jane' }));
});

test('words that stand in every id rule out nothing', () => {
  for (const query of ['con', 'CON_', '_', 'o', 'n_', '']) assert.deepEqual(parseQuery(query), []);
  assert.equal(parseQuery('conn').length, 1);
});

test('a word given twice counts once', () => {
  assert.deepEqual(parseQuery('Jane jane JANÉ'), [{ spellings: ['jane'] }]);
  assert.deepEqual(parseQuery('4. 4.. (4 4'), [{ spellings: ['4'] }]);
});

test('words that stand within others are left out, and the longest comes first', () => {
  const keep = (query: string) => withoutImplied(parseQuery(query)).map(({ spellings }) => spellings[0]);
  assert.deepEqual(keep('a ja jane doe an oe'), ['jane', 'doe']);
  assert.deepEqual(keep('ab ba'), ['ab', 'ba']);
  assert.deepEqual(keep('555-0100 555-01 0100'), ['555-0100']);
  // A text with 55501 need not have a dash.
  assert.deepEqual(keep('55501 555-01x'), ['555-01x', '55501']);
});

test('without implied words a query finds the same', () => {
  const word = fc.stringMatching(/^[ab1.-]{1,5}$/);
  const field = fc.stringMatching(/^[ab1. -]{0,12}$/);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), field, field, (words, name, phone) => {
      const parsed = parseQuery(words.join(' '));
      const fields = { ...contact, name, phone };
      return matches(fields, parsed) === matches(fields, withoutImplied(parsed));
    }),
  );
});

test('a contact is found by every word of every field, however it is cased', () => {
  const field = fc.string({ unit: 'grapheme', maxLength: 20 });
  const fields = fc.record({ name: field, email: field, phone: field, mid: field, wid: fc.constant('') });
  fc.assert(
    fc.property(fields, fc.constantFrom('name', 'email', 'phone', 'mid'), (values, key) => {
      const word = values[key];
      return finds(word, values) && finds(fold(word), values);
    }),
  );
});

test('a contact is found by any part of its id', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(37), fc.nat(38), (createdUs, start, length) => {
      const id = makeId('contact', createdUs);
      return matches({ ...contact, id }, parseQuery(id.slice(start, start + length).toUpperCase()));
    }),
  );
});

test('every part of an id that a query can hold is one that can be in an id', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(37), fc.integer({ min: 1, max: 38 }), (createdUs, start, length) => {
      const part = makeId('contact', createdUs).slice(start, start + length);
      return idKinds.contact.prefix.includes(part) || canBeInId(part);
    }),
  );
});

test('no word or number of two characters or more can be in an id', () => {
  const letters = fc.stringMatching(/^[a-z]{2,12}$/).filter((word) => !idKinds.contact.prefix.includes(word));
  fc.assert(fc.property(fc.oneof(letters, fc.stringMatching(/^[0-9]{2,15}$/)), (word) => !canBeInId(word)));
  for (const word of [
    'jane',
    'li',
    '42',
    '+1555',
    'a@b',
    'josé',
    '李',
    'jane4',
    '4711a',
    'x1@',
    'con_aa',
    'con_1b22',
  ]) {
    assert.equal(canBeInId(word), false, word);
  }
});
