// Clean-ups in the reverse of the order in which they were asked for.
import type { TestContext } from 'node:test';

/**
 * Hooks of a test run in the order in which they were made. Of these the last runs first: what was made last may use what was made before
 * it. Each runs also when another fails.
 */
export function lastFirst(t: Pick<TestContext, 'after'>): Pick<TestContext, 'after'> {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  return { after: (end) => stack.defer(end as () => Promise<void>) };
}
