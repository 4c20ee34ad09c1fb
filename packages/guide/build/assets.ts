// The guide's script, style sheet and icon. The only user of the bundler.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dark, gray, mono, pine, sans, surfaces } from '@roster/console/theme';
import { build, stop } from 'esbuild';

/** Those of the console. */
const target = ['chrome111', 'firefox119', 'safari16.4'];
const source = fileURLToPath(new URL('../src/', import.meta.url));

export interface Assets {
  script: string;
  style: string;
  icon: string;
}

/** `writeFile` returns the name under which the file is served. */
export async function bundleAssets(writeFile: (name: string, content: Buffer) => string): Promise<Assets> {
  const common = { absWorkingDir: source, bundle: true, minify: true, target, write: false, outdir: source } as const;
  // The search is a chunk of its own, which the script loads when it is needed.
  const scripts = await build({
    ...common,
    entryPoints: ['guide.ts'],
    format: 'esm',
    splitting: true,
    legalComments: 'none',
  });
  const styles = await build({ ...common, stdin: { contents: styleSheet(), loader: 'css', resolveDir: source } });
  // Its process would stay until ours ends.
  await stop();
  const [style] = styles.outputFiles;
  const chunks = scripts.outputFiles.filter(({ path }) => basename(path) !== 'guide.js');
  const names = new Map(
    chunks.map(({ path, contents }) => [basename(path), writeFile('search.js', Buffer.from(contents))]),
  );
  const entry = scripts.outputFiles.find(({ path }) => basename(path) === 'guide.js');
  if (style === undefined || entry === undefined || names.size !== 1) throw new Error('the bundle has other files');
  const script = Array.from(names).reduce((text, [chunk, name]) => text.replaceAll(chunk, name), entry.text);
  return {
    script: writeFile('guide.js', Buffer.from(script)),
    style: writeFile('guide.css', Buffer.from(style.contents)),
    icon: writeFile('icon.svg', readFileSync(fileURLToPath(import.meta.resolve('@roster/console/icon.svg')))),
  };
}

/** The console's colours and fonts as variables, beside the guide's own style. */
function styleSheet(): string {
  const shades = Object.entries({ pine, gray, dark }).flatMap(([name, colours]) =>
    colours.map((colour, shade) => [`--${name}-${shade}`, colour] as const),
  );
  const rule = (variables: Iterable<readonly [string, string]>) =>
    `:root{${Array.from(variables, ([name, value]) => `${name}:${value};`).join('')}}`;
  return `@import "./guide.css";
${rule([...shades, ['--sans', sans], ['--mono', mono], ...Object.entries(surfaces.light)])}
@media (prefers-color-scheme: dark){${rule(Object.entries(surfaces.dark))}}
`;
}
