// Run before the tests: finds or installs their browsers, or says in one line what to install.
import { chromium, ensureBrowser, firefox } from '../packages/server/test/browser/installed-browser.ts';

try {
  for (const kind of [chromium, firefox]) ensureBrowser(kind);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
