// What the screenshots of the console show: every page, dialog, menu, and empty, loading and error state, with invented
// data.
import type { Page } from 'playwright-core';
import { type Account, type ConsoleWorld, type Person, userAgents } from '../packages/console/test/console-world.ts';
import { sampleContacts } from './sample-contacts.ts';

export interface Shot {
  name: string;
  route: string;
  title: string;
  isAnonymous?: boolean;
  /** Shows what is on the screen, and not the page below it. */
  isScreenOnly?: boolean;
  /** Of a desktop window, for a dialog that is longer than the usual one. */
  height?: number;
  /** Changes what the server answers, or withholds it. */
  answers?: Answers;
  /** Actions on the page before the screenshot. */
  act?(person: Person): Promise<void>;
}

/** How requests to paths that match are answered: never, as a list or a feed without entries, by an error, or by no server. */
interface Answers {
  path: RegExp;
  how: 'never' | 'empty' | 'no events' | 'failure' | 'missing' | 'outage';
}

const problem = (status: number, title: string, code: string, detail: string) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: 'about:blank',
    title,
    status,
    code,
    detail,
    requestId: '3f1c9a52-7d0e-4c1b-9a55-2f6f0c8e4b17',
  }),
});

const answers = {
  empty: { json: { data: [], next: null } },
  'no events': { json: { data: [], next: '000000000000-0' } },
  failure: problem(500, 'Internal Server Error', 'internal', 'Something went wrong on the server.'),
  missing: problem(404, 'Not Found', 'not_found', 'This server keeps no events.'),
};

export async function intercept(page: Page, { path, how }: Answers): Promise<void> {
  await page.route(path, (route) => {
    if (how === 'never') return;
    if (how === 'outage') return route.abort('connectionrefused');
    return route.fulfill(answers[how]);
  });
}

/** Fills the organization. Returns what routes need. */
export async function fill(world: ConsoleWorld, owner: Account): Promise<{ contactId: string; link: string }> {
  const { json } = await world.callBot('PATCH', 'contacts', { data: sampleContacts });
  const contactId = json.data[0].id;
  await fillValues(world);
  const { json: token } = await world.callBot('POST', 'auth/contact', { id: contactId });
  await world.callBot('POST', 'auth/contact', { id: contactId });
  await fetch(`${world.url}/v1/bots/${world.botId}/auth/contact`, {
    headers: { authorization: `Bearer ${token.token}` },
  });
  const settings = { name: 'Harbour Books', greeting: 'Ahoy! Looking for something to read?', color: '#1f6f8b' };
  await world.callAccount(owner, 'PATCH', `bots/${world.botId}`, settings);
  await makeEvents(world, owner, json.data);
  await world.callAccount(owner, 'POST', 'bots', { name: 'Wholesale', color: '#b4552d' });
  await world.callAccount(owner, 'POST', 'bots', { name: 'Careers', color: '#5a4fcf' });
  await world.callAccount(owner, 'POST', 'secrets', { name: 'Web shop' });
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  const permissions = ['contacts:write'];
  const bots = [world.botId];
  await world.callAccount(owner, 'POST', 'secrets', { name: 'Nightly import', expiresAt, permissions, bots });
  const { data: old } = await world.callAccount(owner, 'POST', 'secrets', { name: 'Old web shop' });
  await world.callAccount(owner, 'DELETE', `secrets/${(old as { id: string }).id}`);
  for (const userAgent of [userAgents.firefox, userAgents.safari]) await world.signIn(owner, userAgent);
  await world.invite(owner, 'member', 'Tomás Ferreira', 'tomas@example.com');
  await world.invite(owner, 'owner', 'Ngozi Okafor', 'ngozi@example.com');
  const { data } = await world.callAccount(owner, 'POST', 'invitations', {
    email: 'henrik@example.com',
    role: 'member',
  });
  return { contactId, link: new URL((data as { link: string }).link).hash.slice(1) };
}

/** Beside those of contacts that are created and of tokens: changes by the owner and by the operator's server. */
async function makeEvents(world: ConsoleWorld, owner: Account, contacts: readonly { id: string }[]): Promise<void> {
  const [first, second] = contacts;
  const path = `bots/${world.botId}/contacts`;
  await world.callAccount(owner, 'PATCH', `${path}/${first?.id}`, { phone: '+44 20 7946 0321', tags: ['book club'] });
  await world.callAccount(owner, 'PATCH', `${path}/${second?.id}`, { attributes: { plan: 'Gold', orders: 12 } });
  const { json } = await world.callBot('PUT', 'contacts', { name: 'Test', email: 'test@example.com' });
  await world.callAccount(owner, 'DELETE', `${path}/${json.data.id}`);
}

/** Attributes, tags and segments of the sample contacts. */
async function fillValues(world: ConsoleWorld): Promise<void> {
  await world.callBot('PUT', 'attributes/plan', { type: 'text', label: 'Plan', description: 'What they pay for' });
  await world.callBot('PUT', 'attributes/orders', { type: 'number', label: 'Orders' });
  await world.callBot('PUT', 'attributes/newsletter', { type: 'boolean', label: 'Newsletter' });
  await world.callBot('PUT', 'attributes/renews_on', { type: 'date', label: 'Renews on' });
  const data = sampleContacts.map(({ email }, at) => ({
    email,
    attributes: {
      plan: ['Gold', 'Silver', 'Free'][at % 3],
      orders: (at * 7) % 23,
      ...(at % 2 === 0 && { newsletter: at % 4 === 0 }),
      ...(at % 3 !== 2 && { renews_on: `2027-0${(at % 8) + 1}-15` }),
    },
    tags: at % 4 === 3 ? [] : ['regular', ...(at % 5 === 0 ? ['book club'] : [])],
  }));
  await world.callBot('PATCH', 'contacts', { data });
  const gold = { attributes: { plan: ['Gold'] } };
  await world.callBot('PUT', 'segments/gold', { label: 'Gold members', filter: gold, sort: 'name' });
  const readers = { tag: ['book club'], attributes: { orders: { gte: 5 } } };
  await world.callBot('PUT', 'segments/keen_readers', { label: 'Keen readers', filter: readers });
}

export const press = (name: string | RegExp) => async (person: Person) => {
  await person.page.getByRole('button', { name, exact: true }).first().click();
};

/** Opens a dialog by a button. */
export const openBy = (name: string) => async (person: Person) => {
  await press(name)(person);
  await person.page.getByRole('dialog').waitFor();
};

export const chooseFrom = (menu: string, item: string) => async (person: Person) => {
  await person.choose(menu, item);
  await person.page.getByRole('dialog').waitFor();
};

export const openMenu = (name: string) => async (person: Person) => {
  await press(name)(person);
  await person.page.getByRole('menu').waitFor();
};

const filters = 'tag=regular&attributes[plan]=Gold&attributes[plan]=Silver&createdAt[gte]=-30d&sort=name';
export const everything = /\/v1\/account\/(?!session)/;

export function shotsOf(botId: string, contactId: string, link: string): Shot[] {
  return [...shotsOfContacts(botId, contactId), ...shotsOfBot(botId), ...shotsOfOrganization(botId, link)];
}

function shotsOfContacts(botId: string, contactId: string): Shot[] {
  const bot = `/bots/${botId}`;
  const list = { route: `${bot}/contacts`, title: 'Contacts', isScreenOnly: true };
  const selected = { ...list, route: `${bot}/contacts?${filters}` };
  const contact = { route: `${bot}/contacts/${contactId}`, title: sampleContacts.at(0)?.name ?? '' };
  const search = /\/contacts\?/;
  return [
    { name: 'contacts', ...list },
    { name: 'contacts-search', ...list, route: `${bot}/contacts?query=anna` },
    { name: 'contacts-filters', ...selected },
    { name: 'contacts-segment', ...list, route: `${bot}/contacts?segment=gold` },
    { name: 'contacts-filter-form', ...selected, act: addFilter },
    { name: 'contacts-selected', ...selected, act: selectPage },
    { name: 'contacts-columns', ...list, act: openMenu('Columns') },
    { name: 'contacts-menu', ...list, act: openMenu('Import & export') },
    { name: 'contacts-none', ...list, route: `${bot}/contacts?query=nobody` },
    { name: 'contacts-empty', ...list, route: '/bots', act: toEmptyBot },
    { name: 'contacts-loading', ...list, answers: { path: everything, how: 'never' } },
    { name: 'contacts-failure', ...list, answers: { path: search, how: 'failure' } },
    { name: 'contacts-outage', ...list, answers: { path: search, how: 'outage' }, act: untilOutage },
    { name: 'contacts-offline', ...list, act: goOffline },
    { name: 'contacts-unknown-segment', ...list, route: `${bot}/contacts?segment=unknown` },
    { name: 'contact-new', ...list, act: openBy('New contact') },
    { name: 'contact-invalid', ...list, act: sendInvalidContact },
    { name: 'contact-discard', ...list, act: leaveEdits },
    { name: 'segment-save', ...selected, act: openBy('Save as segment…') },
    { name: 'bulk-tag', ...selected, act: actOnPage('Add tag…') },
    { name: 'bulk-attribute', ...selected, act: actOnPage('Set attribute…') },
    { name: 'bulk-result', ...selected, act: tagPage },
    { name: 'bulk-export', ...selected, act: actOnPage('Export…') },
    { name: 'bulk-delete', ...selected, act: actOnPage(/^Delete \d+ contacts…$/) },
    { name: 'contact', ...contact },
    { name: 'contact-edit', ...contact, act: openBy('Edit') },
    { name: 'contact-edit-value', ...contact, act: press('Edit Plan') },
    { name: 'contact-delete', ...contact, act: openBy('Delete…') },
    { name: 'contact-revoke', ...contact, act: openBy('Revoke all…') },
    { name: 'contact-no-tokens', ...contact, answers: { path: /\/tokens/, how: 'empty' } },
    { name: 'contact-no-events', ...contact, answers: { path: /\/events\?/, how: 'no events' } },
    { name: 'contact-events-failure', ...contact, answers: { path: /\/events\?/, how: 'failure' } },
    { name: 'contact-unknown', route: `${bot}/contacts/con_unknown`, title: 'Contact' },
    { name: 'import', route: `${bot}/import`, title: 'Import contacts' },
    { name: 'import-refused', route: `${bot}/import`, title: 'Import contacts', act: dropImage },
    { name: 'import-check', route: `${bot}/import`, title: 'Import contacts', act: dropFile },
    { name: 'import-attributes', route: `${bot}/import`, title: 'Import contacts', act: keepColumns },
    { name: 'import-done', route: `${bot}/import`, title: 'Import contacts', act: importFile },
  ];
}

function shotsOfBot(botId: string): Shot[] {
  const bot = `/bots/${botId}`;
  const activity = { route: `${bot}/activity`, title: 'Activity', isScreenOnly: true };
  const attributes = { route: `${bot}/attributes`, title: 'Attributes and tags' };
  return [
    { name: 'widget', route: `${bot}/settings`, title: 'Harbour Books', act: untilPreviewed },
    { name: 'widget-contact', route: `${bot}/settings`, title: 'Harbour Books', isScreenOnly: true, act: previewDark },
    { name: 'bot-delete', route: `${bot}/settings`, title: 'Harbour Books', act: openBy('Delete bot…') },
    { name: 'bot-unknown', route: '/bots/bot_unknown/settings', title: '', act: untilFailure },
    { name: 'activity', ...activity },
    { name: 'activity-type', ...activity, route: `${bot}/activity?type=contact.updated` },
    { name: 'activity-none', ...activity, route: `${bot}/activity?type=tag.deleted` },
    { name: 'activity-loading', ...activity, answers: { path: everything, how: 'never' } },
    { name: 'activity-failure', ...activity, answers: { path: /\/events\?/, how: 'failure' } },
    { name: 'activity-off', ...activity, answers: { path: /\/events\?/, how: 'missing' } },
    { name: 'attributes', ...attributes },
    { name: 'attributes-empty', ...attributes, answers: { path: /\/(attributes|tags|segments)$/, how: 'empty' } },
    { name: 'attributes-loading', ...attributes, answers: { path: everything, how: 'never' } },
    { name: 'attributes-failure', ...attributes, answers: { path: /\/tags$/, how: 'failure' } },
    { name: 'attributes-menu', ...attributes, act: openMenu('Actions for Plan') },
    { name: 'attribute-new', ...attributes, act: openBy('New attribute') },
    { name: 'attribute-edit', ...attributes, act: chooseFrom('Actions for Plan', 'Edit…') },
    { name: 'attribute-delete', ...attributes, act: chooseFrom('Actions for Plan', 'Delete…') },
    { name: 'tag-rename', ...attributes, act: chooseFrom('Actions for book club', 'Rename…') },
    { name: 'tag-delete', ...attributes, act: chooseFrom('Actions for book club', 'Delete…') },
    { name: 'segment-edit', ...attributes, act: chooseFrom('Actions for Keen readers', 'Edit…') },
    { name: 'segment-delete', ...attributes, act: chooseFrom('Actions for Gold members', 'Delete…') },
  ];
}

/** The chart is loaded after the page. */
const untilDrawn = (person: Person) => person.page.locator('canvas').waitFor();

function shotsOfOrganization(botId: string, link: string): Shot[] {
  const home = { route: '/', title: 'Home' };
  const bots = { route: '/bots', title: 'Bots' };
  const secrets = { route: '/secrets', title: 'Secrets' };
  const members = { route: '/members', title: 'Members' };
  const account = { route: '/account', title: 'Your account' };
  return [
    { name: 'sign-in', route: '/', title: 'Sign in', isAnonymous: true },
    { name: 'sign-in-refused', route: '/', title: 'Sign in', isAnonymous: true, act: signInWrongly },
    { name: 'join', route: link, title: 'Join Example Ltd', isAnonymous: true },
    { name: 'link-used', route: '/link/nonsense', title: 'This link doesn’t work', isAnonymous: true },
    { name: 'home', ...home, act: untilDrawn },
    { name: 'home-bot', route: `/?bot=${botId}`, title: 'Home', act: untilDrawn },
    { name: 'home-no-bots', ...home, answers: { path: /\/account\/bots$/, how: 'empty' } },
    { name: 'home-loading', ...home, answers: { path: everything, how: 'never' } },
    { name: 'home-failure', ...home, answers: { path: /\/account\/overview$/, how: 'failure' } },
    { name: 'bots', ...bots },
    { name: 'bots-empty', ...bots, answers: { path: /\/account\/bots$/, how: 'empty' } },
    { name: 'bots-loading', ...bots, answers: { path: everything, how: 'never' } },
    { name: 'bots-failure', ...bots, answers: { path: /\/account\/bots$/, how: 'failure' } },
    { name: 'bot-new', ...bots, act: openBy('New bot') },
    { name: 'menu', ...secrets, isScreenOnly: true, act: openNavigation },
    { name: 'account-menu', ...secrets, isScreenOnly: true, act: openAccountMenu },
    { name: 'palette', route: `/bots/${botId}/contacts`, title: 'Contacts', act: search('') },
    { name: 'palette-results', route: `/bots/${botId}/contacts`, title: 'Contacts', act: search('an') },
    { name: 'palette-none', route: `/bots/${botId}/contacts`, title: 'Contacts', act: search('zeppelin') },
    { name: 'secrets', ...secrets },
    { name: 'secrets-empty', ...secrets, answers: { path: /\/secrets$/, how: 'empty' } },
    { name: 'secret-form', ...secrets, height: 930, act: fillSecret },
    { name: 'secret-new', ...secrets, act: makeSecret },
    { name: 'secret-revoke', ...secrets, act: chooseFrom('Actions for Nightly import', 'Revoke…') },
    { name: 'members', ...members },
    { name: 'member-invite', ...members, act: openBy('Invite') },
    { name: 'member-remove', ...members, act: chooseFrom('Actions for Tomás Ferreira', 'Remove…') },
    { name: 'audit', route: '/audit', title: 'Audit log' },
    {
      name: 'audit-failure',
      route: '/audit',
      title: 'Audit log',
      answers: { path: /\/account\/audit/, how: 'failure' },
    },
    { name: 'account', ...account },
    { name: 'account-sign-out', ...account, act: openBy('Sign out everywhere…') },
    { name: 'not-found', route: '/nowhere', title: 'Page not found' },
  ];
}

export async function untilPreviewed({ page }: Person): Promise<void> {
  await page.frameLocator('iframe').getByRole('dialog').waitFor();
  await page.locator('iframe').scrollIntoViewIfNeeded();
}

async function previewDark(person: Person): Promise<void> {
  await untilPreviewed(person);
  for (const choice of ['Contact', 'Dark']) await person.page.getByText(choice, { exact: true }).last().click();
  await person.page.frameLocator('iframe').getByText('Jane Doe').first().waitFor();
}

async function untilOutage({ page }: Person): Promise<void> {
  await page.getByText('Can’t reach the server').first().waitFor();
}

/** For this page alone: the others of the browser stay online. */
async function goOffline(person: Person): Promise<void> {
  await person.hasLoaded();
  await person.page.evaluate(`
    Object.defineProperty(navigator, 'onLine', { value: false });
    dispatchEvent(new Event('offline'));
  `);
}

async function untilFailure({ page }: Person): Promise<void> {
  await page.getByRole('alert').waitFor();
}

async function selectPage({ page }: Person): Promise<void> {
  await page.getByLabel('Select all on this page').check();
}

async function addFilter(person: Person): Promise<void> {
  await person.press('Add filter');
  await person.page.getByLabel('Field').selectOption('Orders');
  await person.page.getByLabel('Condition').selectOption('is at least');
  await person.page.getByLabel('Value').fill('5');
}

const actOnPage = (name: string | RegExp) => async (person: Person) => {
  await selectPage(person);
  await press(name)(person);
  await person.page.getByRole('dialog').waitFor();
};

/** All of them have the tag, so that the contacts look the same in further screenshots. */
async function tagPage(person: Person): Promise<void> {
  await actOnPage('Add tag…')(person);
  await person.fill({ Tag: 'regular' });
  await person.press('Add tag');
  await person.page.getByRole('button', { name: 'Done' }).waitFor();
}

async function sendInvalidContact(person: Person): Promise<void> {
  await person.press('New contact');
  await person.fill({ 'Name *': 'Anna', 'Email *': 'not an email' });
  await person.press('Add contact');
  await person.page.getByRole('alert').waitFor();
}

async function leaveEdits(person: Person): Promise<void> {
  await person.press('New contact');
  await person.fill({ 'Name *': 'Anna' });
  await person.page.keyboard.press('Escape');
  await person.page.getByRole('button', { name: 'Keep editing' }).waitFor();
}

async function toEmptyBot({ page }: Person): Promise<void> {
  await page.getByRole('link', { name: 'Contacts of Careers' }).click();
  await page.getByText('No contacts yet').waitFor();
}

async function dropImage({ page }: Person): Promise<void> {
  const buffer = Buffer.from('89504e470d0a1a0a', 'hex');
  await page.getByLabel('CSV file').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer });
  await page.getByRole('alert').waitFor();
}

async function dropFile({ page }: Person): Promise<void> {
  const lines = ['First name;Surname;E-Mail;Mobile;Notes', 'Jane;Doe;jane@shop.example;+44 20 7946 0018;likes maps'];
  lines.push(
    ';;not an email;;',
    'Bob;;bob@shop.example;;',
    ';Nobody;;+1 555;',
    'Eve;Oh;eve@shop.example;+49 30 901820;',
  );
  const buffer = Buffer.from(lines.join('\r\n'));
  await page.getByLabel('CSV file').setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: /^Import \d/ }).waitFor();
}

async function keepColumns(person: Person): Promise<void> {
  const { page } = person;
  const lines = [
    'Name;Email;Plan;Groups;Company size;Customer since',
    'Jane Doe;jane@shop.example;Gold;regular,vip;12;2024-03-01',
  ];
  const buffer = Buffer.from([...lines, 'Eve Oh;eve@shop.example;Free;;140;2025-11-20'].join('\n'));
  await page.getByLabel('CSV file').setInputFiles({ name: 'crm.csv', mimeType: 'text/csv', buffer });
  await page.getByLabel('Field for Groups').selectOption('Tags');
  await person.press('Keep skipped columns as attributes');
  await page.getByLabel('Add a tag to every contact').fill('from the old CRM');
  await page.getByText('(company_size): number').waitFor();
  await page.getByRole('button', { name: 'Import 2 contacts', disabled: false }).waitFor();
}

/** The contacts exist already, so that they look the same in further screenshots. */
async function importFile({ page }: Person): Promise<void> {
  const known = sampleContacts.slice(0, 5).map(({ email }) => email);
  const buffer = Buffer.from(['email', ...known, 'not an email'].join('\n'));
  await page.getByLabel('CSV file').setInputFiles({ name: 'known.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: /^Import \d/ }).click();
  await page.getByRole('link', { name: 'View contacts' }).waitFor();
}

async function signInWrongly(person: Person): Promise<void> {
  await person.fill({ 'Email *': 'maya@example.com', 'Password *': 'not the password' });
  await person.press('Sign in');
  await person.page.getByRole('alert').waitFor();
}

async function openNavigation({ page }: Person): Promise<void> {
  const button = page.getByRole('button', { name: 'Open the menu' });
  // A wide page has the menu beside it.
  if (!(await button.isVisible())) return;
  await button.click();
  await page.getByRole('dialog').waitFor();
}

async function openAccountMenu(person: Person): Promise<void> {
  await openNavigation(person);
  await person.page.getByRole('button', { name: 'Maya Lindqvist Owner' }).click();
  await person.page.getByRole('menu').waitFor();
}

const search = (typed: string) => async (person: Person) => {
  await person.page.keyboard.press('Control+k');
  await person.page.getByRole('combobox', { name: 'Page, bot or contact' }).fill(typed);
};

async function fillSecret(person: Person): Promise<void> {
  const { page } = person;
  await person.press('New secret');
  await page.getByLabel('Name').fill('Help desk');
  await page.getByLabel('Bots').selectOption('Only the bots I choose');
  await page.getByRole('checkbox', { name: 'Wholesale' }).check();
}

async function makeSecret(person: Person): Promise<void> {
  await fillSecret(person);
  await person.press('Create secret');
  await person.page.getByText('Your new secret').waitFor();
}
