// Knows the calls of a store that are in flight, so that closing it can wait until each was answered: a call may be
// between two statements, or pause before it tries again, where no pool knows of it.
import type { Store } from '../store.ts';

type Method = (...values: unknown[]) => unknown;

export function answerBeforeClosing(store: Store): Store {
  const inFlight = new Set<Promise<unknown>>();
  const track =
    (method: Method): Method =>
    (...values) => {
      const answer = method(...values);
      if (answer instanceof Promise) {
        const end = () => inFlight.delete(answer);
        inFlight.add(answer);
        answer.then(end, end);
      }
      return answer;
    };
  const tracked = Object.fromEntries(Object.entries(store).map(([name, method]) => [name, track(method)])) as unknown;
  return {
    ...(tracked as Store),
    async close() {
      await store.close();
      // The pools are closed now, so whatever is left ends with its next statement.
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
  };
}
