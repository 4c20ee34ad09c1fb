// Counts the calls of a store, so that closing it can wait until each was answered: a call may be between two
// questions to the database, or pause before it tries again, where no pool knows of it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../store.ts';

type Method = (...values: unknown[]) => unknown;

export function answerBeforeClosing(store: Store): Store {
  let underWay = 0;
  const counting =
    (method: Method): Method =>
    (...values) => {
      const answer = method(...values);
      if (answer instanceof Promise) {
        underWay++;
        const end = () => underWay--;
        answer.then(end, end);
      }
      return answer;
    };
  const counted = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [name, counting(method)]),
  ) as unknown;
  return {
    ...(counted as Store),
    async close() {
      await store.close();
      // The pools are closed now, so whatever is left ends with its next question. Whoever asked hears it first.
      do await delay(1);
      while (underWay > 0);
    },
  };
}
