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
  const code = join(folder, 'lib');
  mkdirSync(code, { recursive: true });
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(manifest), 'bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(here, 'tsconfig.build.json'), '--outDir', code], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  nameAsCommonJs(code);
  writeFileSync(join(folder, 'index.js'), esModule(join(code, 'index.cjs')));
  writeFileSync(join(folder, 'index.d.ts'), "export * from './lib/index.cjs';\n");
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(), undefined, 2)}\n`);
  cpSync(join(here, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Extensions that say what the files are, wherever they lie: the compiler would want sources with such names. */
function nameAsCommonJs(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8').replaceAll(/((?:from |require\()['"]\.\/[\w-]+)\.[jt]s(['"])/g, '$1.cjs$2');
    writeFileSync(file.replace(/\.(js|ts)$/, '.c$1'), text);
    rmSync(file);
  }
}

/** By name, and not by way of the default import, which bundlers understand differently. */
function esModule(commonJs: string): string {
  const names = Object.keys(createRequire(import.meta.url)(commonJs));
  return `export {\n${names
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from './lib/index.cjs';\n`;
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
    main: './lib/index.cjs',
    types: './lib/index.d.cts',
    exports: {
      '.': {
        import: { types: './index.d.ts', default: './index.js' },
        require: { types: './lib/index.d.cts', default: './lib/index.cjs' },
      },
      './package.json': './package.json',
    },
  };
}

if (import.meta.main) buildClient(join(here, 'dist'));
