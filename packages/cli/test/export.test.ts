// Export, and that import gives back what was exported.
import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { Contact } from '@roster/client';
import { guessColumns, validateRow } from '@roster/contact-files';
import { contactCreateSchema } from '@roster/contract';
import fc from 'fast-check';
import { headOf, type LineOptions, linesOf } from '../src/export/contact-lines.ts';
import { openCsv } from '../src/import/csv-rows.ts';
import { makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

const names = [
  "'t Hooft",
  "'=x",
  '=1+1',
  '+plus',
  '-minus',
  '@at',
  '＝full',
  '\u200b=hidden',
  '"quoted"',
  'a,b;c',
  "''=",
  '=\u2028x',
];
const people = names.map((name, n) => ({
  ...{
    name,
    email: `p${n}@x`,
    phone: n % 2 ? '+1 555 0100' : '',
    wid: n % 3 ? '+15550100' : '',
    mid: n % 4 ? '-42' : '',
  },
}));
const fieldsOf = ({ name, email, phone, wid, mid }: Contact) => ({ name, email, phone, wid, mid });

suite('export', () => {
  for (const file of ['out.csv', 'out.ndjson']) {
    test(`to ${file} and import again is the identity`, async (t) => {
      const [from, to] = [await makeDesk(t, server), await makeDesk(t, server)];
      await from.write('in.ndjson', people.map((each) => JSON.stringify(each)).join('\n'));
      assert.equal((await from.run(['contacts', 'import', 'in.ndjson'])).code, 0);
      assert.deepEqual(await from.json('contacts', 'export', join(to.folder, file)), {
        contacts: people.length,
        file: join(to.folder, file),
      });
      assert.equal((await to.run(['contacts', 'import', file])).code, 0);
      assert.deepEqual((await to.contacts()).map(fieldsOf), (await from.contacts()).map(fieldsOf));
      assert.deepEqual((await to.contacts()).map(({ name }) => name).toSorted(), names.toSorted());
    });
  }

  test('of any contact to CSV is read back as it was, whatever separates the cells', async () => {
    const text = fc.oneof(
      fc
        .array(fc.constantFrom("'", '=', '+', '-', '@', '＝', '"', ',', ';', ' ', '\u200b', '\ufeff', 'x', '|', 'sep'))
        .map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme' }),
    );
    const contact = fc
      .record({ name: text, phone: text, mid: text, wid: fc.constantFrom('', '+15550100') })
      .map((fields) => contactCreateSchema.safeParse({ ...fields, email: 'a@x' }).data)
      .filter((fields) => fields !== undefined);
    const shape = fc.record({ separator: fc.constantFrom(',', ';', '\t', '|'), hasMark: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(contact, { minLength: 1, maxLength: 4 }),
        shape,
        async (contacts, { separator, hasMark }) => {
          const options: LineOptions = { format: 'csv', separator, isRaw: false, hasMark };
          const rest = { id: 'con_1', createdAt: '2026', updatedAt: '2026' };
          const full = contacts.map((fields) => ({ phone: '', wid: '', mid: '', ...fields, ...rest })) as Contact[];
          const csv = new TextDecoder().decode(new TextEncoder().encode(headOf(options) + linesOf(full, options)));
          const source = await openCsv('x', chunksOf(csv));
          const rules = {
            mapping: guessColumns(source.header),
            columns: { from: 0, to: 8 },
            empty: 'clear',
            isGuarded: true,
          } as const;
          const read: unknown[] = [];
          for await (const row of source.rows) read.push(validateRow(row, rules));
          const valid = { kind: 'valid', isNameless: false, dropped: [] };
          const expected = full.map(fieldsOf).map((contact) => ({ ...valid, contact }));
          assert.deepEqual(read, expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('no cell of a CSV would be executed', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('in.ndjson', people.map((each) => JSON.stringify(each)).join('\n'));
    await desk.run(['contacts', 'import', 'in.ndjson']);
    const { stdout } = await desk.run(['contacts', 'export']);
    assert.match(stdout, /^name,email,phone,wid,mid,id,createdAt,updatedAt\n/);
    assert.doesNotMatch(stdout, /(^|,)"?[\s\u200b]*[=+\-@＝]/m);
    const raw = await desk.run(['contacts', 'export', '--raw']);
    assert.match(raw.stdout, /^=1\+1,/m);
  });

  test('with a query holds the contacts that match', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('in.csv', 'name,email\nJane,jane@x\nJoe,joe@x\n');
    await desk.run(['contacts', 'import', 'in.csv']);
    const { stdout } = await desk.run(['contacts', 'export', '--query', 'jane', '--json']);
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as Contact).name),
      ['Jane'],
    );
  });

  test('to - goes to stdout, and makes no file of that name', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.run(['contacts', 'create', '--name', 'Jane', '--email', 'jane@x']);
    for (const format of ['csv', 'ndjson']) {
      const [named, left] = await Promise.all(
        [['-'], []].map((file) => desk.run(['contacts', 'export', ...file, '--format', format])),
      );
      assert.match(named?.stdout ?? '', /jane@x/);
      assert.deepEqual([named?.code, named?.stdout], [0, left?.stdout]);
    }
    assert.match((await desk.run(['contacts', 'export', '-', '--json'])).stdout, /^\{"id":"con_/);
    assert.deepEqual(await readdir(desk.folder), []);
  });

  test('replaces no file without --force, and leaves nothing half-written', async (t) => {
    const desk = await makeDesk(t, server);
    await writeFile(join(desk.folder, 'out.csv'), 'mine');
    const refused = await desk.run(['contacts', 'export', 'out.csv']);
    assert.deepEqual([refused.code, await desk.read('out.csv')], [3, 'mine']);
    assert.match(refused.stderr, /--force/);
    const failed = await desk.run(['contacts', 'export', 'other.csv'], { env: { ROSTER_SECRET: 'rst_wrong' } });
    assert.equal(failed.code, 3);
    assert.deepEqual(await readdir(desk.folder), ['out.csv']);
    assert.equal((await desk.run(['contacts', 'export', 'out.csv', '--force'])).code, 0);
    assert.equal(await desk.read('out.csv'), 'name,email,phone,wid,mid,id,createdAt,updatedAt\n');
    assert.equal((await stat(join(desk.folder, 'out.csv'))).mode & 0o077, 0, 'for its owner only');
    assert.deepEqual(await readdir(desk.folder), ['out.csv']);
  });

  test('takes one sign as a separator, or the word tab', async (t) => {
    const desk = await makeDesk(t, server);
    const { stdout } = await desk.run(['contacts', 'export', '--separator', 'tab']);
    assert.match(stdout, /^name\temail\t/);
    for (const sign of ['', ',,', '"', "'", 'x']) {
      assert.equal((await desk.run(['contacts', 'export', '--separator', sign])).code, 2, sign);
      assert.equal((await desk.run(['contacts', 'import', 'x.csv', '--dry-run', '--separator', sign])).code, 2, sign);
    }
  });

  test('to a device writes to it, and does not replace it', async (t) => {
    const desk = await makeDesk(t, server);
    assert.equal((await desk.run(['contacts', 'export', '/dev/null', '--force'])).code, 0);
    assert.ok((await stat('/dev/null')).isCharacterDevice());
  });
});

/** In pieces, cut anywhere but within a character. */
async function* chunksOf(text: string): AsyncGenerator<string> {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += 7) yield characters.slice(at, at + 7).join('');
}
