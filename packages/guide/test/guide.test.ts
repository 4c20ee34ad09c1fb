// The guide in a browser: read and searched.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { browserDeadlineMs, openChromium } from '../../server/test/browser/chromium.ts';
import { startServer } from '../../server/test/harness.ts';
import { wholeFile } from '../../server/test/whole-file.ts';

const { url } = await startServer(wholeFile);
const browser = await openChromium(wholeFile);

const phone = { viewport: { width: 390, height: 844 } };

interface Visit {
  page: Page;
  /** What the page asked for, without the server's address. */
  requested: string[];
  /** Errors, and violations of the content security policy. */
  faults: string[];
}

async function visit(t: TestContext, path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const page = await browser.newPage(options);
  t.after(() => page.close());
  page.setDefaultTimeout(browserDeadlineMs);
  const requested: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => requested.push(request.url().replace(url, '')));
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text());
  });
  await page.goto(`${url}/docs/guide${path}`);
  return { page, requested, faults };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });

suite('a reader', () => {
  test('goes from page to page by the menu and by the next page, all from this server', async (t) => {
    const { page, requested, faults } = await visit(t, '');
    assert.match(await page.title(), /^Guide · Roster \d/);
    const menu = page.getByRole('navigation', { name: 'Guide' });
    await menu.getByRole('link', { name: 'Scaling out' }).click();
    await heading(page, 'Scaling out').waitFor();
    assert.equal(page.url(), `${url}/docs/guide/operations/scale-out`);
    assert.equal(await menu.locator('[aria-current=page]').innerText(), 'Scaling out');
    await page.getByRole('link', { name: 'Next Moving data' }).click();
    await heading(page, 'Moving between SQLite and PostgreSQL').waitFor();
    await menu.getByRole('link', { name: 'API reference' }).click();
    // That page has its own test, and takes seconds to be complete.
    await page.waitForURL(`${url}/docs`, { waitUntil: 'commit' });
    assert.deepEqual(faults, []);
    assert.deepEqual(
      requested.filter((address) => !address.startsWith('/') && !address.startsWith('data:')),
      [],
    );
  });

  test('searches by keyboard, and follows a result to its section; the index is loaded for a search only', async (t) => {
    const { page, requested, faults } = await visit(t, '/operations/install');
    assert.ok(!requested.some((address) => /search/.test(address)), 'nothing of the search is loaded ahead');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('permisions secret');
    const result = page.locator('.results').getByRole('link', { name: /Permissions of a secret/ });
    await result.first().waitFor();
    assert.match(await page.getByRole('status').innerText(), /results?$/);
    assert.ok((await page.locator('.results mark').count()) > 0, 'what matched is marked');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement?.closest('.results') !== null), true);
    await page.keyboard.press('Escape');
    await page.locator('.results').waitFor({ state: 'hidden' });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type(' ');
    await page.keyboard.press('Enter');
    await heading(page, 'The account').waitFor();
    assert.match(page.url(), /\/docs\/guide\/account#permissions-of-a-secret$/);
    assert.deepEqual(faults, []);
  });

  test('searches for a topic, and its page is the first result', async (t) => {
    const { page } = await visit(t, '');
    await page.getByRole('searchbox', { name: 'Search the guide' }).fill('webhooks');
    await page.locator('.results a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/docs/guide/webhooks`);
  });

  test('copies code by a button, with the address of this server in the examples', async (t) => {
    const { page, faults } = await visit(t, '/api', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.includes(`\nexport ROSTER_URL=${url} `), copied);
    assert.ok(copied.endsWith("json'"), copied);
    assert.deepEqual(faults, []);
    // Where a server of its own is installed, the address is the documented one.
    await page.goto(`${url}/docs/guide/operations/install`);
    await page.getByText('http://127.0.0.1:8080').first().waitFor();
  });

  for (const [screen, options] of Object.entries({ wide: {}, phone })) {
    test(`sees all code on a ${screen} screen: its button covers none of it`, async (t) => {
      const { page } = await visit(t, '', options);
      for (const path of ['', '/api', '/embedding', '/errors', '/operations/install']) {
        await page.goto(`${url}/docs/guide${path}`);
        await page.getByRole('button', { name: 'Copy', exact: true }).first().waitFor();
        const isClear = await page.locator('article pre').evaluateAll((blocks) =>
          blocks.map((code) => {
            const button = code.parentElement?.querySelector('button')?.getBoundingClientRect();
            const { right, top } = code.getBoundingClientRect();
            return button !== undefined && button.width > 0 && (button.left >= right || button.bottom <= top);
          }),
        );
        assert.ok(isClear.length > 0 && isClear.every(Boolean), `${path}: ${isClear}`);
        const code = (await page.locator('article pre').allTextContents()).join('\n');
        assert.ok(!code.includes('http://127.0.0.1:8080'), `${path} has the address of this server`);
      }
    });
  }

  test('downloads the receivers that a page links', async (t) => {
    const { page } = await visit(t, '/webhooks');
    for (const name of ['Node', 'Python', 'PHP']) {
      const address = await page.getByRole('link', { name, exact: true }).getAttribute('href');
      const file = await page.request.get(new URL(address ?? '', page.url()).href);
      assert.match(await file.text(), /WEBHOOK_SECRET=whsec_/, name);
    }
  });

  test('reads that nothing was found', async (t) => {
    const { page } = await visit(t, '');
    await page.getByRole('searchbox', { name: 'Search the guide' }).fill('xyzzyplugh');
    await page.getByText('No results for “xyzzyplugh”.').waitFor();
    assert.equal(await page.locator('.results a').count(), 0);
  });

  test('has everything but the search without scripts, the menu of a phone too', async (t) => {
    const { page } = await visit(t, '/api', { ...phone, javaScriptEnabled: false });
    assert.equal(await page.getByRole('searchbox').count(), 0);
    const link = page.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: 'Errors' });
    assert.equal(await link.count(), 0);
    await page.getByRole('button', { name: 'Menu' }).click();
    await link.click();
    await heading(page, 'Errors').waitFor();
  });

  test('of a missing page finds the way back', async (t) => {
    const { page } = await visit(t, '/operations/nowhere');
    await heading(page, 'Page not found').waitFor();
    await page.getByRole('link', { name: 'first page' }).click();
    await page.waitForURL(`${url}/docs/guide`);
  });
});
