// Import and export in the browser: what is wrong with a file is seen before anything is written, every row is accounted
// for, and what is exported is harmless and can be imported again.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, suite, test } from 'node:test';
import type { AuditEntry } from '@roster/contract';
import type { Download } from 'playwright-core';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
afterEach(() => ada.hadNoTrouble());

/** A bot of its own for each test. */
async function makeBot(name: string): Promise<string> {
  return ((await world.callAccount(account, 'POST', 'bots', { name })).data as { id: string }).id;
}

async function contactsOf(botId: string) {
  const { data } = await world.callAccount(account, 'GET', `bots/${botId}/export`);
  return data as { name: string; email: string; phone: string; wid: string }[];
}

async function chooseFile(content: string | Buffer, name = 'people.csv'): Promise<void> {
  const buffer = typeof content === 'string' ? Buffer.from(content) : content;
  await ada.page.getByLabel('CSV file').setInputFiles({ name, mimeType: 'text/csv', buffer });
}

async function linesOf(download: Download): Promise<string[]> {
  return (await readFile(await download.path(), 'utf8')).replace(/\r\n$/, '').split('\r\n');
}

async function anotherFile(): Promise<void> {
  await ada.page.getByRole('link', { name: 'Import another file' }).click();
}

/** What the console counted: `{ rows: '5', imported: '3', … }`. */
async function countsOf(): Promise<Record<string, string>> {
  const labels = await ada.page.locator('dl dt').allInnerTexts();
  const values = await ada.page.locator('dl dd').allInnerTexts();
  return Object.fromEntries(labels.map((label, at) => [label, values[at] ?? '']));
}

suite('import', () => {
  test('shows the bad rows before anything is written, takes the good ones, and gives the bad ones back', async () => {
    const botId = await makeBot('Import');
    await ada.goTo(`/bots/${botId}/import`);
    await chooseFile(
      [
        'First name;Surname;E-Mail;Mobile;WhatsApp',
        'Jane;Doe;jane@example.com;+44 20 7946 0018;',
        'Bob;;not an email;;',
        '"Zoë\r\nAnn";Å;zoe@example.com;;+49 30 901820',
        'Max;Power;max@example.com;;12',
        ';;;;',
        "Kim;Li;kim@example.com;'+1 555;",
      ].join('\r\n'),
    );
    await ada.page.getByRole('button', { name: 'Import 2 contacts' }).waitFor();
    assert.deepEqual(await countsOf(), { rows: '6', ready: '2', rejected: '3', blank: '1' });
    const problems = ada.page.getByLabel('Rejected rows').getByRole('row');
    const shown = (await problems.allInnerTexts()).slice(1).map((line) => line.replaceAll('\t', ' | '));
    assert.deepEqual(shown, [
      '1 | Email | must be an email address, like jane@example.com | not an email line 3',
      '1 | Name | must not contain control characters | Zoë Ann Å line 4',
      '1 | WhatsApp | must be in international format, like +15550100123 | 12 line 6',
    ]);
    assert.deepEqual(await contactsOf(botId), [], 'nothing is written yet');

    await ada.press('Import 2 contacts');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    assert.deepEqual(await countsOf(), { rows: '6', imported: '2', rejected: '3', blank: '1' });
    const stored = (await contactsOf(botId)).map(({ name, phone }) => [name, phone]);
    assert.deepEqual(stored, [
      ['Jane Doe', '+44 20 7946 0018'],
      ['Kim Li', '+1 555'],
    ]);

    const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.press('Rejected rows as CSV')]);
    assert.equal(download.suggestedFilename(), 'people.csv.rejected.csv');
    const lines = await linesOf(download);
    assert.equal(lines[0], '\ufeffrejected line,rejected because,First name,Surname,E-Mail,Mobile,WhatsApp');
    assert.equal(lines.length, 4);
    assert.match(lines[1] ?? '', /^3,"?email must be an email address.*,Bob,,not an email,,$/);
  });

  test('a refused row keeps cells that are too many, and is refused again until it is mended', async () => {
    const botId = await makeBot('Surplus');
    await ada.goTo(`/bots/${botId}/import`);
    await chooseFile('email,name,phone\na@example.com,Doe, Jane,+1555\nb@example.com,B,\n');
    await ada.press('Import 1 contact');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.press('Rejected rows as CSV')]);
    const [header = '', row = ''] = await linesOf(download);
    assert.match(row, /,a@example\.com,Doe,Jane,'\+1555$/);

    await anotherFile();
    // A spreadsheet makes the header as long as the longest row.
    await chooseFile([`${header},`, row].join('\r\n'));
    await ada.page.getByText('still has something after the last column').waitFor();
    assert.deepEqual(await countsOf(), { rows: '1', ready: '0', rejected: '1' });

    await ada.press('Choose another file');
    await chooseFile([header, row.replace('Doe,Jane', '"Doe, Jane"')].join('\r\n'));
    await ada.press('Import 1 contact');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    const stored = (await contactsOf(botId)).map(({ name, phone }) => [name, phone]);
    assert.deepEqual(stored, [
      ['B', ''],
      ['Doe, Jane', '+1555'],
    ]);
  });

  test('columns can be mapped otherwise, and the check follows', async () => {
    const botId = await makeBot('Mapped');
    await ada.goTo(`/bots/${botId}/import`);
    await chooseFile('who,address,number\nJane Doe,jane@example.com,+1 555\n');
    await ada.page.getByText('Choose the column with the email.').waitFor();
    await ada.page.getByLabel('Field for address').selectOption('Email');
    await ada.page.getByText('1 row without a name').waitFor();
    await ada.page.getByLabel('Field for who').selectOption('Name');
    await ada.page.getByLabel('Field for number').selectOption('Phone');
    await ada.page.getByText('1 row without a name').waitFor({ state: 'detached' });
    await ada.press('Import 1 contact');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    const [contact] = await contactsOf(botId);
    assert.deepEqual([contact?.name, contact?.phone], ['Jane Doe', '+1 555']);
  });

  test('offers a sample that can be imported', async () => {
    await ada.goTo(`/bots/${await makeBot('Sample')}/import`);
    const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.press('Download a sample CSV')]);
    await chooseFile(await readFile(await download.path()));
    await ada.page.getByRole('button', { name: 'Import 2 contacts' }).waitFor();
    assert.deepEqual(await countsOf(), { rows: '2', ready: '2', rejected: '0' });
  });

  test('shows the beginning of a cell or title of megabytes', async () => {
    await ada.goTo(`/bots/${world.botId}/import`);
    await chooseFile(`name,email,${'t'.repeat(1_000_000)}\n${'x'.repeat(3_000_000)},jane@example.com,1\n`);
    const columns = ada.page.getByLabel('Columns of the file');
    await columns.getByText(/^x{20,100}…$/).waitFor();
    await columns.getByLabel(/^Field for t{20,100}…$/).waitFor();
    const { length } = (await columns.textContent()) ?? '';
    assert.ok(length < 5000, `${length} characters`);
  });

  test('says how many contacts are created, updated and unchanged, and which rows are merged', async () => {
    const botId = await makeBot('Merged');
    const data = ['same', 'old'].map((name) => ({ name, email: `${name}@example.com` }));
    await world.callAccount(account, 'PATCH', `bots/${botId}/contacts`, { data });
    await ada.goTo(`/bots/${botId}/import`);
    const rows = ['new,new@example.com', 'same,same@example.com', 'changed,old@example.com', 'newer,NEW@example.com'];
    await chooseFile(['name,email', ...rows].join('\n'));
    await ada.page.getByText('1 row is merged with an earlier row that has the same email.').waitFor();
    await ada.press('Import 3 contacts');
    await ada.page.getByText('1 created, 1 updated, 1 unchanged.').waitFor();
    await ada.page.getByText('1 row is merged with an earlier row').waitFor();
    assert.deepEqual(await countsOf(), { rows: '4', imported: '4', rejected: '0' });
  });

  test('rows that only the server can refuse are counted and given back too', async () => {
    const botId = await makeBot('Refused');
    await ada.goTo(`/bots/${botId}/import`);
    await chooseFile('name,email\n,nobody@example.com\nJane,jane@example.com\n');
    await ada.press('Import 2 contacts');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    assert.deepEqual(await countsOf(), { rows: '2', imported: '1', rejected: '1' });
    assert.equal((await contactsOf(botId)).length, 1);
  });

  test('takes thousands of rows of any encoding, with characters that lie across chunks of the file', async () => {
    const botId = await makeBot('Large');
    await ada.goTo(`/bots/${botId}/import`);
    const rows = Array.from({ length: 5000 }, (_, at) => `"Žofie ${'é'.repeat(at % 37)} ${at}",z${at}@example.com`);
    await chooseFile(`name,email\n${rows.join('\n')}`);
    await ada.press('Import 5,000 contacts');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    assert.deepEqual(await countsOf(), { rows: '5,000', imported: '5,000', rejected: '0' });
    const broken = await world.callAccount(account, 'GET', `bots/${botId}/contacts?query=%EF%BF%BD`);
    assert.deepEqual(broken.data, []);
    await anotherFile();
    await chooseFile(Buffer.from('name,email\nJos\xe9,jose@example.com\n', 'latin1'));
    await ada.page.getByText('windows-1252').waitFor();
    await ada.page.getByText('José').waitFor();
  });

  test('a stopped import finishes the requests in flight, and its numbers are those of the server', async () => {
    const botId = await makeBot('Stopped');
    await ada.goTo(`/bots/${botId}/import`);
    const rows = Array.from({ length: 12_000 }, (_, at) => `Row ${at},row${at}@example.com`);
    await chooseFile(`name,email\n${rows.join('\n')}`);
    const held = Promise.withResolvers<void>();
    await ada.page.route(`**/bots/${botId}/contacts?*`, async (route) => {
      await held.promise;
      await route.continue();
    });
    const sent = ada.page.waitForRequest(`**/bots/${botId}/contacts?*`);
    await ada.press('Import 12,000 contacts');
    await sent;
    await ada.press('Stop');
    held.resolve();
    await ada.page.getByText('Stopped. What was imported stays').waitFor();
    const { imported } = await countsOf();
    const page = await world.callAccount(account, 'GET', `bots/${botId}/contacts?limit=1`);
    const { total } = (page as { pagination: { total: number } }).pagination;
    assert.equal(imported, total.toLocaleString('en'));
    assert.ok(total > 0 && total < 12_000, imported);
  });

  test('goes on while its page is left, and another one waits for it; leaving the site asks', async () => {
    const botId = await makeBot('Elsewhere');
    const list = `/bots/${botId}/contacts`;
    const start = async (name: string, count: number) => {
      await ada.goTo(`/bots/${botId}/import`);
      const rows = Array.from({ length: count }, (_, at) => `Row ${at},${name}${at}@example.com`);
      await chooseFile(`name,email\n${rows.join('\n')}`, `${name}.csv`);
      await ada.page.getByRole('button', { name: /^Import [\d,]+ contacts$/ }).click();
      await ada.sees(`${name}.csv`);
    };
    const asksBeforeLeaving = () =>
      ada.page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    const pill = ada.page.getByLabel('Sidebar').getByRole('link', { name: 'first.csv' });
    const held = Promise.withResolvers<void>();
    await ada.page.route(`**/bots/${botId}/contacts?*`, async (route) => {
      await held.promise;
      await route.continue();
    });
    assert.equal(await asksBeforeLeaving(), false);
    await start('first', 6000);
    await start('second', 2000);
    await ada.page.getByText('Starts when the one before it is done.').waitFor();
    await ada.goTo(list);
    await pill.getByText('0%, 1 waiting').waitFor();
    assert.equal(await asksBeforeLeaving(), true);
    held.resolve();
    await ada.page.getByText('8,000 contacts', { exact: true }).waitFor();
    assert.equal(await asksBeforeLeaving(), false);

    await ada.page.getByLabel('Sidebar').getByRole('link', { name: 'second.csv Done' }).click();
    await ada.sees('second.csv');
    assert.deepEqual(await countsOf(), { rows: '2,000', imported: '2,000', rejected: '0' });
    await ada.page.reload();
    await ada.goTo('/tasks');
    const entries = ada.page.getByLabel('Imports and bulk actions', { exact: true }).getByRole('row');
    await entries.filter({ hasText: 'first.csv' }).getByText('6,000 rows imported').waitFor();
    const ofAll = ada.page.getByLabel('Imports and bulk actions of all members', { exact: true });
    const first = ofAll.getByRole('row').filter({ hasText: 'imported first.csv' });
    await first.getByText(/^imported first\.csv into “.+”: 6,000 created, 0 updated$/).waitFor();
    assert.equal(await first.count(), 1);
    const kept = await ada.page.evaluate(() => JSON.stringify(Object.values(sessionStorage)));
    assert.match(kept, /first\.csv/);
    assert.doesNotMatch(kept, /@/, 'nothing of a contact is kept');
  });

  test('what was imported is forgotten with the sign-out', async (t) => {
    const person = await Person.arrive(t, world, { account: await world.signIn(account) });
    await person.goTo(`/bots/${await makeBot('Forgotten')}/import`);
    const buffer = Buffer.from('name,email\nJane,jane@example.com\n');
    await person.page.getByLabel('CSV file').setInputFiles({ name: 'private.csv', mimeType: 'text/csv', buffer });
    await person.press('Import 1 contact');
    await person.page.getByRole('link', { name: 'View contacts' }).waitFor();
    await person.page.reload();
    await person.goTo('/tasks');
    await person.page.getByRole('link', { name: 'private.csv' }).waitFor();
    await person.choose('Ada Owner Owner', 'Sign out');
    await person.sees('Sign in');
    await person.takeSession(await world.invite(account, 'member', 'Mo Member', 'mo@example.com'));
    await person.page.reload();
    await person.goTo('/tasks');
    await person.page.getByText('No imports or bulk actions').waitFor();
    assert.doesNotMatch(await person.page.evaluate(() => JSON.stringify({ ...sessionStorage })), /private/);
  });

  test('a file that cannot be read says why', async () => {
    await ada.goTo(`/bots/${world.botId}/import`);
    await chooseFile('');
    await ada.page.getByRole('alert').getByText('The file is empty').waitFor();
    await chooseFile(Buffer.from('PK\x03\x04'), 'people.xlsx');
    await ada.page.getByRole('alert').getByText('people.xlsx is not a text file but a workbook').waitFor();
    await chooseFile(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    await ada.page.getByRole('alert').getByText('people.csv is not a text file but a PNG image: export').waitFor();
    await chooseFile(Buffer.from('name,email\nJane,jane@example.com\n', 'utf16le'));
    await ada.page
      .getByRole('alert')
      .getByText('it contains binary data. Export your contacts as CSV in UTF-8')
      .waitFor();
    await chooseFile('Jane Doe,jane@example.com\nJoe,joe@example.com\n');
    await ada.page.getByRole('alert').getByText('people.csv has no header: its first row holds jane@').waitFor();
    await chooseFile('name,email\nJoe,joe@example.com\n"Jane,jane@example.com\nKim,kim@example.com\n');
    await ada.page.getByRole('alert').getByText('Line 3: a cell begins with a quote that is never closed').waitFor();
  });

  test('maps columns to tags, to attributes and to new ones, whose guessed types are shown before they are created', async () => {
    const botId = await makeBot('Values');
    const path = `bots/${botId}`;
    await world.callAccount(account, 'PUT', `${path}/attributes/plan`, { type: 'text', label: 'Plan' });
    await ada.goTo(`/bots/${botId}/import`);
    await chooseFile(
      [
        'Name,Email,plan,Labels,Seats,Since,Newsletter,Notes,Nothing',
        'Jane,jane@example.com,pro,vip;early bird,12,2026-03-01,yes,likes maps,',
        'Bob,bob@example.com,,,,,no,,',
      ].join('\n'),
    );
    await ada.page.getByRole('button', { name: 'Import 2 contacts' }).waitFor();
    const field = (title: string) => ada.page.getByLabel(`Field for ${title}`, { exact: true });
    assert.equal(await field('plan').inputValue(), 'attributes.plan');
    await field('Labels').selectOption('Tags');
    await ada.press('Keep skipped columns as attributes');
    for (const text of [
      'Seats (seats): number',
      'Since (since): date',
      'Newsletter (newsletter): yes or no',
      'Notes (notes): text',
      'No values: no attribute is created.',
    ]) {
      await ada.page.getByText(text, { exact: true }).waitFor();
    }
    await field('Notes').selectOption('Skip');
    await ada.page.getByLabel('Add a tag to every contact').fill('imported');
    const { data: before } = await world.callAccount(account, 'GET', `${path}/attributes`);
    assert.deepEqual(
      (before as { key: string }[]).map(({ key }) => key),
      ['plan'],
    );
    await ada.press('Import 2 contacts');
    await ada.page.getByText('2 created, 0 updated, 0 unchanged.').waitFor();
    const { data: after } = await world.callAccount(account, 'GET', `${path}/attributes`);
    assert.deepEqual(
      (after as { key: string; type: string }[]).map(({ key, type }) => `${key} ${type}`),
      ['newsletter boolean', 'plan text', 'seats number', 'since date'],
    );
    const { data } = await world.callAccount(account, 'GET', `${path}/export?include=attributes,tags`);
    assert.deepEqual(
      (data as { attributes: object; tags: string[] }[]).map(({ attributes, tags }) => ({ attributes, tags })),
      [
        {
          attributes: { newsletter: true, plan: 'pro', seats: 12, since: '2026-03-01T00:00:00.000Z' },
          tags: ['early bird', 'imported', 'vip'],
        },
        { attributes: { newsletter: false }, tags: ['imported'] },
      ],
    );
  });

  test('says which value does not fit its attribute', async () => {
    const botId = await makeBot('Misfits');
    await world.callAccount(account, 'PUT', `bots/${botId}/attributes/seats`, { type: 'number', label: 'Seats' });
    await ada.goTo(`/bots/${botId}/import`);
    await chooseFile('name,email,seats\nJane,jane@example.com,many\nBob,bob@example.com,3\nKim,kim@example.com,few\n');
    await ada.page.getByRole('button', { name: 'Import 1 contact' }).waitFor();
    const [, row = '', ...others] = await ada.page.getByLabel('Rejected rows').getByRole('row').allInnerTexts();
    assert.match(row, /^2\s+Seats\s+must be a number\s+many line 2$/);
    assert.deepEqual(others, [], 'rows with the same reason are one line');

    await ada.page.getByLabel('Leave out invalid cells').check();
    await ada.press('Import 3 contacts');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    assert.deepEqual(await countsOf(), { rows: '3', imported: '3', rejected: '0' });
    const [, left = ''] = await ada.page.getByLabel('Cells left out').getByRole('row').allInnerTexts();
    assert.match(left, /^2\s+Seats\s+must be a number\s+many line 2$/);
    const { data } = await world.callAccount(account, 'GET', `bots/${botId}/export?include=attributes`);
    assert.deepEqual(
      (data as { attributes: object }[]).map(({ attributes }) => attributes),
      [{}, { seats: 3 }, {}],
    );
  });
});

suite('export', () => {
  const exportAll = async () => {
    await ada.choose('Import & export', 'Export as CSV…');
    const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.press('Export')]);
    return linesOf(download);
  };

  test('holds every contact, and no cell that a spreadsheet would execute; imported again, it changes nothing', async () => {
    const botId = await makeBot('Export');
    const data = [
      { name: `=cmd|' /C calc'!A0`, email: 'calc@example.com', phone: '+1 555 0100', wid: '+15550100' },
      { name: '<img src=x onerror=alert(1)>', email: 'img@example.com', mid: '@SUM(1)' },
      { name: 'Plain "quoted", Jane', email: 'jane@example.com', phone: '-1' },
    ];
    await world.callAccount(account, 'PATCH', `bots/${botId}/contacts`, { data });
    await ada.goTo(`/bots/${botId}/contacts`);
    const lines = await exportAll();
    await ada.seesNotice('3 contacts exported.');
    await ada.press('Done');
    assert.equal(lines[0], '\ufeffname,email,phone,wid,mid,id,createdAt,updatedAt,lastSeenAt');
    assert.equal(lines.length, 4);
    for (const cell of lines.slice(1).join(',').split(',')) assert.doesNotMatch(cell, /^"?[=+\-@]/, cell);
    assert.match(lines[1] ?? '', /^'=cmd/);

    const before = await contactsOf(botId);
    await ada.goTo(`/bots/${botId}/import`);
    await chooseFile(lines.join('\r\n'));
    await ada.page.getByRole('button', { name: 'Import 3 contacts', disabled: false }).waitFor();
    assert.equal(await ada.page.getByRole('button', { name: 'Keep skipped columns as attributes' }).count(), 0);
    await ada.press('Import 3 contacts');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    assert.deepEqual(await contactsOf(botId), before);
  });

  test('of a search holds those that match, and more than a page of them', async () => {
    const botId = await makeBot('Many');
    const data = Array.from({ length: 250 }, (_, at) => ({
      name: at % 2 ? `Odd ${at}` : `Even ${at}`,
      email: `e${at}@example.com`,
    }));
    await world.callAccount(account, 'PATCH', `bots/${botId}/contacts`, { data });
    await ada.goTo(`/bots/${botId}/contacts?query=odd`);
    await ada.page.getByText('125 matches', { exact: true }).waitFor();
    const lines = await exportAll();
    assert.equal(lines.length, 126);
    assert.ok(lines.slice(1).every((line) => line.startsWith('Odd ')));
    const { data: entries } = await world.callAccount(account, 'GET', 'audit');
    const exported = (entries as AuditEntry[]).filter(({ action, object }) => {
      return action === 'contacts.export' && object.id === botId;
    });
    assert.deepEqual(
      exported.map(({ count }) => count),
      [125],
    );
  });

  test('of selected contacts is in the audit log as one', async () => {
    const botId = await makeBot('Few');
    const data = ['Ann', 'Bob', 'Cleo'].map((name) => ({ name, email: `${name}@example.com` }));
    await world.callAccount(account, 'PATCH', `bots/${botId}/contacts`, { data });
    await ada.goTo(`/bots/${botId}/contacts`);
    for (const name of ['Ann', 'Cleo']) await ada.page.getByLabel(`Select ${name}`).check();
    await ada.press('Export…');
    const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.press('Export')]);
    const names = (await linesOf(download)).slice(1).map((line) => line.split(',')[0]);
    assert.deepEqual(names.toSorted(), ['Ann', 'Cleo']);
    const { data: entries } = await world.callAccount(account, 'GET', 'audit');
    const exported = (entries as AuditEntry[]).filter(({ action, object }) => {
      return action === 'contacts.export' && object.id === botId;
    });
    assert.deepEqual(
      exported.map(({ count }) => count),
      [2],
    );
    await ada.press('Done');
  });
});
