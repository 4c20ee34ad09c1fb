// Makes what is published: a folder with its own package.json, for `npm publish packages/client/dist`. In the workspace
// nothing is built: package.json beside this file exports the sources, and is private so that they cannot be published.
//
// The code is there once, as CommonJS; the ES module only names its exports. Two copies would give a program that
// imports and requires the client two of each error class, and `instanceof` would fail between them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const here = import.meta.dirname;
const root = resolve(here, '../..');

export function buildClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const code = join(folder, 'cjs');
  mkdirSync(code, { recursive: true });
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(manifest), 'bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(here, 'tsconfig.build.json'), '--outDir', code], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  nameCompiledFiles(code);
  writeJson(join(code, 'package.json'), { type: 'commonjs' });
  writeFileSync(join(folder, 'index.js'), esModule(join(code, 'index.js')));
  writeFileSync(join(folder, 'index.d.ts'), "export * from './cjs/index.js';\n");
  writeJson(join(folder, 'package.json'), publishedManifest());
  cpSync(join(here, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** The compiler names compiled files in code, but leaves the names of the sources in declarations. */
function nameCompiledFiles(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.d.ts'))) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
}

/** By name, and not by way of the default import, which bundlers understand differently. */
function esModule(commonJs: string): string {
  const names = Object.keys(createRequire(import.meta.url)(commonJs));
  return `export {\n${names
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from './cjs/index.js';\n`;
}

function publishedManifest() {
  const { name, version, description, license, engines } = JSON.parse(
    readFileSync(join(here, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  return {
    name,
    version,
    description,
    license,
    engines,
    type: 'module',
    sideEffects: false,
    main: './cjs/index.js',
    types: './cjs/index.d.ts',
    exports: {
      '.': {
        import: { types: './index.d.ts', default: './index.js' },
        require: { types: './cjs/index.d.ts', default: './cjs/index.js' },
      },
      './package.json': './package.json',
    },
  };
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

if (import.meta.main) buildClient(join(here, 'dist'));
