// What axe finds in a page of the console.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findViolations } from '../../server/test/browser/axe.ts';
import type { Person } from './console-world.ts';

export async function violations(page: Page): Promise<string[]> {
  // The preview of the widget replaces the empty document that its frame begins with.
  if ((await page.locator('iframe').count()) > 0) await page.frameLocator('iframe').getByRole('dialog').waitFor();
  return findViolations(page);
}

/** The person's context bypasses the page's policy: the check itself writes HTML. */
export async function assertNoViolations(
  person: Person,
  what: string,
  ...schemes: ('light' | 'dark')[]
): Promise<void> {
  for (const colorScheme of schemes) {
    await person.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await untilScheme(person, colorScheme);
    assert.deepEqual(await violations(person.page), [], `${what}, ${colorScheme}`);
  }
}

export function untilScheme(person: Person, scheme: string): Promise<void> {
  return person.page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
}
