// An export has a cell below each title, and what it has of its own is no attribute to an import.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportedCells, exportedTitles } from './exported-columns.ts';
import { keptColumns } from './new-attributes.ts';

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-02T00:00:00.000Z' };
const contact = { id: 'con_1', name: 'Ann', email: 'ann@example.com', phone: '', wid: '', mid: '', ...times };
const values = { hasLastSeen: true, hasTags: true, attributeKeys: ['plan'] };

test('the cells of last seen, tags and attributes stand below their titles', () => {
  const lastSeenAt = '2026-01-03T00:00:00.000Z';
  const cells = exportedCells({ ...contact, lastSeenAt, tags: ['vip'], attributes: { plan: 'pro' } }, values);
  const named = Object.fromEntries(exportedTitles(values).map((title, at) => [title, cells[at]]));
  assert.deepEqual(named, { ...contact, lastSeenAt, tags: 'vip', 'attributes.plan': 'pro' });
  assert.deepEqual(exportedCells({ ...contact, lastSeenAt: null }, { hasLastSeen: true }).at(-1), '');
});

test('when a contact was last seen is kept as an attribute only of files that are no exports', () => {
  const columns = (header: string[]) => keptColumns([...header.keys()], header).map((at) => header[at]);
  assert.deepEqual(columns(['id', 'createdAt', 'updatedAt', 'lastSeenAt', 'city']), ['city']);
  assert.deepEqual(columns(['lastSeenAt', 'city']), ['lastSeenAt', 'city']);
});
