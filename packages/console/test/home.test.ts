// The home page: the checklist ticks itself as a new user follows it, and is then replaced by how the bots are used.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { browserDeadlineMs } from '../../server/test/browser/chromium.ts';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';
import { violations } from './violations.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });

/** A page of a shop, on another port. The service took any free port, which its public address does not know. */
async function openShop(snippet: string): Promise<void> {
  const scriptTag = snippet.replace('http://127.0.0.1:0', world.url);
  const site = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><h1>Shop</h1>${scriptTag}`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const context = await world.browser.newContext();
  context.setDefaultTimeout(browserDeadlineMs);
  wholeFile.after(async () => {
    await context.close();
    site.closeAllConnections();
    site.close();
  });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
}

const step = (title: string) => ada.page.getByRole('listitem').filter({ hasText: title });
const isDone = (title: string) => step(title).getByText('Done', { exact: true }).waitFor();
const textOf = (label: string) => ada.page.getByLabel(label, { exact: true }).innerText();

suite('the checklist', () => {
  let token = '';

  test('is about the bot that the member works in', async () => {
    const { id } = (await world.callAccount(account, 'POST', 'bots', { name: 'Second' })).data as { id: string };
    const snippet = ada.page.getByLabel('Snippet for your pages');
    for (const botId of [id, world.botId]) {
      await ada.goTo(`/bots/${botId}/settings`);
      await ada.hasLoaded();
      await ada.goTo('/');
      await ada.press('Put the widget on a page');
      await snippet.getByText(botId).waitFor();
    }
    await world.callAccount(account, 'DELETE', `bots/${id}`);
    await ada.page.reload();
  });

  test('ticks each step by itself, without a reload, until the first visitor is recognized', async () => {
    await ada.goTo('/');
    await ada.sees('Home');
    await ada.page.getByText('0 of 4 done').waitFor();
    await ada.page.getByRole('link', { name: 'Go to contacts' }).click();
    await ada.press('New contact');
    await ada.fill({ 'Name *': 'Jane Doe', 'Email *': 'jane@example.com' });
    await ada.press('Create contact');
    await ada.seesNotice('Jane Doe was created.');

    await ada.page.getByRole('link', { name: 'Home' }).click();
    await isDone('Create a contact');
    await ada.page.getByRole('link', { name: 'Go to secrets' }).click();
    await ada.press('New secret');
    await ada.fill({ 'Name *': 'Shop' });
    await ada.press('Create secret');
    const secret = await textOf('The secret');
    await ada.press('I’ve saved it');

    await ada.page.getByRole('link', { name: 'Home' }).click();
    await isDone('Create a secret');
    await ada.page.getByText('Waiting for a page to load the widget…').waitFor();
    // From here on the page is not touched: it finds out by itself.
    await openShop(await textOf('Snippet for your pages'));
    await isDone('Put the widget on a page');
    await ada.page.getByText('Waiting for the first visitor…').waitFor();

    await ada.page.getByText(/id=con_\w{4}/).waitFor();
    const command = await textOf('Command for a contact token');
    const [, url = '', id = ''] = /(http\S+)[\s\S]*-d (id=\w+)/.exec(command) ?? [];
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/x-www-form-urlencoded' };
    ({ token } = (await (await fetch(url, { method: 'POST', headers, body: id })).json()) as { token: string });
    await openShop((await textOf('Snippet for a known visitor')).replace('c:…', token));
    await ada.seesNotice('Your first visitor was recognized.');
    assert.equal(await ada.page.getByText('Get started').count(), 0);
  });

  test('then the page shows how the bot is used', async () => {
    await ada.page.getByRole('region', { name: 'Latest visitors' }).getByRole('link', { name: 'Jane Doe' }).waitFor();
    const numbers = ada.page.locator('dl').first();
    assert.match(
      (await numbers.innerText()).replaceAll(/\s+/g, ' '),
      /Contacts 1 Created in 30 days 1 Visitors in 7 days 1/,
    );
    await ada.page.getByText('1 new contact in the last 30 days').waitFor();
    await ada.page.locator('canvas').waitFor();
    const days = ada.page.getByRole('list', { name: 'New contacts per day, in UTC' });
    assert.match((await days.textContent()) ?? '', /: 1 new contact$/);
    const changes = ada.page.getByRole('region', { name: 'Recent changes' });
    await changes.getByText('created the secret “Shop”').waitFor();
  });
});

suite('several bots', () => {
  test('are shown together, and one by one; secrets that expire or were never used are listed', async () => {
    const { data } = await world.callAccount(account, 'POST', 'bots', { name: 'Help desk' });
    const { id } = data as { id: string };
    const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString();
    await world.callAccount(account, 'POST', 'secrets', { name: 'Nightly report', expiresAt, bots: [id] });
    await ada.page.reload();
    await ada.sees('Home');
    const secrets = ada.page.getByRole('region', { name: 'Secrets to check' });
    await secrets.getByText('Nightly report').waitFor();
    assert.match(await secrets.innerText(), /Nightly report[\s\S]*Expires[\s\S]*Never used/);
    const row = ada.page.getByRole('row').filter({ hasText: 'My bot' });
    assert.match(await row.innerText(), /My bot\s+1\s+1\s+1/);
    await ada.page.getByLabel('Bot', { exact: true }).selectOption('Help desk');
    await ada.page.getByText('Get started').waitFor();
    await ada.page.getByText('1 of 4 done').waitFor();
    assert.match(ada.page.url(), new RegExp(`bot=${id}`));
  });

  test('viewers see the page without what they may not do', async (t) => {
    const viewer = await world.invite(account, 'viewer', 'Vic Viewer', 'vic@example.com');
    const vic = await Person.arrive(t, world, { account: viewer });
    await vic.goTo('/');
    await vic.sees('Home');
    await vic.page.getByRole('region', { name: 'Secrets to check' }).waitFor();
    assert.equal(await vic.page.getByText('Recent changes').count(), 0);
    await vic.page.getByLabel('Bot', { exact: true }).selectOption('Help desk');
    await vic.page.getByText('Visitors in 7 days').waitFor();
    assert.equal(await vic.page.getByText('Get started').count(), 0);
  });
});

suite('every state', () => {
  test('has no violation, wide and narrow, light and dark, and does not scroll sideways', async (t) => {
    const looking = await Person.arrive(t, world, { account, bypassCSP: true });
    const { data } = await world.callAccount(account, 'GET', 'bots');
    const places = ['/', ...(data as { id: string }[]).map(({ id }) => `/?bot=${id}`)];
    for (const place of places) {
      await looking.goTo(place);
      await looking.sees('Home');
      await looking.hasLoaded();
      for (const width of [1280, 360]) {
        await looking.page.setViewportSize({ width, height: 740 });
        const widths = await looking.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const);
        assert.ok(widths[0] <= widths[1], `${place}: ${widths[0]} of ${widths[1]}`);
        for (const colorScheme of ['light', 'dark'] as const) {
          await looking.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await looking.page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
          assert.deepEqual(await violations(looking.page), [], `${place}, ${width}, ${colorScheme}`);
        }
      }
    }
  });
});
