// Every example of the package's README, executed in the order of the page, against a real server. What a line says it
// prints (`# → …`) is compared with what comes to stdout; `…` stands for anything. It takes over 20 CPU-seconds: the page has
// fifty commands, and a shell runs each as the reader's would.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { entry, makeServingStation, wholeFile } from './harness.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const blocks = Array.from(page.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, language = '', code = '']) => ({
  language,
  code,
}));
const examples = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code);

const { home, firstRun, server } = await makeServingStation(wholeFile);
const bin = join(home.folder, 'bin');
await mkdir(bin);
await symlink(entry, join(bin, 'roster'));
await symlink(process.execPath, join(bin, 'node'));
await writeFile(join(home.folder, 'people.csv'), blocks.find(({ language }) => language === 'csv')?.code ?? '');

const env = {
  PATH: [bin, join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
  HOME: home.folder,
  ROSTER_URL: server.url,
  ROSTER_BOT: firstRun.botId,
  ROSTER_SECRET: firstRun.secret,
  ROSTER_DATA_DIR: home.dataDir,
  // Port 8080 may belong to another program, and `roster doctor` would report it.
  ROSTER_PORT: '0',
  npm_config_update_notifier: 'false',
};

function expectedOf(code: string): RegExp[] {
  return Array.from(code.matchAll(/→ (.*)$/gm), ([, text = '']) => {
    const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`);
  });
}

suite('the README', () => {
  for (const [number, code] of examples.entries()) {
    test(`example ${number + 1} does what it says: ${code.split('\n', 1)[0]}`, async () => {
      // What makes the command known in a clone.
      const cwd = code.includes('node_modules/.bin') ? root : home.folder;
      const { stdout, stderr } = await promisify(execFile)('bash', ['-c', code], { cwd, env });
      const lines = stdout.split('\n').filter((line) => line !== '');
      const expected = expectedOf(code);
      assert.equal(lines.length, expected.length, `${stdout}${stderr}`);
      for (const [at, pattern] of expected.entries()) assert.match(lines[at] ?? '', pattern);
    });
  }

  test('has examples, and code in no other form that could go stale', () => {
    assert.ok(examples.length >= 8);
    assert.deepEqual(new Set(blocks.map(({ language }) => language)), new Set(['sh', 'csv']));
  });

  test('names every command and every exit code', async () => {
    const { exitCodes } = await import('../src/exit-codes.ts');
    for (const code of Object.values(exitCodes)) assert.match(page, new RegExp(`^\\| ${code} \\|`, 'm'));
    const { makeProgram } = await import('../src/program.ts');
    const { allCommands } = await import('../src/commands/all-commands.ts');
    for (const command of (await makeProgram([], allCommands)).commands) {
      assert.ok(page.includes(`roster ${command.name()}`), `the README names roster ${command.name()}`);
    }
  });
});
