// How the widget gets onto pages, and how it learns who the visitor is: snippets with the bot's address filled in.
import { NativeSelect } from '@mantine/core';
import type { AccountBot } from '@roster/contract';
import { useState } from 'react';
import { serviceUrl } from '../api/connection.ts';
import { CopyBox } from '../components/copy.tsx';
import { Panel } from '../components/page.tsx';
import classes from './embed-panel.module.css';
import { serverSnippets } from './server-snippets.ts';

export function EmbedPanel({ bot }: { bot: AccountBot }) {
  const snippets = serverSnippets(`${serviceUrl}/v1/bots/${bot.id}`);
  const [language, setLanguage] = useState('Node.js');
  const snippet = snippets.find((each) => each.language === language);
  return (
    <>
      <Panel
        title="On your pages"
        lead="Paste this before the end of the page’s body. It loads in the background and doesn’t slow down the page."
      >
        <CopyBox label="Snippet for your pages" text={`<script async src="${bot.widgetUrl}"></script>`} />
        <p className={classes.text}>To greet a signed-in visitor by name, pass a contact token from your server:</p>
        <CopyBox label="Snippet for a signed-in visitor" text={loginSnippet} />
      </Panel>
      <Panel
        title="On your server"
        lead={
          <>
            When a user signs in, save them as a contact and get a contact token, with a <a href="#/secrets">secret</a>{' '}
            that never leaves your server. The token is valid for a year.
          </>
        }
        actions={
          <NativeSelect
            aria-label="Language"
            data={snippets.map((each) => each.language)}
            value={language}
            onChange={(event) => setLanguage(event.currentTarget.value)}
          />
        }
      >
        {snippet && <CopyBox label={`Snippet for your server, ${language}`} text={snippet.code} />}
      </Panel>
    </>
  );
}

const loginSnippet = `<script>
  window.Roster = window.Roster || [];
  window.Roster.push((roster) => {
    roster.auth.contacts.login({ token: 'c:…' });
  });
</script>`;
