// What the runner makes of a process of tests, however it ends.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { type JobSettings, type Outcome, runJob } from './job.ts';

/** Runs files with these contents in one process. */
function run(t: TestContext, ...contents: string[]): Promise<Outcome> {
  return runWith(t, {}, ...contents);
}

async function runWith(t: TestContext, changes: Partial<JobSettings>, ...contents: string[]): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-job-'));
  t.after(() => rm(folder, { recursive: true }));
  const files = contents.map((_, at) => join(folder, `${at}.test.mjs`));
  for (const [at, content] of contents.entries()) {
    await writeFile(files[at] as string, `import { before, suite, test } from 'node:test'; ${content}`);
  }
  // What the process of this test tells its children about itself would make them report to it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const settings = { countsFile: join(folder, 'counts.json'), options: [], env, ...changes };
  return runJob({ title: 'files', engine: 'sqlite', files }, settings, () => {});
}

suite('a process of test files', () => {
  test('passes when all of its tests do, and says what was skipped and what it cost', async (t) => {
    const { hasPassed, counts, output } = await run(
      t,
      `suite('one', () => { test('a', () => {}); test('b', { skip: 'needs zsh' }, () => {}); });`,
      `import { setImmediate } from 'node:timers/promises';
       test('c', async () => {
         await setImmediate();
         const end = process.cpuUsage().user + 200_000;
         while (process.cpuUsage().user < end);
         await setImmediate();
       });`,
    );
    assert.deepEqual([hasPassed, counts.passed, counts.failed, output], [true, 2, 0, '']);
    assert.deepEqual(counts.skipped, ['one › b (needs zsh)']);
    const [cheap = 0, dear = 0] = Object.values(counts.cpuSecondsByFile);
    assert.ok(dear > cheap && counts.cpuSeconds >= dear && dear > 0.1, JSON.stringify(counts));
  });

  test('fails with one of them, and shows where and why', async (t) => {
    const { hasPassed, counts, output } = await run(
      t,
      `import assert from 'node:assert'; suite('one', () => { test('a', () => {});
       test('b', () => assert.deepEqual({ x: 1 }, { x: 2 })); });`,
    );
    assert.deepEqual([hasPassed, counts.passed, counts.failed], [false, 1, 1]);
    assert.match(output, /^✖ .*0\.test\.mjs:2 {2}one › b\n/);
    assert.match(output, /AssertionError.*x: 1\n.*x: 2\n/s);
  });

  const broken: Record<string, [content: string, said: RegExp]> = {
    'ends by itself before its tests do': [
      'test("a", () => process.exit(0));',
      /✖ the process ended before its tests did/,
    ],
    'is killed': ['test("a", () => process.kill(process.pid, "SIGKILL"));', /✖ the process ended with SIGKILL/],
    'has no test': ['', /has no test\n/],
    'cannot be loaded': ['import "./nothing.mjs";', /Cannot find module/],
    'breaks off while it is loaded': [
      'await null; test("a", () => {}); await null; nothing(); test("b", () => {});',
      /nothing is not/,
    ],
    'throws beside its tests': ['test("a", () => {}); setImmediate(() => { throw new Error("beside"); });', /beside/],
  };
  for (const [what, [content, said]] of Object.entries(broken)) {
    test(`that ${what} fails`, async (t) => {
      const { hasPassed, output } = await run(t, content);
      assert.equal(hasPassed, false, output);
      assert.match(output, said);
    });
  }

  test('fails when one of its files has no test', async (t) => {
    const { hasPassed, output } = await run(t, 'test("a", () => {});', '', 'test("b", () => {});');
    assert.equal(hasPassed, false);
    assert.match(output, /✖ .*1\.test\.mjs has no test/);
  });

  test('may have no test of a chosen name', async (t) => {
    const options = ['--test-name-pattern=b'];
    assert.ok((await runWith(t, { options }, 'test("a", () => {});')).hasPassed);
  });
});

// They wait, so all of them wait together.
suite('a process of test files that does not end by itself', { concurrency: true }, () => {
  const hanging: Record<string, [content: string, said: RegExp]> = {
    'in a test': ['test("a", () => new Promise(() => setInterval(() => {}, 1000)));', /✖ the process hangs in a\n/],
    'in a hook': [
      'suite("one", () => { before(() => new Promise(() => setInterval(() => {}, 1000))); test("a", () => {}); });',
      /✖ the process hangs /,
    ],
    'while it loads': [
      'await new Promise(() => setInterval(() => {}, 1000));',
      /✖ the process hangs beside its tests, with /,
    ],
    'after its tests': [
      'test("a", () => void setInterval(() => {}, 1000));',
      /✖ the process hangs beside its tests, with .*Timeout/,
    ],
    'in synchronous code': [
      'test("a", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));',
      /✖ the process ended with SIGKILL/,
    ],
  };
  for (const [when, [content, said]] of Object.entries(hanging)) {
    test(`is ended when it hangs ${when}, and fails`, async (t) => {
      const { hasPassed, output } = await runWith(t, { timeoutMs: 10_000 }, content, 'test("z", () => {});');
      assert.equal(hasPassed, false, output);
      assert.match(output, said);
    });
  }

  test('is not waited for when another, which it has left behind, has its output', async (t) => {
    const left = `spawn('sleep', ['600'], { stdio: 'inherit', detached: true })`;
    const { hasPassed, seconds, output } = await run(
      t,
      `import { spawn } from 'node:child_process'; test('a', () => { const child = ${left}; child.unref();
       console.log('left ' + child.pid); });`,
    );
    const [, pid] = /left (\d+)/.exec(output) ?? [];
    process.kill(Number(pid), 'SIGKILL');
    assert.ok(hasPassed && seconds < 600, output);
  });
});
