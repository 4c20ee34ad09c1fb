// What the reporter of a test process and the runner have in common.

export interface Counts {
  /** Whether all tests have ended. A process may end before. */
  isComplete: boolean;
  passed: number;
  failed: number;
  /** Names of tests that were skipped, each with its reason. */
  skipped: string[];
  /** Of the process and of all that it started and waited for. */
  cpuSeconds: number;
  /** The part of it between the first and the last test, by the file in which a test is written. */
  cpuSecondsByFile: Record<string, number>;
}

export const noCounts = (): Counts => ({
  isComplete: false,
  passed: 0,
  failed: 0,
  skipped: [],
  cpuSeconds: 0,
  cpuSecondsByFile: {},
});

/** Names the file for the counts. */
export const countsVariable = 'ROSTER_TEST_COUNTS';

/** Makes the process say what it is doing, and end. Tests send and get the common ones. */
export const reportSignal = 'SIGUSR2';
