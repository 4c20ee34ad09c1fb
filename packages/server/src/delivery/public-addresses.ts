// Which addresses messages may be sent to: those of the public internet alone, unless the operator allows others. What a URL
// shows is checked when a webhook is created; what counts is the address that is connected to (connections.ts).
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an address is one of the public internet: neither of this machine or a private network, nor reserved, multicast or for
 * documentation, nor one that carries an IPv4 address to a gateway (NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  // An IPv4 address that is written as an IPv6 one (::ffff:127.0.0.1) is judged as what it is.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  // Only 2000::/3 is given out. The rest, such as ::127.0.0.1, has no name in the tables of the library.
  return parsed.kind() === 'ipv4' || ((parsed as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1;
}

/** The address that a URL names itself: undefined when it has a host name, which only a look-up tells the address of. */
export function literalAddressOf({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}

/** What is wrong with where a webhook is to send to, as a message for the field `url`. The URL is a valid one. */
export function faultOfUrl(text: string, allowsPrivate: boolean): string | undefined {
  if (allowsPrivate) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:') return 'must begin with https://';
  const address = literalAddressOf(url);
  const isPrivate = address === undefined ? isLocalName(url.hostname) : !isPublicAddress(address);
  return isPrivate ? 'must be a public address' : undefined;
}

/** RFC 6761: such names mean this machine, whoever is asked for them. */
function isLocalName(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(hostname);
}

/** For the log and the audit log: path and query of a URL may hold a credential of its receiver. */
export function originOf(url: string): string {
  return new URL(url).origin;
}
