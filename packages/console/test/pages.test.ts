// What is true of every page: it can be used without sight and without a mouse, fits a phone, and comes quickly.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { suite, test } from 'node:test';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const setUp = new URL(world.setUpUrl).hash.slice(1);
// The check itself writes HTML, which the page's policy forbids: the other tests run under the policy.
const anonymous = await Person.arrive(wholeFile, world, { bypassCSP: true });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Violations that make a page unusable for some. */
async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
    );
}

const isShown = (person: Person, scheme: string) =>
  person.page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();

const check = async (person: Person, what: string, ...schemes: ('light' | 'dark')[]) => {
  for (const colorScheme of schemes) {
    await person.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await isShown(person, colorScheme);
    assert.deepEqual(await seriousViolations(person.page), [], `${what}, ${colorScheme}`);
  }
};

suite('before the sign-in', () => {
  test('the set-up page has no serious violation, and the first load is small', async () => {
    await anonymous.goTo(setUp);
    await anonymous.sees('Set up Roster');
    await check(anonymous, 'set-up', 'light', 'dark');
    const bytes = await anonymous.page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.includes('/console/assets/'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    );
    assert.ok(bytes > 50_000 && bytes < 350_000, `${bytes} bytes`);
  });
});

const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account, bypassCSP: true });
const { json: made } = await world.callBot('PUT', 'contacts', {
  name: 'A very long name without any space: '.concat('x'.repeat(200)),
  email: `${'long'.repeat(40)}@example.com`,
  phone: '+1 555 0100',
});
await world.callBot('POST', 'auth/contact', { id: made.data.id });
const { data: invitation } = await world.callAccount(account, 'POST', 'invitations', {
  email: 'b@example.com',
  role: 'member',
});
const link = new URL((invitation as { link: string }).link).hash.slice(1);
const bot = `/bots/${world.botId}`;

const places = [
  ['/', 'Bots'],
  [`${bot}/settings`, 'My bot'],
  [`${bot}/contacts`, 'Contacts'],
  [`${bot}/contacts/${made.data.id}`, made.data.name],
  [`${bot}/import`, 'Import contacts'],
  ['/secrets', 'Secrets'],
  ['/members', 'Members'],
  ['/audit', 'Audit log'],
  ['/account', 'Your account'],
  ['/nowhere', 'There is nothing here'],
] as const;

suite('every page', () => {
  for (const [place, title] of places) {
    test(`${title.slice(0, 30)}: no serious violation, wide and light or narrow and dark; no sideways scrolling at 360 pixels`, async () => {
      await ada.page.setViewportSize({ width: 1280, height: 800 });
      await ada.goTo(place);
      await ada.sees(title);
      await ada.hasLoaded();
      await check(ada, title, 'light');
      await ada.page.setViewportSize({ width: 360, height: 740 });
      const widths = await ada.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const);
      assert.ok(widths[0] <= widths[1], `${widths[0]} of ${widths[1]}`);
      await check(ada, `${title} on a phone`, 'dark');
    });
  }

  test('the pages before the sign-in too', async () => {
    for (const [place, title] of [
      ['/secrets', 'Sign in'],
      [link, 'Join Example Ltd'],
      ['/link/nonsense', 'This link does not work'],
    ] as const) {
      await anonymous.goTo(place);
      await anonymous.sees(title);
      await check(anonymous, title, 'light', 'dark');
    }
  });

  test('dialogs and menus too', async () => {
    await ada.page.setViewportSize({ width: 360, height: 740 });
    for (const [place, button] of [
      [`${bot}/contacts`, 'New contact'],
      ['/secrets', 'New secret'],
      ['/members', 'Invite'],
      [`${bot}/settings`, 'Delete bot…'],
      ['/members', 'Open the menu'],
    ] as const) {
      await ada.goTo(place);
      await ada.press(button);
      await ada.page.getByRole('dialog').waitFor();
      await check(ada, button, 'light', 'dark');
      await ada.page.keyboard.press('Escape');
      await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
});

suite('without a mouse', () => {
  test('a contact is created by keyboard alone, and the focus returns to where it was', async () => {
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    await ada.goTo(`${bot}/contacts`);
    await ada.sees('Contacts');
    await ada.page.getByRole('button', { name: 'New contact' }).focus();
    await ada.page.keyboard.press('Enter');
    await ada.page.getByLabel('Name *', { exact: true }).waitFor();
    await ada.page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'name');
    await ada.page.keyboard.type('Keys');
    await ada.page.keyboard.press('Tab');
    await ada.page.keyboard.type('keys@example.com');
    await ada.page.keyboard.press('Enter');
    await ada.seesNotice('Keys was added.');
    await ada.page.waitForFunction(() => document.activeElement?.textContent === 'New contact');
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
    await isShown(ada, 'dark');
    await ada.page.emulateMedia({ colorScheme: 'light' });
    await isShown(ada, 'light');
    await ada.press('Ada Owner Owner');
    await ada.page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await isShown(ada, 'dark');
    await ada.page.reload();
    await ada.sees('Members');
    await isShown(ada, 'dark');
  });
});
