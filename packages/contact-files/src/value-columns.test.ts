// Columns find the attributes that a bot has defined.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { guessValueColumns } from './value-columns.ts';

const definitions = [
  { key: 'company', type: 'text', label: 'Organization' },
  { key: 'organization', type: 'text', label: 'Legal entity' },
  { key: 'last_seen', type: 'date', label: 'Last seen at' },
] as const;

function guess(header: string[], free = header.keys() as Iterable<number>): Record<string, number[]> {
  const { attributes, tags } = guessValueColumns(header, free, definitions);
  return { ...Object.fromEntries(attributes.map(({ key, columns }) => [key, columns])), ...(tags[0] && { tags }) };
}

suite('columns of attributes', () => {
  test('are found by attributes.key, by key and by label, ignoring case and punctuation', () => {
    assert.deepEqual(guess(['attributes.company', 'Last Seen']), { company: [0], last_seen: [1] });
    assert.deepEqual(guess(['Last-seen at', 'LEGAL ENTITY']), { organization: [1], last_seen: [0] });
  });

  test('an exact title goes before one that only resembles, and each column is taken once', () => {
    assert.deepEqual(guess(['Organization']), { company: [0] });
    assert.deepEqual(guess(['ORGANIZATION']), { organization: [0] });
    assert.deepEqual(guess(['organization', 'Organization']), { organization: [0], company: [1] });
    assert.deepEqual(guess(['company', 'attributes.company', 'Company']), { company: [1] });
  });

  test('are only those that are free', () => {
    assert.deepEqual(guess(['company', 'tags'], []), {});
  });

  test('leave out what no attribute is called', () => {
    assert.deepEqual(guess(['attributes.unknown', '', 'Notes']), {});
  });

  test('tags have one of their own', () => {
    assert.deepEqual(guess(['company', 'Tags']), { company: [0], tags: [1] });
  });
});
