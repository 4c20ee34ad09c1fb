// Answers that come in the place of the real one.
import type { Fault } from './fault-proxy.ts';

/** Roster's own "not now": nothing was done. */
export const unavailable: Fault = {
  status: 503,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
  body: JSON.stringify({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    code: 'unavailable',
    detail: 'The service cannot answer now.',
    requestId: 'req-1',
  }),
};

/** A gateway that lost the server: whether the request was done, it does not know. */
export const badGateway: Fault = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Bad Gateway</h1>',
};

export const tooManyRequests: Fault = { status: 429, headers: { 'retry-after': '0' } };

/** For the names of tests. */
export function nameOf(fault: Fault): string {
  return typeof fault === 'string'
    ? fault
    : `${fault.status}${fault.body?.includes('code') ? " in Roster's words" : ''}`;
}
