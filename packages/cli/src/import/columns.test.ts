// What --map does to the guess.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { mapColumns } from './columns.ts';

suite('--map', () => {
  const header = ['Who', 'Mail', 'Mobile', 'Phone'];

  test('replaces the guess for its field, joins columns, and can leave a field out', () => {
    assert.deepEqual(mapColumns(header, ['name=Who', 'phone=Mobile']).phone, [2]);
    assert.deepEqual(mapColumns(header, ['name=Who', 'name=Phone']).name, [0, 3]);
    assert.deepEqual(mapColumns(header, ['phone=']).phone, []);
    assert.deepEqual(mapColumns(['a=b', 'email'], ['name=a=b']).name, [0]);
    assert.deepEqual(mapColumns(header, ['name=WHO']).name, [0], 'case does not matter');
  });

  test('says what there is when a column or a field is unknown, or no email is found', () => {
    assert.throws(() => mapColumns(header, ['name=Nobody']), /no column "Nobody".*"Who", "Mail"/);
    assert.throws(() => mapColumns(header, ['nam=Who']), /one of name, email, phone, wid, mid/);
    assert.throws(() => mapColumns(header, ['Who']), /FIELD=COLUMN/);
    assert.throws(() => mapColumns(['a', 'b'], []), /--map email=COLUMN.*"a", "b"/);
  });
});
