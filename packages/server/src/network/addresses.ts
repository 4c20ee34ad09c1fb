// Addresses of clients, as limits and the audit log know them: which are valid, which count as one client, and which are local.
import { BlockList, isIP, isIPv6 } from 'node:net';

/** By the names that `ROSTER_TRUST_PROXY` takes. */
const namedNetworks: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

export function isNetworkName(entry: string): boolean {
  return Object.hasOwn(namedNetworks, entry);
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Whether an address is in one of these networks. Each is an address, one with the bits of its network, or a name. */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks.flatMap((entry) => namedNetworks[entry] ?? [entry])) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => {
    const plain = withoutZone(address);
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain));
  };
}

export const isLoopback = inNetworks(['loopback']);

/** Stands for every address of the machine, and is none that a client can connect to. */
export const isUnspecified = inNetworks(['0.0.0.0', '::']);

/** On this machine or in a private network, where one's own proxies are. */
export const isPrivate = inNetworks(Object.keys(namedNetworks));

/** The name or address of a URL that means this machine, to whoever uses it. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The address in what a proxy says about a client, which may carry a port; empty when it is none. */
export function toAddress(stated: string): string {
  const given = /^\[([^\]]*)\](?::\d+)?$/.exec(stated)?.[1] ?? /^([^:]*):\d+$/.exec(stated)?.[1] ?? stated;
  // A zone can be any text, and the address may be logged.
  const address = withoutZone(given);
  return isIP(address) === 0 ? '' : address;
}

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 one, which is what one subscriber gets. */
export function addressKey(address: string): string {
  if (!isIPv6(address)) return address;
  // The URL parser writes every spelling of an address in one way.
  const plain = new URL(`http://[${withoutZone(address)}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return groups.slice(0, 4).join(':');
  const bytes = groups.slice(6).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return bytes.join('.');
}

/** `fe80::1%eth0` is an address on one interface of its machine. */
function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

/** What limits count a client by, whatever was stated about its address. */
export function clientKey({ ip }: { ip: string }): string {
  return addressKey(toAddress(ip));
}
