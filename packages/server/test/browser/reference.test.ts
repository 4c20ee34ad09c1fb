// The API reference page in a browser: it works, and reaches nothing of the console's origin.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { AxeResults } from 'axe-core';
import { startServer } from '../harness.ts';
import { browserDeadlineMs, launchChromium } from './chromium.ts';

test('the reference shows the operations, fetches nothing and has an origin of its own', async (t) => {
  const { url } = await startServer(t);
  const browser = await launchChromium();
  t.after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(browserDeadlineMs);
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

test('the reference that is opened from a bot has its id in the examples, and nothing else from the address', async (t) => {
  const { url } = await startServer(t);
  const browser = await launchChromium();
  t.after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(browserDeadlineMs);
  const paths = () => page.locator('#reference').innerText();
  await page.goto(`${url}/docs?bot=bot_a1b2`);
  await page.getByText('/v1/bots/bot_a1b2/contacts').first().waitFor();
  assert.doesNotMatch(await paths(), /\/v1\/bots\/\{botId\}/);
  await page.goto(`${url}/docs?bot=%3Cimg%20src%3Dx%3E`);
  await page.getByText('/v1/bots/{botId}/contacts').first().waitFor();
  assert.equal(await page.locator('img[src=x]').count(), 0);
});

test('the reference can be used without sight, in light and in dark', async (t) => {
  const { url } = await startServer(t);
  const browser = await launchChromium();
  t.after(() => browser.close());
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const colorScheme of ['light', 'dark'] as const) {
    // The check itself writes HTML, which the page's policy forbids.
    const page = await browser.newPage({ colorScheme, bypassCSP: true });
    page.setDefaultTimeout(browserDeadlineMs);
    await page.goto(`${url}/docs`);
    await page.getByText('Create a contact').first().waitFor();
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
    assert.deepEqual(found, [], colorScheme);
  }
});
