// Bundles the browser sources into a folder, with each file compressed beside itself. The only file that imports the
// bundler: servers run without it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { build, type Plugin } from 'vite';
import { theme, themeVariables } from '../src/theme.ts';
import { compress } from './compress.ts';

const packageFolder = fileURLToPath(new URL('../', import.meta.url));

/** The first that mix colours and know well-formed strings. */
const target = ['chrome111', 'firefox119', 'safari16.4'];

export async function bundleConsole(folder: string): Promise<void> {
  await build({
    root: packageFolder,
    configFile: false,
    // Relative, so that a proxy may serve Roster below a path.
    base: './',
    logLevel: 'silent',
    plugins: [themeStyles(), previewStandsAlone()],
    build: {
      outDir: folder,
      emptyOutDir: false,
      target,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: ['index.html', 'preview.html'].map((name) => join(packageFolder, name)) },
    },
  });
  for (const name of ['index.html', 'preview.html']) relocate(join(folder, name));
  const assets = join(folder, 'assets');
  for (const name of readdirSync(assets)) compress(join(assets, name));
}

/**
 * The theme as a style sheet. Mantine would put it into the page as an inline style, for which the content security
 * policy would have to be opened.
 */
function themeStyles(): Plugin {
  const id = 'virtual:theme.css';
  return {
    name: 'theme as a style sheet',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load(resolved) {
      if (resolved !== `\0${id}`) return undefined;
      const merged = mergeMantineTheme(DEFAULT_THEME, theme);
      const standard = defaultCssVariablesResolver(merged);
      const own = themeVariables(merged);
      return convertCssVariables({
        variables: { ...standard.variables, ...own.variables },
        light: { ...standard.light, ...own.light },
        dark: { ...standard.dark, ...own.dark },
      });
    },
  };
}

/** The preview's page has an opaque origin, which may load classic scripts but no modules. */
function previewStandsAlone(): Plugin {
  return {
    name: 'preview without imports',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !chunk.isEntry || chunk.name !== 'preview') continue;
        if (chunk.imports.length + chunk.dynamicImports.length + chunk.exports.length > 0) {
          this.error('preview.ts must not share code with the console');
        }
      }
    },
  };
}

/** The page is /console and its files are in /console/assets: from the page's address, one folder down. */
function relocate(file: string): void {
  const isPreview = file.endsWith('preview.html');
  const html = readFileSync(file, 'utf8').replaceAll('./assets/', isPreview ? 'assets/' : 'console/assets/');
  writeFileSync(
    file,
    isPreview ? html.replaceAll(/ type="module"| crossorigin/g, '').replace('<script ', '<script defer ') : html,
  );
}
