// Waits for as long as something moves: a long run takes its time, and one that stands still ends.
import { until } from '../../packages/server/test/process/waiting.ts';

/** Resolves when `isTrue` is; rejects when `progress` has not changed for the time that `until` waits. */
export async function untilWithProgress(
  what: string,
  isTrue: () => boolean,
  progress: () => number | string | undefined,
): Promise<void> {
  while (!isTrue()) {
    const before = progress();
    await until(what, () => isTrue() || progress() !== before);
  }
}
