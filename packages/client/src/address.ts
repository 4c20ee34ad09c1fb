// Builds addresses. Every segment and parameter is encoded, so that it arrives as it was given; what no address can
// carry is refused here, because a URL parser would quietly make it another address.
import { UsageError } from './errors.ts';

/** The base without a slash at its end. `http://host/roster/` is fine: a proxy may serve Roster below a path. */
export function readBaseUrl(baseUrl: unknown): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('baseUrl must be the address of your Roster server, like https://contacts.example.com');
  }
  // The text is not repeated: it may hold a password.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('baseUrl must not hold a user, a query or a fragment');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Puts `values` in the place of the `{name}`s of `path`. */
export function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, values[name]));
}

function encodeSegment(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new UsageError(`${name} must be a string`);
  // URL parsers take these, also percent-encoded, as "here" and "one up".
  if (value === '' || value === '.' || value === '..') throw new UsageError(`${name} must not be "${value}"`);
  return encodeText(name, value);
}

/** Members that are undefined are left out. */
export function makeQuery(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => {
    return value === undefined ? [] : [`${name}=${encodeText(name, String(value))}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function encodeText(name: string, text: string): string {
  // UTF-8 has no form for them. Anything sent in their place would be another text.
  if (!text.isWellFormed()) throw new UsageError(`${name} must not contain unpaired surrogates`);
  return encodeURIComponent(text);
}
