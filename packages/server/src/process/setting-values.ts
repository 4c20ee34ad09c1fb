// What settings may say: each function reads the text of one, and returns undefined for what it does not take.
import { isIP } from 'node:net';
import { isNetworkName } from '../account/addresses.ts';

/** By the rules of the contract, which may also trim it. */
export function valid(schema: { safeParse(text: string): { data?: string | undefined } }) {
  return (text: string): string | undefined => schema.safeParse(text).data;
}

export function wholeNumber(min: number, max: number) {
  return (text: string): number | undefined => {
    const value = Number(text);
    return /^[0-9]+$/.test(text) && value >= min && value <= max ? value : undefined;
  };
}

/** In seconds, up to a week each. */
export function parseRetries(text: string): number[] | undefined {
  const delays = text.split(',').map((part) => part.trim());
  const isDelay = (part: string) => /^\d+(\.\d+)?$/.test(part) && Number(part) > 0 && Number(part) <= 604_800;
  return delays.length <= 50 && delays.every(isDelay) ? delays.map((part) => Number(part) * 1000) : undefined;
}

/** One address, never two: `localhost` would stand for both kinds of it. */
export function parseHost(text: string): string | undefined {
  if (text === 'localhost') return '127.0.0.1';
  return isIP(text) !== 0 ? text : undefined;
}

/** The engine reads the rest of it. */
export function parseDatabaseUrl(text: string): string | undefined {
  return /^postgres(ql)?:\/\//.test(text) ? text : undefined;
}

export function parseBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

export function parseSwitch(text: string): boolean | undefined {
  return text === '1' ? true : text === '0' ? false : parseBoolean(text);
}

export function parseBaseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    return undefined;
  }
  return url.href.replace(/\/+$/, '');
}

/** One line of the file that holds it, whatever was set. */
export function parseContact(text: string): string | undefined {
  return /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+\S+)$/.test(text) ? URL.parse(text)?.href : undefined;
}

/** `true` is not taken: it would let any client choose the address that its limits are counted by. */
export function parseTrustProxy(text: string): false | number | string[] | undefined {
  if (text === 'false') return false;
  if (/^[0-9]+$/.test(text)) return Number(text) === 0 ? false : Number(text);
  const entries = entriesOf(text);
  return entries.every((entry) => isNetworkName(entry) || isNetwork(entry)) ? entries : undefined;
}

/** Link-local addresses are never allowed, so that a setting does not say that they are. */
export function parseNetworks(text: string): string[] | undefined {
  const entries = entriesOf(text);
  const isLinkLocal = (entry: string) => /^(169\.254\.|fe[89ab][0-9a-f]:)/i.test(entry);
  return entries.every((entry) => isNetwork(entry) && !isLinkLocal(entry)) ? entries : undefined;
}

function entriesOf(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

/** An address, or a network in CIDR notation. */
function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  return bits === undefined || (/^[0-9]+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
