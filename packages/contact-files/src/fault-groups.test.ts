// What is wrong with the rows of a file is shown once for each reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaultGroups } from './fault-groups.ts';
import type { RowRules } from './row-validation.ts';

const rules: RowRules = {
  mapping: { name: [0], email: [1], phone: [], wid: [], mid: [] },
  values: { attributes: [{ key: 'seats', type: 'number', columns: [2] }], tags: [] },
  columns: { from: 0, to: 3 },
  empty: 'keep',
  isGuarded: true,
};

test('faults of the same field and reason are one group, with the first value and its line; the largest is first', () => {
  const groups = new FaultGroups(rules);
  const row = (line: number, ...cells: string[]) => ({ line, cells });
  groups.note(row(2, 'Jane', 'nonsense', '1'), [{ field: 'email', message: 'must be an email address' }]);
  groups.note(row(3, 'Joe', 'joe@x', "'-many"), [{ field: 'attributes.seats', message: 'must be a number' }]);
  groups.note(row(4, 'Kim', 'kim@x', 'few'), [{ field: 'attributes.seats', message: 'must be a number' }]);
  groups.note(row(5, 'Lee'), [{ message: 'has 1 cell' }]);
  assert.deepEqual(groups.all, [
    { field: 'attributes.seats', message: 'must be a number', count: 2, line: 3, example: '-many' },
    { field: 'email', message: 'must be an email address', count: 1, line: 2, example: 'nonsense' },
    { message: 'has 1 cell', count: 1, line: 5, example: '' },
  ]);
});
