// Builds the published package: a folder with its own package.json, for `npm publish packages/client/dist`. The
// workspace needs no build: its package.json exports the sources, and is private so that they cannot be published.
//
// The package contains the code once, as CommonJS; the ES module re-exports it. With two copies, a program that both
// imports and requires the client would have two of each error class, and `instanceof` would fail between them.
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
  writeFileSync(join(folder, 'README.md'), withoutLocalLinks(readFileSync(join(here, 'README.md'), 'utf8')));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Renames the output to .cjs and .d.cts. The compiler emits these extensions only for sources named .cts. */
function nameAsCommonJs(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8').replaceAll(/((?:from |require\()['"]\.\/[\w-]+)\.[jt]s(['"])/g, '$1.cjs$2');
    writeFileSync(file.replace(/\.(js|ts)$/, '.c$1'), text);
    rmSync(file);
  }
}

/** Exports by name and not through the default import, which bundlers interpret differently. */
function esModule(commonJs: string): string {
  const names = Object.keys(createRequire(import.meta.url)(commonJs));
  return `export {\n${names
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from './lib/index.cjs';\n`;
}

/** Replaces links into the repository by their text: they would be broken on a package's page. */
function withoutLocalLinks(page: string): string {
  return page.replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]+\)/g, '$1');
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
