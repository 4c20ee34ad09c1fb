// The widget in Firefox, by the WebDriver protocol: the other tests run in Chromium.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { ensureProgram, firefox } from '../installed-program.ts';
import { browserDeadlineMs } from './chromium.ts';
import { addBot, addContact, pageOf, scriptTag, startSite } from './site.ts';

const world = await startSite();

suite('Firefox', () => {
  test('recognises the visitor, and forgets them at the logout', async (t) => {
    const bot = await addBot(world, {
      channels: [{ type: 'link', value: 'https://shop.example.com/help', label: 'Help' }],
    });
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: ensureProgram(firefox),
      timeout: browserDeadlineMs,
      protocolTimeout: browserDeadlineMs,
    });
    t.after(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(browserDeadlineMs);
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    const readPanel = async () => {
      const dialog = await page.waitForSelector('chat-widget >>> [role=dialog]', { visible: true });
      return (await dialog?.evaluate((element) => (element as HTMLElement).innerText)) ?? '';
    };
    const waitForHeading = (text: string) =>
      page.waitForFunction(
        (wanted) => document.querySelector('chat-widget')?.shadowRoot?.querySelector('h2')?.textContent === wanted,
        {},
        text,
      );

    world.pages.set('/', { html: pageOf(scriptTag(world, bot, jane.token)) });
    await page.goto(world.siteUrl);
    await waitForHeading('Hello, Jane Doe!');
    await (await page.waitForSelector('chat-widget >>> .launcher'))?.click();
    const panel = await readPanel();
    assert.ok(panel.includes('You are signed in') && panel.includes('Help'), panel);

    // Without the token in the address: the browser has kept it.
    world.pages.set('/', { html: pageOf(scriptTag(world, bot)) });
    await page.goto(world.siteUrl);
    await waitForHeading('Hello, Jane Doe!');
    await page.evaluate(() => {
      const { Roster } = window;
      if (Roster === undefined || Array.isArray(Roster)) throw new Error('the widget is not there');
      return Roster.auth.contacts.logout();
    });
    await waitForHeading('Hello!');
    assert.deepEqual(errors, []);
  });
});
