// The build: never stale, never half done, and served without a compiler.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { consoleBuilds } from '../build/build-folder.ts';
import { loadConsoleBuild } from '../build/console-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const hashSources = () => consoleBuilds.hashSources();
const run = promisify(execFile);

interface Copy {
  folder: string;
  /** Builds the console there, as npm does. Resolves with what was printed, to stdout or stderr. */
  build(): Promise<string>;
  /** Loads the console there, as a server does. Resolves with its version and its number of files, or with the error. */
  load(): Promise<string>;
  builds(): Promise<string[]>;
}

/** A copy of the sources, in which no compiler is installed unless it is asked for. */
async function copySources(t: TestContext, { hasCompiler = false } = {}): Promise<Copy> {
  const copy = await mkdtemp(join(tmpdir(), 'roster-console-'));
  t.after(() => rm(copy, { recursive: true }));
  for (const name of ['package-lock.json', 'tsconfig.json']) await cp(join(root, name), join(copy, name));
  for (const name of ['console', 'contract', 'client', 'contact-files']) {
    const isSource = (path: string) => !/\/(?:dist|test|node_modules)(?:\/|$)/.test(path.slice(root.length));
    await cp(join(root, 'packages', name), join(copy, 'packages', name), { recursive: true, filter: isSource });
  }
  if (hasCompiler) {
    // Not the whole folder: the packages of the workspace must be those of the copy.
    await mkdir(join(copy, 'node_modules/@roster'), { recursive: true });
    for (const name of await readdir(join(root, 'node_modules'))) {
      if (name !== '@roster') await symlink(join(root, 'node_modules', name), join(copy, 'node_modules', name));
    }
    for (const name of ['contract', 'client', 'contact-files']) {
      await symlink(join(copy, 'packages', name), join(copy, 'node_modules/@roster', name));
    }
  }
  const folder = join(copy, 'packages/console');
  const program = `
    const { loadConsoleBuild } = await import('./build/console-files.ts');
    try {
      const { version, assets } = loadConsoleBuild();
      console.log(version + ' ' + assets.size);
    } catch (error) {
      console.log(error.name + ': ' + error.message);
    }
  `;
  return {
    folder,
    build: () =>
      run(process.execPath, ['build/build.ts'], { cwd: folder }).then(
        ({ stdout }) => stdout.trim(),
        ({ stderr }: { stderr: string }) => stderr.trim(),
      ),
    load: async () =>
      (await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })).stdout.trim(),
    builds: async () => (await readdir(join(folder, 'dist'))).sort(),
  };
}

suite('without a compiler', () => {
  test('what was built before is served, until a source changes; then one line says what to do', async (t) => {
    const { version, assets } = loadConsoleBuild();
    const { folder, load } = await copySources(t);
    await cp(consoleBuilds.folderOf(version), join(folder, 'dist', version), { recursive: true });
    assert.equal(await load(), `${version} ${assets.size}`);
    await appendFile(join(folder, '../contact-files/src/columns.ts'), '\n');
    assert.match(
      await load(),
      /^ConsoleBuildError: The console is not built, or its sources have changed since\. Run "npm run build", [^\n]+$/,
    );
  });

  test('building says in one line that the development dependencies are missing', async (t) => {
    const { build } = await copySources(t);
    assert.match(await build(), /^The console cannot be built without [^\n]*"npm ci"[^\n]*$/);
  });

  test('tests and docs of other packages do not make a build stale', async (t) => {
    const { folder, load } = await copySources(t);
    await cp(consoleBuilds.folderOf(hashSources()), join(folder, 'dist', hashSources()), { recursive: true });
    await writeFile(join(folder, '../client/src/new.test.ts'), '');
    assert.match(await load(), new RegExp(`^${hashSources()} `));
  });

  test('nor does a lock file that npm wrote anew; another version in it does', async (t) => {
    const { folder, load } = await copySources(t);
    await cp(consoleBuilds.folderOf(hashSources()), join(folder, 'dist', hashSources()), { recursive: true });
    const lockFile = join(folder, '../../package-lock.json');
    const { packages, ...rest } = JSON.parse(await readFile(lockFile, 'utf8'));
    const changed = { ...packages, 'packages/server': { ...packages['packages/server'], dependencies: {} } };
    const reversed = Object.fromEntries(Object.entries(changed).reverse());
    await writeFile(lockFile, JSON.stringify({ ...rest, packages: reversed }));
    assert.match(await load(), new RegExp(`^${hashSources()} `));
    changed['node_modules/react'] = { ...packages['node_modules/react'], version: '0.0.1' };
    await writeFile(lockFile, JSON.stringify({ ...rest, packages: changed }));
    assert.match(await load(), /^ConsoleBuildError: /);
  });
});

suite('with a compiler', () => {
  test('sources are built once; an edit makes another build, and the old one is removed', async (t) => {
    const { folder, build, load, builds } = await copySources(t, { hasCompiler: true });
    const version = hashSources();
    assert.match(await load(), /^ConsoleBuildError: /);
    await cp(consoleBuilds.folderOf(version), join(folder, 'dist', version), { recursive: true });
    // What an interrupted build leaves behind.
    await mkdir(join(folder, 'dist/unfinished-1'), { recursive: true });
    assert.equal(await build(), `there already: packages/console/dist/${version}`);
    await appendFile(join(folder, 'src/console.css'), '\n/* edited */\n');
    assert.match(await load(), /^ConsoleBuildError: /);
    const printed = await build();
    const [only = '', ...others] = await builds();
    assert.ok(only !== version && others.length === 0);
    assert.equal(printed, `built packages/console/dist/${only}`);
    assert.match(await load(), new RegExp(`^${only} \\d\\d`));
    assert.equal(await build(), `there already: packages/console/dist/${only}`);
    await appendFile(join(folder, 'src/main.tsx'), '\nimport "./nowhere.ts";\n');
    assert.match(await build(), /nowhere/);
    assert.deepEqual(await builds(), [only], 'a build that fails leaves nothing behind');
  });
});
