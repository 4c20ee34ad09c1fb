// Builds URLs. Every segment and parameter is encoded, so that the server reads exactly the given text. Text that no
// URL can carry is refused here, because a URL parser would silently turn it into another URL.
import { UsageError } from './errors.ts';

/** Returns the base without a trailing slash. A path is allowed: a proxy may serve Roster below one. */
export function readBaseUrl(baseUrl: unknown): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('baseUrl must be the address of your Roster server, like https://contacts.example.com');
  }
  // The message does not quote the URL, because it may contain a password.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('baseUrl must not hold a user, a query or a fragment');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Replaces each `{name}` in `path` by the encoded value of that name. */
export function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, values[name]));
}

function encodeSegment(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new UsageError(`${name} must be a string`);
  // URL parsers resolve "." and ".." as relative segments, even when they are percent-encoded.
  if (value === '' || value === '.' || value === '..') throw new UsageError(`${name} must not be "${value}"`);
  return encodeText(name, value);
}

/** Of a query string: a list is the same parameter several times. */
export type Parameters = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Parameters that are undefined are left out. */
export function makeQuery(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, given]) => {
    const values = given === undefined ? [] : [given].flat();
    return values.map((value) => `${encodeURIComponent(name)}=${encodeText(name, String(value))}`);
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The value of `include`. Nothing to include is no parameter. */
export function includeParameter(names: readonly string[] = []): string | undefined {
  return names.length === 0 ? undefined : names.join(',');
}

function encodeText(name: string, text: string): string {
  // UTF-8 cannot encode unpaired surrogates, and a replacement character would be another text.
  if (!text.isWellFormed()) throw new UsageError(`${name} must not contain unpaired surrogates`);
  return encodeURIComponent(text);
}
