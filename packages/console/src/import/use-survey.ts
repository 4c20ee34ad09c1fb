// Reads the whole file once when a new attribute is wanted, to guess the types of its columns from all values.
import { ColumnSurvey, type TypeGuess } from '@roster/contact-files';
import { useEffect, useState } from 'react';
import type { CsvFile } from './csv-file.ts';
import { withPauses } from './with-pauses.ts';

/** Undefined until the file has been read. What is wrong with it, the check of its rows says. */
export function useSurvey(file: CsvFile, isWanted: boolean): readonly TypeGuess[] | undefined {
  const [guesses, setGuesses] = useState<readonly TypeGuess[]>();
  const isDue = isWanted && guesses === undefined;
  useEffect(() => {
    if (!isDue) return;
    let isAbandoned = false;
    const read = async () => {
      const survey = new ColumnSurvey({ isTyped: false, isGuarded: true });
      try {
        for await (const { cells } of withPauses(file.rows())) {
          if (isAbandoned) return;
          survey.note(cells);
        }
      } finally {
        if (!isAbandoned) setGuesses(survey.guessesFor(file.header));
      }
    };
    read().catch(() => {});
    return () => {
      isAbandoned = true;
    };
  }, [file, isDue]);
  return guesses;
}
