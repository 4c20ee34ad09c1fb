// The settings form of a bot, next to a live preview.
import { Button, Group, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AccountBot } from '@roster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { describeFailure } from '../api/failure.ts';
import { keys } from '../api/queries.ts';
import { Form, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { Panel } from '../components/page.tsx';
import { ViewerNote } from '../members/viewer-note.tsx';
import { WidgetPreview } from '../preview/widget-preview.tsx';
import { useSignedIn } from '../session.tsx';
import { ChannelFields } from '../widget/channel-fields.tsx';
import { GreetingFields } from '../widget/greeting-fields.tsx';
import {
  type ChannelRow,
  fromChannels,
  fromGreetings,
  parseRows,
  repeatedLanguages,
  toChannels,
  toGreetings,
} from '../widget/rows.ts';
import classes from './bot-form.module.css';

const previewDelayMs = 150;

const tokenLives = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
  { value: '7776000', label: '90 days' },
  { value: '31536000', label: '1 year' },
];

/** With the one that was set by the API or the command line. */
function tokenLivesWith(seconds: string) {
  const isListed = tokenLives.some(({ value }) => value === seconds);
  return isListed ? tokenLives : [...tokenLives, { value: seconds, label: `${seconds} seconds` }];
}

function valuesOf(bot: AccountBot) {
  const { name, greeting, color, position, allowedOrigins, channels, greetings, tokenMaxSeconds } = bot;
  return {
    name,
    greeting,
    color,
    position: position as string,
    allowedOrigins: allowedOrigins.join('\n'),
    channels: fromChannels(channels),
    greetings: fromGreetings(greetings),
    tokenMaxSeconds: String(tokenMaxSeconds),
  };
}

export function BotForm({ bot }: { bot: AccountBot }) {
  const { connection, canWrite } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const colorLabel = useId();
  const positionLabel = useId();
  // The server names a channel by its position in what was sent.
  const [sentIds, setSentIds] = useState<number[]>([]);
  const form = useForm(
    valuesOf(bot),
    (values, { greeting, position, allowedOrigins, channels, greetings, tokenMaxSeconds, ...changed }) => {
      setSentIds(parseRows(values.channels).map(({ id }) => id));
      return connection.call('updateBot', {
        path: { botId: bot.id },
        body: {
          ...changed,
          // A greeting is one line: line breaks become spaces.
          ...(greeting !== undefined && { greeting: greeting.replaceAll(/\s*\n\s*/g, ' ') }),
          ...(position !== undefined && { position: position as AccountBot['position'] }),
          ...(allowedOrigins !== undefined && {
            allowedOrigins: allowedOrigins.split(/\s+/).filter((origin) => origin !== ''),
          }),
          ...(channels !== undefined && { channels: toChannels(channels) }),
          ...(greetings !== undefined && { greetings: toGreetings(greetings) }),
          ...(tokenMaxSeconds !== undefined && { tokenMaxSeconds: Number(tokenMaxSeconds) }),
        },
      });
    },
    ({ data }) => {
      queries.setQueryData([...keys.bots, data.id], data);
      queries.invalidateQueries({ queryKey: keys.bots, exact: true });
      form.restart(valuesOf(data));
      notify('Saved. Visitors see it on their next page load.');
    },
  );
  const { values, isChanged } = form;
  const [shown] = useDebouncedValue(values, previewDelayMs);
  const color = form.field('color');
  const faults = form.error === undefined ? {} : describeFailure(form.error).fields;
  const channelError = (row?: ChannelRow, field?: string) =>
    faults[row === undefined ? 'channels' : `channels.${sentIds.indexOf(row.id)}.${field}`];
  const greetingError = (language?: string) => faults[language === undefined ? 'greetings' : `greetings.${language}`];
  const canSave = isChanged && repeatedLanguages(values.greetings).size === 0;
  return (
    <div className={classes.columns}>
      <Panel title="Widget">
        <Form form={form} label="Widget">
          <fieldset className={classes.fields} disabled={!canWrite}>
            <TextInput label="Display name" required autoComplete="off" {...form.field('name')} />
            <Textarea
              label="Greeting"
              description="The first thing visitors read. Optional."
              rows={2}
              {...form.field('greeting')}
            />
            <GreetingFields
              rows={values.greetings}
              onChange={(greetings) => form.set({ greetings })}
              errorOf={greetingError}
            />
            <ChannelFields
              rows={values.channels}
              onChange={(channels) => form.set({ channels })}
              errorOf={channelError}
            />
            <div className={classes.pair}>
              <TextInput
                label={<span id={colorLabel}>Color</span>}
                autoComplete="off"
                {...color}
                leftSection={
                  <input
                    type="color"
                    className={classes.swatch}
                    aria-label="Pick a color"
                    value={/^#[0-9a-f]{6}$/i.test(color.value) ? color.value : '#000000'}
                    onChange={color.onChange}
                  />
                }
              />
              <div>
                <div id={positionLabel} className={classes.label}>
                  Launcher
                </div>
                <SegmentedControl
                  aria-labelledby={positionLabel}
                  data={[
                    { value: 'left', label: 'Left' },
                    { value: 'right', label: 'Right' },
                  ]}
                  value={values.position}
                  onChange={(position) => form.set({ position })}
                  fullWidth
                />
              </div>
            </div>
            <Textarea
              label="Allowed origins"
              description="One per line, like https://shop.example.com. Leave empty to allow any site."
              rows={3}
              spellCheck={false}
              {...form.field('allowedOrigins')}
            />
            <NativeSelect
              label="Token lifetime"
              description="How long a new contact token works at most."
              data={tokenLivesWith(values.tokenMaxSeconds)}
              {...form.field('tokenMaxSeconds')}
            />
          </fieldset>
          {canWrite ? (
            <Group justify="flex-end">
              {isChanged && (
                <Button variant="default" onClick={() => form.restart(valuesOf(bot))}>
                  Discard
                </Button>
              )}
              <Button type="submit" loading={form.isPending} disabled={!canSave}>
                Save
              </Button>
            </Group>
          ) : (
            <ViewerNote />
          )}
        </Form>
      </Panel>
      <WidgetPreview
        botId={bot.id}
        settings={{ ...shown, channels: toChannels(shown.channels), greetings: toGreetings(shown.greetings) }}
      />
    </div>
  );
}
