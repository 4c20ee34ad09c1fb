// The API reference page in a browser: it works, and reaches nothing of the console's origin.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
