// The pages of the guide, read from the repository in their order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entries } from './contents.ts';
import { type Document, parseMarkdown } from './markdown.ts';

/** Of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Page {
  path: string;
  title: string;
  /** In the menu. */
  label: string;
  /** From the root of the repository. */
  source: string;
  document: Document;
}

export function readPages(): Page[] {
  return entries.map(({ source, path, label }) => {
    const document = parseMarkdown(readFileSync(join(root, source), 'utf8'));
    const [first] = document.sections;
    if (first?.level !== 1) throw new Error(`${source} does not begin with a title.`);
    return { source, path, title: path === '' ? 'Guide' : first.text, label: label ?? first.text, document };
  });
}
