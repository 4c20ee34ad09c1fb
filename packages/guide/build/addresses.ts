// Addresses on the site. All are relative, so that a proxy may serve Roster below a path.
import { posix } from 'node:path';
import { entries } from './contents.ts';

const pathOf = new Map(entries.map(({ source, path }) => [source, path]));

/** The way from a page up to /docs, above which the console lies. */
function up(from: string): string {
  return '../'.repeat(from === '' ? 0 : from.split('/').length);
}

export function pageAddress(from: string, path: string): string {
  return `${up(from)}guide${path === '' ? '' : `/${path}`}`;
}

export function fileAddress(from: string, name: string): string {
  return `${up(from)}guide/files/${name}`;
}

/** Of what the server has beside the guide: `docs`, `console`. */
export function serviceAddress(from: string, path: string): string {
  return `${up(from)}../${path}`;
}

export interface LinkTarget {
  /** From the root of the repository. */
  file: string;
  /** Empty without one. */
  anchor: string;
}

/** What a link in a file of the repository names. Undefined for an address elsewhere. */
export function resolveLink(source: string, address: string): LinkTarget | undefined {
  if (/^[a-z]+:/i.test(address)) return undefined;
  const [path = '', anchor = ''] = address.split('#');
  return { file: path === '' ? source : posix.join(posix.dirname(source), path), anchor };
}

/** The path of the page that a file of the repository is shown as. */
export function pathOfSource(source: string): string | undefined {
  return pathOf.get(source);
}
