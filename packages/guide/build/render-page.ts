// A page of the guide as HTML. It has no script and no style of its own, as its content security policy asks for. The
// menu opens without a script too: it is a popover on a phone, and a column elsewhere.
import { readFileSync } from 'node:fs';
import { fileAddress, pageAddress, serviceAddress } from './addresses.ts';
import type { Assets } from './assets.ts';
import { groups } from './contents.ts';
import type { Page } from './pages.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The names of the files that every page names. */
export interface PageFiles extends Assets {
  /** Of the search. */
  index: string;
}

export function renderPage(page: Page, content: string, pages: readonly Page[], files: PageFiles): string {
  const { path, title, source } = page;
  const group = groups.find(({ entries }) => entries.some((entry) => entry.source === source));
  const main = `<article${group?.callsServer ? ' data-calls-server' : ''}>${content}</article>\n${neighbours(page, pages)}`;
  return layout({ path, title, main, aside: sectionsOf(page) }, pages, files);
}

/** `path` is one of the depth of the missing page. */
export function renderNotFound(path: string, pages: readonly Page[], files: PageFiles): string {
  const main = `<article><h1>Page not found</h1>
<p>The guide to Roster ${version} has no page at this address. Use the menu or the search, or go to the
<a href="${pageAddress(path, '')}">first page</a>.</p></article>`;
  return layout({ path, title: 'Page not found', main, aside: '' }, pages, files);
}

interface Layout {
  path: string;
  title: string;
  main: string;
  aside: string;
}

function layout({ path, title, main, aside }: Layout, pages: readonly Page[], files: PageFiles): string {
  const file = (name: string) => fileAddress(path, name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Roster ${version}</title>
<link rel="icon" href="${file(files.icon)}">
<link rel="stylesheet" href="${file(files.style)}">
<script type="module" src="${file(files.script)}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<button type="button" class="menu-button" popovertarget="menu">Menu</button>
<a class="home" href="${pageAddress(path, '')}"><img src="${file(files.icon)}" alt="" width="28" height="28"><span>Roster ${version}</span></a>
<form role="search" hidden data-index="${file(files.index)}" data-guide="${pageAddress(path, '')}">
<input type="search" aria-label="Search the guide" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="Control+K Meta+K">
<div class="results" hidden><p role="status"></p><ul></ul></div>
</form>
</header>
<div class="columns">
<nav id="menu" class="menu" popover aria-label="Guide">
${groups
  .map(({ title, entries }) =>
    menuGroup(
      title,
      entries.map(({ source }) => menuItem(source, path, pages)),
    ),
  )
  .join('\n')}
${menuGroup('This server', [
  `<li><a href="${serviceAddress(path, 'docs')}">API reference</a></li>`,
  `<li><a href="${serviceAddress(path, 'console')}">Console</a></li>`,
])}
<p class="version">Guide to Roster ${version}</p>
</nav>
<main id="content" tabindex="-1">
${main}
</main>
${aside}
</div>
</body>
</html>
`;
}

function menuGroup(title: string, items: string[]): string {
  return `<h2 class="group">${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

function menuItem(source: string, path: string, pages: readonly Page[]): string {
  const page = pages.find((each) => each.source === source) as Page;
  const current = page.path === path ? ' aria-current="page"' : '';
  return `<li><a href="${pageAddress(path, page.path)}"${current}>${escapeHtml(page.label)}</a></li>`;
}

function sectionsOf({ document }: Page): string {
  const sections = document.sections.filter(({ level }) => level === 2);
  if (sections.length < 2) return '';
  const items = sections.map(({ anchor, text }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`);
  return `<nav class="sections" aria-label="On this page">\n${menuGroup('On this page', items)}\n</nav>`;
}

function neighbours(page: Page, pages: readonly Page[]): string {
  const index = pages.indexOf(page);
  const link = (to: Page | undefined, kind: string, word: string) =>
    to === undefined
      ? ''
      : `<a rel="${kind}" href="${pageAddress(page.path, to.path)}"><small>${word}</small>${escapeHtml(to.label)}</a>`;
  const links = [link(pages[index - 1], 'prev', 'Previous'), link(pages[index + 1], 'next', 'Next')];
  return `<nav class="neighbours" aria-label="Previous and next page">${links.join('\n')}</nav>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
