// Bundles the browser sources into the one file that pages load. The only user of the compiler.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, stop, transform } from 'esbuild';

const packageFolder = fileURLToPath(new URL('../', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Browsers of 2021 and later, which know private members: rewriting those would cost a fifth of the size. */
const target = ['chrome91', 'firefox90', 'safari15'];

/** A style sheet becomes a string, without its white space. */
const styleSheets: Plugin = {
  name: 'style sheets as text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

export async function bundleWidget(): Promise<Buffer> {
  try {
    const { outputFiles, metafile } = await build({
      absWorkingDir: packageFolder,
      entryPoints: ['src/main.ts'],
      bundle: true,
      minify: true,
      format: 'iife',
      target,
      charset: 'utf8',
      legalComments: 'none',
      banner: { js: `/*! Roster widget ${version} | MIT */` },
      plugins: [styleSheets],
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    // Types are free, but code of other packages would ship a schema library to every visitor.
    const foreign = Object.keys(metafile.inputs).filter((path) => !path.startsWith('src/'));
    if (foreign.length > 0) throw new Error(`the widget must not bundle ${foreign.join(', ')}`);
    const [file] = outputFiles;
    if (file === undefined) throw new Error('the bundle is empty');
    return Buffer.from(file.contents);
  } finally {
    // Its process would stay until ours ends.
    await stop();
  }
}
