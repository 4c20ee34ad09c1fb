// What a new organization does first. Each step says how it is done, and ticks itself once it is.
import { Anchor, Button, UnstyledButton } from '@mantine/core';
import type { AccountBot } from '@roster/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { serviceUrl } from '../api/connection.ts';
import { keys, secretsQuery } from '../api/queries.ts';
import { CopyBox } from '../components/copy.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Panel } from '../components/page.tsx';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import classes from './checklist.module.css';
import { doneSteps, type FirstUses, type Step, steps } from './checklist-steps.ts';

const titles: Record<Step, string> = {
  contact: 'Create a contact',
  secret: 'Create a secret',
  snippet: 'Put the widget on a page',
  visitor: 'See your first visitor',
};

export function Checklist({ bot, uses }: { bot: AccountBot; uses: FirstUses }) {
  const { connection } = useSignedIn();
  const secrets = useQuery(secretsQuery(connection));
  /** Null: all are closed. Undefined: nobody has chosen, and the first step that is not done is open. */
  const [chosen, setChosen] = useState<Step | null>();
  return (
    <Loaded query={secrets} lines={6}>
      {(listed) => {
        const done = doneSteps(uses, listed, Date.now());
        const next = steps.find((step) => !done.has(step));
        const isChosenDone = chosen != null && done.has(chosen);
        const open = chosen === undefined || isChosenDone ? next : chosen;
        return (
          <Panel
            title="Get started"
            lead={`Four steps until ${bot.name} greets a visitor by name.`}
            actions={
              <span className={classes.progress} role="status">
                {done.size} of {steps.length} done
              </span>
            }
            isFlush
          >
            <ol className={classes.steps}>
              {steps.map((step) => (
                <StepItem
                  key={step}
                  title={titles[step]}
                  isDone={done.has(step)}
                  isOpen={step === open && !done.has(step)}
                  onToggle={() => setChosen(step === open ? null : step)}
                >
                  <StepText step={step} bot={bot} />
                </StepItem>
              ))}
            </ol>
          </Panel>
        );
      }}
    </Loaded>
  );
}

interface StepItemProps {
  title: string;
  isDone: boolean;
  isOpen: boolean;
  onToggle(): void;
  children: ReactNode;
}

function StepItem({ title, isDone, isOpen, onToggle, children }: StepItemProps) {
  const id = useId();
  if (isDone) {
    return (
      <li className={classes.step} data-done>
        <div className={classes.head}>
          <span className={classes.tick}>
            <Icon name="check" size={14} />
          </span>
          <span className={classes.title}>{title}</span> <span className={classes.state}>Done</span>
        </div>
      </li>
    );
  }
  return (
    <li className={classes.step}>
      <UnstyledButton className={classes.head ?? ''} aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <span className={classes.tick} />
        <span className={classes.title}>{title}</span>
        <Icon name={isOpen ? 'up' : 'down'} size={16} />
      </UnstyledButton>
      <div id={id} className={classes.body} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </li>
  );
}

function StepText({ step, bot }: { step: Step; bot: AccountBot }) {
  const { isOwner } = useSignedIn();
  switch (step) {
    case 'contact':
      return (
        <>
          <p>Add someone you know, for example yourself. You can also import a CSV file.</p>
          <Button component="a" href={linkTo(['bots', bot.id, 'contacts'])} size="xs">
            Go to contacts
          </Button>
        </>
      );
    case 'secret':
      return (
        <>
          <p>
            Your server calls the API with it.{' '}
            {isOwner ? 'Keep it out of browsers and repositories.' : 'Ask an owner to create one.'}
          </p>
          {isOwner && (
            <Button component="a" href="#/secrets" size="xs">
              Go to secrets
            </Button>
          )}
        </>
      );
    case 'snippet':
      return (
        <>
          <p>
            Paste this before the end of the page’s body, and open the page. Any page works, even an HTML file on your
            computer.
          </p>
          <CopyBox label="Snippet for your pages" text={snippetOf(bot.widgetUrl)} />
          {bot.allowedOrigins.length > 0 && (
            <p>
              Only pages of {bot.allowedOrigins.join(', ')} may load it.{' '}
              <Anchor href={linkTo(['bots', bot.id, 'settings'])} inherit>
                Change allowed origins
              </Anchor>
            </p>
          )}
          <p className={classes.waiting}>Waiting for a page to load the widget…</p>
        </>
      );
    case 'visitor':
      return <VisitorText bot={bot} />;
  }
}

function snippetOf(address: string): string {
  return `<script async src="${address}"></script>`;
}

function VisitorText({ bot }: { bot: AccountBot }) {
  const { connection } = useSignedIn();
  const newest = useQuery({
    queryKey: [...keys.contacts(bot.id), 'newest'],
    queryFn: async ({ signal }) =>
      (await connection.contactsOf(bot.id).search({ limit: 1 }, { signal })).data[0]?.id ?? null,
  });
  return (
    <>
      <p>
        When someone signs in to your site, your server gets a contact token for them, and the page passes it to the
        widget. To try it, get a token in a terminal:
      </p>
      <CopyBox
        label="Command for a contact token"
        text={`ROSTER_SECRET=rst_…\ncurl -X POST ${serviceUrl}/v1/bots/${bot.id}/auth/contact \\\n  -H "Authorization: Bearer $ROSTER_SECRET" \\\n  -d id=${newest.data ?? 'con_…'}`}
      />
      <p>Then put the token into the snippet on your page, and open the page again:</p>
      <CopyBox label="Snippet for a known visitor" text={snippetOf(`${bot.widgetUrl}&token=c:…`)} />
      <p>
        <Anchor href={linkTo(['bots', bot.id, 'settings'])} inherit>
          Code for your server
        </Anchor>
      </p>
      <p className={classes.waiting}>Waiting for the first visitor…</p>
    </>
  );
}
