// Which addresses messages may be sent to: those of the public internet, and those of the networks that the operator allows. What a
// URL shows is checked when a webhook is created; what counts is the address that is connected to (delivery/connections.ts).
import { BlockList, isIP } from 'node:net';
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

/** `ROSTER_WEBHOOK_PRIVATE`: this machine and private networks. */
export const privateNetworks = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ...['::1/128', 'fc00::/7'],
];

/** Of addresses that are not public. */
export class AllowedNetworks {
  readonly #networks = new BlockList();
  readonly isEmpty: boolean;

  /** In CIDR notation, or single addresses. */
  constructor(networks: readonly string[]) {
    this.isEmpty = networks.length === 0;
    for (const network of networks) {
      const [address = '', bits] = network.split('/');
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      this.#networks.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
    }
  }

  /** Never a link-local one: clouds tell machines their credentials there. */
  has(address: string): boolean {
    if (isIP(address) === 0) return false;
    const parsed = ipaddr.process(address);
    return parsed.range() !== 'linkLocal' && this.#networks.check(parsed.toString(), parsed.kind());
  }
}

/** The address that a URL names itself: undefined when it has a host name, whose address only a DNS lookup can find. */
export function literalAddressOf({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}

/** What is wrong with where a webhook is to send to, as a message for the field `url`. The URL is a valid one. */
export function faultOfUrl(text: string, allowed: AllowedNetworks): string | undefined {
  const url = new URL(text);
  const address = literalAddressOf(url);
  // A name may turn out to be that of an allowed address.
  const mayBeAllowed = address === undefined ? !allowed.isEmpty : allowed.has(address);
  if (mayBeAllowed) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
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
