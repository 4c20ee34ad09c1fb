// The index that the search loads: every section of every page, with its text for the excerpts.
import MiniSearch from 'minisearch';
import { indexOptions, type SearchedSection } from '../src/search-options.ts';
import type { Page } from './pages.ts';

export function indexSections(pages: readonly Page[]): string {
  const index = new MiniSearch<SearchedSection>(indexOptions);
  const sections = pages.flatMap(({ path, label, document }) =>
    document.sections.map(({ level, anchor, text, content }) => ({
      path: level === 1 ? path : `${path}#${anchor}`,
      page: label,
      // The title of a page is the name of its first section.
      heading: level === 1 ? label : text,
      content,
    })),
  );
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return JSON.stringify(index);
}
