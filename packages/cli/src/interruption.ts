// Ctrl-C: the first asks for an orderly end, the second ends at once.
import { exitCodes } from './exit-codes.ts';
import type { Invocation } from './invocation.ts';

export interface Interruption {
  readonly isRequested: boolean;
  readonly signal: AbortSignal;
  /** From here on Ctrl-C is the shell's again. */
  release(): void;
}

export function catchInterruption(
  invocation: Pick<Invocation, 'on' | 'off'>,
  onFirst: () => void = () => {},
  onSecond: () => void = () => {},
): Interruption {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) {
      onSecond();
      process.exit(exitCodes.interrupted);
    }
    controller.abort();
    onFirst();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) invocation.on(signal, interrupt);
  return {
    get isRequested() {
      return controller.signal.aborted;
    },
    signal: controller.signal,
    release() {
      for (const signal of signals) invocation.off(signal, interrupt);
    },
  };
}
