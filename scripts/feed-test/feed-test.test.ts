// Short runs of the feed test. The long ones are started by hand: npm run feed-test -- --engine postgres --changes 100000
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('main.ts', import.meta.url));

suite('each event is read once and in order, and a mirror equals the source', () => {
  test('on SQLite, with a server that is killed', async () => {
    await feedTest('--engine', 'sqlite', '--changes', '2000', '--kills', '3', '--mirror-kills', '1');
  });

  test('on PostgreSQL, with two servers of which any or both are killed', async () => {
    await feedTest('--engine', 'postgres', '--changes', '2000', '--kills', '4', '--mirror-kills', '1');
  });

  test('with a mirror that is killed again and again', async () => {
    await feedTest('--engine', 'sqlite', '--changes', '2000', '--kills', '0', '--mirror-kills', '6');
  });
});

async function feedTest(...options: string[]): Promise<void> {
  const ran = promisify(execFile)(process.execPath, [script, ...options]);
  const { stdout } = await ran.catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
  assert.match(stdout, /^Each reader saw each event once and in order, and the mirror equals the source\.$/m);
}
