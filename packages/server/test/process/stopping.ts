// For tests of stopping a real server: when it began to, how long it took, and another try when a busy machine was too slow for its deadline.
import type { TestContext } from 'node:test';
import type { FirstRun } from '../../src/process/first-run.ts';
import { type Home, makeHome, type ServerProcess, type StartOptions, startFirst } from './server-process.ts';
import { until } from './waiting.ts';

/** Below `stopDeadlineMs` of serve.ts, which is how long stopping takes when something holds it up. */
export const atOnceMs = 7000;
const triesMax = 5;

/**
 * Tries with a new server each time, again only if stopping took it as long as the deadline: a busy machine may not get through a test within
 * it. A fault that holds stopping up is there in each try.
 */
export async function tryToStop(
  t: TestContext,
  attempt: (started: { home: Home; server: ServerProcess; firstRun: FirstRun }) => Promise<void>,
  options: StartOptions = {},
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const home = await makeHome(t);
    const server = await startFirst(home, options);
    try {
      return await attempt({ home, server, firstRun: server.firstRun });
    } catch (error) {
      await server.stop();
      const isLate = stoppedAfterMs(server) >= atOnceMs;
      if (!isLate || tries === triesMax) throw error;
    }
  }
}

/** By the times in the server's own log: on a busy machine the signal and the news of the exit take long, too. */
export function stoppedAfterMs(server: ServerProcess): number {
  const timeOf = (message: string) =>
    Number(new RegExp(`"time":(\\d+).*"msg":"${message}"`).exec(server.output.stderr)?.[1]);
  return timeOf('stopped') - timeOf('stopping');
}

export function untilStopping({ output }: ServerProcess): Promise<void> {
  return until('the server to begin stopping', () => output.stderr.includes('"msg":"stopping"'));
}
