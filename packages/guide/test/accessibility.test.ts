// The guide for everybody: without sight, in light and dark, on a wide screen and on a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findViolations } from '../../server/test/browser/axe.ts';
import { browserDeadlineMs, openChromium } from '../../server/test/browser/chromium.ts';
import { startServer } from '../../server/test/harness.ts';
import { wholeFile } from '../../server/test/whole-file.ts';

const { url } = await startServer(wholeFile);
const browser = await openChromium(wholeFile);

const screens = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

for (const [screen, viewport] of Object.entries(screens)) {
  test(`the guide can be used without sight, and fits, in light and in dark on a ${screen} screen`, async (t) => {
    // The check itself writes HTML, which the page's policy forbids.
    const page = await browser.newPage({ viewport, bypassCSP: true });
    t.after(() => page.close());
    page.setDefaultTimeout(browserDeadlineMs);
    const check = async (what: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // What is too wide for the screen can be scrolled with the keyboard from the first frame on.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        assert.deepEqual(await findViolations(page), [], `${what}, ${colorScheme}`);
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(excess <= 0, `${what} is ${excess} pixels too wide`);
      }
    };
    for (const path of ['', '/embedding', '/operations/capacity', '/nowhere']) {
      await page.goto(`${url}/docs/guide${path}`);
      await check(path);
    }
    await page.getByRole('searchbox').fill('tags');
    await page.locator('.results a').first().waitFor();
    await check('the search');
    await page.keyboard.press('Escape');
    if (screen === 'phone') {
      await page.getByRole('button', { name: 'Menu' }).click();
      await check('the menu');
    }
  });
}
