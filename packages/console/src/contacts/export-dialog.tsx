// Exports all contacts, or those that match a query, page by page, so that the file is not held in memory where the
// browser can write to disk.
import { Button, Group, Progress } from '@mantine/core';
import type { Contacts } from '@roster/client/parts';
import type { AccountBot } from '@roster/contract';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import classes from '../components/confirm.module.css';
import { Dialog } from '../components/confirm.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { count, counted } from '../components/moment.tsx';

interface ExportDialogProps {
  bot: AccountBot | undefined;
  contacts: Contacts;
  /** The query of the current list. Empty: all contacts. */
  query: string;
  onClose(): void;
}

export function ExportDialog({ bot, contacts, query, onClose }: ExportDialogProps) {
  const [progress, setProgress] = useState({ written: 0, total: 0 });
  const abort = useRef(new AbortController());
  const mutation = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController();
      const { exportContacts } = await import('./export.ts');
      const { signal } = abort.current;
      return exportContacts({ contacts, query, fileName: fileNameOf(bot), signal, onProgress: setProgress });
    },
  });
  const { written, total } = progress;
  const close = () => {
    abort.current.abort();
    onClose();
  };
  return (
    <Dialog title="Export as CSV" onClose={close} isDismissible={!mutation.isPending}>
      <div className={classes.form}>
        <div className={classes.text}>
          <p>
            {query === '' ? 'All contacts' : `Those that match “${query}”`}, oldest first, with the columns that the
            import takes.
          </p>
          <p>
            Cells that a spreadsheet would execute get a <code>&apos;</code> before them; the import takes it off again.
          </p>
        </div>
        {mutation.isPending && (
          <div>
            <Progress
              value={total === 0 ? 0 : Math.min(100, (written / total) * 100)}
              aria-label="Exported so far"
              animated
            />
            <p role="status">
              {count(written)} of {counted(total, 'contact')}
            </p>
          </div>
        )}
        {mutation.data === 'done' && <p role="status">{counted(written, 'contact')} exported.</p>}
        {mutation.error !== null && <FailureNote error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {mutation.data === 'done' ? 'Done' : mutation.isPending ? 'Stop' : 'Cancel'}
          </Button>
          {mutation.data !== 'done' && (
            <Button loading={mutation.isPending} onClick={() => mutation.mutate()}>
              Export
            </Button>
          )}
        </Group>
      </div>
    </Dialog>
  );
}

function fileNameOf(bot: AccountBot | undefined): string {
  const name = (bot?.name ?? 'bot').replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '');
  return `contacts-${name || 'bot'}-${new Date().toISOString().slice(0, 10)}.csv`;
}
