// Writes the guide into a folder: its pages below `pages`, everything that they name below `files`, each file there with a
// hash of its content in its name. What can be compressed lies beside itself, compressed. The script of the API reference, which is
// large, is there compressed alone.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, parse } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compress } from '@roster/console/compress';
import { fileAddress, pageAddress, pathOfSource, resolveLink } from './addresses.ts';
import { bundleAssets } from './assets.ts';
import { referenceScriptName } from './guide-files.ts';
import type { Addresses } from './markdown.ts';
import { type Page, readPages, root } from './pages.ts';
import { referenceScript } from './reference-script.ts';
import { type PageFiles, renderNotFound, renderPage } from './render-page.ts';
import { indexSections } from './search-index.ts';

export async function writeGuide(folder: string): Promise<void> {
  const pages = readPages();
  const writeFile = (name: string, content: Buffer | string): string => {
    const hash = createHash('sha256').update(content).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 8);
    const { name: stem, ext } = parse(name);
    const hashed = `${stem}-${hash}${ext}`;
    write(join(folder, 'files', hashed), content);
    return hashed;
  };
  const assets = await bundleAssets(writeFile);
  const files: PageFiles = { ...assets, index: writeFile('search.json', indexSections(pages)) };
  for (const page of pages) {
    const html = page.document.toHtml(addressesOn(page, writeFile));
    write(
      join(folder, 'pages', `${page.path === '' ? 'index' : page.path}.html`),
      renderPage(page, html, pages, files),
    );
  }
  writeFileSync(join(folder, referenceScriptName), gzipSync(await referenceScript(), { level: 9 }));
  // One for each depth of an address, since links are relative to it.
  for (const path of ['404', '404/404']) {
    write(join(folder, 'pages', `${path}.html`), renderNotFound(path, pages, files));
  }
}

/**
 * A file of the repository that is neither a page, nor part of the docs, nor code to copy, has no address: a running server has no
 * sources. Nor have the decisions, which are for readers of these.
 */
function addressesOn({ source, path }: Page, writeFile: (name: string, content: Buffer) => string): Addresses {
  const addressOfFile = (file: string) => fileAddress(path, writeFile(file, readFileSync(join(root, file))));
  return {
    link(address) {
      const target = resolveLink(source, address);
      if (target === undefined) return address;
      const { file, anchor } = target;
      const linked = pathOfSource(file);
      if (linked === path) return `#${anchor || 'content'}`;
      if (linked !== undefined) return `${pageAddress(path, linked)}${anchor === '' ? '' : `#${anchor}`}`;
      const isServed = /^(?:docs\/(?!decisions\/)|examples\/webhook-receivers\/)/.test(file);
      return isServed && existsSync(join(root, file)) && extname(file) !== '' ? addressOfFile(file) : undefined;
    },
    picture(address) {
      const file = resolveLink(source, address)?.file;
      if (file === undefined) throw new Error(`${source} shows a picture from elsewhere: ${address}`);
      return { address: addressOfFile(file), ...pixelsOf(file) };
    },
  };
}

/** So that text does not jump when a picture arrives. */
function pixelsOf(file: string): { width?: number; height?: number } {
  if (extname(file) !== '.png') return {};
  // The first chunk of a PNG is its header: https://www.w3.org/TR/png-3/#11IHDR
  const content = readFileSync(join(root, file));
  return { width: content.readUInt32BE(16), height: content.readUInt32BE(20) };
}

function write(file: string, content: Buffer | string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  if (extname(file) !== '.png') compress(file);
}
