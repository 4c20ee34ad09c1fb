// An event as the message that a webhook sends, signed and posted to a receiver on the developer's machine. Never rejects:
// how it went is a value.
import { Webhook } from 'standardwebhooks';
import { version } from '../version.ts';
import type { FollowedEvent } from './feed.ts';

export interface Forwarded {
  statusCode: number | null;
  /** Why there was no response. */
  error: string | null;
  durationMs: number;
}

/** As long as the server waits for a receiver. */
const timeoutSeconds = 10;

export async function forward(
  url: URL,
  secret: string,
  { contact = null, ...event }: FollowedEvent,
  signal: AbortSignal,
): Promise<Forwarded> {
  const body = JSON.stringify({ type: event.type, timestamp: event.at, data: { event, contact } });
  const now = new Date();
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Roster/${version}`,
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(event.id, now, body),
  };
  const startMs = performance.now();
  const result = (outcome: Omit<Forwarded, 'durationMs'>) => ({
    ...outcome,
    durationMs: Math.round(performance.now() - startMs),
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: limit });
    // A connection whose response was not read cannot be used again.
    await answer.text();
    return result({ statusCode: answer.status, error: null });
  } catch (error) {
    return result({ statusCode: null, error: reasonOf(error, url) });
  }
}

export const isSuccess = ({ statusCode }: Forwarded): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode < 300;

function reasonOf(error: unknown, { origin }: URL): string {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return `no response within ${timeoutSeconds} seconds`;
  if (cause?.code === 'ECONNREFUSED') return `connection refused: nothing is listening at ${origin}`;
  return cause?.message || cause?.code || message;
}
