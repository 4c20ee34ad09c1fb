// Two rounds of the crash test. The long run is started by hand: npm run crash-test -- --rounds 50
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('../../../../scripts/crash-test.ts', import.meta.url));

test('a server killed under a write load has every answered write when it is started again', async () => {
  const ran = promisify(execFile)(process.execPath, [script, '--rounds', '2']);
  const { stdout } = await ran.catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
  assert.match(stdout, /^2 kills, \d+ answered writes, \d+ in flight at a kill: nothing was lost$/m);
});
