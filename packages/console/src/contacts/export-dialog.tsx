// Exports the chosen contacts, or all that match, page by page, so that the file is not held in memory where the browser
// can write to disk.
import { Button, Group, Progress } from '@mantine/core';
import type { Attribute } from '@roster/client';
import type { Contacts } from '@roster/client/parts';
import type { AccountBot } from '@roster/contract';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import classes from '../components/confirm.module.css';
import { Dialog } from '../components/confirm.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { count, counted } from '../components/moment.tsx';
import { type Chosen, countChosen } from './bulk.ts';

interface ExportDialogProps {
  bot: AccountBot | undefined;
  contacts: Contacts;
  chosen: Chosen;
  /** Whether all contacts of the bot are meant. */
  isAll: boolean;
  hasTags: boolean;
  attributes: readonly Attribute[];
  onClose(): void;
}

export function ExportDialog({ bot, contacts, chosen, isAll, hasTags, attributes, onClose }: ExportDialogProps) {
  const [progress, setProgress] = useState({ written: 0, total: 0 });
  const abort = useRef(new AbortController());
  const mutation = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController();
      await import('../schema-library.ts');
      const { exportContacts } = await import('./export.ts');
      const { signal } = abort.current;
      const values = { hasLastSeen: true, hasTags, attributeKeys: attributes.map(({ key }) => key) };
      return exportContacts({ contacts, chosen, values, fileName: fileNameOf(bot), signal, onProgress: setProgress });
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
            {isAll ? 'All contacts' : counted(countChosen(chosen), 'contact')}, with all fields, tags and attributes.
          </p>
          <p>
            Formula-like cells are prefixed with <code>&apos;</code>. The import removes it.
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
