// Whether a request comes from a page of the console itself: a page of another site may make a browser send one with the
// session's cookie, and must not be able to do anything by it.
import { timingSafeEqual } from 'node:crypto';
import { csrfHeader } from '@roster/contract';
import type { FastifyRequest } from 'fastify';
import { hashCredential } from '../account/credentials.ts';
import { forbidden } from './api-error.ts';

/** By `Origin`, which browsers send with every request that is not a GET, or else by `Sec-Fetch-Site`. */
export function requireConsole({ headers }: FastifyRequest, publicUrl: string): void {
  const { origin, host } = headers;
  const { origin: publicOrigin, protocol } = new URL(publicUrl);
  if (origin === undefined) {
    if (headers['sec-fetch-site'] === 'same-origin') return;
  } else {
    const given = URL.parse(origin);
    // Where there is TLS, anyone on the network can forge a page that came without it.
    const isSameHost =
      host !== undefined && given?.host === host && (protocol !== 'https:' || given.protocol === protocol);
    if (origin === publicOrigin || isSameHost) return;
  }
  throw forbidden(
    'The request does not come from the console. Send the console’s address as Origin, or Sec-Fetch-Site: same-origin.',
  );
}

export function requireCsrfToken({ headers }: FastifyRequest, csrfToken: string): void {
  const given = headers[csrfHeader.toLowerCase()];
  // Hashes are compared, because timingSafeEqual needs equal lengths.
  if (typeof given === 'string' && timingSafeEqual(hashCredential(given), hashCredential(csrfToken))) return;
  throw forbidden(`Send the session's csrfToken as ${csrfHeader}. Get it from GET /v1/account/session.`);
}
