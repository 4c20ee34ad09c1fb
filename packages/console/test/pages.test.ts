// What is true of every page: it can be used without sight and without a mouse, and fits a phone. Takes some 40 CPU-seconds, most of
// which are the hundred runs of axe.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';
import { prepareEveryPage } from './every-page.ts';
import { assertSizedForFingers } from './phone.ts';
import { assertNoViolations, untilScheme } from './violations.ts';

const world = await ConsoleWorld.start();
// The check itself writes HTML, which the page's policy forbids: the other tests run under the policy.
const anonymous = await Person.arrive(wholeFile, world, { bypassCSP: true });

const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account, bypassCSP: true });
const { bot, contact, webhookId, places } = await prepareEveryPage(world, account);
const { data: invitation } = await world.callAccount(account, 'POST', 'invitations', {
  email: 'b@example.com',
  role: 'member',
});
const link = new URL((invitation as { link: string }).link).hash.slice(1);

suite('every page', () => {
  for (const [place, title] of places) {
    test(`${title.slice(0, 30)}: no violation, wide and light or narrow and dark; no sideways scrolling at 360 pixels`, async () => {
      await ada.page.setViewportSize({ width: 1280, height: 800 });
      await ada.goTo(place);
      await ada.sees(title);
      await ada.hasLoaded();
      await assertNoViolations(ada, title, 'light');
      await ada.page.setViewportSize({ width: 360, height: 740 });
      const widths = await ada.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const);
      assert.ok(widths[0] <= widths[1], `${widths[0]} of ${widths[1]}`);
      await assertNoViolations(ada, `${title} on a phone`, 'dark');
    });
  }

  test('on a phone, letters of fields are large enough for it not to zoom in, and buttons for a finger', async () => {
    await ada.page.setViewportSize({ width: 390, height: 800 });
    await ada.goTo(`${bot}/contacts/${contact.id}`);
    await ada.press('Edit Email');
    await ada.press('Edit Plan');
    await ada.page.getByRole('button', { name: 'Revoke…' }).waitFor();
    await assertSizedForFingers(ada.page, 12);
    await ada.goTo(`${bot}/contacts`);
    await ada.hasLoaded();
    await ada.page.getByRole('columnheader', { name: 'Name' }).waitFor();
    await assertSizedForFingers(ada.page);
    assert.equal(await ada.page.getByRole('banner').getByRole('link', { name: 'My bot' }).count(), 1);
  });

  test('the pages before the sign-in too', async () => {
    for (const [place, title] of [
      ['/secrets', 'Sign in'],
      [link, 'Join Example Ltd'],
      ['/link/nonsense', 'This link doesn’t work'],
    ] as const) {
      await anonymous.goTo(place);
      await anonymous.sees(title);
      await assertNoViolations(anonymous, title, 'light', 'dark');
    }
  });

  test('dialogs too', async () => {
    for (const [place, button, width] of [
      [`${bot}/contacts`, 'New contact', 360],
      ['/bots', 'New bot', 1280],
      ['/secrets', 'New secret', 360],
      ['/members', 'Invite', 360],
      [`${bot}/settings`, 'Delete bot…', 360],
      [`${bot}/contacts/${contact.id}`, 'Delete…', 360],
      [`${bot}/contacts/${contact.id}`, 'Revoke all…', 1280],
      ['/account', 'Sign out everywhere…', 1280],
      [`${bot}/attributes`, 'New attribute', 360],
      [`${bot}/webhooks`, 'New webhook', 360],
      [`${bot}/webhooks/${webhookId}`, 'Edit', 1280],
      [`${bot}/webhooks/${webhookId}`, 'Replay…', 360],
      ['/members', 'Open the menu', 360],
    ] as const) {
      await ada.page.setViewportSize({ width, height: 740 });
      await ada.goTo(place);
      await ada.press(button);
      await ada.page.getByRole('dialog').waitFor();
      await assertNoViolations(ada, button, 'light', 'dark');
      const { x = 0, width: taken = 0 } = (await ada.page.getByRole('dialog').boundingBox()) ?? {};
      if (button === 'Open the menu') assert.equal(x, 0);
      else assert.ok(Math.abs(x + taken / 2 - width / 2) < 20, `${button} is not in the middle: ${x} + ${taken}`);
      await ada.page.keyboard.press('Escape');
      await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test('a bot without contacts too, and its headings are in order', async () => {
    const { data } = await world.callAccount(account, 'POST', 'bots', { name: 'Empty' });
    const { id } = data as { id: string };
    await ada.goTo(`/bots/${id}/contacts`);
    await ada.page.getByRole('heading', { level: 2, name: 'No contacts yet' }).waitFor();
    await assertNoViolations(ada, 'no contacts', 'light', 'dark');
    await world.callAccount(account, 'DELETE', `bots/${id}`);
  });

  test('open menus too', async () => {
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    for (const [place, button] of [
      [`${bot}/contacts`, 'Import & export'],
      [`${bot}/contacts`, 'Columns'],
      [`${bot}/attributes`, 'Actions for Plan'],
      [`${bot}/webhooks/${webhookId}`, 'Actions'],
      ['/members', 'Actions for Ada Owner'],
      ['/secrets', 'Actions for First secret'],
      ['/secrets', 'Ada Owner Owner'],
    ] as const) {
      await ada.goTo(place);
      await ada.press(button);
      await ada.page.getByRole('menu').waitFor();
      await assertNoViolations(ada, button, 'light', 'dark');
      await ada.page.keyboard.press('Escape');
      await ada.page.getByRole('menu').waitFor({ state: 'detached' });
    }
  });

  test('the states of the list too: filters, a selection, nothing found, an error', async () => {
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    await ada.goTo(`${bot}/contacts?createdAt[gte]=-30d&sort=name`);
    await ada.page.getByLabel('Select all on this page').check();
    await assertNoViolations(ada, 'a selection', 'light', 'dark');
    await ada.press('Add filter');
    await ada.page.getByLabel('Field').waitFor();
    await assertNoViolations(ada, 'the form of a filter', 'light', 'dark');
    await ada.page.getByLabel('Condition').selectOption('is any of');
    await ada.page.getByRole('checkbox', { name: 'vip' }).check();
    await assertNoViolations(ada, 'the tags of a filter', 'light', 'dark');
    await ada.page.keyboard.press('Escape');
    await ada.press('Delete 1 contact…');
    await ada.page.getByRole('dialog').waitFor();
    await assertNoViolations(ada, 'deleting several', 'light', 'dark');
    await ada.page.keyboard.press('Escape');
    await ada.goTo(`${bot}/contacts?peek=${contact.id}`);
    await ada.page.getByRole('region', { name: 'Contact', exact: true }).waitFor();
    await ada.hasLoaded();
    await assertNoViolations(ada, 'the panel of a contact', 'light', 'dark');
    await ada.page.keyboard.press('?');
    await ada.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await assertNoViolations(ada, 'the shortcuts', 'light', 'dark');
    await ada.page.keyboard.press('Escape');
    await ada.goTo(`${bot}/contacts?query=nobody`);
    await ada.page.getByText('No contacts match').waitFor();
    await assertNoViolations(ada, 'nothing found', 'light', 'dark');
    await ada.goTo(`${bot}/contacts?nonsense=1`);
    await ada.page.getByRole('heading', { name: 'Unknown filter' }).waitFor();
    await assertNoViolations(ada, 'an unknown filter', 'light', 'dark');
    await ada.goTo(`${bot}/contacts?segment=unknown`);
    await ada.page.getByRole('alert').waitFor();
    await assertNoViolations(ada, 'an error', 'light', 'dark');
  });

  test('the banner of a full disk too, whose text fits', async () => {
    await ada.page.route('**/readyz', (route) => route.fulfill({ json: { status: 'ready', mode: 'read-only' } }));
    await ada.goTo('/members');
    await ada.page.reload();
    const banner = ada.page.getByText('The server’s disk is full.');
    for (const width of [360, 449, 600, 865, 1280]) {
      await ada.page.setViewportSize({ width, height: 800 });
      await banner.waitFor();
      const heights = await banner.evaluate(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight] as const);
      assert.ok(heights[0] <= heights[1], `${width}: ${heights}`);
    }
    await assertNoViolations(ada, 'the banner', 'light', 'dark');
    await ada.page.unroute('**/readyz');
    await ada.looksAgain();
    await banner.waitFor({ state: 'detached' });
  });

  test('the editors of a segment and of an attribute too', async () => {
    await ada.goTo(`${bot}/attributes`);
    await ada.choose('Actions for Payers', 'Edit…');
    await ada.page.getByRole('dialog').getByText('Plan has a value').waitFor();
    await assertNoViolations(ada, 'the editor of a segment', 'light', 'dark');
    await ada.page.keyboard.press('Escape');
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    await ada.goTo(`${bot}/contacts/${contact.id}`);
    await ada.press('Edit Plan');
    await ada.page.getByLabel('Plan', { exact: true }).waitFor();
    await assertNoViolations(ada, 'the editor of an attribute', 'light', 'dark');
    await ada.press('Cancel');
    await ada.press('Edit WhatsApp');
    await ada.fill({ WhatsApp: 'nonsense' });
    await ada.page.keyboard.press('Enter');
    await ada.page.locator('[aria-invalid=true]').waitFor();
    await assertNoViolations(ada, 'a value that is refused', 'light', 'dark');
    await ada.press('Cancel');
  });

  test('the steps of an import too', async () => {
    await ada.goTo(`${bot}/import`);
    const buffer = Buffer.from('name,email\nJane,jane@example.com\nBob,not an email\n');
    await ada.page.getByLabel('CSV file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await ada.page.getByRole('button', { name: 'Import 1 contact' }).waitFor();
    await assertNoViolations(ada, 'a file that was checked', 'light', 'dark');
    const titles = await ada.page.getByRole('heading', { level: 2 }).allInnerTexts();
    assert.deepEqual(titles, ['1. Columns', '2. Check and import']);
    await ada.press('Import 1 contact');
    await ada.page.getByRole('link', { name: 'View contacts' }).waitFor();
    await assertNoViolations(ada, 'an import', 'light', 'dark');
    assert.deepEqual(await ada.page.getByRole('heading', { level: 2 }).allInnerTexts(), ['Done']);
  });
});

suite('the menu', () => {
  test('shows further bots on request', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `Bot ${at}`);
    for (const name of names) await world.callAccount(account, 'POST', 'bots', { name });
    await ada.goTo('/members');
    await ada.page.reload();
    const menu = ada.page.getByRole('navigation', { name: 'Console' });
    await ada.press('Show 3 more');
    for (const name of names) await menu.getByRole('link', { name, exact: true }).waitFor();
    await ada.press('Show fewer');
    await ada.page.getByRole('button', { name: 'Show 3 more' }).waitFor();
  });

  test('shows a bot that another member has created, from the next page on', async () => {
    await ada.goTo('/members');
    await ada.sees('Members');
    await ada.hasLoaded();
    await world.callAccount(account, 'POST', 'bots', { name: 'A bot of a colleague' });
    await ada.page.getByRole('link', { name: 'Secrets' }).click();
    await ada.sees('Secrets');
    await ada.page.getByRole('button', { name: /^Show \d+ more$/ }).click();
    const menu = ada.page.getByRole('navigation', { name: 'Console' });
    await menu.getByRole('link', { name: 'A bot of a colleague', exact: true }).waitFor();
    await ada.press('Show fewer');
  });
});

suite('the command palette', () => {
  test('goes to a page, a bot and a contact, by keyboard alone; it has no violation', async () => {
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    await ada.goTo(`${bot}/contacts`);
    await ada.sees('My bot');
    const input = ada.page.getByRole('combobox', { name: 'Page, bot, segment or contact' });
    const options = ada.page.getByRole('listbox', { name: 'Results' }).getByRole('option');
    await ada.page.keyboard.press('Control+k');
    await input.and(ada.page.locator(':focus')).waitFor();
    await assertNoViolations(ada, 'the command palette', 'light', 'dark');
    await ada.page.keyboard.type('secr');
    await options.and(ada.page.locator('[aria-selected=true]')).getByText('Secrets').waitFor();
    await ada.page.keyboard.press('Enter');
    await ada.sees('Secrets');

    await ada.press('Go to… Ctrl K');
    await input.fill('my bot');
    await options.getByText('Import contacts').waitFor();
    await ada.page.keyboard.press('ArrowDown');
    await options.and(ada.page.locator('[aria-selected=true]')).getByText('Import contacts').waitFor();
    await ada.page.keyboard.press('Enter');
    await ada.sees('Import contacts');

    await ada.page.keyboard.press('Control+k');
    await input.fill('very long name');
    await options.getByText('A very long name').click();
    await ada.sees(contact.name);

    await ada.page.keyboard.press('Control+k');
    await input.fill('payers');
    await options.getByText('Segment').click();
    await ada.sees('Payers');

    await ada.page.keyboard.press('Control+k');
    await input.fill('new con');
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('dialog', { name: 'New contact' }).waitFor();
    assert.doesNotMatch(ada.page.url(), /new/, 'a reload does not open the form again');
    await ada.page.keyboard.press('Escape');
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });

    await ada.page.keyboard.press('Control+k');
    await input.fill('nothing of this name');
    await ada.page.getByText('No results for “nothing of this name”.').waitFor();
    await ada.page.keyboard.press('Escape');
    await input.waitFor({ state: 'detached' });
  });

  test('stays closed over another dialog, whose edits would be lost', async () => {
    await ada.goTo(`${bot}/contacts`);
    await ada.press('New contact');
    await ada.page.getByRole('dialog', { name: 'New contact' }).waitFor();
    await ada.page.keyboard.press('Control+k');
    assert.equal(await ada.page.getByRole('dialog').count(), 1);
    await ada.page.keyboard.press('Escape');
  });
});

suite('without a mouse', () => {
  test('a contact is created by keyboard alone, and the focus returns to where it was', async () => {
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    await ada.goTo(`${bot}/contacts`);
    await ada.sees('My bot');
    await ada.page.getByRole('button', { name: 'New contact' }).focus();
    await ada.page.keyboard.press('Enter');
    await ada.page.getByLabel('Name *', { exact: true }).waitFor();
    await ada.page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'name');
    await ada.page.keyboard.type('Keys');
    await ada.page.keyboard.press('Tab');
    await ada.page.keyboard.type('keys@example.com');
    await ada.page.keyboard.press('Enter');
    await ada.seesNotice('Keys was created.');
    await ada.page.waitForFunction(() => document.activeElement?.textContent === 'New contact');
  });

  test('a menu is loaded, opened and closed by keyboard alone, and the focus returns to its button', async () => {
    await ada.page.reload();
    await ada.sees('My bot');
    const button = ada.page.getByRole('button', { name: 'Columns' });
    for (const _ of ['loaded', 'open again']) {
      await button.focus();
      await ada.page.keyboard.press('Enter');
      await ada.page.getByRole('menuitemcheckbox', { name: 'Email' }).and(ada.page.locator(':focus')).waitFor();
      await ada.page.keyboard.press('Escape');
      await ada.page.getByRole('menu').waitFor({ state: 'detached' });
      await button.and(ada.page.locator(':focus')).waitFor();
    }
  });

  test('a new page has the focus on its title, and the menu can be skipped', async () => {
    await ada.page.getByRole('link', { name: 'Members' }).press('Enter');
    await ada.sees('Members');
    await ada.page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    assert.equal(await ada.page.title(), 'Members · Roster');
    await ada.page.reload();
    await ada.sees('Members');
    await ada.page.keyboard.press('Tab');
    await ada.page.keyboard.press('Enter');
    await ada.page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  });
});

suite('the colour scheme', () => {
  test('is the system’s until the member chooses, and the choice is kept', async () => {
    await ada.page.emulateMedia({ colorScheme: 'dark' });
    await untilScheme(ada, 'dark');
    await ada.page.emulateMedia({ colorScheme: 'light' });
    await untilScheme(ada, 'light');
    await ada.press('Ada Owner Owner');
    await ada.page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await untilScheme(ada, 'dark');
    await ada.page.reload();
    await ada.sees('Members');
    await untilScheme(ada, 'dark');
  });
});
