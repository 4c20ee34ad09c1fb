// Why a file could not be read or imported.
import { FailureNote } from '../components/failure-note.tsx';
import { CsvFileError } from './csv-file.ts';
import classes from './import.module.css';

export function FileFailure({ error }: { error: unknown }) {
  if (!(error instanceof CsvFileError)) return <FailureNote error={error} />;
  return (
    <p role="alert" className={classes.bad}>
      {error.message}
    </p>
  );
}
