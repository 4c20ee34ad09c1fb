// The published package: built, packed, installed into an empty folder, and used from there on every available runtime.
import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import * as sources from '../src/index.ts';
import { closedAddress } from './fault-proxy.ts';
import { startServer, wholeFile } from './harness.ts';
import { installClient } from './installed.ts';
import { findRuntimes } from './runtimes.ts';

const server = await startServer(wholeFile);
const { folder, run } = await installClient(wholeFile);
const env = {
  ROSTER_SECRET: server.mine.secret,
  ROSTER_BOT: server.mine.bot.id,
  ROSTER_URL: server.url,
  DEAD_URL: await closedAddress(),
};
const installed = join(folder, 'node_modules/@roster/client');

suite('the package', () => {
  test('has no dependencies, and contains its code, its types, its README and its licence only', async () => {
    assert.deepEqual(
      (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
      ['@roster'],
    );
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual([manifest.private, manifest.dependencies, manifest.scripts], [undefined, undefined, undefined]);
    assert.deepEqual((await readdir(installed)).sort(), [
      'LICENSE',
      'README.md',
      'index.d.ts',
      'index.js',
      'lib',
      'package.json',
    ]);
    const readme = await readFile(join(installed, 'README.md'), 'utf8');
    assert.doesNotMatch(readme, /\]\(\.\.?\//);
    assert.ok(readme.includes(`npm install ./roster-client-${manifest.version}.tgz`), 'it names the tarball of npm');
    for (const name of await readdir(join(installed, 'lib'))) {
      const text = await readFile(join(installed, 'lib', name), 'utf8');
      assert.doesNotMatch(text, /@roster\/contract|zod|\.[jt]s['"]/, name);
      assert.doesNotMatch(name, /test/);
    }
  });

  test('exports the same classes by import and by require', async () => {
    const names = Object.keys(sources).sort();
    await writeFile(
      join(folder, 'both.mjs'),
      `import * as imported from '@roster/client';
       import { createRequire } from 'node:module';
       const required = createRequire(import.meta.url)('@roster/client');
       const names = Object.keys(imported).sort();
       console.log(JSON.stringify({ names, areSame: names.every((name) => imported[name] === required[name]) }));`,
    );
    for (const { name, command, args } of findRuntimes()) {
      const { stdout } = await run(command, [...args, 'both.mjs']);
      assert.deepEqual(JSON.parse(stdout), { names, areSame: true }, name);
    }
  });

  for (const { name, command, args } of findRuntimes()) {
    test(`works on ${name}, by import and by require`, async () => {
      await copyFile(new URL('exercise.mjs', import.meta.url), join(folder, 'exercise.mjs'));
      const source = await readFile(join(folder, 'exercise.mjs'), 'utf8');
      const asCommonJs = source.replace(/import (\{[^}]+\}) from '(.+)';/, "const $1 = require('$2');");
      await writeFile(join(folder, 'exercise.cjs'), `(async () => {\n${asCommonJs}\n})();\n`);
      for (const file of ['exercise.mjs', 'exercise.cjs']) {
        const { stdout } = await run(command, [...args, file], env);
        assert.deepEqual(
          JSON.parse(stdout),
          {
            create: 201,
            retrieve: 'Józef 😀',
            update: '1',
            search: 1,
            find: true,
            filter: [],
            tags: true,
            token: 'c:',
            taken: 'EmailTakenError',
            invalid: 'ValidationError',
            delete: 204,
            gone: 'NotFoundError',
            oddId: 'NotFoundError',
            upsertAll: { rows: 1200, upserted: 1199, rejected: 1 },
            iterate: 1199,
            refused: 'ConnectionError',
            unknown: 'NotFoundError',
            aborted: 'AbortError',
            late: 'TimeoutError',
            verified: 'é',
            forged: 'WebhookVerificationError',
            hidden: true,
          },
          `${name} ${file}`,
        );
      }
    });
  }

  test('refuses to run where there is a document and no server runtime', async () => {
    const page = createContext({ document: {}, URL, fetch, AbortController, setTimeout });
    const loaded = new Map<string, unknown>();
    // Loads the modules as a bundler does: each wrapped in a function, in the realm of the page.
    const load = (file: string): unknown => {
      const known = loaded.get(file);
      if (known !== undefined) return known;
      const module = { exports: {} };
      loaded.set(file, module.exports);
      const code = createRequire(import.meta.url)('node:fs').readFileSync(file, 'utf8');
      const wrapped = runInContext(`(function (exports, require, module) {${code}\n})`, page);
      wrapped(module.exports, (name: string) => load(join(dirname(file), name)), module);
      return module.exports;
    };
    const { Roster } = load(join(installed, 'lib/index.cjs')) as typeof sources;
    assert.throws(
      () => new Roster({ secret: 'rst_x', botId: 'bot_x', baseUrl: server.url }),
      /does not run in a browser/,
    );
  });
});

suite('the types of the package', () => {
  /** Compiles a file with the strictest settings that a user may have. */
  async function compile(name: string, text: string, options: object): Promise<string> {
    const root = dirname(dirname(createRequire(import.meta.url).resolve('typescript/package.json')));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      typeRoots: [join(root, '@types')],
      exactOptionalPropertyTypes: true,
      ...options,
    };
    await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [name] }));
    return run(process.execPath, [join(root, 'typescript/bin/tsc'), '-p', 'tsconfig.json']).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
  }

  const use = `
    async function use(): Promise<string> {
      const roster = new Roster({ secret: '', botId: '', baseUrl: '', fetch });
      const { data } = await roster.contacts.search({ query: 'jane' });
      const first: Contact | undefined = data[0];
      for await (const { name } of roster.contacts.iterate()) name.trim();
      return new NotFoundError({} as never) instanceof Error ? (first?.name ?? '') : '';
    }
    export = use;`;
  const asModule = use.replace('export = use', 'export default use');
  const importing = "import { type Contact, NotFoundError, Roster } from '@roster/client';";

  test('work in an ES module, in a CommonJS file and with a bundler', async () => {
    const nodenext = { module: 'nodenext' };
    assert.equal(await compile('use.mts', `${importing}${asModule}`, nodenext), '');
    assert.equal(await compile('use.cts', `${importing}${use}`, nodenext), '');
    assert.equal(
      await compile('use.ts', `${importing}${asModule}`, {
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2022', 'dom'],
        types: [],
      }),
      '',
    );
  });

  test('reject a wrong call, so they are not any', async () => {
    const wrong = `${importing}${asModule}\nnew Roster({}).contacts.retrieve(7); export let c: Contact | NotFoundError;`;
    const errors = await compile('wrong.mts', wrong, { module: 'nodenext' });
    assert.match(errors, /Type '\{\}' is missing|not assignable to parameter of type 'RosterOptions/);
    assert.match(errors, /not assignable to parameter of type 'string'/);
  });
});
