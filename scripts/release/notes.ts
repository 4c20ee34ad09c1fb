// What has changed, from CHANGELOG.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.ts';

/** The section of a version. */
export function notesOf(version: string): string {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## ${version}\n`) || text.startsWith(`## ${version} `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}.`);
  return section;
}
