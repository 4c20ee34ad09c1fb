// The whole program as a folder: a bundle of the command line, one of the server, and beside them the files that are not
// modules. The npm package of the server and the single executable are made of this folder.
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { consoleBuilds } from '../../packages/console/build/build-folder.ts';
import { buildConsole } from '../../packages/console/build/console-build.ts';
import { guideBuilds } from '../../packages/guide/build/build-folder.ts';
import { buildGuide } from '../../packages/guide/build/guide-build.ts';
import { serverBundleName } from '../../packages/server/src/program/bundled-server.ts';
import { loadWidgetBuild } from '../../packages/widget/build/widget-script.ts';

export const root = join(import.meta.dirname, '../..');
const server = join(root, 'packages/server/src');

/** What a bundle is started by. */
export const programName = 'program.cjs';

/** Returns the packages whose code is in it, as folders. */
export async function bundleProgram(folder: string): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  const files = join(folder, 'files');
  const main = await bundle({
    entryPoints: { program: join(root, 'packages/cli/src/main.ts') },
    outdir: folder,
    target: 'node24.7',
    plugins: [serverApart],
  });
  const whole = await bundle({
    stdin: {
      contents: `module.exports = { ${serverEntries.map(entryGetter).join(', ')} };`,
      resolveDir: join(root, 'packages/cli'),
    },
    outfile: join(folder, serverBundleName),
    target: 'node24.7',
    // pg's optional driver in C.
    external: ['pg-native'],
  });
  const threads = await bundle({
    entryPoints: ['writer', 'reader', 'checkpointer', 'checker'].map((name) => join(server, `store/sqlite/${name}.ts`)),
    outdir: folder,
    target: 'node24.7',
    ...asModules,
  });
  // Each thread would evaluate it anew: 10 MB of memory for each, and a slower start.
  if (packagesIn(threads).length > 0) throw new Error(`threads must not bundle ${packagesIn(threads).join(', ')}`);
  for (const engine of ['sqlite', 'postgres']) {
    const from = join(server, `store/${engine}/migrations`);
    for (const name of globSync('*.sql', { cwd: from })) put(join(files, 'migrations', engine), join(from, name));
  }
  const builtConsole = consoleBuilds.folderOf((await buildConsole()).version);
  cpSync(fileURLToPath(builtConsole), join(files, 'console'), { recursive: true });
  const builtGuide = guideBuilds.folderOf((await buildGuide()).version);
  cpSync(fileURLToPath(builtGuide), join(files, 'guide'), { recursive: true });
  write(join(files, 'widget/widget.js'), loadWidgetBuild());
  return packagesIn(main, whole);
}

/** What the command line loads of the server when it needs it, by the names of its public entries. */
const serverEntries = ['operator', 'in-process'];
/** Evaluated when it is asked for: `operator` does without the web framework, which `in-process` loads. */
const entryGetter = (name: string) => `get ${JSON.stringify(name)}() { return require('@roster/server/${name}'); }`;

/** Replaces those entries by what finds them in the server's bundle. */
const serverApart: Plugin = {
  name: 'server-apart',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^@roster/server/(?:${serverEntries.join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path: path.slice('@roster/server/'.length), namespace: 'server' }));
    onLoad({ filter: /./, namespace: 'server' }, ({ path }) => ({
      contents: `module.exports = require('./bundled-server.ts').bundledEntry(${JSON.stringify(path)});`,
      resolveDir: join(server, 'program'),
    }));
  },
};

/** For threads, one of which awaits at its top level. */
const asModules: BuildOptions = { format: 'esm', outExtension: { '.js': '.mjs' }, define: {}, banner: {} };

/** The commands of contacts alone, in the same form. */
export async function bundleContactCommands(folder: string): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  const entryPoints = { program: join(root, 'packages/cli/src/main-contacts.ts') };
  return packagesIn(await bundle({ entryPoints, outdir: folder, target: 'node22.13' }));
}

/** CommonJS, which the single executable needs. Names are kept, so that a stack in a log can be read. */
async function bundle(options: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: "const moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
    logLevel: 'warning',
    ...options,
    metafile: true,
  });
  return metafile;
}

function packagesIn(...metafiles: Metafile[]): string[] {
  const paths = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs)
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([path]) => path),
    ),
  );
  const folders = paths.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

function put(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(file, join(folder, basename(file)));
}

function write(file: string, content: Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
