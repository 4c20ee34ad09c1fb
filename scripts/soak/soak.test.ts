// Short soak runs, with a kill each. The long ones are started by hand: npm run soak -- --minutes 60
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { canHaveOwnMounts } from '../own-mounts.ts';

const script = fileURLToPath(new URL('main.ts', import.meta.url));
/** Each disturbance once. */
const briefly = ['--minutes', '0.1', '--every-seconds', '4', '--contacts', '12000', '--busy-machine'];

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

async function soak(engine: string): Promise<string> {
  const ran = promisify(execFile)(process.execPath, [script, '--engine', engine, ...briefly]);
  const { stdout } = await ran.catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
  assert.match(stdout, /^Nothing was wrong\.$/m);
  return stdout;
}
