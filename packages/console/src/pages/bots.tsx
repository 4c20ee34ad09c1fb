// All bots of the organization, and the dialog for a new one.
import { Button, TextInput, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { botsQuery, keys } from '../api/queries.ts';
import { Dialog } from '../components/confirm.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { counted, Moment } from '../components/moment.tsx';
import { Page, Panel } from '../components/page.tsx';
import { useKept } from '../kept-state.ts';
import { linkTo, navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { nextColor } from '../widget/bot-colors.ts';
import classes from './bots.module.css';

export default function BotsPage() {
  const { connection, canWrite } = useSignedIn();
  const bots = useQuery(botsQuery(connection));
  const [isCreating, setIsCreating] = useKept('dialog', false);
  const create = canWrite && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsCreating(true)}>
      New bot
    </Button>
  );
  return (
    <Page
      title="Bots"
      lead="Each bot has its own contacts and a widget for your pages. The same person can be a contact of several bots."
      actions={bots.data?.length !== 0 && create}
    >
      {isCreating && (
        <CreateBot takenColors={(bots.data ?? []).map(({ color }) => color)} onClose={() => setIsCreating(false)} />
      )}
      <Loaded query={bots}>
        {(all) =>
          all.length === 0 ? (
            <Panel>
              <EmptyState icon="bot" title={canWrite ? 'Your first bot' : 'No bots yet'} level={2}>
                <p>
                  {canWrite
                    ? 'Create a bot, add contacts, and paste its widget into your pages.'
                    : 'Bots that your colleagues create appear here.'}
                </p>
                {create}
              </EmptyState>
            </Panel>
          ) : (
            <ul className={classes.cards}>
              {all.map((bot) => (
                <li key={bot.id} className={classes.card}>
                  <div className={classes.top}>
                    <svg width="38" height="38" viewBox="0 0 38 38" aria-hidden="true">
                      <rect width="38" height="38" rx="12" fill={bot.color} />
                      <path d="M11 13h16v10h-8l-4 3.5v-3.5h-4z" fill="#fff" fillOpacity=".92" />
                    </svg>
                    <div className={classes.words}>
                      <h2 className={classes.name}>
                        <a href={linkTo(['bots', bot.id, 'contacts'])} className={classes.link}>
                          {bot.name}
                        </a>
                      </h2>
                      <p className={classes.since}>
                        Created <Moment at={bot.createdAt} isDate />
                      </p>
                    </div>
                  </div>
                  <p className={classes.count}>
                    {bot.contactCount === null ? 'Contacts unavailable' : counted(bot.contactCount, 'contact')}
                  </p>
                  <div className={classes.actions}>
                    <Button component="a" href={linkTo(['bots', bot.id, 'contacts'])} variant="light" size="xs">
                      Contacts<VisuallyHidden> of {bot.name}</VisuallyHidden>
                    </Button>
                    <Button component="a" href={linkTo(['bots', bot.id, 'settings'])} variant="subtle" size="xs">
                      Widget<VisuallyHidden> of {bot.name}</VisuallyHidden>
                    </Button>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function CreateBot({ takenColors, onClose }: { takenColors: readonly string[]; onClose: () => void }) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const form = useForm(
    { name: '' },
    (body) => connection.call('createBot', { body: { ...body, color: nextColor(takenColors) } }),
    async ({ data }) => {
      await queries.invalidateQueries({ queryKey: keys.bots });
      navigate(linkTo(['bots', data.id, 'settings']));
    },
  );
  return (
    <Dialog title="New bot" onClose={onClose}>
      <Form form={form} label="New bot">
        <TextInput
          label="Name"
          description="Visitors see it in the widget."
          data-autofocus
          required
          autoComplete="off"
          {...form.field('name')}
        />
        <FormButtons form={form} submitLabel="Create bot" onClose={onClose} />
      </Form>
    </Dialog>
  );
}
