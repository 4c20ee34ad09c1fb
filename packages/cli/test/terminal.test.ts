// What only a terminal gets: colours, widths and questions. `script` of util-linux gives the command a terminal.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { entry, makeServingStation, wholeFile } from './harness.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;
const skip = hasScript ? false : 'this test needs script (Debian: apt-get install bsdutils)';

const { home, firstRun, server, run } = await makeServingStation(wholeFile);
const env = { ROSTER_URL: server.url, ROSTER_BOT: firstRun.botId, ROSTER_SECRET: firstRun.secret };
/** For what has to be there before: without a terminal, in this process. */
const runHere = async (...args: string[]) => assert.equal((await run(args, { env })).code, 0);

const escapeCharacter = '\u001b';
const controlC = '\u0003';

const question = /to confirm: |\[y\/N\] /;

/** Types the answer when the question is there, or whatever it waits for. */
async function inTerminal(
  args: string,
  { answer = '', when = question, settings = {} as Record<string, string>, columns = 80 } = {},
) {
  const command = `stty cols ${columns} 2>/dev/null; exec '${process.execPath}' '${entry}' ${args}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: home.folder,
    env: {
      PATH: process.env['PATH'],
      SHELL: '/bin/sh',
      TERM: 'xterm',
      ROSTER_DATA_DIR: home.dataDir,
      ...env,
      ...settings,
    },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (answer !== '' && when.test(text)) {
      child.stdin.write(answer === controlC ? answer : `${answer}\n`);
      answer = '';
    }
  });
  const deadline = setTimeout(() => child.kill('SIGKILL'), 300_000);
  const [code] = await once(child, 'close');
  clearTimeout(deadline);
  return { code: code as number, text };
}

suite('on a terminal', { skip }, () => {
  test('titles and errors have colours, and none with NO_COLOR', async () => {
    assert.ok((await inTerminal('bot list')).text.includes(`${escapeCharacter}[1mid`));
    assert.ok((await inTerminal('bot show nobody')).text.includes(`${escapeCharacter}[31mroster:`));
    for (const args of ['bot list', 'bot show nobody']) {
      const { text } = await inTerminal(args, { settings: { NO_COLOR: '1' } });
      assert.ok(!text.includes(escapeCharacter), text);
    }
  });

  test('no line of a table is wider than it', async () => {
    const { text } = await inTerminal('bot list', { columns: 60, settings: { NO_COLOR: '1' } });
    const lines = text.trimEnd().split(/\r?\n/);
    assert.ok(lines.length === 2 && lines.every((line) => line.length <= 60), text);
    assert.ok(lines[1]?.startsWith(firstRun.botId));
  });

  test('bot delete asks for the name, and does nothing for another', async () => {
    await runHere('bot', 'create', 'Doomed');
    const other = await inTerminal('bot delete Doomed', { answer: 'yes' });
    assert.deepEqual([other.code, /Nothing was changed/.test(other.text)], [130, true], other.text);
    await runHere('bot', 'show', 'Doomed');
    const same = await inTerminal('bot delete Doomed', { answer: 'Doomed' });
    assert.deepEqual([same.code, /Deleted bot_/.test(same.text)], [0, true], same.text);
  });

  test('secret revoke asks, and no answer is no', async () => {
    await runHere('secret', 'create', '--name', 'Doomed');
    assert.equal((await inTerminal('secret revoke Doomed', { answer: 'n' })).code, 130);
    const yes = await inTerminal('secret revoke Doomed', { answer: 'y' });
    assert.deepEqual([yes.code, /Revoked sec_/.test(yes.text)], [0, true], yes.text);
  });

  test('events are lines to read, in which a name controls nothing, until Ctrl-C', async () => {
    await runHere('contacts', 'create', '--name', 'Jane\u202emoc.live', '--email', 'jane@x');
    const { code, text } = await inTerminal('events follow --include contact', {
      answer: controlC,
      when: /by secret\r?\n/,
      columns: 300,
      settings: { NO_COLOR: '1' },
    });
    const [line = '', end = ''] = text.split(/\r?\n/);
    assert.match(line, / {2}contact\.created +con_\w+ {2}Jane\\u\{202e\}moc\.live <jane@x> {2}by secret$/);
    assert.match(end, /roster: Interrupted\. To continue from here, pass --after [0-9a-f]+-\d+\.$/);
    assert.equal(code, 130);
  });
});
