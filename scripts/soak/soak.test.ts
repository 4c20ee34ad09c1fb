// Short soak runs, with a kill each. The long ones are started by hand: npm run soak -- --minutes 60
// Takes some 20 CPU-seconds: thousands of contacts, without which searches would not use the index, and several starts of servers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { canHaveOwnMounts } from '../own-mounts.ts';

const script = fileURLToPath(new URL('main.ts', import.meta.url));
/** Each disturbance once. */
const briefly = ['--minutes', '0.02', '--every-seconds', '0.5', '--connections', '4', '--busy-machine'];
/** Four fifths of them are there from the start, which on SQLite are enough for searches to use the index. */
const contacts = { sqlite: '12600', postgres: '1000' };

suite('a mixed load on a server that is killed', () => {
  test('finds all that was answered, and every total exact, on SQLite', async () => {
    const others = canHaveOwnMounts() ? ', full disk 1' : '';
    assert.match(await soak('sqlite'), new RegExp(`^disturbances: SIGKILL of the server 1${others}$`, 'm'));
  });

  test('finds all that was answered, and every total exact, on PostgreSQL', async () => {
    assert.match(
      await soak('postgres'),
      /^disturbances: SIGKILL of the server 1, crash of PostgreSQL 1, .*lost connections 1$/m,
    );
  });
});

async function soak(engine: keyof typeof contacts): Promise<string> {
  const ran = promisify(execFile)(process.execPath, [
    script,
    ...['--engine', engine, '--contacts', contacts[engine]],
    ...briefly,
  ]);
  const { stdout } = await ran.catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
  assert.match(stdout, /^Nothing was wrong\.$/m);
  return stdout;
}
