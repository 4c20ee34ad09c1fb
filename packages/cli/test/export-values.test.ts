// Export of attributes and tags, and that import into another bot gives back what was exported.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { AttributeType, ContactWith } from '@roster/client';
import { guessColumns, guessValueColumns, type RowRules, validateRow } from '@roster/contact-files';
import { contactUpsertSchema, readAttributeValue } from '@roster/contract';
import fc from 'fast-check';
import { headOf, type LineOptions, linesOf } from '../src/export/contact-lines.ts';
import { openCsv } from '../src/import/csv-rows.ts';
import { makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

const types = { plan: 'text', seats: 'number', trial: 'boolean', renewal: 'date', unused: 'text' } as const;

const texts = [
  'two\nlines\tand a tab',
  '=1+1',
  "'t Hooft",
  '-5',
  '007',
  'true',
  '1e3',
  'a,b;c|d',
  '"quoted" \\; \\',
  '2027-01-31',
  '[1]',
  'null',
  'a;=b;\n@c',
];
const tags = [['a;b', 'c\\d', '\\;'], ['=x', '@y;+z'], ["'quoted'", '"q"'], ['Ünï çödé 😀'], ['-'], []];
const people = texts.map((plan, n) => ({
  ...{ name: `P${n}`, email: `p${n}@x`, tags: tags[n % tags.length] },
  attributes: {
    plan,
    ...(n % 2 && { seats: [-1.5, 0, 1e21 / 1e10, 9_007_199_254_740_991, 1e-7][n % 5] }),
    ...(n % 3 && { trial: n % 2 === 0 }),
    ...(n % 4 && { renewal: '1969-07-20T20:17:40.123Z' }),
  },
}));

suite('export with attributes and tags', () => {
  for (const [file, more] of [
    ['out.csv', []],
    ['out.csv', ['--separator', ';', '--bom']],
    ['out.csv', ['--raw']],
    ['out.ndjson', []],
  ] as const) {
    test(`to ${[file, ...more].join(' ')} and import into another bot is the identity`, async (t) => {
      const [from, to] = [await makeDesk(t, server), await makeDesk(t, server)];
      for (const desk of [from, to]) await desk.define(types);
      const { status } = await server.call('PATCH', `/v1/bots/${from.botId}/contacts`, { body: { data: people } });
      assert.equal(status, 200);
      const path = join(to.folder, file);
      const exported = await from.json('contacts', 'export', path, '--include', 'attributes,tags', ...more);
      assert.deepEqual(exported, { contacts: people.length, file: path });
      const isRaw = more.some((option) => option === '--raw');
      const imported = await to.run(['contacts', 'import', file, ...(isRaw ? ['--raw'] : [])]);
      assert.equal(imported.code, 0, imported.stderr);
      const values = await from.values();
      assert.equal(values['p0@x']?.attributes['plan'], texts[0]);
      assert.deepEqual(await to.values(), values);
    });
  }

  test('to NDJSON needs no definitions in the other bot: --create-attributes finds the types', async (t) => {
    const [from, to] = [await makeDesk(t, server), await makeDesk(t, server)];
    await from.define(types);
    await server.call('PATCH', `/v1/bots/${from.botId}/contacts`, { body: { data: people } });
    await from.run(['contacts', 'export', join(to.folder, 'a.ndjson'), '--include', 'attributes,tags']);
    const { code, stderr } = await to.run(['contacts', 'import', 'a.ndjson', '--create-attributes']);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await to.values(), await from.values());
    const defined = await to.json<{ key: string; type: string }[]>('attribute', 'list');
    assert.deepEqual(Object.fromEntries(defined.map(({ key, type }) => [key, type])), {
      ...{ plan: 'text', renewal: 'date', seats: 'number', trial: 'boolean' },
    });
  });

  test('has a column for each attribute and one for tags, and only those that are asked for', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define({ seats: 'number', plan: 'text' });
    const data = [{ name: 'A', email: 'a@x', tags: ['x', 'y;z'], attributes: { seats: -2 } }];
    await server.call('PATCH', `/v1/bots/${desk.botId}/contacts`, { body: { data } });
    const fixed = 'name,email,phone,wid,mid,id,createdAt,updatedAt';
    const csv = async (...args: string[]) => (await desk.run(['contacts', 'export', ...args])).stdout.split('\n');
    const [head, line] = await csv('--include', 'attributes,tags');
    assert.equal(head, `${fixed},tags,attributes.plan,attributes.seats`);
    assert.match(line ?? '', /^A,a@x,,,,con_\w+,[^,]+,[^,]+,x;y\\;z,,'-2$/);
    assert.equal((await csv('--include', 'tags'))[0], `${fixed},tags`);
    assert.equal((await csv('--include', 'attributes'))[0], `${fixed},attributes.plan,attributes.seats`);
    assert.equal((await csv())[0], fixed);
    const ndjson = await desk.run(['contacts', 'export', '--json', '--include', 'attributes']);
    const { attributes, tags: none } = JSON.parse(ndjson.stdout) as ContactWith<'attributes' | 'tags'>;
    assert.deepEqual([attributes, none], [{ seats: -2 }, undefined]);
    const refused = await desk.run(['contacts', 'export', '--include', 'attributes,everything']);
    assert.deepEqual([refused.code, /--include.*Pass attributes, tags, or both/.test(refused.stderr)], [2, true]);
  });

  test('of any value to CSV is read back as it was, whatever separates the cells', async () => {
    const text = fc.oneof(
      fc
        .array(fc.constantFrom("'", '=', '-', '@', '"', ',', ';', ' ', '\n', '\t', '\\', '\ufeff', 'x', '|', '1'))
        .map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme' }),
    );
    const number = fc.double({ noNaN: true, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
    const values = fc.record({
      attributes: fc.record({
        plan: text.map((plan) => readAttributeValue('text', plan)).filter((read) => 'value' in read && !!read.value),
        seats: number.map((value) => ({ value: value + 0 })),
        trial: fc.boolean().map((value) => ({ value })),
      }),
      tags: fc
        .array(text, { maxLength: 4 })
        .map((given) => contactUpsertSchema.safeParse({ email: 'a@x', tags: given }).data?.tags)
        .filter((given) => given !== undefined),
    });
    const definitions = Object.entries(types).map(([key, type]) => ({ key, type: type as AttributeType, label: key }));
    const separators = fc.constantFrom(',', ';', '\t', '|');
    await fc.assert(
      fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 4 }), separators, async (given, separator) => {
        const contacts = given.map(({ attributes, tags: all }) => ({
          ...{ id: 'con_1', name: 'A', email: 'a@x', phone: '', wid: '', mid: '', createdAt: '', updatedAt: '' },
          attributes: Object.fromEntries(
            Object.entries(attributes).map(([key, read]) => [key, (read as { value: string }).value]),
          ),
          tags: all,
        }));
        const columns = { hasTags: true, attributeKeys: Object.keys(types) };
        const options: LineOptions = { format: 'csv', separator, isRaw: false, hasMark: false, values: columns };
        const source = await openCsv('x', chunksOf(headOf(options) + linesOf(contacts, options)));
        const { header } = source;
        const rules: RowRules = {
          mapping: guessColumns(header),
          values: guessValueColumns(header, header.keys().drop(8), definitions),
          columns: { from: 0, to: header.length },
          empty: 'keep',
          isGuarded: true,
        };
        const read: unknown[] = [];
        for await (const row of source.rows) read.push(validateRow(row, rules));
        const expected = contacts.map(({ name, email, attributes, tags: all }) => ({
          kind: 'valid',
          contact: { email, name, attributes, ...(all.length > 0 && { tags: all }) },
          isNameless: false,
          dropped: [],
        }));
        assert.deepEqual(read, expected);
      }),
      { numRuns: 500 },
    );
  });
});

async function* chunksOf(text: string): AsyncGenerator<string> {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += 7) yield characters.slice(at, at + 7).join('');
}
