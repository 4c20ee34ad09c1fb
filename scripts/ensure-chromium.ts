// Run before the tests: finds or installs their browser, or says in one line what to install.
import { ensureChromium } from '../packages/server/test/browser/chromium.ts';

try {
  ensureChromium();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
