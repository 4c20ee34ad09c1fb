// The links of the docs: in the repository, where GitHub shows them, and on the site that is built from them.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { resolveLink } from '../build/addresses.ts';
import { entries } from '../build/contents.ts';
import { loadGuideBuild } from '../build/guide-files.ts';
import { type Document, parseMarkdown } from '../build/markdown.ts';
import { root } from '../build/pages.ts';

const sources = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/**/*.md'], {
  cwd: root,
  exclude: (name) => name === 'node_modules',
}).map((name) => name.replaceAll('\\', '/'));

const parsed = new Map<string, Document>();
function documentOf(source: string): Document {
  const document = parsed.get(source) ?? parseMarkdown(readFileSync(join(root, source), 'utf8'));
  parsed.set(source, document);
  return document;
}

suite('the repository', () => {
  test('has its Markdown where this test looks for it', () => {
    for (const name of [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'docs/operations/install.md',
    ]) {
      assert.ok(sources.includes(name), name);
    }
  });

  for (const source of sources) {
    test(`every link and picture of ${source} leads to a file and a heading that exist`, () => {
      const { links, pictures } = documentOf(source);
      for (const address of [...links, ...pictures]) {
        const target = resolveLink(source, address);
        if (target === undefined) continue;
        const { file, anchor } = target;
        assert.ok(!file.startsWith('..') && existsSync(join(root, file)), `${address}: there is no ${file}`);
        if (anchor === '' || statSync(join(root, file)).isDirectory() || !file.endsWith('.md')) continue;
        const anchors = documentOf(file).sections.map((section) => section.anchor);
        assert.ok(anchors.includes(anchor), `${address}: ${file} has no heading #${anchor}`);
      }
    });
  }
});

suite('the contents of the guide', () => {
  test('name every page of the docs, once', () => {
    const listed = entries.map(({ source }) => source);
    assert.deepEqual(listed, [...new Set(listed)]);
    const forEngineers = 'docs/decisions/';
    for (const source of sources.filter((name) => name.startsWith('docs/') && !name.startsWith(forEngineers))) {
      assert.ok(listed.includes(source), `packages/guide/build/contents.ts lists ${source}`);
    }
  });

  test('name every page that README names, except those for readers of the source', () => {
    const linked = documentOf('README.md').links.map((address) => resolveLink('README.md', address)?.file ?? '');
    const listed = new Set(entries.map(({ source }) => source));
    const forReadersOfSource = new Set(['ARCHITECTURE.md', 'CONTRIBUTING.md']);
    const missing = linked.filter((file) => file.endsWith('.md') && !listed.has(file) && !forReadersOfSource.has(file));
    assert.deepEqual(missing, []);
  });
});

suite('the site', () => {
  const guide = loadGuideBuild();
  const html = (path: string) => guide.page(path)?.plain.toString() ?? '';
  const start = 'http://roster.test/below/docs/guide';
  const urlOf = (path: string) => (path === '' ? start : `${start}/${path}`);
  const attributes = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, value = '']) => value);
  const idsOf = (text: string) => attributes(text, / id="([^"]+)"/g);
  const missing = [1, 2].map((depth) => ({
    url: `${start}/${'x/'.repeat(depth - 1)}x`,
    text: guide.notFound(depth as 1 | 2).plain.toString(),
  }));
  const pages = [...guide.paths().map((path) => ({ url: urlOf(path), text: html(path) })), ...missing];

  for (const { url, text } of pages) {
    test(`every link of ${url.slice(start.length) || 'the first page'} leads to a page, a heading or a file that exists`, () => {
      const addresses = attributes(text, /<[a-z][^>]* (?:href|src|data-index|data-guide)="([^"]*)"/g);
      assert.ok(addresses.length > entries.length);
      for (const address of addresses) {
        if (/^(?:https?|mailto):/.test(address)) continue;
        const target = new URL(address, url);
        const anchor = decodeURIComponent(target.hash.slice(1));
        target.hash = '';
        if (['http://roster.test/below/docs', 'http://roster.test/below/console'].includes(target.href)) continue;
        const below = target.href === start ? '' : target.href.replace(`${start}/`, '');
        if (below.startsWith('files/')) {
          assert.ok(guide.file(below.slice('files/'.length)), address);
          continue;
        }
        const isHere = target.href === url;
        assert.ok(isHere || guide.page(below), `${address} is a page`);
        if (anchor !== '') assert.ok(idsOf(isHere ? text : html(below)).includes(anchor), `${address} is a heading`);
      }
    });
  }

  test('no id occurs twice on a page', () => {
    for (const { url, text } of pages) {
      const ids = idsOf(text);
      assert.deepEqual(ids, [...new Set(ids)], url);
    }
  });

  test('no heading skips a level, and a page has one title', () => {
    for (const { source } of entries) {
      const [title, ...others] = documentOf(source).sections.map(({ level }) => level);
      assert.equal(title, 1, source);
      for (const [index, level] of others.entries()) {
        const before = others[index - 1] ?? 1;
        assert.ok(level > 1 && level <= before + 1, `${source}: ${documentOf(source).sections[index + 1]?.text}`);
      }
    }
  });

  test('a link to a file that only the repository has is shown as its words', () => {
    assert.match(html(''), /<td>ARCHITECTURE<\/td>/);
  });
});
