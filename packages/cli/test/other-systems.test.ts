// Exports of other systems, made by hand after their documented columns: every column is kept, and every value.
import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

interface Case {
  file: string;
  /** Which columns hold fields, and tags. */
  fields: Record<string, string[]>;
  /** The types of the other columns; text where it is left out. */
  types: Record<string, string>;
  /** Columns without any value. */
  empty: string[];
}

const cases: Record<string, Case> = {
  HubSpot: {
    file: 'hubspot.csv',
    fields: { name: ['First Name', 'Last Name'], email: ['Email'], phone: ['Phone Number'] },
    types: { record_id: 'number', number_of_employees: 'number', annual_revenue: 'number', email_opt_out: 'boolean' },
    empty: [],
  },
  Intercom: {
    file: 'intercom.csv',
    fields: { name: ['Name'], email: ['Email'], phone: ['Phone'], tags: ['Tag'] },
    types: {
      ...{ first_seen: 'date', signed_up: 'date', last_seen: 'date', last_contacted: 'date' },
      ...{ web_sessions: 'number', unsubscribed_from_emails: 'boolean', monthly_spend: 'number' },
    },
    empty: [],
  },
  'Google Contacts': {
    file: 'google-contacts.csv',
    fields: { name: ['First Name', 'Last Name'], email: ['E-mail 1 - Value'], phone: ['Phone 1 - Value'] },
    types: {},
    empty: ['Phonetic Middle Name', 'Address 1 - PO Box', 'Address 1 - Extended Address'],
  },
};

/** How a value of each type is shown by an answer, as the file may write it. */
const readers: Record<string, (text: string) => unknown> = {
  text: (text) => text,
  number: Number,
  boolean: (text) => ['yes', 'true'].includes(text.toLowerCase()),
  date: (text) => new Date(text).toISOString(),
};

suite('an export of', () => {
  for (const [system, { file, fields, types, empty }] of Object.entries(cases)) {
    test(`${system} is imported with every column kept`, async (t) => {
      const desk = await makeDesk(t, server);
      const source = new URL(`fixtures/${file}`, import.meta.url);
      await copyFile(source, join(desk.folder, file));
      const rows = parse(await readFile(source, 'utf8'), { columns: true }) as Record<string, string>[];
      const titles = Object.keys(rows[0] ?? {});

      const summary = await desk.json<{
        imported: number;
        rejected: number;
        skipped: string[];
        mapping: Record<string, string[]>;
        createdAttributes: { key: string; type: string; label: string }[];
      }>('contacts', 'import', file, '--create-attributes');
      assert.deepEqual([summary.imported, summary.rejected, summary.skipped], [rows.length, 0, empty]);
      for (const [field, columns] of Object.entries(fields)) assert.deepEqual(summary.mapping[field], columns, field);
      assert.deepEqual(
        new Set([...Object.values(summary.mapping).flat(), ...empty]),
        new Set(titles),
        'each column has a place',
      );
      assert.deepEqual(
        Object.fromEntries(
          summary.createdAttributes.filter(({ type }) => type !== 'text').map(({ key, type }) => [key, type]),
        ),
        types,
      );

      const [emailTitle = ''] = fields['email'] ?? [];
      const stored = await desk.values();
      for (const row of rows) {
        const expected = summary.createdAttributes.flatMap(({ key, type, label }) =>
          row[label] === '' ? [] : [[key, readers[type]?.(row[label]?.trim() ?? '')]],
        );
        assert.deepEqual(stored[row[emailTitle] ?? '']?.attributes, Object.fromEntries(expected));
      }
    });
  }

  test('Intercom has its tags as tags', async (t) => {
    const desk = await makeDesk(t, server);
    await copyFile(new URL('fixtures/intercom.csv', import.meta.url), join(desk.folder, 'intercom.csv'));
    await desk.run(['contacts', 'import', 'intercom.csv', '--create-attributes', '--tag', 'from Intercom']);
    assert.deepEqual((await desk.values())['noor@cedar.example']?.tags, ['Beta', 'from Intercom', 'VIP']);
    assert.deepEqual((await desk.values())['tomas@vidal.example']?.tags, ['from Intercom']);
    const found = await desk.json<{ pagination: { total: number } }>(
      ...['contacts', 'search', '--tag', 'beta', '--where', 'web_sessions>=50', '--where', 'plan=pro'],
    );
    assert.equal(found.pagination.total, 1);
  });
});
