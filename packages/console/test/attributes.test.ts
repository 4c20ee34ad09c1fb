// Attributes, tags and segments: edited where a contact shows them, managed on a page of their own, saved from the list.
import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
afterEach(() => ada.hadNoTrouble());

interface Valued {
  id: string;
  attributes: Record<string, unknown>;
  tags: string[];
}

/** A bot of its own for each test, with an attribute of each type and three contacts. */
async function makeBot() {
  const { id: botId } = (await world.callAccount(account, 'POST', 'bots', { name: 'Fields' })).data as { id: string };
  const call = async (method: string, path: string, body?: unknown) =>
    (await world.callAccount(account, method, `bots/${botId}/${path}`, body)).data;
  for (const [key, type, label] of [
    ['plan', 'text', 'Plan'],
    ['renewal', 'date', 'Renewal'],
    ['seats', 'number', 'Seats'],
    ['trial', 'boolean', 'In trial'],
  ] as const) {
    await call('PUT', `attributes/${key}`, { type, label });
  }
  await call('PATCH', 'contacts', {
    data: [
      { name: 'Ann', email: 'ann@example.com', attributes: { plan: 'pro', seats: 5 }, tags: ['vip'] },
      { name: 'Bob', email: 'bob@example.com', attributes: { plan: 'pro', seats: 12 } },
      { name: 'Cyd', email: 'cyd@example.com', attributes: { plan: 'free' }, tags: ['vip', 'beta'] },
    ],
  });
  const [ann] = (await call('GET', 'contacts?email=ann@example.com')) as [Valued];
  const read = async () => (await call('GET', `contacts/${ann.id}?include=attributes,tags`)) as Valued;
  return { botId, call, read, list: `/bots/${botId}/contacts`, page: `/bots/${botId}/contacts/${ann.id}` };
}

const panel = (name: string) => ada.page.getByRole('region', { name, exact: true });

suite('on the page of a contact', () => {
  test('an attribute of each type is edited in place, and a wrong value is reported at its field', async () => {
    const { call, page, read } = await makeBot();
    await call('PUT', 'attributes/tier', { type: 'choice', label: 'Tier', choices: ['Small', 'Large'] });
    await ada.goTo(page);
    const attributes = panel('Attributes');
    const edit = async (label: string, change: () => Promise<unknown>) => {
      await ada.press(`Edit ${label}`);
      await change();
      await attributes.getByRole('button', { name: 'Save' }).click();
      await attributes.getByRole('button', { name: `Edit ${label}` }).waitFor();
    };
    const field = (label: string) => attributes.getByLabel(label, { exact: true });
    await edit('Plan', () => field('Plan').fill('team'));
    await edit('In trial', () => field('In trial').selectOption('Yes'));
    await edit('Tier', () => field('Tier').selectOption('Large'));
    await edit('Renewal', () => field('Renewal').fill('2027-01-31'));
    await ada.press('Edit Seats');
    await field('Seats').fill('many');
    await field('Seats').press('Enter');
    await attributes.getByText('Must be a number.', { exact: true }).waitFor();
    assert.equal(await field('Seats').getAttribute('aria-invalid'), 'true');
    await field('Seats').fill('1200.5');
    await field('Seats').press('Enter');
    await attributes.getByText('1,200.5', { exact: true }).waitFor();
    assert.deepEqual((await read()).attributes, {
      plan: 'team',
      renewal: '2027-01-31T00:00:00.000Z',
      seats: 1200.5,
      tier: 'Large',
      trial: true,
    });
    await attributes.getByText('31 Jan 2027').waitFor();
    await edit('Plan', () => field('Plan').fill(''));
    await ada.page.keyboard.press('Enter');
    await field('Plan').and(ada.page.locator(':focus')).fill('given up');
    await ada.page.keyboard.press('Escape');
    await ada.page.getByRole('button', { name: 'Edit Plan' }).and(ada.page.locator(':focus')).waitFor();
    assert.equal((await read()).attributes['plan'], undefined);
  });

  test('edits of other fields keep what is shown of attributes and tags', async () => {
    const { page } = await makeBot();
    await ada.goTo(page);
    await ada.press('Edit Name');
    await ada.fill({ Name: 'Annika' });
    await ada.press('Save');
    await ada.sees('Annika');
    await panel('Attributes').getByText('pro', { exact: true }).waitFor();
    await panel('Tags').getByText('vip', { exact: true }).waitFor();
  });

  test('tags are added and removed, and a tag that cannot be one is refused with the reason', async () => {
    const { page, read } = await makeBot();
    await ada.goTo(page);
    await ada.page.getByLabel('Add a tag').fill('beta');
    await ada.page.getByLabel('Add a tag').press('Enter');
    await ada.page.getByRole('button', { name: 'Remove tag: beta' }).waitFor();
    await ada.press('Remove tag: vip');
    await ada.page.getByRole('button', { name: 'Remove tag: vip' }).waitFor({ state: 'detached' });
    assert.deepEqual((await read()).tags, ['beta']);
    await ada.page.getByLabel('Add a tag').fill('one, two');
    await ada.page.getByLabel('Add a tag').press('Enter');
    await ada.page.getByRole('button', { name: 'Remove tag: two' }).waitFor();
    assert.deepEqual((await read()).tags, ['beta', 'one', 'two']);
    await ada.page.getByLabel('Add a tag').fill('..');
    await ada.page.getByLabel('Add a tag').press('Enter');
    await ada.page.locator('[aria-invalid=true]').and(ada.page.getByLabel('Add a tag')).waitFor();
    assert.equal(await panel('Tags').getByRole('alert').count(), 0, 'the field says it');
    assert.equal(await ada.page.getByLabel('Add a tag').inputValue(), '..');
    await ada.page.getByLabel('Add a tag').press('Escape');
    assert.equal(await ada.page.getByLabel('Add a tag').inputValue(), '');
  });
});

suite('on the page of attributes and tags', () => {
  test('an attribute is defined, renamed and deleted, with the values that contacts have', async () => {
    const { botId, call } = await makeBot();
    await ada.goTo(`/bots/${botId}/attributes`);
    await ada.sees('Attributes and tags');
    await ada.press('New attribute');
    await ada.fill({ 'Name *': 'Company size' });
    await ada.page.getByLabel('Type').selectOption('Number');
    await ada.press('Create attribute');
    await ada.seesNotice('Company size was created.');
    const row = panel('Attributes').getByRole('row', { name: /company_size/ });
    await row.getByText('Number', { exact: true }).waitFor();
    await ada.choose('Actions for Company size', 'Edit…');
    await ada.fill({ 'Name *': 'Employees', Description: 'Of the whole company' });
    await ada.press('Save');
    await row.getByText('Employees').waitFor();
    await row.getByText('Of the whole company').waitFor();
    await ada.choose('Actions for Plan', 'Delete…');
    await ada.page.getByText('Its values are deleted too: 3 contacts have one.').waitFor();
    await ada.press('Delete attribute');
    await ada.seesNotice('Plan was deleted.');
    const left = (await call('GET', 'attributes')) as { key: string }[];
    assert.deepEqual(
      left.map(({ key }) => key),
      ['company_size', 'renewal', 'seats', 'trial'],
    );
  });

  test('a key that is taken is not defined again', async () => {
    const { botId, call } = await makeBot();
    await ada.goTo(`/bots/${botId}/attributes`);
    await ada.press('New attribute');
    await ada.fill({ 'Name *': 'Plan!' });
    await ada.page.getByText('The key plan is already in use.').waitFor();
    await ada.press('Create attribute');
    await ada.fill({ Key: 'Not a key' });
    await ada.press('Create attribute');
    await ada.page.getByText(/Must be lower-case letters/).waitFor();
    assert.equal(((await call('GET', 'attributes')) as unknown[]).length, 4);
    await ada.fill({ Key: 'plan_name' });
    await ada.press('Create attribute');
    await ada.seesNotice('Plan! was created.');
  });

  test('an attribute has a list of choices, which is added to, respelled and shortened', async () => {
    const { botId, call } = await makeBot();
    await ada.goTo(`/bots/${botId}/attributes`);
    await ada.press('New attribute');
    await ada.fill({ 'Name *': 'Tier' });
    await ada.page.getByLabel('Type').selectOption('Choice');
    await ada.fill({ 'Choices *': 'Free\nPro\n\nOld' });
    await ada.press('Create attribute');
    await ada.seesNotice('Tier was created.');
    const choices = async () => ((await call('GET', 'attributes/tier')) as { choices: string[] }).choices;
    assert.deepEqual(await choices(), ['Free', 'Pro', 'Old']);
    await call('PATCH', 'contacts', { data: [{ email: 'ann@example.com', attributes: { tier: 'pro' } }] });
    await ada.choose('Actions for Tier', 'Edit…');
    await ada.fill({ 'Choices *': 'Free\nTeam' });
    await ada.press('Save');
    const field = ada.page.getByLabel('Choices *');
    await ada.page.getByRole('dialog').locator(':focus').and(field).waitFor();
    assert.match(await ada.page.getByRole('dialog').innerText(), /Pro.*1/);
    await ada.fill({ 'Choices *': 'Free\nPRO\nTeam' });
    await ada.press('Save');
    await ada.seesNotice('Saved.');
    assert.deepEqual(await choices(), ['Free', 'PRO', 'Team']);
    await panel('Attributes').getByText('Free, PRO, Team').waitFor();
    await ada.goTo(`/bots/${botId}/contacts`);
    await ada.press('Add filter');
    await ada.page.getByLabel('Field').selectOption('Tier');
    await ada.page.getByRole('checkbox', { name: 'PRO' }).check();
    await ada.press('Apply');
    await ada.page.getByText('1 match', { exact: true }).waitFor();
  });

  test('two attributes cannot have the same name', async () => {
    const { botId, call } = await makeBot();
    await ada.goTo(`/bots/${botId}/attributes`);
    await ada.press('New attribute');
    await ada.fill({ 'Name *': ' plan', Key: 'another_plan' });
    await ada.page.getByText('An attribute named plan already exists.').waitFor();
    await ada.press('Create attribute');
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal(((await call('GET', 'attributes')) as object[]).length, 4);
  });

  test('a tag is renamed and deleted on all contacts, and its number leads to them', async () => {
    const { botId, call, read } = await makeBot();
    await ada.goTo(`/bots/${botId}/attributes`);
    await ada.choose('Actions for vip', 'Rename…');
    await ada.fill({ 'Name *': 'beta' });
    await ada.press('Rename');
    await ada.page.getByRole('dialog').getByRole('alert').waitFor();
    await ada.fill({ 'Name *': 'important' });
    await ada.press('Rename');
    await ada.seesNotice('vip is now called important.');
    assert.deepEqual((await read()).tags, ['important']);
    await panel('Tags')
      .getByRole('row', { name: /important/ })
      .getByRole('link', { name: '2' })
      .click();
    await ada.page.getByText('2 matches').waitFor();
    await ada.page.goBack();
    await ada.choose('Actions for important', 'Delete…');
    await ada.press('Delete tag');
    await ada.seesNotice('important was deleted.');
    assert.deepEqual(
      ((await call('GET', 'tags')) as { name: string }[]).map(({ name }) => name),
      ['beta'],
    );
  });
});

suite('a segment', () => {
  test('is saved from the filters of the list with typed values, counted in the sidebar, and deleted', async () => {
    const { botId, call, list } = await makeBot();
    const conditions = ['attributes[plan]=pro', 'attributes[seats][gte]=5', 'attributes[trial][exists]=false'];
    await ada.goTo(`${list}?${conditions.join('&')}&tag=vip&sort=name`);
    // The menu reads the list of bots, which has a new one.
    await ada.looksAgain();
    await ada.page.getByText('1 match', { exact: true }).waitFor();
    await ada.press('Remove filter: Tag is vip');
    await ada.page.getByText('2 matches', { exact: true }).waitFor();
    await ada.press('Save as segment…');
    await ada.fill({ 'Name *': 'Large customers' });
    await ada.press('Save segment');
    await ada.seesNotice('Large customers was saved.');
    await ada.page.getByText('Segment: Large customers').waitFor();
    const [saved] = (await call('GET', 'segments')) as [object];
    assert.deepEqual(saved, {
      key: 'large_customers',
      label: 'Large customers',
      query: '',
      filter: { attributes: { plan: ['pro'], seats: { gte: 5 }, trial: { exists: false } } },
      sort: 'name',
    });
    const menu = ada.page.getByRole('navigation', { name: 'Console' });
    await menu.getByRole('link', { name: 'Large customers 2' }).waitFor();
    await ada.page.getByRole('link', { name: 'Ann' }).click();
    await ada.press('Edit Plan');
    await ada.page.getByLabel('Plan', { exact: true }).fill('free');
    await ada.page.getByLabel('Plan', { exact: true }).press('Enter');
    await menu.getByRole('link', { name: 'Large customers 1' }).click();
    await ada.page.getByText('1 match', { exact: true }).waitFor();
    await menu.getByRole('link', { name: 'Attributes' }).click();
    await panel('Segments').getByRole('link', { name: '1' }).waitFor();
    await ada.choose('Actions for Large customers', 'Delete…');
    await ada.press('Delete segment');
    await ada.seesNotice('Large customers was deleted.');
    await menu.getByRole('link', { name: /Large customers/ }).waitFor({ state: 'detached' });
    assert.deepEqual(await call('GET', 'segments'), []);
    assert.equal(((await call('GET', 'contacts')) as unknown[]).length, 3, `contacts of ${botId} stay`);
  });

  test('keeps every kind of filter as the API has it, and shows it again', async () => {
    const { botId, call, list } = await makeBot();
    const filter = {
      name: { contains: 'a' },
      tag: { all: ['vip'], any: ['beta', 'vip'], exists: true },
      lastSeenAt: { exists: false },
      attributes: { plan: { not: ['free', 'old'], contains: 'pr' }, renewal: { gte: '-0d', lte: '+30d' }, seats: [5] },
    };
    await call('PUT', 'segments/all_kinds', { label: 'All kinds', filter });
    const shown = [
      'Name contains a',
      'Tag is vip',
      'Tag is beta or vip',
      'Has a tag',
      'Never seen',
      'Plan is not free or old',
      'Plan contains pr',
      'Renewal in the next 30 days',
      'Seats is 5',
    ];
    await ada.goTo(`/bots/${botId}/attributes`);
    await ada.choose('Actions for All kinds', 'Edit…');
    const dialog = ada.page.getByRole('dialog', { name: 'Edit All kinds' });
    for (const text of shown) await dialog.getByRole('button', { name: text, exact: true }).waitFor();
    await ada.fill({ 'Name *': 'Kinds' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await ada.seesNotice('Saved.');
    const [saved] = (await call('GET', 'segments')) as { filter: object }[];
    assert.deepEqual(saved?.filter, filter);
    await ada.goTo(`${list}?segment=all_kinds`);
    await ada.page.getByText('0 matches', { exact: true }).waitFor();
  });

  test('whose attribute is deleted is named before, says what it lacks, shows no count, and can be edited', async () => {
    const { botId, call, list } = await makeBot();
    await call('PUT', 'segments/paying', { label: 'Paying', filter: { attributes: { plan: ['pro'] }, tag: ['vip'] } });
    await ada.goTo(`/bots/${botId}/attributes`);
    const entry = ada.page.getByLabel('Sidebar').getByRole('link', { name: /^Paying/ });
    await entry.getByText('1', { exact: true }).waitFor();
    await ada.choose('Actions for Plan', 'Delete…');
    await ada.page.getByText('1 segment uses it and will find no contacts until you edit it: Paying.').waitFor();
    await ada.press('Delete attribute');
    await ada.seesNotice('Plan was deleted.');
    const row = ada.page.getByRole('row').filter({ hasText: 'Paying' });
    await row.getByText('Uses the attribute plan, which was deleted.').waitFor();
    await entry.getByText('1', { exact: true }).waitFor({ state: 'detached' });

    await ada.goTo(`${list}?segment=paying`);
    await ada.page.getByText('Uses the attribute plan, which was deleted.').waitFor();
    assert.equal(await ada.page.getByRole('main').getByRole('alert').count(), 0);
    await ada.press('Edit segment');
    const dialog = ada.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove filter: plan is pro' }).click();
    await ada.press('Save');
    await ada.page.getByText('2 matches', { exact: true }).waitFor();
    await ada.page.getByRole('link', { name: 'Cyd' }).waitFor();
  });

  test('is changed: its name, search, filters and order', async () => {
    const { botId, call } = await makeBot();
    const filter = { tag: ['vip'], createdAt: { gte: '-30d' }, attributes: { plan: ['pro'], seats: { gte: 5 } } };
    await call('PUT', 'segments/large', { label: 'Large', filter, sort: 'name' });
    await ada.goTo(`/bots/${botId}/attributes`);
    await ada.choose('Actions for Large', 'Edit…');
    const dialog = ada.page.getByRole('dialog', { name: 'Edit Large' });
    for (const text of ['Tag is vip', 'Created in the last 30 days', 'Plan is pro', 'Seats is at least 5']) {
      await dialog.getByText(text, { exact: true }).waitFor();
    }
    await dialog.getByRole('button', { name: 'Remove filter: Tag is vip' }).click();
    await dialog.getByRole('button', { name: 'Add filter' }).click();
    await dialog.getByLabel('Field').selectOption('Plan');
    await dialog.getByLabel('Value').fill('premium');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.getByText('Plan is pro or premium', { exact: true }).waitFor();
    await ada.fill({ 'Name *': 'Very large', Search: 'ann' });
    await dialog.getByLabel('Order').selectOption('Email, Z to A');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await ada.seesNotice('Saved.');
    await panel('Segments').getByText('Very large').waitFor();
    assert.deepEqual(await call('GET', 'segments'), [
      {
        key: 'large',
        label: 'Very large',
        query: 'ann',
        filter: { createdAt: { gte: '-30d' }, attributes: { plan: ['pro', 'premium'], seats: { gte: 5 } } },
        sort: '-email',
      },
    ]);
  });
});
