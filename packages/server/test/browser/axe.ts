// What axe finds in a page and its frames: violations of any level.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every rule. What it could say about elements that passed, and where they are, takes it as long as the check itself. */
const runAxe = `axe.run({ resultTypes: ['violations'], selectors: false })`;

/** Under a content security policy only in a context that bypasses it: the check itself writes HTML. */
export async function findViolations(page: Page): Promise<string[]> {
  for (const frame of page.frames()) {
    // It stays for as long as the document, which may be that of many pages of an application.
    if (!(await frame.evaluate(`'axe' in globalThis`))) await frame.evaluate(axe);
  }
  const { violations } = (await page.evaluate(runAxe)) as AxeResults;
  return violations.map(
    ({ id, impact, nodes }) =>
      `${impact} ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
  );
}
