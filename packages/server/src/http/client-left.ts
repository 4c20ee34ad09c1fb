// A signal that the client of a request has left. Fastify's `request.signal` is also aborted when the body has been read, and never
// aborts when it is first asked for after that.
import type { ServerResponse } from 'node:http';

const signals = new WeakMap<ServerResponse, AbortSignal>();

/** A request, with its answer. */
export interface Answered {
  answer: ServerResponse;
}

/** Aborted when the client leaves before it has the whole answer. */
export function clientLeft({ answer }: Answered): AbortSignal {
  const known = signals.get(answer);
  if (known !== undefined) return known;
  const left = new AbortController();
  const leave = () => {
    if (!answer.writableFinished) left.abort();
  };
  if (answer.closed) leave();
  else answer.once('close', leave);
  signals.set(answer, left.signal);
  return left.signal;
}
