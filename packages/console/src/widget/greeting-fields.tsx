// The greetings of a bot in other languages, as rows of its form.
import { TextInput } from '@mantine/core';
import { limits } from '@roster/contract/limits';
import { RowList } from './row-list.tsx';
import { type GreetingRow, parseRows, repeatedLanguages } from './rows.ts';

interface GreetingFieldsProps {
  rows: string;
  onChange(rows: string): void;
  /** Of a language; without one, of the whole list. */
  errorOf(language?: string): string | undefined;
}

export function GreetingFields({ rows, onChange, errorOf }: GreetingFieldsProps) {
  const repeated = repeatedLanguages(rows);
  return (
    <RowList<GreetingRow>
      legend="Greetings in other languages"
      description="Shown on pages in that language. All other pages show the greeting above."
      noun="Greeting"
      addLabel="Add language"
      rows={parseRows(rows)}
      empty={{ language: '', text: '' }}
      max={limits.greetings}
      error={errorOf()}
      onChange={(next) => onChange(JSON.stringify(next))}
    >
      {(row, change) => {
        const error = errorOf(row.language.trim());
        // The server checks the texts first, and names a greeting by its language either way.
        const isOfText = row.text.trim() === '' || [...row.text.trim()].length > limits.greetingLength;
        const isRepeated = repeated.has(row.id);
        return (
          <>
            <TextInput
              label="Language"
              placeholder="de or pt-BR"
              autoComplete="off"
              spellCheck={false}
              value={row.language}
              onChange={(event) => change({ language: event.currentTarget.value })}
              error={isRepeated ? 'This language already has a greeting.' : isOfText ? undefined : error}
            />
            <TextInput
              label="Greeting text"
              autoComplete="off"
              value={row.text}
              onChange={(event) => change({ text: event.currentTarget.value })}
              error={isOfText ? error : undefined}
            />
          </>
        );
      }}
    </RowList>
  );
}
