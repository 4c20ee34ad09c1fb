// The settings form of a bot, next to a live preview.
import { Button, Group, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AccountBot } from '@roster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { keys } from '../api/queries.ts';
import { Form, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { Panel } from '../components/page.tsx';
import { ViewerNote } from '../members/viewer-note.tsx';
import { WidgetPreview } from '../preview/widget-preview.tsx';
import { useSignedIn } from '../session.tsx';
import classes from './bot-form.module.css';

const previewDelayMs = 300;

function valuesOf({ name, greeting, color, position, allowedOrigins }: AccountBot) {
  return { name, greeting, color, position: position as string, allowedOrigins: allowedOrigins.join('\n') };
}

export function BotForm({ bot }: { bot: AccountBot }) {
  const { connection, canWrite } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const colorLabel = useId();
  const positionLabel = useId();
  const form = useForm(
    valuesOf(bot),
    (_values, { greeting, position, allowedOrigins, ...changed }) =>
      connection.call('updateBot', {
        path: { botId: bot.id },
        body: {
          ...changed,
          // A greeting is one line: line breaks become spaces.
          ...(greeting !== undefined && { greeting: greeting.replaceAll(/\s*\n\s*/g, ' ') }),
          ...(position !== undefined && { position: position as AccountBot['position'] }),
          ...(allowedOrigins !== undefined && {
            allowedOrigins: allowedOrigins.split(/\s+/).filter((origin) => origin !== ''),
          }),
        },
      }),
    ({ data }) => {
      queries.setQueryData([...keys.bots, data.id], data);
      queries.invalidateQueries({ queryKey: keys.bots, exact: true });
      form.restart(valuesOf(data));
      notify('Saved. Pages show it from their next load on.');
    },
  );
  const { values, isChanged } = form;
  const [shown] = useDebouncedValue(values, previewDelayMs);
  const color = form.field('color');
  return (
    <div className={classes.columns}>
      <Panel title="Widget">
        <Form form={form} label="Widget">
          <fieldset className={classes.fields} disabled={!canWrite}>
            <TextInput label="Display name" required autoComplete="off" {...form.field('name')} />
            <Textarea
              label="Greeting"
              description="The first thing it says. May be empty."
              rows={2}
              {...form.field('greeting')}
            />
            <div className={classes.pair}>
              <TextInput
                label={<span id={colorLabel}>Colour</span>}
                autoComplete="off"
                {...color}
                leftSection={
                  <input
                    type="color"
                    className={classes.swatch}
                    aria-label="Pick a colour"
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
              description="One a line, like https://shop.example.com. Only their pages may use the widget. Empty: any page."
              rows={3}
              spellCheck={false}
              {...form.field('allowedOrigins')}
            />
          </fieldset>
          {canWrite ? (
            <Group justify="flex-end">
              {isChanged && (
                <Button variant="default" onClick={() => form.restart(valuesOf(bot))}>
                  Discard
                </Button>
              )}
              <Button type="submit" loading={form.isPending} disabled={!isChanged}>
                Save
              </Button>
            </Group>
          ) : (
            <ViewerNote />
          )}
        </Form>
      </Panel>
      <WidgetPreview botId={bot.id} settings={shown} />
    </div>
  );
}
