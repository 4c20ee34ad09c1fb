// Whether a request comes from a page of the console itself: a page of another site may make a browser send one with the
// session's cookie, and must not be able to do anything by it.
import { timingSafeEqual } from 'node:crypto';
import { csrfHeader } from '@roster/contract';
import type { FastifyRequest } from 'fastify';
import { hashCredential } from '../credentials.ts';
import { forbidden } from './api-error.ts';

/** By `Origin`, which browsers send with every request that is not a GET, or else by `Sec-Fetch-Site`. */
export function requireConsole({ headers }: FastifyRequest, publicUrl: string): void {
  const { origin, host } = headers;
  if (origin === undefined) {
    if (headers['sec-fetch-site'] === 'same-origin') return;
  } else if (origin === new URL(publicUrl).origin || (host !== undefined && URL.parse(origin)?.host === host)) {
    return;
  }
  throw forbidden(
    'The request does not come from a page of the console. Send its address as Origin, or Sec-Fetch-Site: same-origin.',
  );
}

export function requireCsrfToken({ headers }: FastifyRequest, csrfToken: string): void {
  const given = headers[csrfHeader.toLowerCase()];
  // Of hashes, which are equally long.
  if (typeof given === 'string' && timingSafeEqual(hashCredential(given), hashCredential(csrfToken))) return;
  throw forbidden(`Send the session's csrfToken as ${csrfHeader}. GET /v1/account/session tells it.`);
}
