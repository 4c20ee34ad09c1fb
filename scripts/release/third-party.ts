// The licences of what a release contains of others: their names, versions and texts, as those licences ask for.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { root } from './bundle.ts';

interface Manifest {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Development dependencies of the console and the guide that leave nothing in their builds. */
const builders = /^(@roster\/|@types\/|vite$|axe-core$|esbuild$|fastify$|github-slugger$|highlight\.js$|markdown-it$)/;

/** What the builds of the console and the guide, and the API reference, are made of. Folders, as the bundler names them. */
export function packagesOfFiles(): string[] {
  const found = new Set(['node_modules/@scalar/fastify-api-reference']);
  const visit = (from: string, names: string[]) => {
    for (const name of names) {
      const folder = findPackage(from, name);
      if (folder === undefined || found.has(folder)) continue;
      found.add(folder);
      visit(folder, Object.keys(readManifest(folder).dependencies ?? {}));
    }
  };
  for (const folder of ['packages/console', 'packages/guide']) {
    const own = Object.keys(readManifest(folder).devDependencies ?? {});
    visit(
      folder,
      own.filter((name) => !builders.test(name)),
    );
  }
  return [...found];
}

export function thirdPartyText(folders: readonly string[]): string {
  const entries = [...new Set(folders)].map((folder) => ({ folder, ...readManifest(folder) }));
  const byName = entries.toSorted((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1,
  );
  const sections = byName.map(({ name, version, license, folder }) => {
    const text = licenceText(folder);
    return `${name} ${version} (${license ?? 'see below'})\n\n${text ?? 'The package contains no text of its licence.'}`;
  });
  return `Roster contains the software below, each part under its own licence.\n\n${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function licenceText(folder: string): string | undefined {
  const name = readdirSync(join(root, folder)).find((each) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(each));
  return name === undefined ? undefined : readFileSync(join(root, folder, name), 'utf8').trim();
}

/** As Node looks for it: in the node_modules of each folder above. Undefined for an optional one that is not there. */
function findPackage(from: string, name: string): string | undefined {
  const paths = createRequire(join(root, from, 'package.json')).resolve.paths(name) ?? [];
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json')));
  return folder === undefined ? undefined : relative(root, folder);
}
