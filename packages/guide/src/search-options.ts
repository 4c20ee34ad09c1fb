// What the search index holds. The build and the browser must agree on it.
import type { Options } from 'minisearch';

export interface SearchedSection {
  id: number;
  /** Below the guide's address, with its anchor. */
  path: string;
  /** The page's name in the menu. */
  page: string;
  heading: string;
  content: string;
}

export const indexOptions: Options<SearchedSection> = {
  fields: ['heading', 'page', 'content'],
  storeFields: ['path', 'page', 'heading', 'content'],
};
