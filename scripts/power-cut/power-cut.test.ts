// A few power cuts. The long run is started by hand: npm run power-cut -- --cuts 100
// Takes some 20 CPU-seconds: a server is started on what each cut left.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { canHaveOwnMounts, canMountImages } from '../own-mounts.ts';

const script = fileURLToPath(new URL('main.ts', import.meta.url));
const isPossible = canMountImages() && existsSync('/dev/fuse') && canHaveOwnMounts();
const skip = isPossible ? false : 'needs Linux, root, loop devices, FUSE and mkfs.ext4';

suite('a power cut under a write load', { skip, concurrency: 2 }, () => {
  test('loses no answered write, and damages no file', async () => {
    // One of each kind of moment.
    const { code, stdout } = await run('--cuts', '3', '--seconds', '1');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^3 power cuts, \d+ unflushed block writes, \d+ of them torn: nothing was lost$/m);
  });

  test('of a disk that loses flushed blocks is found out', async () => {
    const { code, stdout } = await run('--cuts', '2', '--seconds', '1', '--contacts', '500', '--lying-disk');
    assert.equal(code, 1, stdout);
    assert.match(stdout, /an answered write is lost/);
  });
});

async function run(...args: string[]): Promise<{ code: number; stdout: string }> {
  const ran = promisify(execFile)(process.execPath, [script, ...args]);
  return ran.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error) => ({ code: error.code, stdout: error.stdout }),
  );
}
