// A list of rows in a form, of any kind: each can be changed and removed, and another one added. Viewers see the rows alone.
import { ActionIcon, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icons.tsx';
import { useSignedIn } from '../session.tsx';
import classes from './row-list.module.css';
import { addRow, type Identified } from './rows.ts';

interface RowListProps<Row extends Identified> {
  legend: string;
  description: string;
  /** What one of them is called. */
  noun: string;
  addLabel: string;
  rows: Row[];
  empty: Omit<Row, 'id'>;
  max: number;
  /** Of the whole list. */
  error: string | undefined;
  onChange(rows: Row[]): void;
  children(row: Row, change: (changes: Partial<Row>) => void): ReactNode;
}

export function RowList<Row extends Identified>(props: RowListProps<Row>) {
  const { legend, description, noun, addLabel, rows, empty, max, error, onChange, children } = props;
  const { canWrite } = useSignedIn();
  const change = (id: number, changes: Partial<Row>) =>
    onChange(rows.map((each) => (each.id === id ? { ...each, ...changes } : each)));
  return (
    <fieldset className={classes.list}>
      <legend>{legend}</legend>
      <p className={classes.description}>{description}</p>
      {rows.map((row, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset inside this one would need a legend that is shown.
        <div key={row.id} className={classes.row} role="group" aria-label={`${noun} ${index + 1}`}>
          {children(row, (changes) => change(row.id, changes))}
          {canWrite && (
            <ActionIcon
              className={classes.remove}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${noun.toLowerCase()} ${index + 1}`}
              onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
            >
              <Icon name="trash" />
            </ActionIcon>
          )}
        </div>
      ))}
      {error !== undefined && (
        <p className={classes.error} role="alert">
          {error}
        </p>
      )}
      {canWrite && (
        <Button
          className={classes.add}
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          disabled={rows.length >= max}
          onClick={() => onChange(addRow(rows, empty))}
        >
          {addLabel}
        </Button>
      )}
    </fieldset>
  );
}
