// The built script: small, reproducible, safe, and served without a compiler.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWidget } from '../build/bundle.ts';
import { describeScript, hashSources, loadWidgetBuild } from '../build/widget-script.ts';

const packageFolder = fileURLToPath(new URL('../', import.meta.url));

suite('the script', () => {
  test('is under 10 kB gzipped', () => {
    const { gzip } = describeScript(loadWidgetBuild());
    assert.ok(gzip.length < 10_000, `it is ${gzip.length} bytes`);
  });

  test('is built reproducibly, so that its version identifies its content', async () => {
    const plain = loadWidgetBuild();
    assert.deepEqual(await bundleWidget(), plain);
  });

  test('never parses HTML, evaluates text or posts messages to other windows', () => {
    const text = loadWidgetBuild().toString();
    for (const word of ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'document.write', 'eval(', 'Function(']) {
      assert.ok(!text.includes(word), word);
    }
    for (const word of ['postMessage', 'document.cookie', 'sourceMappingURL']) assert.ok(!text.includes(word), word);
  });
});

/** A copy of the package where no compiler is installed. `load` resolves with the script, or with the error. */
async function copyPackage(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-widget-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const name of ['build', 'src', 'package.json']) {
    await cp(join(packageFolder, name), join(folder, name), { recursive: true });
  }
  const program = `
    const { loadWidgetBuild } = await import('./build/widget-script.ts');
    try {
      console.log(loadWidgetBuild().toString());
    } catch (error) {
      console.log(error.name + ': ' + error.message);
    }
  `;
  const load = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
    });
    return stdout.trim();
  };
  return { folder, load };
}

suite('without a compiler', () => {
  test('an existing build is served until the sources change', async (t) => {
    const { folder, load } = await copyPackage(t);
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'dist/widget.js'), 'built before');
    await writeFile(join(folder, 'dist/sources.txt'), hashSources());
    assert.equal(await load(), 'built before');
    await appendFile(join(folder, 'src/view.css'), '\n');
    assert.match(
      await load(),
      /^WidgetScriptError: The widget is not built, or its sources have changed since\. [^\n]+$/,
    );
  });

  test('a missing build is reported in one line that names the command to run', async (t) => {
    const { load } = await copyPackage(t);
    assert.match(await load(), /^WidgetScriptError: [^\n]*"npm run build"[^\n]*$/);
  });
});
