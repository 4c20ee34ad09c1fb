// What a page must be on a phone, beside narrow.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/**
 * Buttons are 44 pixels high, and so are fields, whose letters have 16: phones zoom in on smaller ones. `least` is how many of them the
 * page has, without which nothing would be checked.
 */
export async function assertSizedForFingers(page: Page, least = 4): Promise<void> {
  const sizes = await page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'main :is(input:not([type=checkbox]), select, textarea), main :is(button[class*=Button-root], [class*=ActionIcon-root])',
      ),
    ]
      .filter(({ offsetHeight }) => offsetHeight > 0)
      .map((element) => ({
        name: element.getAttribute('aria-label') ?? element.innerText,
        height: element.offsetHeight,
        letters: element.matches('input, select, textarea')
          ? Number.parseFloat(getComputedStyle(element).fontSize)
          : 16,
      })),
  );
  assert.ok(sizes.length >= least, `${sizes.length}`);
  assert.deepEqual(
    sizes.filter(({ height, letters }) => height < 44 || letters < 16),
    [],
  );
}
