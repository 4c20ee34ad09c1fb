// Contacts in the console: what others change meanwhile, pages, many at once, tokens; and text of visitors that stays text.
import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
afterEach(() => ada.hadNoTrouble());
const list = `/bots/${world.botId}/contacts`;

const row = (name: string) => ada.page.getByRole('row').filter({ hasText: name });

async function addContacts(count: number, prefix: string): Promise<void> {
  const data = Array.from({ length: count }, (_, at) => ({
    name: `${prefix} ${at}`,
    email: `${prefix.toLowerCase()}${at}@example.com`,
  }));
  assert.equal((await world.callBot('PATCH', 'contacts', { data })).status, 200);
}

suite('contacts', () => {
  test('saving keeps what another member changed while the form was open', async () => {
    const { json } = await world.callBot('PUT', 'contacts', { name: 'Shared', email: 's@example.com', phone: '111' });
    const { id } = json.data;
    await ada.goTo(`${list}/${id}`);
    await ada.press('Edit Name');
    await ada.fill({ Name: 'Shared by two' });
    await world.callBot('PATCH', `contacts/${id}`, { phone: '222' });
    await ada.looksAgain();
    await ada.page.getByRole('region', { name: 'Details' }).getByText('222').waitFor();
    await ada.press('Save');
    await ada.sees('Shared by two');
    const { name, phone } = (await world.callBot('GET', `contacts/${id}`)).json.data;
    assert.deepEqual({ name, phone }, { name: 'Shared by two', phone: '222' });
  });

  test('an email that is taken leads to the contact that has it', async () => {
    await addContacts(1, 'Taken');
    await ada.goTo(list);
    await ada.press('New contact');
    await ada.fill({ 'Name *': 'Other', 'Email *': 'TAKEN0@example.com' });
    await ada.press('Create contact');
    await ada.page.getByText('This email belongs to Taken 0.').waitFor();
    const holder = ada.page.getByRole('dialog').getByRole('link', { name: 'Taken 0', exact: true });
    assert.equal(await holder.getAttribute('target'), '_blank', 'the form stays as it is');
    await ada.press('Cancel');

    const { json } = await world.callBot('PUT', 'contacts', { name: 'Other', email: 'other@example.com' });
    await ada.goTo(`${list}/${json.data.id}`);
    await ada.press('Edit Email');
    await ada.fill({ Email: 'taken0@example.com' });
    await ada.page.keyboard.press('Enter');
    const field = ada.page.getByLabel('Email', { exact: true });
    await field.and(ada.page.locator('[aria-invalid=true]:focus')).waitFor();
    assert.equal(await ada.page.getByRole('alert').count(), 0, 'the field says it');
    await ada.page.getByRole('link', { name: 'Taken 0', exact: true }).click();
    await ada.press('Discard changes');
    await ada.sees('Taken 0');
  });

  test('a new contact has attributes and tags from the start, a tag that is only typed too', async () => {
    await world.callBot('PUT', 'attributes/seats', { type: 'number', label: 'Seats' });
    await world.callBot('PUT', 'attributes/trial', { type: 'boolean', label: 'In trial' });
    await ada.goTo(list);
    await ada.press('New contact');
    await ada.fill({ 'Name *': 'Whole', 'Email *': 'whole@example.com', Seats: 'many' });
    await ada.page.getByLabel('In trial', { exact: true }).selectOption('No');
    const tags = ada.page.getByRole('dialog').getByRole('combobox', { name: 'Tags', exact: true });
    await tags.fill('vip, beta');
    await tags.press('Enter');
    await ada.press('Remove tag: vip');
    await tags.fill('late');
    await ada.press('Create contact');
    await ada.page.getByText('Must be a number.', { exact: true }).waitFor();
    await ada.fill({ Seats: '12' });
    await ada.press('Create contact');
    await ada.seesNotice('Whole was created.');
    const { json } = await world.callBot('GET', 'contacts?email=whole@example.com&include=attributes,tags');
    const [{ attributes, tags: stored, phone }] = json.data;
    assert.deepEqual([attributes, stored, phone], [{ seats: 12, trial: false }, ['beta', 'late'], '']);
  });

  test('a field that somebody else changed meanwhile is not overwritten unseen, and what was typed stays', async () => {
    const { json } = await world.callBot('PUT', 'contacts', {
      name: 'Shared',
      email: 'shared@example.com',
      phone: '1',
    });
    const path = `contacts/${json.data.id}`;
    const read = async () => (await world.callBot('GET', path)).json.data;
    await ada.goTo(`${list}/${json.data.id}`);
    const phone = ada.page.getByLabel('Phone', { exact: true });
    await ada.press('Edit Phone');
    await phone.fill('2');
    // A change of another field is no reason to ask.
    await world.callBot('PATCH', path, { mid: 'm1' });
    await phone.press('Enter');
    await ada.page.getByRole('button', { name: 'Edit Phone' }).waitFor();
    assert.deepEqual([(await read()).phone, (await read()).mid], ['2', 'm1']);

    await ada.press('Edit Phone');
    await phone.fill('3');
    await world.callBot('PATCH', path, { phone: '4' });
    await phone.press('Enter');
    await ada.page.getByText('Somebody else changed this to 4.').waitFor();
    assert.deepEqual([await phone.inputValue(), (await read()).phone], ['3', '4']);
    await phone.press('Enter');
    await ada.page.getByRole('button', { name: 'Edit Phone' }).waitFor();
    assert.equal((await read()).phone, '3');
  });

  test('a field is edited where it stands: Enter saves, Escape cancels, and going elsewhere keeps what was typed', async () => {
    const { json } = await world.callBot('PUT', 'contacts', { name: 'Placed', email: 'placed@example.com' });
    const read = async () => (await world.callBot('GET', `contacts/${json.data.id}`)).json.data;
    await ada.goTo(`${list}/${json.data.id}`);
    const { page } = ada;
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const hasFocus = (label: string) => field(label).and(page.locator(':focus')).waitFor();
    // By a click on the value itself.
    await page.getByRole('region', { name: 'Details' }).getByText('placed@example.com').click();
    await hasFocus('Email');
    await page.keyboard.press('Escape');
    await hasFocus('Edit Email');
    // Without a mouse.
    await page.keyboard.press('Tab');
    await hasFocus('Edit Phone');
    await page.keyboard.press('Enter');
    await page.keyboard.type('+1 555 0100');
    await page.keyboard.press('Enter');
    await hasFocus('Edit Phone');
    assert.equal((await read()).phone, '+1 555 0100');
    // One that was not touched makes way for the next, and one with edits stays.
    await ada.press('Edit Phone');
    await ada.press('Edit WhatsApp');
    await hasFocus('WhatsApp');
    assert.equal(await field('Phone').count(), 0);
    await page.keyboard.type('nonsense');
    await ada.press('Edit Messenger ID');
    await hasFocus('Messenger ID');
    assert.equal(await field('WhatsApp').inputValue(), 'nonsense');
    await field('WhatsApp').press('Enter');
    await page.getByText('Must be in international format, like +15550100123.').waitFor();
    await hasFocus('WhatsApp');
    // The answer to a question comes before what was typed is lost.
    await page.getByRole('link', { name: 'Contacts', exact: true }).first().click();
    await ada.press('Keep editing');
    assert.equal(await field('WhatsApp').inputValue(), 'nonsense');
    await field('WhatsApp').press('Escape');
    await hasFocus('Edit WhatsApp');
    assert.equal((await read()).wid, '');
    // Two lines stay two.
    await world.callBot('PUT', 'attributes/notes', { type: 'text', label: 'Notes' });
    await world.callBot('PATCH', `contacts/${json.data.id}`, { attributes: { notes: 'one\ntwo' } });
    await page.reload();
    await ada.press('Edit Notes');
    await hasFocus('Notes');
    await page.keyboard.press('End');
    await field('Notes').press('Control+End');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('three');
    await page.keyboard.press('Enter');
    await hasFocus('Edit Notes');
    const { json: noted } = await world.callBot('GET', `contacts/${json.data.id}?include=attributes`);
    assert.equal(noted.data.attributes.notes, 'one\ntwo\nthree');
  });

  test('pages and page sizes are in the address, so that back and reload keep them', async () => {
    await addContacts(60, 'Paged');
    await ada.goTo(`${list}?query=paged`);
    await ada.page.getByText('60 matches', { exact: true }).waitFor();
    await ada.page.getByRole('button', { name: 'Page 3' }).click();
    await row('Paged 9').first().waitFor();
    await ada.page.getByText('51–60 of 60').waitFor();
    await ada.page.getByLabel('Contacts per page').selectOption('10');
    await ada.page.getByText('1–10 of 60').waitFor();
    await ada.page.goBack();
    await ada.page.getByText('51–60 of 60').waitFor();
    await ada.page.reload();
    await ada.page.getByText('51–60 of 60').waitFor();
    assert.equal(await ada.page.getByLabel('Search contacts').inputValue(), 'paged');
    await ada.page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await ada.page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[type=search]')?.value === '');
  });

  test('a late answer to an earlier question never replaces that to a later one', async () => {
    await addContacts(2, 'Order');
    await ada.goTo(list);
    const held = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await ada.page.route('**/contacts?query=order&**', async (route) => {
      await held.promise;
      await route.continue().catch(() => {});
      answered.resolve();
    });
    const search = ada.page.getByLabel('Search contacts');
    const asked = ada.page.waitForRequest('**/contacts?query=order&**');
    await search.fill('order');
    await asked;
    await search.fill('order1@');
    await ada.page.getByText('1 match', { exact: true }).waitFor();
    held.resolve();
    await answered.promise;
    await ada.page.evaluate(() => fetch('/healthz'));
    await ada.page.getByText('1 match', { exact: true }).waitFor();
    assert.equal(await ada.page.getByRole('row').count(), 2, 'the heading and one contact');
  });

  test('several are selected and deleted, and no other', async () => {
    await addContacts(12, 'Gone');
    await ada.goTo(`${list}?query=gone`);
    await ada.page.getByText('12 matches', { exact: true }).waitFor();
    await ada.page.getByLabel('Select all on this page').check();
    await ada.page.getByLabel('Select Gone 3').uncheck();
    await ada.press('Delete 11 contacts…');
    await ada.press('Delete');
    await ada.seesNotice('Deleted 11 contacts.');
    await ada.press('Done');
    await ada.page.getByText('1 match', { exact: true }).waitFor();
    const { json } = await world.callBot('GET', 'contacts?query=gone');
    assert.deepEqual(
      json.data.map(({ name }: { name: string }) => name),
      ['Gone 3'],
    );
  });

  test('the tokens of a contact are listed without themselves, and revoked one by one or all at once', async () => {
    const { json: made } = await world.callBot('PUT', 'contacts', { name: 'Known', email: 'known@example.com' });
    const issue = async () => (await world.callBot('POST', 'auth/contact', { id: made.data.id })).json;
    const [older, json] = [await issue(), await issue()];
    const identify = ({ token } = json) =>
      fetch(`${world.url}/v1/bots/${world.botId}/auth/contact`, { headers: { authorization: `Bearer ${token}` } });
    for (const token of [older, json]) assert.equal((await identify(token)).status, 200);
    await ada.goTo(`${list}/${made.data.id}`);
    await ada.page.getByRole('button', { name: 'Revoke…' }).first().click();
    await ada.press('Revoke token');
    await ada.seesNotice('The token was revoked.');
    const statuses = await Promise.all([older, json].map(async (token) => (await identify(token)).status));
    assert.deepEqual(statuses.toSorted(), [200, 401]);
    await ada.press('Revoke all…');
    assert.ok(!(await ada.page.content()).includes(json.token));
    await ada.press('Revoke all');
    await ada.page.getByText('No active tokens').waitFor();
    for (const token of [older, json]) assert.equal((await identify(token)).status, 401);
  });
});

suite('text of visitors', () => {
  const hostile = [
    `<img src=x onerror=alert(1)>`,
    `=cmd|' /C calc'!A0`,
    `"><script>alert(2)</script>`,
    '{{1+1}} javascript:alert(3)',
  ];

  test('is text on every page that shows it', async () => {
    const data = hostile.map((name, at) => ({
      name,
      email: `hostile${at}@example.com`,
      phone: name.slice(0, 60),
      mid: name,
    }));
    const { json } = await world.callBot('PATCH', 'contacts', { data });
    await ada.goTo(`${list}?query=hostile`);
    for (const name of hostile) await ada.page.getByRole('link', { name, exact: true }).waitFor();
    for (const [at, { id }] of json.data.entries()) {
      await ada.goTo(`${list}/${id}`);
      await ada.sees(hostile[at] as string);
      await ada.press('Edit Name');
      assert.equal(await ada.page.getByLabel('Name', { exact: true }).inputValue(), hostile[at]);
      await ada.press('Cancel');
      await ada.press('Delete…');
      await ada.page
        .getByRole('dialog')
        .getByText(hostile[at] as string)
        .waitFor();
    }
    assert.equal(await ada.page.locator('img, script:not([src])').count(), 0);
  });

  test('is text in the names of bots, members and secrets too, and in what was searched for', async () => {
    const [name] = hostile as [string];
    await world.callAccount(account, 'POST', 'bots', { name });
    await world.callAccount(account, 'POST', 'secrets', { name });
    await world.callBot('PUT', 'contacts', { name, email: 'searched@example.com' });
    await world.invite(account, 'member', name, 'img@example.com');
    await ada.goTo('/');
    await ada.page.getByRole('main').getByRole('link', { name, exact: true }).first().waitFor();
    for (const place of ['/bots', '/secrets', '/members', '/audit']) {
      await ada.goTo(place);
      await ada.page.getByRole('main').getByText(name).filter({ visible: true }).first().waitFor();
    }
    await ada.goTo(`${list}?${new URLSearchParams({ query: name })}`);
    // The menu has a link of that name, too: that of the bot.
    await ada.page.getByRole('table').getByRole('link', { name, exact: true }).first().waitFor();
    await ada.page.getByLabel('Search contacts').fill('<b>nobody</b>');
    await ada.page.getByText('No contacts match “<b>nobody</b>”.').waitFor();
    assert.equal(await ada.page.locator('img, main b, script:not([src])').count(), 0);
  });
});
