// Reads DATABASE_URL as libpq does: one host or several, and how far the connection is to be trusted.
import { isIP } from 'node:net';
import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { StoreOpenError } from '../store.ts';

/** One of our hosts, as the driver takes it. */
export interface HostAddress extends ClientConfig {
  /**
   * Behind a pooler that gives each transaction another connection to the database, as PgBouncer with
   * `pool_mode = transaction`: what a connection prepares or sets is gone with the transaction.
   */
  isPooledByTransaction: boolean;
}

const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** How to reach each of the hosts, in the order in which they are named. */
export function parseAddress(url: string): HostAddress[] {
  const parts = /^(postgres(?:ql)?:\/\/)([^/?]*@)?([^/?@]*)([/?].*)?$/s.exec(url);
  if (parts === null)
    throw new StoreOpenError('DATABASE_URL must look like postgres://user:password@host:5432/roster.');
  const [, scheme, user = '', hosts = '', rest = ''] = parts;
  // A part of the password would pass for the host, and be named in messages.
  if (/[#\s]|%(?![0-9a-f]{2})/i.test(url) || rest.includes('@')) {
    throw new StoreOpenError(
      'DATABASE_URL is ambiguous. In its user, password and database, write / as %2F, ? as %3F, # as %23, @ as %40, % as %25 and a space as %20.',
    );
  }
  return hosts.split(',').map((host) => readOne(`${scheme}${user}${host}${rest}`));
}

function readOne(url: string): HostAddress {
  try {
    if (/[?&]sslmode=verify-ca(&|$)/.test(url) && !url.includes('sslrootcert=')) {
      throw new StoreOpenError(
        'DATABASE_URL has sslmode=verify-ca, which also needs sslrootcert=FILE with the certificate authority to trust.',
      );
    }
    // Which of several hosts is the primary is found out by asking each: nothing else would do.
    const { target_session_attrs: _, pool_mode: poolMode, ...options } = parse(url, { useLibpqCompat: true });
    checkTls(options['sslmode'], options.host ?? '');
    return { ...toClientConfig(options), isPooledByTransaction: isByTransaction(poolMode) };
  } catch (cause) {
    if (cause instanceof StoreOpenError) throw cause;
    // The message of a malformed address may quote it, and it holds the password.
    const { code, path } = cause as NodeJS.ErrnoException;
    const reason = code !== undefined && path !== undefined ? `: cannot read ${path} (${code})` : '';
    throw new StoreOpenError(`DATABASE_URL cannot be used${reason}. See docs/configuration.md.`, { cause });
  }
}

function isByTransaction(poolMode: unknown): boolean {
  if (poolMode !== undefined && poolMode !== 'session' && poolMode !== 'transaction') {
    throw new StoreOpenError('In DATABASE_URL, pool_mode must be session or transaction.');
  }
  return poolMode === 'transaction';
}

function checkTls(mode: unknown, host: string): void {
  if (mode === undefined && isLocal(host)) return;
  if (typeof mode === 'string' && tlsModes.includes(mode)) return;
  const problem = mode === undefined ? `names another machine (${host}) and` : `has sslmode=${mode}, but`;
  throw new StoreOpenError(
    `DATABASE_URL ${problem} must set sslmode. Add sslmode=verify-full (encrypted, and the server's certificate is verified; add sslrootcert=FILE for your own certificate authority), sslmode=require (encrypted), or sslmode=disable (for a private network).`,
  );
}

/** How far connections are protected: the mode, and the first host that is another machine. Undefined host: none is. */
export function tlsOf(url: string): { mode: string | undefined; host: string | undefined } {
  const hosts = parseAddress(url).map(({ host = '' }) => host);
  return { mode: /[?&]sslmode=([\w-]+)/.exec(url)?.[1], host: hosts.find((host) => !isLocal(host)) };
}

function isLocal(host: string): boolean {
  if (host === '' || host === 'localhost' || host.startsWith('/')) return true;
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
