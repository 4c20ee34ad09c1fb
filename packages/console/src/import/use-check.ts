// Checks every row of a file whenever the rules change, before anything is imported.
import type { AttributeDefinition } from '@roster/contact-files';
import { useEffect, useState } from 'react';
import type { CsvFile } from './csv-file.ts';
import { type ImportProgress, type ImportRules, noProgress, runImport } from './run-import.ts';

export interface Check {
  state: 'checking' | 'checked' | 'failed';
  progress: ImportProgress;
  /** From 0 to 1. */
  share: number;
  error?: unknown;
}

const start: Check = { state: 'checking', progress: noProgress, share: 0 };

/** Without rules, it waits for them. */
export function useCheck(
  file: CsvFile,
  rules: ImportRules | undefined,
  definitions: readonly AttributeDefinition[],
): Check {
  const [check, setCheck] = useState(start);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels only describe what the rules say.
  useEffect(() => {
    setCheck(start);
    if (rules === undefined || rules.mapping.email.length === 0) return;
    const stop = new AbortController();
    const change = (changes: Partial<Check>) => {
      // Other rules are checked by now.
      if (!stop.signal.aborted) setCheck((before) => ({ ...before, ...changes }));
    };
    runImport({
      file,
      rules,
      definitions,
      contacts: undefined,
      signal: stop.signal,
      onProgress: (progress, readBytes) => change({ progress, share: readBytes / Math.max(file.sizeBytes, 1) }),
    }).then(
      () => change({ state: 'checked' }),
      (error) => change({ state: 'failed', error }),
    );
    return () => stop.abort();
  }, [file, rules]);
  return check;
}
