// The channels of a bot, as rows of its form.
import { NativeSelect, TextInput } from '@mantine/core';
import type { ChannelType } from '@roster/contract';
import { limits } from '@roster/contract/limits';
import { useSignedIn } from '../session.tsx';
import classes from './row-list.module.css';
import { RowList } from './row-list.tsx';
import { type ChannelRow, parseRows } from './rows.ts';

const texts: Record<ChannelType, { name: string; value: string; example: string; mode?: 'tel' | 'email' | 'url' }> = {
  whatsapp: { name: 'WhatsApp', value: 'WhatsApp number', example: '+15550100123', mode: 'tel' },
  messenger: { name: 'Messenger', value: 'Facebook page', example: 'example.shop' },
  email: { name: 'Email', value: 'Email address', example: 'help@example.com', mode: 'email' },
  phone: { name: 'Phone', value: 'Phone number', example: '+1 555 010 0123', mode: 'tel' },
  link: { name: 'Link', value: 'Link address', example: 'https://example.com/help', mode: 'url' },
};

const types = Object.entries(texts).map(([value, { name }]) => ({ value, label: name }));

interface ChannelFieldsProps {
  rows: string;
  onChange(rows: string): void;
  /** Of a row as it was sent, by the field's name; without a row, of the whole list. */
  errorOf(row?: ChannelRow, field?: string): string | undefined;
}

export function ChannelFields({ rows, onChange, errorOf }: ChannelFieldsProps) {
  const { canWrite } = useSignedIn();
  const channels = parseRows<ChannelRow>(rows);
  return (
    <RowList<ChannelRow>
      legend="Channels"
      description={
        channels.length === 0 && canWrite
          ? 'Add a channel so visitors can reach you. Without one, the widget only greets them.'
          : 'Buttons in the widget that let visitors reach you elsewhere.'
      }
      noun="Channel"
      addLabel="Add channel"
      rows={channels}
      empty={{ type: 'whatsapp', value: '', label: '' }}
      max={limits.channels}
      error={errorOf()}
      onChange={(next) => onChange(JSON.stringify(next))}
    >
      {(row, change) => {
        const { value, example, mode } = texts[row.type];
        return (
          <>
            <NativeSelect
              label="Type"
              data={types}
              value={row.type}
              onChange={(event) => change({ type: event.currentTarget.value as ChannelType })}
              error={errorOf(row, 'type')}
            />
            <TextInput
              label={value}
              placeholder={example}
              autoComplete="off"
              spellCheck={false}
              inputMode={mode ?? 'text'}
              value={row.value}
              onChange={(event) => change({ value: event.currentTarget.value })}
              error={errorOf(row, 'value')}
            />
            <TextInput
              className={classes.wide}
              label="Button text"
              placeholder="Optional"
              autoComplete="off"
              value={row.label}
              onChange={(event) => change({ label: event.currentTarget.value })}
              error={errorOf(row, 'label')}
            />
          </>
        );
      }}
    </RowList>
  );
}
