// A bot: the settings of its widget with a preview, the snippets for pages and servers, and deleting the bot.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { botQuery } from '../api/queries.ts';
import danger from '../components/danger.module.css';
import { Loaded } from '../components/loaded.tsx';
import { Page, Panel } from '../components/page.tsx';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { EmbedPanel } from '../widget/embed-panel.tsx';
import { BotForm } from './bot-form.tsx';
import { DeleteBot } from './delete-bot.tsx';

export default function BotSettingsPage({ botId }: { botId: string }) {
  const { connection, isOwner } = useSignedIn();
  const query = useQuery(botQuery(connection, botId));
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <Page
      title={query.data?.name ?? 'Bot'}
      lead="How the widget looks, what it says, and how to put it on your pages."
      back={{ href: '#/bots', label: 'Bots' }}
      actions={
        query.data && (
          <Button component="a" href={linkTo(['bots', botId, 'contacts'])} variant="default">
            Contacts
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(bot) => (
          <>
            <BotForm key={bot.id} bot={bot} />
            <EmbedPanel bot={bot} />
            {isOwner && (
              <Panel
                title="Delete this bot"
                lead="Its contacts and their tokens are deleted too, and its widget stops working. This can’t be undone."
                actions={
                  <Button variant="default" className={danger.item ?? ''} onClick={() => setIsDeleting(true)}>
                    Delete bot…
                  </Button>
                }
              />
            )}
            {isDeleting && <DeleteBot bot={bot} onClose={() => setIsDeleting(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
