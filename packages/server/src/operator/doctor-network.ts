// The doctor's look at how clients reach the server: its public address, TLS and proxies. By the settings alone.

import type { Config } from '../config/config.ts';
import { inNetworks, isLoopback, isLoopbackHost } from '../network/addresses.ts';
import type { Finding } from '../store/finding.ts';

export function checkPublicUrl({ publicUrl, host, trustProxy }: Config): Finding {
  const check = 'public address';
  const { protocol, hostname } = new URL(publicUrl);
  const warn = (message: string): Finding => ({ check, level: 'warning', message: `${publicUrl}: ${message}` });
  if (hostname === '0.0.0.0' || hostname === '[::]') {
    return warn('browsers cannot reach this address. Set ROSTER_PUBLIC_URL to the address that your pages will use.');
  }
  const isLocal = isLoopbackHost(hostname);
  const isServedLocally = isLoopback(host);
  if (isLocal && (!isServedLocally || trustProxy !== false)) {
    return warn(
      'only browsers on this machine can reach this address. Set ROSTER_PUBLIC_URL to the address that your pages will use.',
    );
  }
  if (isLocal) return { check, level: 'ok', message: `${publicUrl}, for this machine only.` };
  if (protocol === 'http:') {
    return warn(
      'contact tokens are sent unencrypted. Put a TLS-terminating proxy in front, and set ROSTER_PUBLIC_URL to its https address.',
    );
  }
  if (trustProxy === false) {
    return warn(
      'a proxy seems to terminate TLS but is not trusted, so all callers share its rate limits. Set ROSTER_TRUST_PROXY=1.',
    );
  }
  return { check, level: 'ok', message: `${publicUrl}.` };
}

/** Roster speaks plain HTTP: a proxy is what encrypts. */
export function checkTls({ publicUrl, host, port, hstsSubdomains }: Config): Finding {
  const check = 'TLS';
  const { protocol, hostname } = new URL(publicUrl);
  const isEncrypted = protocol === 'https:';
  if (hstsSubdomains && !isEncrypted) {
    const message = 'ROSTER_HSTS_SUBDOMAINS has no effect. Set ROSTER_PUBLIC_URL to an https address.';
    return { check, level: 'warning', message };
  }
  if (!isLoopback(host) && !isEncrypted) {
    const message = `Other machines can reach ${host} port ${port}, and passwords and secrets are sent unencrypted. Put a TLS-terminating proxy in front and set ROSTER_PUBLIC_URL to its https address, or set ROSTER_HOST=127.0.0.1.`;
    return { check, level: 'warning', message };
  }
  if (!isEncrypted && isLoopbackHost(hostname)) return { check, level: 'ok', message: 'Not needed on this machine.' };
  if (!isEncrypted) {
    const message = `A proxy has to terminate TLS for ${hostname}. Set ROSTER_PUBLIC_URL to its https address.`;
    return { check, level: 'warning', message };
  }
  const exposed = `Port ${port} itself is unencrypted: let only the proxy reach it.`;
  const message = `A proxy terminates TLS.${isLoopback(host) ? '' : ` ${exposed}`}`;
  return { check, level: 'ok', message };
}

/** Limits and the audit log go by the addresses that trusted proxies report. */
export function checkProxy({ trustProxy, host }: Config): Finding {
  const check = 'proxy';
  if (trustProxy === false) return { check, level: 'ok', message: 'No proxy is trusted.' };
  if (typeof trustProxy === 'number') {
    const count = trustProxy === 1 ? 'One proxy' : `${trustProxy} proxies`;
    return { check, level: 'ok', message: `${count} in front, on this machine or in a private network.` };
  }
  const everyone = trustProxy.find((network) => network.endsWith('/0'));
  if (everyone !== undefined) {
    const message = `ROSTER_TRUST_PROXY trusts every address (${everyone}), so a client can choose the address that limits and the audit log see. Name only your proxies.`;
    return { check, level: 'warning', message };
  }
  if (isLoopback(host) && !inNetworks(trustProxy)(host)) {
    const message = `Only proxies on this machine can reach ROSTER_HOST ${host}, but ROSTER_TRUST_PROXY does not name them. Add loopback to it, or change ROSTER_HOST.`;
    return { check, level: 'warning', message };
  }
  return { check, level: 'ok', message: `Proxies at ${trustProxy.join(', ')} are trusted.` };
}
