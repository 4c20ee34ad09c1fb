// The build: never stale, made once however many want it, and there in production without a compiler.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folderOf, hashSources } from '../build/console-build.ts';
import { loadConsole } from '../build/console-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

interface Copy {
  folder: string;
  /** Loads the console there, as a server does. Tells what came of it. */
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
    const { loadConsole } = await import('./build/console-files.ts');
    let told = '';
    const outcome = await loadConsole(() => { told = 'building, '; }).then(({ version, assets }) => version + ' ' + assets.size, (error) => error.name + ': ' + error.message);
    console.log(told + outcome);
  `;
  return {
    folder,
    load: async () =>
      (await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })).stdout.trim(),
    builds: async () => (await readdir(join(folder, 'dist'))).sort(),
  };
}

suite('without a compiler', () => {
  test('what was built before is served, until a source changes; then one line says what to do', async (t) => {
    const { version, assets } = await loadConsole();
    const { folder, load } = await copySources(t);
    await cp(folderOf(version), join(folder, 'dist', version), { recursive: true });
    assert.equal(await load(), `${version} ${assets.size}`);
    await appendFile(join(folder, '../contact-files/src/columns.ts'), '\n');
    const line = await load();
    assert.match(
      line,
      /^building, ConsoleBuildError: The console cannot be built: [^\n]+"npm run build", then start again\.$/,
    );
  });

  test('tests and docs of other packages do not make a build stale', async (t) => {
    const { folder, load } = await copySources(t);
    await cp(folderOf(hashSources()), join(folder, 'dist', hashSources()), { recursive: true });
    await writeFile(join(folder, '../client/src/new.test.ts'), '');
    assert.match(await load(), new RegExp(`^${hashSources()} `));
  });

  test('nor does a lock file that npm wrote anew; another version in it does', async (t) => {
    const { folder, load } = await copySources(t);
    await cp(folderOf(hashSources()), join(folder, 'dist', hashSources()), { recursive: true });
    const lockFile = join(folder, '../../package-lock.json');
    const { packages, ...rest } = JSON.parse(await readFile(lockFile, 'utf8'));
    const changed = { ...packages, 'packages/server': { ...packages['packages/server'], dependencies: {} } };
    const reversed = Object.fromEntries(Object.entries(changed).reverse());
    await writeFile(lockFile, JSON.stringify({ ...rest, packages: reversed }));
    assert.match(await load(), new RegExp(`^${hashSources()} `));
    changed['node_modules/react'] = { ...packages['node_modules/react'], version: '0.0.1' };
    await writeFile(lockFile, JSON.stringify({ ...rest, packages: changed }));
    assert.match(await load(), /^building, ConsoleBuildError: /);
  });
});

suite('with a compiler', () => {
  test('processes that start together share one build; an edit makes another, and the old one goes', async (t) => {
    const { folder, load, builds } = await copySources(t, { hasCompiler: true });
    const version = hashSources();
    // What a process left that was ended while it was building.
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'dist/building'), '999999999');
    const outcomes = await Promise.all([load(), load(), load()]);
    for (const outcome of outcomes) assert.match(outcome, new RegExp(`^building, ${version} \\d\\d`));
    assert.deepEqual(await builds(), [version]);
    await appendFile(join(folder, 'src/console.css'), '\n/* edited */\n');
    assert.doesNotMatch(await load(), new RegExp(version));
    const [only, ...others] = await builds();
    assert.ok(only !== version && others.length === 0);
    await appendFile(join(folder, 'src/main.tsx'), '\nimport "./nowhere.ts";\n');
    assert.match(await load(), /^building, ConsoleBuildError: [^\n]*nowhere[^\n]*$/);
    assert.deepEqual(await builds(), [only], 'a build that fails leaves nothing behind');
  });
});
