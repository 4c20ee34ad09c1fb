// For tests of stopping a real server: when it began to, and how long it took.
import type { ServerProcess } from './server-process.ts';
import { until } from './waiting.ts';

/** Longer than a test takes on any machine. */
export const patientStop = { ROSTER_STOP_TIMEOUT: '300' };

/** By the times in the server's own log: on a busy machine the signal and the news of the exit take long, too. */
export function stoppedAfterMs(server: ServerProcess): number {
  const timeOf = (message: string) =>
    Number(new RegExp(`"time":(\\d+).*"msg":"${message}"`).exec(server.output.stderr)?.[1]);
  return timeOf('stopped') - timeOf('stopping');
}

export function untilStopping({ output }: ServerProcess): Promise<void> {
  return until('the server to begin stopping', () => output.stderr.includes('"msg":"stopping"'));
}
