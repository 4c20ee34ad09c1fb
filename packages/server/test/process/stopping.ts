// For tests of stopping a real server: its patience, and when it began to stop.
import type { ServerProcess } from './server-process.ts';
import { until } from './waiting.ts';

/** Longer than a test takes on any machine. */
export const patientStop = { ROSTER_STOP_TIMEOUT: '300' };

export function untilStopping({ output }: ServerProcess): Promise<void> {
  return until('the server to begin stopping', () => output.stderr.includes('"msg":"stopping"'));
}
