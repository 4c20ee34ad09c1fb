// The list of contacts: order, filters, columns, pages and selection; what is done with many of them adds up; and all of
// it is kept by the address and reached by the keyboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, suite, test } from 'node:test';
import type { Request } from 'playwright-core';
import { ConsoleWorld, Person, wholeFile, withoutRefusals } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
afterEach(() => ada.hadNoTrouble());

/** A bot of its own for each test, with contacts that have even and odd numbers. */
async function makeBot(count: number): Promise<{ botId: string; list: string; call: typeof world.callAccount }> {
  const { id: botId } = (await world.callAccount(account, 'POST', 'bots', { name: 'List' })).data as { id: string };
  const path = `bots/${botId}`;
  const define = (key: string, type: string, label: string) =>
    world.callAccount(account, 'PUT', `${path}/attributes/${key}`, { type, label });
  await define('plan', 'text', 'Plan');
  await define('seats', 'number', 'Seats');
  await define('trial', 'boolean', 'In trial');
  const data = Array.from({ length: count }, (_, at) => ({
    name: `${at % 2 ? 'Odd' : 'Even'} ${String(at).padStart(3, '0')}`,
    email: `${String(at).padStart(3, '0')}@example.com`,
    ...(at % 2 && { wid: `+1555010${String(at).padStart(4, '0')}` }),
    attributes: { plan: at % 2 ? 'pro' : 'free', seats: at },
    tags: at % 2 ? ['vip'] : [],
  }));
  for (let at = 0; at < count; at += 1000) {
    await world.callAccount(account, 'PATCH', `${path}/contacts`, { data: data.slice(at, at + 1000) });
  }
  return {
    botId,
    list: `/${path}/contacts`,
    call: (who, method, rest, body) => world.callAccount(who, method, `${path}/${rest}`, body),
  };
}

const rows = () => ada.page.getByRole('table').getByRole('row');
const names = async () => (await ada.page.locator('a[data-contact]').allInnerTexts()).map((text) => text.trim());
const firstIs = (name: string) =>
  ada.page.getByRole('table').locator('tbody tr').first().getByRole('link', { name }).waitFor();
const total = (text: string) => ada.page.getByText(text, { exact: true }).waitFor();
const totalOf = async (call: Awaited<ReturnType<typeof makeBot>>['call'], query: string) => {
  const answer = (await call(account, 'GET', `contacts?${query}`)) as { pagination: { total: number } };
  return answer.pagination.total;
};

suite('a cold load', () => {
  test('takes at most 150 kB of script, and asks for the first page of contacts and for the segments once', async (t) => {
    const { list } = await makeBot(30);
    const person = await Person.arrive(t, world, { account });
    const searches: Request[] = [];
    person.page.on('request', (request) => {
      if (/\/(?:contacts|segments)$/.test(new URL(request.url()).pathname)) searches.push(request);
    });
    await person.goTo(list);
    await person.page.getByText('1–25 of 30').waitFor();
    await person.hasLoaded();
    await person.page.waitForLoadState('networkidle');
    const scriptBytes = await person.page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    );
    assert.ok(scriptBytes > 50_000 && scriptBytes <= 150_000, `${scriptBytes} bytes`);
    const requests = (await withoutRefusals(searches)).map(
      (request) => `${request.method()} ${new URL(request.url()).pathname}`,
    );
    assert.deepEqual(requests.sort(), [
      `GET /v1/account${list.replace('contacts', 'segments')}`,
      `POST /v1/account${list}`,
    ]);
  });
});

suite('order, columns and pages', () => {
  test('a column title sorts, and a second click turns the order around; the address keeps it', async () => {
    const { list } = await makeBot(30);
    await ada.goTo(list);
    await firstIs('Odd 029');
    await ada.press('Name');
    await firstIs('Even 000');
    assert.equal(await ada.page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'), 'ascending');
    await ada.press('Name');
    await firstIs('Odd 029');
    await ada.press('Email');
    await firstIs('Even 000');
    await ada.page.reload();
    await firstIs('Even 000');
    assert.equal(await ada.page.getByRole('columnheader', { name: 'Email' }).getAttribute('aria-sort'), 'ascending');
  });

  test('columns are chosen, and kept: attributes, tags and last seen', async () => {
    const { botId, list, call } = await makeBot(4);
    const { data } = (await call(account, 'GET', 'contacts')) as { data: { id: string }[] };
    assert.equal(data.length, 4);
    await ada.goTo(list);
    await ada.page.getByRole('columnheader', { name: 'Last seen' }).waitFor();
    assert.equal(await ada.page.getByRole('columnheader', { name: 'Plan' }).count(), 0);
    await ada.press('Columns');
    for (const name of ['Plan', 'Tags', 'Seats', 'Last seen']) {
      await ada.page.getByRole('menuitemcheckbox', { name, exact: true }).click();
    }
    await ada.page.keyboard.press('Escape');
    const odd = rows().filter({ hasText: 'Odd 003' });
    await odd.getByText('pro').waitFor();
    await odd.getByText('vip').waitFor();
    await ada.page.reload();
    await odd.getByText('pro').waitFor();
    const titles = await ada.page.getByRole('columnheader').allInnerTexts();
    assert.deepEqual(
      titles.map((title) => title.trim()),
      ['', 'Name', 'Email', 'Phone', 'Tags', 'Created', 'Plan', 'Seats', 'ID'],
    );
    assert.match((await ada.page.evaluate((id) => localStorage.getItem(`roster columns ${id}`), botId)) ?? '', /plan/);
  });

  test('of many tags, as many as fit are shown whole, and the number of the others', async () => {
    const { list, call } = await makeBot(1);
    const tags = ['beta', 'early bird', 'partner', 'reseller', 'vip'];
    await call(account, 'PATCH', 'contacts', {
      data: [
        { email: '000@example.com', tags },
        { name: 'Few', email: 'few@example.com', tags: ['beta', 'vip'] },
      ],
    });
    await ada.goTo(list);
    await ada.press('Columns');
    await ada.page.getByRole('menuitemcheckbox', { name: 'Tags', exact: true }).click();
    await ada.page.keyboard.press('Escape');
    const cell = rows().filter({ hasText: 'Even 000' }).getByTitle(tags.join(', '));
    await cell.getByText(/^\+\d$/).waitFor();
    const [line, ...shown] = await cell.evaluate((element) => {
      const box = (each: Element) => each.getBoundingClientRect();
      const own = element.querySelector('span') as Element;
      return [own, ...own.children].map((each) => ({ right: box(each).right, bottom: box(each).bottom }));
    });
    assert.ok(line);
    const visible = shown.filter(({ bottom }) => bottom <= line.bottom + 1);
    assert.ok(visible.length >= 2 && visible.every(({ right }) => right <= line.right + 1), 'none is cut off');
    assert.equal(await cell.getByText(/^\+\d$/).innerText(), `+${tags.length - visible.length}`);
    assert.equal(
      await rows()
        .filter({ hasText: 'Few' })
        .getByText(/^\+\d$/)
        .count(),
      0,
    );
  });

  test('a WhatsApp number in the column of phones says that it is one', async () => {
    const { list } = await makeBot(2);
    await ada.goTo(list);
    const cell = rows().filter({ hasText: 'Odd 001' }).getByRole('cell').filter({ hasText: '+15550100001' });
    assert.match(await cell.innerText(), /WhatsApp/);
  });

  test('the next page begins at its top, and a page past the end leads to the last one', async () => {
    const { list } = await makeBot(60);
    await ada.page.setViewportSize({ width: 1280, height: 500 });
    await ada.goTo(list);
    await ada.page.getByText('1–25 of 60').waitFor();
    await ada.page.getByRole('button', { name: 'Next page' }).scrollIntoViewIfNeeded();
    assert.ok((await ada.page.evaluate(() => scrollY)) > 0);
    await ada.press('Next page');
    await ada.page.getByText('26–50 of 60').waitFor();
    assert.equal(await ada.page.evaluate(() => scrollY), 0);
    await ada.goTo(`${list}?page=77`);
    await ada.page.getByText('51–60 of 60').waitFor();
    assert.match(ada.page.url(), /page=3$/);
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the first and the last page are a click away', async () => {
    const { list } = await makeBot(60);
    await ada.goTo(`${list}?size=10`);
    await ada.page.getByText('1–10 of 60').waitFor();
    assert.equal(await ada.page.getByRole('button', { name: 'First page' }).isDisabled(), true);
    await ada.press('Last page');
    await ada.page.getByText('51–60 of 60').waitFor();
    assert.equal(await ada.page.getByRole('button', { name: 'Last page' }).isDisabled(), true);
    await ada.press('First page');
    await ada.page.getByText('1–10 of 60').waitFor();
  });

  test('rows are 40 pixels high, numbers stand at the right, and a table on a wide screen takes its width', async () => {
    const { botId, list } = await makeBot(3);
    await ada.page.setViewportSize({ width: 1920, height: 800 });
    await ada.goTo(list);
    await ada.page.evaluate(
      (id) => localStorage.setItem(`roster columns ${id}`, '["email","tags","createdAt","attributes.seats"]'),
      botId,
    );
    await ada.page.reload();
    await ada.page.getByRole('columnheader', { name: 'Seats' }).waitFor();
    await firstIs('Even 002');
    const heights = await rows().evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    assert.deepEqual(
      heights.map((height) => Math.round(height)),
      [40, 40, 40, 40],
    );
    const table = ada.page.getByRole('table');
    const { width = 0 } = (await table.boundingBox()) ?? {};
    assert.ok(width > 1500, `the table is ${width} pixels wide`);
    const aligned = await table
      .locator('tr > :nth-child(6)')
      .evaluateAll((all) => [...new Set(all.map((cell) => getComputedStyle(cell).textAlign))]);
    assert.deepEqual(aligned, ['end']);
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the title is the name of the bot, or of the segment', async () => {
    const { list, call } = await makeBot(2);
    await call(account, 'PUT', 'segments/odd', { label: 'The odd ones', query: 'odd', filter: {} });
    await ada.goTo(list);
    await ada.sees('List');
    await ada.page.getByRole('link', { name: 'The odd ones' }).click();
    await ada.sees('The odd ones');
    assert.equal(await ada.page.title(), 'The odd ones · Roster');
  });

  test('a contact leads back to the list as it was: search, filters, order and page', async () => {
    const { list } = await makeBot(80);
    await ada.goTo(`${list}?query=odd&tag=vip&attributes[seats][gte]=10&sort=name&page=2&size=10`);
    await ada.page.getByText('11–20 of 35').waitFor();
    const before = new URLSearchParams(ada.page.url().split('?')[1]);
    await rows().nth(1).getByRole('link').click();
    await ada.page.getByRole('heading', { level: 1, name: /^Odd/ }).waitFor();
    await ada.page.reload();
    await ada.page.getByRole('main').getByRole('link', { name: 'Contacts' }).click();
    await ada.page.getByText('11–20 of 35').waitFor();
    assert.deepEqual([...new URLSearchParams(ada.page.url().split('?')[1])].sort(), [...before].sort());
    assert.equal(await ada.page.getByLabel('Search contacts').inputValue(), 'odd');
  });
});

suite('filters', () => {
  const addFilter = async (field: string, condition: string | undefined, value: string | undefined) => {
    await ada.press('Add filter');
    await ada.page.getByLabel('Field').selectOption(field);
    if (condition !== undefined) await ada.page.getByLabel('Condition').selectOption(condition);
    const input = ada.page.getByLabel('Value', { exact: true });
    if (value !== undefined) {
      const isList = (await input.evaluate((element) => element.tagName)) === 'SELECT';
      await (isList ? input.selectOption(value) : input.fill(value));
    }
    await ada.press('Apply');
  };

  test('are chips, of attributes, tags and dates; each can be removed, and the address keeps them', async () => {
    const { list } = await makeBot(20);
    await ada.goTo(list);
    await total('20 contacts');
    await addFilter('Plan', 'is', 'PRO');
    await total('10 matches');
    await addFilter('Plan', 'is', 'free');
    await total('20 matches');
    await ada.page.getByText('Plan is PRO or free').waitFor();
    await addFilter('Seats', 'is at least', '10');
    await total('10 matches');
    await addFilter('Seats', 'is less than', '15');
    await total('5 matches');
    await addFilter('Tag', undefined, 'vip');
    await total('2 matches');
    await addFilter('Created', 'in the last … days', '7');
    await ada.page.getByText('Created in the last 7 days').waitFor();
    await total('2 matches');
    await ada.page.reload();
    await total('2 matches');
    await ada.press('Remove filter: Tag is vip');
    await total('5 matches');
    await addFilter('Created', 'before', '2020-01-31');
    await ada.page.getByText('No contacts match these filters.').waitFor();
    await ada.page.getByText('Created before 31 Jan 2020').waitFor();
    await ada.press('Clear filters');
    await total('20 contacts');
    await addFilter('In trial', 'has a value', undefined);
    await ada.page.getByText('In trial has a value').waitFor();
    await total('0 matches');
    await ada.press('Add filter');
    await ada.page.getByLabel('Field').selectOption('Created');
    await ada.page.getByLabel('Condition').selectOption('in the last … days');
    const days = ada.page.getByLabel('Value', { exact: true });
    assert.equal(await days.inputValue(), '30');
    await days.fill('');
    assert.equal(await days.inputValue(), '', 'it can be emptied');
    assert.equal(await ada.page.getByRole('button', { name: 'Apply', exact: true }).isDisabled(), true);
    await ada.page.keyboard.press('Escape');
  });

  test('that do not exist find nothing, also where all contacts were shown before', async () => {
    const { list } = await makeBot(2);
    await ada.goTo(list);
    await total('2 contacts');
    await ada.page.getByLabel('Select all on this page').check();
    await ada.goTo(`${list}?color=red`);
    await ada.page.getByRole('heading', { name: 'Unknown filter' }).waitFor();
    assert.equal(await ada.page.getByText(/^2 (?:contacts|selected)$/).count(), 0);
    assert.equal(await ada.page.getByRole('button', { name: 'Import & export' }).count(), 0);
    await ada.press('Remove filter');
    await total('2 contacts');
  });

  test('compare with several values, parts of them and none; with tags, last seen, and days to come', async () => {
    const { list, call } = await makeBot(20);
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    await call(account, 'PUT', 'attributes/renewal', { type: 'date', label: 'Renewal' });
    const renewals = { '000': -10, '001': 0, '002': 20, '003': 50, '005': -3 };
    await call(account, 'PATCH', 'contacts', {
      data: Object.entries(renewals).map(([at, days]) => ({
        email: `${at}@example.com`,
        attributes: { renewal: day(days) },
      })),
    });
    await call(account, 'PATCH', 'contacts', { data: [{ email: '004@example.com', tags: ['beta'] }] });
    await ada.goTo(list);
    await total('20 contacts');
    await addFilter('Plan', 'is not', 'PRO');
    await ada.page.getByText('Plan is not PRO').waitFor();
    await total('10 matches');
    await addFilter('Name', undefined, 'even 01');
    await ada.page.getByText('Name contains even 01').waitFor();
    await total('5 matches');
    await addFilter('WhatsApp', 'has no value', undefined);
    await total('5 matches');
    await ada.press('Clear filters');
    await addFilter('Tag', 'has no tag', undefined);
    await ada.page.getByText('Has no tag').waitFor();
    await total('9 matches');
    await ada.press('Clear filters');
    await ada.press('Add filter');
    await ada.page.getByLabel('Condition').selectOption('is any of');
    await ada.page.getByRole('checkbox', { name: 'beta' }).check();
    await ada.page.getByRole('checkbox', { name: 'vip' }).check();
    await ada.press('Apply');
    await ada.page.getByText('Tag is beta or vip').waitFor();
    await total('11 matches');
    await addFilter('Last seen', 'at any time', undefined);
    await total('0 matches');
    await ada.press('Remove filter: Seen at least once');
    await addFilter('Last seen', 'never', undefined);
    await total('11 matches');
    await ada.press('Clear filters');
    await addFilter('Renewal', 'in the next … days', '30');
    await ada.page.getByText('Renewal in the next 30 days').waitFor();
    await total('2 matches');
    await ada.page.reload();
    await total('2 matches');
    await ada.press('Remove filter: Renewal in the next 30 days');
    await addFilter('Renewal', 'in the last … days', '30');
    await total('3 matches');
  });

  test('are changed where they stand, with the same form', async () => {
    const { list } = await makeBot(20);
    await ada.goTo(`${list}?attributes[seats][gte]=10&attributes[plan]=pro&attributes[plan]=free&tag=vip`);
    await total('5 matches');
    await ada.press('Seats is at least 10');
    const form = ada.page.getByRole('dialog', { name: 'Seats is at least 10' });
    assert.equal(await form.getByLabel('Field').inputValue(), 'attributes[seats]');
    const value = form.getByLabel('Value', { exact: true });
    assert.equal(await value.inputValue(), '10');
    await value.fill('5');
    await ada.press('Apply');
    const chip = ada.page.getByRole('button', { name: 'Seats is at least 5', exact: true });
    await chip.and(ada.page.locator(':focus')).waitFor();
    await total('8 matches');
    await ada.press('Plan is pro or free');
    await ada.press('Remove value: pro');
    await ada.page.getByLabel('Condition').selectOption('is not');
    await ada.press('Apply');
    await total('8 matches');
    assert.deepEqual(
      await ada.page
        .getByRole('list', { name: 'Filters' })
        .getByRole('button', { name: /^(?:Seats|Plan|Tag)/ })
        .allInnerTexts(),
      ['Seats is at least 5', 'Plan is not free', 'Tag is vip'],
      'each keeps its place',
    );
  });

  test('suggest the values that contacts have', async () => {
    const { list } = await makeBot(4);
    await ada.goTo(list);
    await ada.press('Add filter');
    await ada.page.getByLabel('Field').selectOption('Plan');
    const suggestions = ada.page.locator('datalist option');
    await suggestions.first().waitFor({ state: 'attached' });
    assert.deepEqual(await suggestions.evaluateAll((all) => all.map((option) => option.getAttribute('value'))), [
      'free',
      'pro',
    ]);
    await ada.page.keyboard.press('Escape');
  });

  test('that are misspelt are not left out, but named', async () => {
    const { list } = await makeBot(3);
    await ada.goTo(`${list}?tgas=vip&sort=name`);
    await ada.page.getByText('tgas').waitFor();
    assert.equal(await rows().count(), 0);
    await ada.press('Remove filter');
    await total('3 contacts');
    assert.match(ada.page.url(), /contacts\?sort=name$/);
  });

  test('a segment is a filter too', async () => {
    const { list, call } = await makeBot(6);
    await call(account, 'PUT', 'segments/large', {
      label: 'Large accounts',
      filter: { attributes: { seats: { gte: 4 } } },
    });
    await ada.goTo(`${list}?segment=large`);
    await total('2 matches');
    await ada.press('Remove filter: Segment: Large accounts');
    await total('6 contacts');
  });
});

suite('a selection', () => {
  test('is what can be seen: another search, filter or page begins with none, and the dialog names who goes', async () => {
    const { list, call } = await makeBot(40);
    await ada.goTo(list);
    await ada.page.getByLabel('Select all on this page').check();
    await ada.page.getByRole('button', { name: 'Delete 25 contacts…' }).waitFor();
    await ada.page.getByLabel('Search contacts').fill('even');
    await total('20 matches');
    assert.equal(await ada.page.getByRole('button', { name: /^Delete/ }).count(), 0);
    await ada.page.getByLabel('Select Even 038').check();
    await ada.page.getByLabel('Select Even 036').check();
    await ada.press('Delete 2 contacts…');
    const dialog = ada.page.getByRole('dialog');
    await dialog.waitFor();
    assert.deepEqual(await dialog.getByRole('listitem').allInnerTexts(), [
      'Even 038 038@example.com',
      'Even 036 036@example.com',
    ]);
    await ada.press('Cancel');
    await ada.press('Clear');
    assert.equal(await ada.page.getByRole('button', { name: /^Delete/ }).count(), 0);
    assert.equal(await totalOf(call, ''), 40);
  });

  test('is a range with the shift key, by boxes, rows and the keyboard', async () => {
    const { list } = await makeBot(10);
    await ada.goTo(list);
    await firstIs('Odd 009');
    const box = (name: string) => ada.page.getByLabel(`Select ${name}`);
    const isSelected = async (count: number) => {
      await ada.page.getByText(`${count} selected`).waitFor();
    };
    await box('Even 008').click();
    await box('Odd 005').click({ modifiers: ['Shift'] });
    await isSelected(4);
    await box('Odd 007').click();
    await isSelected(3);
    await box('Odd 005').click({ modifiers: ['Shift'] });
    await isSelected(1);
    await rows()
      .filter({ hasText: 'Even 002' })
      .getByText('002@example.com')
      .click({ modifiers: ['Shift'] });
    await isSelected(5);
    assert.equal(await ada.page.getByRole('region', { name: 'Contact', exact: true }).count(), 0);
    await ada.page.getByRole('link', { name: 'Even 000' }).focus();
    await ada.page.keyboard.press('X');
    await isSelected(7);
  });

  test('and the titles stay in view while the list is scrolled, also when it is wider than the page', async () => {
    const { list } = await makeBot(60);
    await ada.page.setViewportSize({ width: 1280, height: 500 });
    const yOf = async (what: ReturnType<typeof rows>) => (await what.boundingBox())?.y ?? Number.NaN;
    const last = ada.page.getByRole('link', { name: 'Even 010' });
    const title = ada.page.getByRole('columnheader', { name: 'Name' });
    const bar = ada.page.getByRole('region', { name: 'Selection' });
    await ada.goTo(`${list}?size=50`);
    await ada.page.getByLabel('Select all on this page').check();
    await last.scrollIntoViewIfNeeded();
    assert.equal(await yOf(bar), 0);
    const { height } = (await bar.boundingBox()) ?? { height: Number.NaN };
    assert.ok(Math.abs((await yOf(title)) - height) <= 1, 'the titles are below the bar');
    await ada.press('Clear');
    await ada.press('Columns');
    for (const name of ['WhatsApp', 'Messenger ID', 'Tags', 'Updated', 'Plan', 'Seats']) {
      await ada.page.getByRole('menuitemcheckbox', { name, exact: true }).click();
    }
    await ada.page.keyboard.press('Escape');
    await last.scrollIntoViewIfNeeded();
    const titleY = await yOf(title);
    assert.ok(titleY >= 0 && titleY < (await yOf(last)), `the titles are at ${titleY}`);
    await ada.page.getByRole('columnheader', { name: 'Seats' }).scrollIntoViewIfNeeded();
    const { x = Number.NaN } = (await title.boundingBox()) ?? {};
    assert.ok(x >= 248, `the names are at ${x}`);
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  });

  test('all that match are deleted, and no other', async () => {
    const { list, call } = await makeBot(2500);
    await ada.goTo(`${list}?tag=vip`);
    await total('1,250 matches');
    await ada.page.getByLabel('Select all on this page').check();
    await ada.press('Select all 1,250 that match');
    await call(account, 'PATCH', 'contacts', { data: [{ name: 'New', email: 'new@example.com', tags: ['vip'] }] });
    const held = Promise.withResolvers<void>();
    let counts = 0;
    await ada.page.route(/\/contacts\?/, async (route) => {
      if (route.request().headers()['cache-control'] === 'no-cache') {
        counts++;
        await held.promise;
      }
      await route.continue();
    });
    await ada.press('Delete 1,250 contacts…');
    await ada.page.getByRole('dialog').getByText('Counting…').waitFor();
    held.resolve();
    await ada.page.getByRole('heading', { name: 'Delete 1,251 contacts?' }).waitFor();
    await ada.page.getByText('and 1,246 more').waitFor();
    const confirm = ada.page.getByRole('button', { name: 'Delete', exact: true });
    const number = ada.page.getByLabel('Type 1,251 to confirm');
    assert.equal(await confirm.isDisabled(), true, 'more than a page of them need the number typed');
    await number.fill('125');
    assert.equal(await confirm.isDisabled(), true);
    await number.fill('1251');
    await confirm.click();
    await ada.seesNotice('Deleted 1,251 contacts.');
    assert.equal(counts, 1);
    await ada.page.unrouteAll();
    await ada.press('Done');
    await total('0 matches');
    assert.equal(await totalOf(call, ''), 1250);
    assert.equal(await totalOf(call, 'tag=vip'), 0);
  });

  test('all that match get a tag, lose one, and get an attribute; the result adds up', async () => {
    const { list, call } = await makeBot(120);
    const chooseAll = async (from: string) => {
      await ada.goTo(from);
      await ada.hasLoaded();
      await ada.page.getByLabel('Select all on this page').check();
      await ada.page.getByRole('button', { name: /^Select all [\d,]+ that match$/ }).click();
    };
    await chooseAll(`${list}?attributes[seats][lt]=100`);
    await ada.press('Add tag…');
    await ada.fill({ Tag: 'VIP' });
    await ada.press('Add tag');
    await ada.seesNotice('Tagged 50 contacts. 50 already had the tag.');
    await ada.press('Done');
    assert.equal(await totalOf(call, 'tag=vip'), 110);

    await chooseAll(`${list}?tag=vip`);
    await ada.press('Remove tag…');
    await ada.press('Remove tag');
    await ada.seesNotice('Removed the tag from 110 contacts.');
    await ada.press('Done');
    assert.equal(await totalOf(call, 'tag=vip'), 0);

    await chooseAll(`${list}?query=even`);
    await ada.press('Set attribute…');
    const attribute = ada.page.getByLabel('Attribute', { exact: true });
    const set = ada.page.getByRole('button', { name: 'Set attribute', exact: true });
    assert.equal(await attribute.inputValue(), '', 'none is preselected');
    await attribute.selectOption('Seats');
    assert.equal(await set.isDisabled(), true, 'an empty value removes nothing');
    await ada.page.getByLabel('Value', { exact: true }).fill('8');
    await set.click();
    await ada.seesNotice('Set the attribute for 59 contacts. 1 already had this value.');
    await ada.press('Done');
    const withSeats = `${encodeURIComponent('attributes[seats]')}=8`;
    assert.equal(await totalOf(call, withSeats), 60);

    await chooseAll(`${list}?query=even`);
    await ada.press('Remove attribute value…');
    assert.equal(await attribute.inputValue(), '');
    await attribute.selectOption('Seats');
    await ada.press('Remove value');
    await ada.seesNotice('Removed the value from 60 contacts.');
    await ada.press('Done');
    assert.equal(await totalOf(call, withSeats), 0);
  });

  test('an action goes on when its dialog is closed, and says how it ended', async () => {
    const { botId, list, call } = await makeBot(40);
    await ada.goTo(list);
    await ada.page.getByLabel('Select all on this page').check();
    const held = Promise.withResolvers<void>();
    await ada.page.route(`**/bots/${botId}/contacts?*`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise;
      await route.continue();
    });
    await ada.press('Add tag…');
    await ada.fill({ Tag: 'later' });
    await ada.press('Add tag');
    await ada.press('Continue in background');
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    await ada.goTo('/secrets');
    await ada.sees('Secrets');
    held.resolve();
    await ada.page.getByLabel('Sidebar').getByRole('link', { name: 'Add tag “later” to 25 contacts Done' }).click();
    await ada.page.getByRole('main').getByText('Tagged 25 contacts.').waitFor();
    assert.equal(await totalOf(call, 'tag=later'), 25);
  });

  test('what the server rejects is counted with its reason', async () => {
    const { list } = await makeBot(3);
    await ada.goTo(list);
    await ada.page.getByLabel('Select all on this page').check();
    await ada.press('Add tag…');
    await ada.fill({ Tag: 'one, two' });
    await ada.press('Add tag');
    await ada.seesNotice('Tagged 0 contacts. 3 failed.');
    await ada.page.getByText('3 contacts: must not contain commas').waitFor();
    await ada.press('Done');
  });

  test('exports what was selected, with tags and attributes', async () => {
    const { list } = await makeBot(30);
    const exported = async () => {
      await ada.press('Export…');
      const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.press('Export')]);
      const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
      await ada.press('Done');
      return lines;
    };
    await ada.goTo(`${list}?tag=vip&sort=name&size=10`);
    await ada.page.getByLabel('Select Odd 003').check();
    // These are offered once the tags and attributes are known.
    for (const name of ['Remove tag…', 'Set attribute…']) await ada.page.getByRole('button', { name }).waitFor();
    const [titles, ...some] = await exported();
    assert.match(titles ?? '', /name,email,.*,tags,attributes\.plan,attributes\.seats,attributes\.trial$/);
    assert.equal(some.length, 1);
    assert.match(some[0] ?? '', /^Odd 003,.*,vip,pro,3,$/);
    await ada.page.getByLabel('Select all on this page').check();
    await ada.press('Select all 15 that match');
    const [, ...all] = await exported();
    assert.equal(all.length, 15);
    assert.ok(all.every((line) => line.startsWith('Odd ')));
  });
});

suite('the panel of a contact', () => {
  const panel = () => ada.page.getByRole('region', { name: 'Contact', exact: true });
  const shows = (name: string) => panel().getByRole('heading', { level: 2, name, exact: true }).waitFor();
  const rowOf = (name: string) => rows().filter({ hasText: name });

  test('is opened by a row, and has its place in the address; the name opens the page', async () => {
    const { list } = await makeBot(5);
    await ada.goTo(`${list}?sort=name`);
    await rowOf('Even 002').getByText('002@example.com').click();
    await shows('Even 002');
    await panel().getByText('002@example.com').first().waitFor();
    assert.equal(await rowOf('Even 002').getAttribute('aria-current'), 'true');
    await panel().getByRole('heading', { level: 2 }).first().and(ada.page.locator(':focus')).waitFor();
    await ada.page.reload();
    await shows('Even 002');
    await ada.press('Next contact');
    await shows('Even 004');
    await ada.page.goBack();
    await panel().waitFor({ state: 'detached' });
    await rowOf('Even 004').getByRole('link').click();
    await ada.sees('Even 004');
    assert.equal(await panel().count(), 0);
  });

  test('is moved and closed by the keyboard, and the focus returns to the row', async () => {
    const { list } = await makeBot(5);
    await ada.goTo(`${list}?sort=name`);
    await ada.page.getByRole('link', { name: 'Even 000' }).focus();
    await ada.page.keyboard.press('Space');
    await shows('Even 000');
    await panel().getByText('000@example.com').first().waitFor();
    await ada.page.keyboard.press('ArrowDown');
    await shows('Even 002');
    await ada.page.keyboard.press('j');
    await shows('Even 004');
    await ada.page.keyboard.press('ArrowUp');
    await shows('Even 002');
    await ada.page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    await ada.page.getByRole('link', { name: 'Even 002' }).and(ada.page.locator(':focus')).waitFor();
  });

  test('shows what a bulk action has changed, and is closed when the contact is deleted', async () => {
    const { list } = await makeBot(3);
    await ada.goTo(`${list}?sort=name`);
    await rowOf('Even 000').getByText('000@example.com').click();
    await shows('Even 000');
    await ada.page.getByLabel('Select Even 000').check();
    await ada.press('Add tag…');
    await ada.fill({ Tag: 'later' });
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Add tag', exact: true }).click();
    await ada.press('Done');
    await panel().getByRole('list', { name: 'Tags' }).getByText('later').waitFor();
    await panel().getByText('Tags changed').waitFor();
    await ada.page.getByLabel('Select Even 000').check();
    await ada.press('Delete 1 contact…');
    await ada.press('Delete');
    await ada.press('Done');
    await panel().waitFor({ state: 'detached' });
    assert.ok(!ada.page.url().includes('peek'));
  });

  test('asks before what was typed in it is lost, and shows it for no other contact', async () => {
    const { list } = await makeBot(3);
    await ada.goTo(`${list}?sort=name`);
    await rowOf('Even 000').getByText('000@example.com').click();
    await shows('Even 000');
    await ada.press('Edit Plan');
    await panel().getByLabel('Plan', { exact: true }).fill('mine');
    await rowOf('Even 002').getByText('002@example.com').click();
    await ada.page.getByText('Discard unsaved changes?').waitFor();
    await ada.press('Keep editing');
    await shows('Even 000');
    assert.equal(await panel().getByLabel('Plan', { exact: true }).inputValue(), 'mine');
    await rowOf('Even 002').getByText('002@example.com').click();
    await ada.press('Discard changes');
    await shows('Even 002');
    await panel().getByRole('button', { name: 'Edit Plan' }).waitFor();
    assert.equal(await panel().getByText('mine', { exact: true }).count(), 0);
  });

  test('is the page of the contact on a phone', async () => {
    const { list } = await makeBot(1);
    await ada.page.setViewportSize({ width: 390, height: 800 });
    await ada.goTo(list);
    await rowOf('Even 000').getByText('000@example.com').click();
    await ada.sees('Even 000');
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  });
});

suite('the keyboard', () => {
  test('? shows the shortcuts', async () => {
    const { list } = await makeBot(1);
    await ada.goTo(list);
    await firstIs('Even 000');
    await ada.page.keyboard.press('?');
    await ada.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Select the contact').waitFor();
    await ada.page.keyboard.press('Escape');
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    await ada.page.getByLabel('Search contacts').fill('?');
    assert.equal(await ada.page.getByRole('dialog').count(), 0);
  });

  test('/ searches, j and k move, x selects, Enter opens', async () => {
    const { list } = await makeBot(5);
    await ada.goTo(list);
    await firstIs('Even 004');
    const shown = await names();
    const isFocused = (name: string) =>
      ada.page.waitForFunction((text) => document.activeElement?.textContent === text, name);
    await ada.page.keyboard.press('j');
    await isFocused(shown[0] as string);
    await ada.page.keyboard.press('j');
    await ada.page.keyboard.press('j');
    await ada.page.keyboard.press('k');
    await isFocused(shown[1] as string);
    await ada.page.keyboard.press('x');
    await ada.page.getByText('1 selected').waitFor();
    assert.ok(await ada.page.getByLabel(`Select ${shown[1]}`).isChecked());
    await ada.page.keyboard.press('/');
    await ada.page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'search');
    await ada.page.keyboard.type('j');
    assert.equal(await ada.page.getByLabel('Search contacts').inputValue(), 'j');
    await ada.page.getByLabel('Search contacts').fill('');
    await total('5 contacts');
    await ada.page.getByRole('link', { name: shown[1] as string }).focus();
    await ada.page.keyboard.press('Enter');
    await ada.sees(shown[1] as string);
  });
});
