// Run before the tests: finds or installs their browsers and languages, or says in one line what to install.
import { chromium, ensureProgram, firefox, php, python } from '../packages/server/test/installed-program.ts';

try {
  for (const program of [chromium, firefox, python, php]) ensureProgram(program);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
