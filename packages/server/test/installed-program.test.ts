// Finding the browsers and languages of the tests, on machines of every kind.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { chromium, ensureProgram, findProgram, type Machine, php } from './installed-program.ts';

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-program-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function install(folder: string, name: string, mode = 0o755): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, '');
  await chmod(path, mode);
  return path;
}

function machineOf(env: Machine['env'], changes: Partial<Machine> = {}): { machine: Machine; ran: string[] } {
  const ran: string[] = [];
  const run = (...words: string[]) => ran.push(words.join(' ')) > 0;
  return { machine: { env, isRoot: false, isDebian: false, run, ...changes }, ran };
}

const needsNothing = process.platform === 'darwin' ? { skip: 'this system has a place of its own for browsers' } : {};

suite('a program of the tests', needsNothing, () => {
  test('the one that ROSTER_TEST_CHROMIUM names takes precedence, and a wrong name is an error', async (t) => {
    const folder = await makeFolder(t);
    const [mine, other] = [await install(folder, 'mine'), await install(folder, 'chromium')];
    assert.equal(findProgram(chromium, { env: { PATH: folder, ROSTER_TEST_CHROMIUM: mine } }), mine);
    assert.equal(findProgram(chromium, { env: { PATH: folder, ROSTER_TEST_CHROMIUM: '' } }), other);
    assert.throws(
      () => findProgram(chromium, { env: { PATH: folder, ROSTER_TEST_CHROMIUM: join(folder, 'none') } }),
      /none/,
    );
  });

  test('one in the path is found by any of its names, if it can be run', async (t) => {
    const [empty, folder] = [await makeFolder(t), await makeFolder(t)];
    const env = { PATH: ['', empty, folder].join(delimiter) };
    await install(folder, 'chromium', 0o644);
    assert.equal(findProgram(chromium, { env }), undefined);
    const chrome = await install(folder, 'google-chrome');
    assert.equal(findProgram(chromium, { env }), chrome);
    const preferred = await install(folder, 'chromium-browser');
    assert.equal(findProgram(chromium, { env }), preferred);
  });

  test('root on Debian installs it once', async (t) => {
    const folder = await makeFolder(t);
    const path = join(folder, 'chromium-headless-shell');
    const ran: string[] = [];
    const run = (...words: string[]) => {
      ran.push(words.join(' '));
      if (words.includes('install')) writeFileSync(path, '', { mode: 0o755 });
      return true;
    };
    const { machine } = machineOf({ PATH: folder }, { isRoot: true, isDebian: true, run });
    for (let time = 0; time < 2; time++) assert.equal(ensureProgram(chromium, machine), path);
    assert.equal(ran.length, 2);
    assert.equal(ran[0], 'apt-get update -qq');
    assert.match(ran[1] ?? '', /^apt-get install -y .*\bchromium-headless-shell$/);
  });

  test('all packages of a program are installed at once', async (t) => {
    const { machine, ran } = machineOf({ PATH: await makeFolder(t) }, { isRoot: true, isDebian: true });
    assert.throws(() => ensureProgram(php, machine), /apt-get install php-cli php-sqlite3/);
    assert.match(ran[1] ?? '', / php-cli php-sqlite3$/);
  });

  test('elsewhere it fails with one line that says what to install', async (t) => {
    const folder = await makeFolder(t);
    for (const changes of [{ isRoot: true }, { isDebian: true }, {}]) {
      const { machine, ran } = machineOf({ PATH: folder }, changes);
      assert.throws(() => ensureProgram(chromium, machine), { message: /^[^\n]*apt-get install chromium[^\n]*$/ });
      assert.deepEqual(ran, []);
    }
  });
});
