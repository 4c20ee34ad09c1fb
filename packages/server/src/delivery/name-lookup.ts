// Finds the addresses of host names. Names of receivers come from tenants, whose name servers may be slow on purpose: so DNS is asked
// directly, without the few threads that the system's own look-up, files and passwords share.
import { type LookupAddress, promises } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Per try and name server, within the ten seconds of an exchange. */
const patience = { timeout: 2000, tries: 2 };

type Resolver = Pick<promises.Resolver, 'resolve4' | 'resolve6'>;

/** Knows neither the hosts file nor names of a local network. Answers with all addresses, or fails. */
export function prepareDnsLookup(resolver: Resolver = new promises.Resolver(patience)): LookupFunction {
  return async (hostname, _options, callback) => {
    const [ofFour, ofSix] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found: LookupAddress[] = [];
    if (ofFour.status === 'fulfilled') for (const address of ofFour.value) found.push({ address, family: 4 });
    if (ofSix.status === 'fulfilled') for (const address of ofSix.value) found.push({ address, family: 6 });
    if (found.length > 0) callback(null, found);
    else callback(ofFour.status === 'rejected' ? ofFour.reason : new Error('no addresses'), []);
  };
}
