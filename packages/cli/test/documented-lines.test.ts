// Every `sh` block of the pages that users follow, run as it stands: one shell for each page, on a fresh server, as for a reader who copies
// block after block. The page's own placeholders, which it exports first, are filled; an error that a server answers fails the page. It
// takes over 20 CPU-seconds: a command or a request for each line.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeHomeHere } from '../../server/test/process/serve-here.ts';
import { entry } from './harness.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const pages = [
  'README.md',
  'docs/api.md',
  'docs/attributes.md',
  'docs/events.md',
  'docs/webhooks.md',
  'docs/embedding.md',
] as const;

for (const page of pages) {
  suite(page, async () => {
    const text = await readFile(join(root, page), 'utf8');
    const blocks = Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, code = '']) => code);

    test(`its ${blocks.length} blocks of shell commands succeed, one after the other`, async (t) => {
      const home = await makeHomeHere(t);
      const { url, firstRun } = await home.startFirst();
      const bin = join(home.folder, 'bin');
      await mkdir(bin);
      await symlink(entry, join(bin, 'roster'));
      await symlink(process.execPath, join(bin, 'node'));
      // Every curl of the page fails on a status of 400 and above, and prints the problem.
      await writeFile(join(home.folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
      const placeholders = [
        ['ROSTER_URL=http://127.0.0.1:8080', `ROSTER_URL=${url}`],
        ['ROSTER_BOT=bot_…', `ROSTER_BOT=${firstRun.botId}`],
        ['ROSTER_SECRET=rst_…', `ROSTER_SECRET=${firstRun.secret}`],
      ] as const;
      const filled = blocks.map((code) =>
        placeholders.reduce((result, [placeholder, value]) => result.replace(placeholder, value), code),
      );
      assert.ok(blocks.length >= 2 && filled[0] !== blocks[0], 'the page begins with what its reader fills in');
      for (const code of filled) {
        assert.doesNotMatch(code, /…|127\.0\.0\.1:8080/, 'everything else can be copied as it stands');
      }
      // The folder holds the data, so that commands for operators find the server, as in a clone.
      const script = ['set -eo pipefail', ...filled.flatMap((code, at) => [`echo "block ${at + 1}:" >&2`, code])];
      const env = { PATH: [bin, process.env['PATH']].join(delimiter), HOME: home.folder };
      const result = promisify(execFile)('bash', ['-c', script.join('\n')], { cwd: home.folder, env });
      const failure = await result.then(
        () => undefined,
        (error) => error,
      );
      assert.equal(failure, undefined, `${failure?.stdout}\n${failure?.stderr}`);
    });
  });
}
