// Asks the server that has these settings whether it is ready, as a load balancer does: for the health check of a
// container, which holds no other program that could ask.
import { operations } from '@roster/contract';
import { type Config, httpUrl } from '../config/config.ts';

/** Longer than a database takes that answers at all. */
const answerWithinMs = 8000;

/** Resolves with what is wrong, or with nothing when it is ready. */
export async function checkHealth({ host, port }: Config): Promise<string | undefined> {
  const url = httpUrl(host, port);
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    const { ok, status } = await fetch(`${url}${operations.checkReadiness.path}`, { signal, redirect: 'error' });
    return ok ? undefined : `The server at ${url} is not ready: it responds with ${status}.`;
  } catch {
    // Whatever keeps it from answering, its own log says more.
    return `No server responds at ${url}.`;
  }
}
