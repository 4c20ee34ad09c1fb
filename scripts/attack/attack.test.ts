// A short attack of one organization on a server that it shares with another: two seconds of each load, on each engine. The long one
// is started by hand: npm run attack. Takes some 130 CPU-seconds, since keeping the server busy is what it is about.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('main.ts', import.meta.url));

suite('what one organization does', () => {
  for (const engine of ['sqlite', 'postgres']) {
    test(`is hardly noticed by another, on ${engine}`, async (t) => {
      const args = ['--engine', engine, '--seconds', '2', '--contacts', '12000'];
      const ran = promisify(execFile)(process.execPath, [script, ...args]);
      const { stdout } = await ran.catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
      t.diagnostic(stdout);
      assert.match(stdout, /^Nothing was too much\.$/m);
    });
  }
});
