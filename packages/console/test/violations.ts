// What axe finds in a page: violations of any level, in the page and its frames.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import type { Person } from './console-world.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function violations(page: Page): Promise<string[]> {
  // The preview of the widget replaces the empty document that its frame begins with.
  if ((await page.locator('iframe').count()) > 0) await page.frameLocator('iframe').getByRole('dialog').waitFor();
  for (const frame of page.frames()) await frame.evaluate(axe);
  const found = ((await page.evaluate('axe.run()')) as AxeResults).violations;
  return found.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
  );
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
