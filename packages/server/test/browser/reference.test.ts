// The API reference page in a browser: it works, and reaches nothing of the console's origin. Takes some 20 CPU-seconds: the bundle
// draws the whole reference at once, for each page anew.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startServer } from '../harness.ts';
import { wholeFile } from '../whole-file.ts';
import { findViolations } from './axe.ts';
import { browserDeadlineMs, openChromium } from './chromium.ts';

const { url } = await startServer(wholeFile);
const browser = await openChromium(wholeFile);

async function openPage(t: TestContext, options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  t.after(() => page.close());
  page.setDefaultTimeout(browserDeadlineMs);
  return page;
}

async function openToCheck(t: TestContext, path: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  // The check itself writes HTML, which the page's policy forbids.
  const page = await openPage(t, { colorScheme, bypassCSP: true });
  await page.goto(`${url}${path}`);
  await page.getByText('Create a contact').first().waitFor();
  await page.locator(`body.${colorScheme}-mode`).waitFor();
  return page;
}

test('the reference shows the operations, fetches nothing and has an origin of its own', async (t) => {
  const page = await openPage(t);
  const faults: string[] = [];
  const requested: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text());
  });
  page.on('request', (request) => requested.push(request.url().replace(url, '')));
  await page.goto(`${url}/docs`);
  await page.getByText('Create a contact').first().waitFor();
  await page.getByText('Retrieve a contact').first().click();
  await page.getByRole('heading', { name: 'Retrieve a contact' }).waitFor();
  await page.getByText('webhooks', { exact: true }).first().click();
  await page.getByText('Receive an event').first().waitFor();
  const guide = page.getByRole('link', { name: 'Guide', exact: true });
  assert.match((await guide.getAttribute('href')) ?? '', /\/docs\/guide$/);
  assert.equal(await guide.getAttribute('target'), null, 'another tab would inherit the sandbox');
  assert.deepEqual(faults, []);
  assert.deepEqual(
    requested.filter((address) => !address.startsWith('data:')),
    ['/docs', '/docs/reference.js'],
  );
  assert.equal(await page.evaluate(() => self.origin), 'null');
  await assert.rejects(
    page.evaluate(() => document.cookie),
    /sandboxed/,
  );
  const answer = page.evaluate((target) => fetch(target).then(({ status }) => status), `${url}/v1/account/session`);
  await assert.rejects(answer, /Failed to fetch/);
});

// Each load of the bundle takes seconds, so each of these tests checks several things on one page.
test('the reference that is opened from a bot has its id in the examples; it can be used without sight, in light', async (t) => {
  const bot = `bot_${'a1'.repeat(15)}`;
  const page = await openToCheck(t, `/docs?bot=${bot}`, 'light');
  const path = page.locator('.endpoint-path', { hasText: `/v1/bots/${bot}/contacts/{contactId}` }).first();
  const endIsShown = await path.evaluate((element) => {
    const range = document.createRange();
    const text = element.firstChild as Text;
    range.setStart(text, text.length - '/{contactId}'.length);
    range.setEnd(text, text.length);
    const [shown, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return element.scrollWidth > element.clientWidth && shown.left >= box.left && shown.right <= box.right + 1;
  });
  assert.ok(endIsShown, 'paths of a bot differ at their ends');
  assert.doesNotMatch(await page.locator('#reference').innerText(), /\/v1\/bots\/\{botId\}/);
  assert.deepEqual(await findViolations(page), []);
});

test('the reference takes nothing but the id of a bot from its address; it can be used without sight, in dark', async (t) => {
  const page = await openToCheck(t, '/docs?bot=%3Cimg%20src%3Dx%3E', 'dark');
  await page.getByText('/v1/bots/{botId}/contacts').first().waitFor();
  assert.equal(await page.locator('img[src=x]').count(), 0);
  assert.deepEqual(await findViolations(page), []);
});
