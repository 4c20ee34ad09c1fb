// Where the secret comes from, and where it must not come from.
import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { makeDesk, runCli, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

suite('the secret', () => {
  test('as an argument is refused, and not repeated', async (t) => {
    const desk = await makeDesk(t, server);
    const { secret } = server.mine;
    for (const args of [['--token', secret], [`--token=${secret}`], [secret]]) {
      const { code, stdout, stderr } = await desk.run(['contacts', 'search', ...args]);
      assert.equal(code, 2);
      assert.match(stderr, /Don't pass a secret as an argument.*ROSTER_SECRET/);
      assert.ok(!`${stdout}${stderr}`.includes(secret));
    }
  });

  test('comes from stdin when asked', async (t) => {
    const desk = await makeDesk(t, server);
    const options = { env: { ROSTER_SECRET: '' }, input: `${server.mine.secret}\n` };
    const { code, stderr } = await desk.run(['contacts', 'search', '--secret-stdin'], options);
    assert.equal(code, 0, stderr);
    const both = await desk.run(['contacts', 'import', '-', '--secret-stdin'], options);
    assert.deepEqual([both.code, /not both/.test(both.stderr)], [2, true]);
  });

  test('is also found by its earlier name, in the environment, in the file and as an option, which the help does not show', async (t) => {
    const desk = await makeDesk(t, server);
    const { ROSTER_SECRET: secret = '', ROSTER_BOT = '', ROSTER_URL = '' } = desk.env;
    const env = { ROSTER_BOT, ROSTER_URL };
    const file = await desk.write('config', `ROSTER_TOKEN=${secret}\n`);
    await chmod(file, 0o600);
    for (const [args, options] of [
      [[], { env: { ...env, ROSTER_TOKEN: secret } }],
      [['--config', file], { env }],
      [['--token-stdin'], { env, input: secret }],
    ] as const) {
      const { code, stderr } = await runCli(['contacts', 'search', ...args], options);
      assert.equal(code, 0, stderr);
    }
    const { stdout } = await runCli(['--help']);
    assert.doesNotMatch(stdout, /ROSTER_TOKEN|token-stdin/);
  });

  test('comes from a file that only its owner can read, and from no other', async (t) => {
    const desk = await makeDesk(t, server);
    const lines = Object.entries(desk.env).map(([name, value]) => `${name}=${value}`);
    const file = await desk.write('config', lines.join('\n'));
    const run = (...args: string[]) => runCli(['contacts', 'search', ...args], { env: { ROSTER_CONFIG: file } });
    for (const mode of [0o644, 0o640, 0o602]) {
      await chmod(file, mode);
      const { code, stderr } = await run();
      assert.deepEqual([code, /chmod 600/.test(stderr)], [1, true], stderr);
    }
    await chmod(file, 0o600);
    assert.equal((await run()).code, 0);
    assert.equal((await runCli(['contacts', 'search', '--config', file])).code, 0);
    assert.equal((await run('--bot', 'bot_other')).code, 3, 'the command line goes before the file');
  });

  test('a file with a setting that does not exist is refused, and so is one that is not there', async (t) => {
    const desk = await makeDesk(t, server);
    const file = await desk.write('config', 'ROSTER_TOKN=x\n');
    await chmod(file, 0o600);
    const typo = await desk.run(['contacts', 'search', '--config', file]);
    assert.deepEqual([typo.code, /unknown settings: ROSTER_TOKN/.test(typo.stderr)], [2, true]);
    const missing = await desk.run(['contacts', 'search', '--config', join(desk.folder, 'nothing')]);
    assert.equal(missing.code, 1);
  });

  test('is never shown, whatever fails', async (t) => {
    const desk = await makeDesk(t, server);
    for (const env of [{ ROSTER_URL: 'http://127.0.0.1:9' }, { ROSTER_BOT: 'bot_x' }, { ROSTER_URL: 'nonsense' }]) {
      const { stdout, stderr } = await desk.run(['contacts', 'search'], { env });
      assert.ok(!`${stdout}${stderr}`.includes(server.mine.secret));
    }
  });
});
