// roster completion: each script, in its shell.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { describeProgram, flatten } from '../src/command-tree.ts';
import { allCommands } from '../src/commands/all-commands.ts';
import { contactCommands } from '../src/commands/contact-commands.ts';
import { completionScript, shells } from '../src/completion/scripts.ts';
import { makeProgram } from '../src/program.ts';
import { runCli } from './harness.ts';
import { completions, completionsOf } from './shells.ts';

const program = describeProgram(await makeProgram([], allCommands));

for (const shell of shells) {
  const isThere = spawnSync(shell, ['--version']).error === undefined;
  suite(`completions in ${shell}`, { skip: isThere ? false : `needs ${shell}` }, () => {
    for (const [words, offered] of completions) {
      test(`roster ${words.join(' ')} offers ${offered.join(', ')}`, async (t) => {
        const folder = await mkdtemp(join(tmpdir(), 'roster-completion-'));
        t.after(() => rm(folder, { recursive: true }));
        const file = join(folder, 'roster');
        await writeFile(file, completionScript(shell, program));
        assert.deepEqual(completionsOf(shell, file, words), offered);
      });
    }
  });
}

test('roster completion prints the script', async () => {
  const printed = await runCli(['completion', 'bash']);
  assert.equal(printed.stdout, completionScript('bash', program), printed.stderr);
});

test('the command line without the server completes its own commands only', async () => {
  const script = completionScript('bash', describeProgram(await makeProgram([], contactCommands)));
  assert.ok(script.includes('/contacts/import') && !script.includes('/serve'));
});

test('the commands as data have every command with its examples', () => {
  const search = flatten(program).find(({ path }) => path.join(' ') === 'contacts search');
  assert.match(search?.afterHelp ?? '', /^ {2}\$ roster contacts search jane$/m);
  assert.ok(search?.options.some(({ flags, hasValue }) => flags === '--tag <name>' && hasValue));
});

test('every command for contacts, events and webhooks has examples', async () => {
  const nodes = flatten(describeProgram(await makeProgram([], contactCommands)));
  const leaves = nodes.filter(({ path, commands }) => commands.length === 0 && path.length === 2 && path[1] !== 'help');
  assert.ok(leaves.some(({ path }) => path.join(' ') === 'webhook deliveries'));
  for (const { path, afterHelp } of leaves) {
    assert.ok(afterHelp.includes(`Examples:\n  $ roster ${path.join(' ')}`), path.join(' '));
  }
});
