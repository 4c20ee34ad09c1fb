// What happened, and what happens: the timeline of a contact, and the activity of a bot as it goes on.
import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import type { FeedEvent } from '@roster/contract';
import type { Request } from 'playwright-core';
import { makeId } from '../../server/src/contacts/ids.ts';
import { until } from '../../server/test/process/waiting.ts';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';
import { violations } from './violations.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
afterEach(() => ada.hadNoTrouble());
const bot = `/bots/${world.botId}`;
const bySecret = 'The secret “First secret”';
await world.callBot('PUT', 'attributes/plan', { type: 'text', label: 'Subscription' });

let created = 0;
async function addContact(name: string): Promise<string> {
  const { json } = await world.callBot('PUT', 'contacts', { name, email: `someone${++created}@example.com` });
  return json.data.id;
}

const timeline = ada.page.getByRole('region', { name: 'Timeline' });
const item = (...texts: string[]) =>
  texts.reduce((found, hasText) => found.filter({ hasText }), timeline.getByRole('listitem'));

/** The lines of each event but the date, in their order. */
async function items(): Promise<string[][]> {
  const all = await timeline.getByRole('listitem').all();
  const lines = await Promise.all(all.map(async (one) => (await one.innerText()).split(/\n+/)));
  return lines.map((each) => each.map((line) => line.replace(/ · .*/, '')));
}

const feed = (person = ada) => person.page.getByRole('group', { name: 'Events' });
const row = (...texts: string[]) => rowOf(ada, ...texts);
function rowOf(person: Person, ...texts: string[]) {
  const rows = feed(person).getByRole('row');
  return texts.reduce((found, hasText) => found.filter({ hasText }), rows);
}

/** The cells of each row but the date, in their order. */
async function rows(): Promise<string[][]> {
  const [, ...all] = await feed().getByRole('row').all();
  return Promise.all(all.map(async (one) => (await one.getByRole('cell').allInnerTexts()).slice(1)));
}

const isOfEvents = (request: Request) => request.url().includes('/events?');

suite('the timeline of a contact', () => {
  test('says what happened, newest first, and who did it', async () => {
    const id = await addContact('Jane Doe');
    const { json } = await world.callBot('POST', 'auth/contact', { id });
    const headers = { authorization: `Bearer ${json.token}` };
    await fetch(`${world.url}/v1/bots/${world.botId}/auth/contact`, { headers });
    await until('the visitor in the feed', async () => {
      const { json } = await world.callBot('GET', `events?contactId=${id}&type=visitor.recognized`);
      return (json.data as FeedEvent[]).length === 1;
    });
    const update = { email: 'jane.doe@example.com', attributes: { plan: 'Gold' } };
    await world.callAccount(account, 'PATCH', `bots/${world.botId}/contacts/${id}`, update);
    await world.callBot('PATCH', `contacts/${id}`, {
      name: 'Jane',
      phone: '1',
      mid: '2',
      wid: '+15550100',
      tags: ['vip'],
    });
    await addContact('Somebody else');
    await ada.goTo(`${bot}/contacts/${id}`);
    // Names and labels come after the events.
    await item('Created', bySecret).waitFor();
    await item('Subscription', 'Ada Owner').waitFor();
    const present = ['Name', 'Jane', 'Phone', '1', 'Messenger ID', '2', 'WhatsApp', '+15550100', 'Tags', 'vip'];
    assert.deepEqual(await items(), [
      ['Name, Phone, Messenger ID, WhatsApp and Tags changed', ...present, bySecret],
      ['Email and Subscription changed', 'Email', 'jane.doe@example.com', 'Subscription', 'Gold', 'Ada Owner'],
      ['Recognized on the website', 'The visitor'],
      ['Token issued', bySecret],
      ['Created', bySecret],
    ]);
    const seen = timeline.getByText('Last seen', { exact: true }).locator('..').locator('time');
    assert.ok(Math.abs(Date.parse((await seen.getAttribute('title')) ?? '') - Date.now()) < 3_600_000);
    const at = await item('Created').locator('time').getAttribute('title');
    assert.ok(Math.abs(Date.parse(at ?? '') - Date.now()) < 3_600_000, `${at}`);
    assert.equal(await ada.page.getByRole('button', { name: 'Load more' }).count(), 0);
  });

  test('goes on with what the member does on the page', async () => {
    const id = await addContact('Edited');
    await world.callBot('POST', 'auth/contact', { id });
    await ada.goTo(`${bot}/contacts/${id}`);
    await item('Token issued').waitFor();
    await ada.press('Edit Phone');
    await ada.fill({ Phone: '555' });
    await ada.press('Save');
    await item('Phone changed', '555', 'Ada Owner').waitFor();
    await ada.press('Edit Phone');
    await ada.fill({ Phone: '' });
    await ada.press('Save');
    await item('Phone changed', 'none').waitFor();
    await item('Phone changed', 'changed again since').waitFor();
    await ada.page.getByLabel('Add a tag').fill('friend');
    await ada.press('Add');
    await item('Tags changed', 'Ada Owner').waitFor();
    await ada.press('Revoke…');
    await ada.press('Revoke token');
    await item('Token revoked', 'Ada Owner').waitFor();
    assert.equal((await items()).length, 6);
  });

  test('shows the latest events of many, and the others on request', async () => {
    const id = await addContact('Busy');
    for (let at = 0; at < 45; at++) await world.callBot('PATCH', `contacts/${id}`, { phone: `${at}` });
    await ada.goTo(`${bot}/contacts/${id}`);
    await item('Phone changed').first().waitFor();
    assert.equal((await items()).length, 20);
    await ada.press('Load more');
    await ada.press('Load more');
    await item('Created').waitFor();
    assert.equal((await items()).length, 46);
    assert.equal(await ada.page.getByRole('button', { name: 'Load more' }).count(), 0);
  });

  test('names a secret and a member who are new, and a member who left as such', async () => {
    const id = await addContact('Known to many');
    await ada.goTo(`${bot}/contacts/${id}`);
    await item('Created', bySecret).waitFor();
    const grace = await world.invite(account, 'member', 'Grace', 'grace@example.com');
    await world.callAccount(grace, 'PATCH', `bots/${world.botId}/contacts/${id}`, { phone: '1' });
    const { data } = await world.callAccount(account, 'POST', 'secrets', { name: 'Shop' });
    const { secret } = data as { secret: string };
    await fetch(`${world.url}/v1${bot}/contacts/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ wid: '+15550100' }),
    });
    await ada.looksAgain();
    await item('Phone changed', 'Grace').waitFor();
    await item('WhatsApp changed', 'The secret “Shop”').waitFor();
    await world.callAccount(grace, 'DELETE', 'member');
    await ada.page.reload();
    await item('Phone changed', 'A former member').waitFor();
  });

  test('is what a viewer sees too, beside values that cannot be edited', async (t) => {
    const id = await addContact('Watched');
    await world.callBot('PATCH', `contacts/${id}`, { phone: '+1 555 0100', tags: ['vip'] });
    const viewer = await world.invite(account, 'viewer', 'Vic', 'vic@example.com');
    const vic = await Person.arrive(t, world, { account: viewer, bypassCSP: true });
    await vic.goTo(`${bot}/contacts/${id}`);
    const changed = vic.page.getByRole('listitem').filter({ hasText: 'Phone and Tags changed' });
    await changed.filter({ hasText: '+1 555 0100' }).filter({ hasText: bySecret }).waitFor();
    await vic.hasLoaded();
    assert.equal(
      await vic.page
        .getByRole('main')
        .getByRole('button', { name: /Edit|Add|Remove|Revoke|Delete/ })
        .count(),
      0,
    );
    assert.deepEqual(await violations(vic.page), []);
  });

  test('without events says that they are not kept forever', async () => {
    const id = await addContact('Quiet');
    await ada.page.route('**/events?*', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ json: { ...(await reply.json()), data: [] } });
    });
    await ada.goTo(`${bot}/contacts/${id}`);
    await timeline.getByText('No recent events').waitFor();
    await timeline.getByText('Events are kept for a limited time.').waitFor();
    await ada.page.unroute('**/events?*');
  });

  test('that cannot be read says so, beside the contact, and is read again on request', async () => {
    const id = await addContact('Unlucky');
    await ada.page.route('**/events?*', (route) => route.fulfill({ status: 500, json: {} }));
    await ada.goTo(`${bot}/contacts/${id}`);
    await ada.sees('Unlucky');
    await timeline.getByRole('alert').waitFor();
    await ada.page.unroute('**/events?*');
    await timeline.getByRole('button', { name: 'Try again' }).click();
    await item('Created').waitFor();
    assert.equal(await timeline.getByRole('alert').count(), 0);
  });
});

suite('the activity of a bot', () => {
  test('is in the menu, and shows what happens while the page is open', async () => {
    await ada.goTo(`${bot}/contacts`);
    await ada.page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
    await ada.sees('Activity');
    await ada.page.waitForFunction(() => document.title === 'Activity · Roster');
    await feed().waitFor();
    const id = await addContact('Newcomer');
    await row('Newcomer', 'Created', bySecret).waitFor();
    await world.callAccount(account, 'PATCH', `bots/${world.botId}/contacts/${id}`, { name: 'Renamed' });
    await row('Renamed', 'Name changed', 'Ada Owner').waitFor();
    // The contact is called by its name of today in what happened before, too.
    await row('Renamed', 'Created').waitFor();
    assert.equal(await row('Newcomer').count(), 0);
    const [latest] = await rows();
    assert.deepEqual(latest, ['Renamed', 'Name changed', 'Ada Owner']);
    await feed().getByRole('link', { name: 'Renamed' }).first().click();
    await ada.sees('Renamed');
  });

  test('shows a viewer what happened, without reading the contacts for it', async (t) => {
    const viewer = await world.invite(account, 'viewer', 'Viola', 'viola@example.com');
    const vic = await Person.arrive(t, world, { account: viewer });
    const asked: string[] = [];
    vic.page.on('request', (request) => isOfEvents(request) && asked.push(request.url()));
    await addContact('Hidden');
    await vic.goTo(`${bot}/activity`);
    const created = rowOf(vic, 'View contact', 'Created', bySecret).first();
    await created.waitFor();
    assert.equal(await rowOf(vic, 'Hidden').count(), 0);
    assert.equal(await vic.page.getByRole('alert').count(), 0);
    assert.ok(asked.length > 0 && asked.every((url) => !url.includes('include=')), `${asked}`);
    await created.getByRole('link').click();
    await vic.sees('Hidden');
  });

  test('names contacts that are gone as such, and events about all contacts', async () => {
    const id = await addContact('Leaving');
    await world.callBot('PUT', 'attributes/colour', { type: 'text', label: 'Colour' });
    await ada.goTo(`${bot}/activity`);
    await row('Leaving', 'Created').waitFor();
    await world.callAccount(account, 'DELETE', `bots/${world.botId}/contacts/${id}`);
    await row('Deleted contact', 'Deleted', 'Ada Owner').first().waitFor();
    await row('Deleted contact', 'Created').waitFor();
    assert.equal(await row('Leaving').count(), 0);
    await world.callBot('DELETE', 'attributes/colour');
    await row('All contacts', 'Attribute “colour” deleted', bySecret).waitFor();
  });

  test('is narrowed by type, which is in the address', async () => {
    const id = await addContact('Narrowed');
    await world.callBot('POST', 'auth/contact', { id });
    await ada.goTo(`${bot}/activity`);
    await row('Narrowed', 'Created').waitFor();
    const types = ada.page.getByLabel('Type of event');
    await types.selectOption('Token issued');
    await row('Narrowed', 'Token issued').waitFor();
    await row('Created').first().waitFor({ state: 'detached' });
    await world.callBot('POST', 'auth/contact', { id: await addContact('Later') });
    await row('Later', 'Token issued').waitFor();
    assert.equal(await row('Created').count(), 0);
    await ada.page.reload();
    await row('Later', 'Token issued').waitFor();
    assert.equal(await types.inputValue(), 'token.created');
    await types.selectOption('Tag deleted');
    await ada.page.getByText('No recent events of this type').waitFor();
    await ada.page.goBack();
    await row('Later', 'Token issued').waitFor();
    await types.selectOption('All events');
    await row('Later', 'Created').waitFor();
  });

  test('shows older events on request', async () => {
    const data = Array.from({ length: 130 }, (_, at) => ({ name: `Many ${at}`, email: `many${at}@example.com` }));
    await world.callBot('PATCH', 'contacts', { data });
    await ada.goTo(`${bot}/activity?type=contact.created`);
    await row('Many 129').waitFor();
    assert.equal((await rows()).length, 50);
    await ada.press('Load more');
    await row('Many 30').waitFor();
    await ada.press('Load more');
    await row('Many 0').waitFor();
    const names = (await rows()).map(([name]) => name);
    const expected = data.map(({ name }) => name).toReversed();
    assert.deepEqual(names.slice(0, expected.length), expected);
  });

  test('waits for events in a visible tab only, and not after the page was left', async (t) => {
    const grace = await Person.arrive(t, world, { account: await world.signIn(account) });
    await grace.page.clock.install();
    const asked: Request[] = [];
    const inFlight = new Set<Request>();
    grace.page.on('request', (request) => {
      if (!isOfEvents(request)) return;
      asked.push(request);
      inFlight.add(request);
    });
    grace.page.on('requestfinished', (request) => inFlight.delete(request));
    const aborted: Request[] = [];
    grace.page.on('requestfailed', (request) => {
      if (inFlight.delete(request)) aborted.push(request);
    });
    const isWaiting = () =>
      until('a request that waits', () => [...inFlight].some((request) => request.url().includes('wait=')));
    /** The request ends, and no other follows in a time that is much longer than between two of them. */
    const endsWith = async (act: () => Promise<unknown>) => {
      await isWaiting();
      aborted.length = 0;
      await act();
      await until('the end of the request', () => aborted.length > 0);
      asked.length = 0;
      await grace.page.clock.runFor(120_000);
      assert.deepEqual(asked, []);
    };
    const show = (state: 'hidden' | 'visible') =>
      grace.page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        Object.defineProperty(document, 'hidden', { value: value === 'hidden', configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      }, state);

    await grace.goTo(`${bot}/activity`);
    await endsWith(() => show('hidden'));
    await addContact('Unseen');
    await grace.page.clock.runFor(120_000);
    assert.deepEqual(asked, []);
    await show('visible');
    await rowOf(grace, 'Unseen', 'Created').waitFor();
    await endsWith(() => grace.page.getByRole('link', { name: 'Members' }).click());
    await grace.sees('Members');
  });

  test('that cannot be read says so and is read again on request; after an outage it goes on by itself', async () => {
    await ada.page.route('**/events?*', (route) => route.fulfill({ status: 500, json: {} }));
    await ada.goTo(`${bot}/activity`);
    // Without what an earlier test has read.
    await ada.page.reload();
    await ada.page.getByRole('alert').waitFor();
    await ada.page.unroute('**/events?*');
    await ada.press('Try again');
    await feed().waitFor();
    await ada.page.getByRole('alert').waitFor({ state: 'detached' });

    await ada.page.route('**/events?*', (route) => route.abort());
    await addContact('Before the outage');
    await ada.page.getByText('Can’t reach the server').waitFor();
    await addContact('During the outage');
    await feed().waitFor();
    await ada.page.unroute('**/events?*');
    await row('During the outage', 'Created').waitFor();
    await ada.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('of an unknown bot is an error', async () => {
    await ada.goTo(`/bots/${makeId('bot', 1)}/activity`);
    await ada.page.getByRole('alert').getByText('Not found').waitFor();
  });
});

suite('states of lists of events', () => {
  test('have no violation: empty, failed', async (t) => {
    const grace = await Person.arrive(t, world, { account, bypassCSP: true });
    await grace.goTo(`${bot}/activity?type=tag.renamed`);
    await grace.page.getByText('No recent events of this type').waitFor();
    assert.deepEqual(await violations(grace.page), []);
    await grace.page.route('**/events?*', (route) => route.fulfill({ status: 500, json: {} }));
    await grace.goTo(`${bot}/activity?type=tag.deleted`);
    await grace.page.getByRole('alert').waitFor();
    assert.deepEqual(await violations(grace.page), []);
  });
});
