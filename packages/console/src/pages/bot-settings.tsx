// A bot: the settings of its widget with a preview, the embed snippet, and deleting the bot.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { serviceUrl } from '../api/connection.ts';
import { botQuery } from '../api/queries.ts';
import { CopyBox } from '../components/copy.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page, Panel } from '../components/page.tsx';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { BotForm } from './bot-form.tsx';
import { DeleteBot } from './delete-bot.tsx';

export default function BotSettingsPage({ botId }: { botId: string }) {
  const { connection, isOwner } = useSignedIn();
  const query = useQuery(botQuery(connection, botId));
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <Loaded query={query}>
      {(bot) => (
        <Page
          title={bot.name}
          lead="How the widget looks and speaks, and how it gets onto your pages."
          back={{ href: '#/', label: 'Bots' }}
          actions={
            <Button component="a" href={linkTo(['bots', botId, 'contacts'])} variant="default">
              Contacts
            </Button>
          }
        >
          <BotForm key={bot.id} bot={bot} />
          <Panel
            title="On your pages"
            lead="Paste this before the end of the page’s body. It loads on its own time and never holds up the page."
          >
            <CopyBox label="Snippet for your pages" text={`<script async src="${bot.widgetUrl}"></script>`} />
            <p>
              For a visitor whom you know, your server adds a contact token: <code>&amp;token=…</code>. It gets one with
              a <a href="#/secrets">secret</a>:
            </p>
            <CopyBox
              label="Command for a contact token"
              text={`curl -X POST ${serviceUrl}/v1/bots/${bot.id}/auth/contact \\\n  -H "Authorization: Bearer $ROSTER_SECRET" \\\n  -d email=jane@example.com`}
            />
          </Panel>
          {isOwner && (
            <Panel
              title="Delete this bot"
              lead="Its contacts and their tokens go with it, and its widget stops working. There is no way back."
              actions={
                <Button variant="default" onClick={() => setIsDeleting(true)}>
                  Delete bot…
                </Button>
              }
            />
          )}
          {isDeleting && <DeleteBot bot={bot} onClose={() => setIsDeleting(false)} />}
        </Page>
      )}
    </Loaded>
  );
}
