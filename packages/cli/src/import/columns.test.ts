// What --map does to the guess.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { mapColumns as mapWith } from './columns.ts';

const definitions = [{ key: 'plan', type: 'text', label: 'Plan' }] as const;

function mapColumns(header: string[], given: string[]) {
  return mapWith(header, given, { columns: { from: 0, to: header.length }, definitions });
}

const mappingOf = (header: string[], given: string[]) => mapColumns(header, given).mapping;

suite('--map', () => {
  const header = ['Who', 'Mail', 'Mobile', 'Phone'];

  test('replaces the guess for its field, joins columns, and can leave a field out', () => {
    assert.deepEqual(mappingOf(header, ['name=Who', 'phone=Mobile']).phone, [2]);
    assert.deepEqual(mappingOf(header, ['name=Who', 'name=Phone']).name, [0, 3]);
    assert.deepEqual(mappingOf(header, ['phone=']).phone, []);
    assert.deepEqual(mappingOf(['a=b', 'email'], ['name=a=b']).name, [0]);
    assert.deepEqual(mappingOf(header, ['name=WHO']).name, [0], 'case does not matter');
  });

  test('says what there is when a column or a field is unknown, or no email is found', () => {
    assert.throws(() => mapColumns(header, ['name=Nobody']), /no column "Nobody".*"Who", "Mail"/);
    assert.throws(() => mapColumns(header, ['nam=Who']), /one of name, email, phone, wid, mid, tags, attributes.KEY\./);
    assert.throws(() => mapColumns(header, ['Who']), /FIELD=COLUMN/);
    assert.throws(() => mapColumns(['a', 'b'], []), /--map email=COLUMN.*"a", "b"/);
  });

  test('takes attributes and tags, and joins their columns', () => {
    const { values, unused } = mapColumns(header, ['attributes.plan=Who', 'attributes.plan=Mobile', 'tags=Phone']);
    assert.deepEqual(values, { attributes: [{ key: 'plan', type: 'text', columns: [0, 2] }], tags: [3] });
    assert.deepEqual(unused, []);
  });

  test('leaves a column that it takes from a field to the attribute with its title', () => {
    const titles = ['Email', 'Plan', 'Phone'];
    assert.deepEqual(mapColumns(titles, []).values.attributes, [{ key: 'plan', type: 'text', columns: [1] }]);
    assert.deepEqual(mapColumns(titles, ['name=Plan']).values.attributes, []);
    const without = mapColumns(titles, ['attributes.plan=', 'phone=']);
    assert.deepEqual([without.values.attributes, without.unused, [...without.leftOut]], [[], [1, 2], ['plan']]);
  });

  test('reports attributes that the bot does not have, and refuses what can be no key', () => {
    assert.deepEqual(mapColumns(header, ['attributes.company=Who']).missing, [{ key: 'company', columns: [0] }]);
    assert.throws(() => mapColumns(header, ['attributes.Company=Who']), /attribute key must be lower-case letters/);
    assert.throws(() => mapColumns(header, ['attributes.email=Who']), /attribute key is reserved/);
  });
});
