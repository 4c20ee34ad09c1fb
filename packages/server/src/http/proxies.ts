// Which connections come from proxies of ours, whose word about the client is taken.

import type { Config } from '../config/config.ts';
import { inNetworks, isPrivate } from '../network/addresses.ts';

/**
 * Where a number of proxies is set, one that connects from elsewhere than this machine or a private network is none of
 * ours: whoever reaches the port directly could otherwise invent addresses.
 */
export function findProxies(trustProxy: Config['trustProxy']): (address: string) => boolean {
  if (trustProxy === false) return () => false;
  return typeof trustProxy === 'number' ? isPrivate : inNetworks(trustProxy);
}

/** For each hop, beginning with the connection itself, whether to look beyond it for the client. */
export function trustHops(trustProxy: number | string[]): (address: string, hop: number) => boolean {
  const isProxy = findProxies(trustProxy);
  if (typeof trustProxy !== 'number') return isProxy;
  return (address, hop) => hop < trustProxy && (hop > 0 || isProxy(address));
}
