// Values that parsers, databases and alphabets have stumbled over, as arbitraries of fast-check.
import * as fc from 'fast-check';

const texts = [
  ...['', ' ', '\t', '\0', 'a\0b', '\r\nX-Injected: 1', '\x7f', '\x85', '\ufeff', '\ufffe', '\u2028', '\u200b'],
  // Halves of surrogate pairs, both ways round.
  ...['\ud800', '\udfff', 'a\ud83d', '\udc00\ud800'],
  ...[
    '\u202eevil',
    '\u0645\u0631\u062d\u0628\u0627',
    '\u00e9',
    'e\u0301',
    '\ufdfa',
    '\u{20bb7}\u91ce',
    '\u{1f469}\u200d\u{1f467}',
    '\u{e0001}',
  ],
  ...['i\u0307', '\u0130', '\u1e9e', 'a\u0300\u0301\u0302\u0303\u0304'.repeat(20), '\u0663', '\uff11\uff12'],
  ...["'; DROP TABLE contacts; --", '%', '_', '*', '\\', '"', '""', '$1', '{}', '<script>', '=1+1', '#{7*7}'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'true', '[object Object]'],
  ...['NaN', '1e400', '-0', '0x10', '01', '1.0', '+1', '9007199254740993', '-1', '1e3', '99999999999999999999'],
  ...[
    '.',
    '..',
    '../..',
    '%',
    '%00',
    '%2e%2e%2f',
    '%zz',
    '%ff',
    '%c0%af',
    '%u0041',
    '/',
    '//',
    '?',
    '#',
    ';',
    '&',
    '=',
  ],
  ...[
    'a@b',
    '@',
    'a@@b',
    'a@b..c',
    'a b@c',
    `${'x'.repeat(245)}@x.co`,
    '+15550100123',
    '+0',
    '1970-01-01T00:00:00.000Z',
  ],
  ...[
    '0000-00-00T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '2026-02-30T00:00:00.000Z',
    '-271821-04-20T00:00:00.000Z',
  ],
  ...['con_', 'bot_a0', 'rst_', 'c:', `con_${'a0'.repeat(17)}`, `con_${'\u0661a'.repeat(17)}`],
];

/**
 * Any code point but a half of a pair, which is the `binary` of fast-check. That one makes a map of all of them first, which takes
 * two seconds.
 */
const codePoint: fc.Arbitrary<string> = fc.nat(0x10ffff - 0x800).map(
  (n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800),
  (text) => {
    const [code, ...others] = Array.from(String(text), (character) => character.codePointAt(0) as number);
    if (code === undefined || others.length > 0 || (code >= 0xd800 && code <= 0xdfff)) throw new Error('no code point');
    return code < 0xd800 ? code : code - 0x800;
  },
);

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...texts) },
  { weight: 3, arbitrary: fc.string({ unit: codePoint, maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
  // Code units of any kind, so also halves of pairs.
  {
    weight: 2,
    arbitrary: fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('x', ' ', 'é', '\u{1f600}', 'a ', '\u0301'),
        fc.constantFrom(64, 65, 128, 254, 256, 257, 5000),
      )
      .map(([text, times]) => text.repeat(times)),
  },
);

export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], 0, -0, -1, 1.5, 2 ** 53 + 2, 1e308, 5e-324, ['a', 'a']),
  fc.jsonValue({ maxDepth: 4, stringUnit: codePoint }),
);

/** Some are short enough to be parsed at once, and some are not. */
const lengths = [51, 1001, 10_001, 150_000] as const;

/** Longer than any that is meant: lists, objects of many members, objects and lists in each other, and names. */
const longJson: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      'tags',
      'addTags',
      'attributes',
      'data',
      'ids',
      'filter',
      'allowedOrigins',
      'greetings',
      'types',
      'x',
    ),
    fc.constantFrom<(length: number) => string>(
      (length) => `[${'"",'.repeat(length)}""]`,
      (length) => `[${'{},'.repeat(length)}{}]`,
      (length) => `[{"email":"a@example.com","tags":[${'"",'.repeat(length)}""]}]`,
      (length) => `[{"email":"a@example.com","name":"A","x":${'['.repeat(length)}${']'.repeat(length)}}]`,
      (length) => `{"tag":[${'"a",'.repeat(length)}"a"],"attributes":{"plan":[${'1,'.repeat(length)}1]}}`,
      (length) => `{${Array.from({ length }, (_, at) => `"k${at}":""`).join()}}`,
      (length) => `${'{"a":'.repeat(length)}1${'}'.repeat(length)}`,
      (length) => `${'['.repeat(length)}${']'.repeat(length)}`,
      (length) => `{"${'k'.repeat(length)}":1}`,
      (length) => `"${' '.repeat(length)}+${'-'.repeat(length)}"`,
    ),
    fc.constantFrom(...lengths),
  )
  .map(([name, write, length]) => `{"label":"A","name":"A","email":"a@example.com","${name}":${write(length)}}`);

/** JSON that no value is the source of: numbers that overflow, names that repeat, brackets that never close. */
export const oddJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      'null',
      'true',
      '0',
      '-0',
      '1e400',
      '-1e400',
      '""',
      '[]',
      '{}',
      '{',
      '[',
      '"',
      '{]',
      'nul',
      'NaN',
      "{'a':1}",
    ],
    ...['{"a":1,}', '[1,]', '\ufeff{}', '{"a":1}{"a":2}', '{"a":1}\0', '"\\ud800"', '"\\u0000"', '"\\x"', '"\n"'],
    ...['{"__proto__":{"name":"x"}}', '{"constructor":{"prototype":{"x":1}}}', '{"name":"a","name":"b"}'],
    ...['{"email":"a@example.com","email":null}', '{"data":1e400}', '{"data":[null]}', '{"data":[{}]}', '{"data":{}}'],
    ...['{"data":[1,"a",[],{"email":1e400}]}', '{"name":9007199254740993,"email":-0}', '{"name":1e400}'],
    ...['{"data":[{"email":"\\ud83d@example.com"}]}', '{"data":[{"__proto__":{"email":"a@example.com"}}]}'],
    ...['['.repeat(5000), `${'['.repeat(5000)}${']'.repeat(5000)}`, `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`],
    `{${Array.from({ length: 2000 }, (_, i) => `"k${i}":${i}`).join()}}`,
    `{"data":[${Array(1001).fill('{"email":"a@example.com"}').join()}]}`,
    `{"name":"${'\\u0041'.repeat(3000)}"}`,
  ),
  longJson,
  fc.json({ maxDepth: 6, stringUnit: codePoint }),
  fc.json({ maxDepth: 3 }).map((text) => text.slice(0, -1)),
);
