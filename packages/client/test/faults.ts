// Faults in which the proxy answers in the server's place.
import type { Fault } from './fault-proxy.ts';

/** Roster's own 503: nothing was written. */
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

/** A gateway that has lost the server: the request may or may not have been processed. */
export const badGateway: Fault = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Bad Gateway</h1>',
};

export const tooManyRequests: Fault = { status: 429, headers: { 'retry-after': '0' } };

/** Describes a fault in the name of a test. */
export function nameOf(fault: Fault): string {
  return typeof fault === 'string' ? fault : `${fault.status}${fault.body?.includes('code') ? ' from Roster' : ''}`;
}
