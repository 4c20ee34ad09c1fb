// Short runs of the feed test. The long ones are started by hand: npm run feed-test -- --engine postgres --changes 100000
// Takes some 20 CPU-seconds, most of them for the starts of nine servers and five mirrors.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('main.ts', import.meta.url));

suite('each event is read once and in order, and a mirror equals the source', () => {
  test('on SQLite, with a server and a mirror that are killed again and again', async () => {
    const printed = await feedTest('--engine', 'sqlite', '--changes', '300', '--kills', '2', '--mirror-kills', '2');
    assert.match(printed, /kills: 2 of servers, 2 of the mirror$/m);
  });

  test('on PostgreSQL, with two servers of which one is killed again and again, or both at once', async () => {
    const printed = await feedTest('--engine', 'postgres', '--changes', '150', '--kills', '3', '--mirror-kills', '1');
    // A kill of both counts as two, and the last may be one.
    assert.match(printed, /kills: [34] of servers, 1 of the mirror$/m);
  });
});

async function feedTest(...options: string[]): Promise<string> {
  const ran = promisify(execFile)(process.execPath, [script, ...options]);
  const { stdout } = await ran.catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
  assert.match(stdout, /^Each reader saw each event once and in order, and the mirror equals the source\.$/m);
  return stdout;
}
