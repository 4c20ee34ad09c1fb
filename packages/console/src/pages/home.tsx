// The first page: what to do until a visitor is recognised, and then how all bots, or one of them, are used.
import { Alert, Button, NativeSelect } from '@mantine/core';
import type { AccountBot, Overview } from '@roster/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { botOverviewQuery, botsQuery, overviewQuery } from '../api/queries.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { useNotify } from '../components/notices.tsx';
import { Page, Panel } from '../components/page.tsx';
import { Checklist } from '../home/checklist.tsx';
import { GrowthPanel } from '../home/growth-panel.tsx';
import { BotsPanel, ChangesPanel, Numbers, SecretsPanel, VisitorsPanel } from '../home/panels.tsx';
import { recentBot } from '../home/recent-bot.ts';
import { linkTo, navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import classes from './home.module.css';

export default function HomePage({ parameters }: { parameters: URLSearchParams }) {
  const { connection } = useSignedIn();
  const bots = useQuery(botsQuery(connection));
  const all = bots.data ?? [];
  const chosen = all.length === 1 ? all[0] : all.find(({ id }) => id === parameters.get('bot'));
  const choice = all.length > 1 && (
    <NativeSelect
      aria-label="Bot"
      data={[{ value: '', label: 'All bots' }, ...all.map(({ id, name }) => ({ value: id, label: name }))]}
      value={chosen?.id ?? ''}
      onChange={({ currentTarget: { value } }) => navigate(linkTo([], { bot: value }))}
    />
  );
  return (
    <Page title="Home" actions={choice}>
      <Loaded query={bots} lines={8}>
        {(listed) => {
          if (listed.length === 0) return <NoBots />;
          return chosen === undefined ? <AllBots bots={listed} /> : <OneBot key={chosen.id} bot={chosen} />;
        }}
      </Loaded>
    </Page>
  );
}

function NoBots() {
  const { canWrite } = useSignedIn();
  return (
    <Panel>
      <EmptyState icon="bot" title={canWrite ? 'Your first bot' : 'No bots yet'} level={2}>
        <p>
          {canWrite
            ? 'Each bot has its own contacts and a widget for your pages.'
            : 'Bots that your colleagues create appear here.'}
        </p>
        {canWrite && (
          <Button component="a" href="#/bots">
            Go to bots
          </Button>
        )}
      </EmptyState>
    </Panel>
  );
}

function OneBot({ bot }: { bot: AccountBot }) {
  const { connection, canWrite } = useSignedIn();
  const query = useQuery(botOverviewQuery(connection, bot.id));
  useFirstVisitorNotice(query.data && query.data.visitorRecognizedAt !== null);
  return (
    <Loaded query={query} lines={8}>
      {(overview) => (
        <>
          {canWrite && overview.visitorRecognizedAt === null && <Checklist bot={bot} uses={overview} />}
          {(!canWrite || overview.visitorRecognizedAt !== null || overview.contactCount > 0) && (
            <>
              <Numbers counts={overview} />
              <div className={classes.columns}>
                <div className={classes.column}>
                  <GrowthPanel days={overview.days} />
                  <VisitorsPanel botId={bot.id} seen={overview.visitors} />
                </div>
                <Account botId={bot.id} />
              </div>
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

function AllBots({ bots }: { bots: readonly AccountBot[] }) {
  const { connection, canWrite } = useSignedIn();
  const query = useQuery(overviewQuery(connection));
  const isRecognized = query.data && hasVisitor(query.data);
  useFirstVisitorNotice(isRecognized);
  return (
    <Loaded query={query} lines={8}>
      {({ bots: usages, days, isComplete }) => {
        const recent = recentBot();
        const first = usages.find(({ id }) => id === recent) ?? usages[0];
        const firstBot = bots.find(({ id }) => id === first?.id);
        const sum = (name: 'contactCount' | 'newContactCount' | 'visitorCount') =>
          usages.reduce((total, usage) => total + usage[name], 0);
        const counts = {
          contactCount: sum('contactCount'),
          newContactCount: sum('newContactCount'),
          visitorCount: sum('visitorCount'),
          hasMoreVisitors: usages.some(({ hasMoreVisitors }) => hasMoreVisitors),
        };
        return (
          <>
            {!isComplete && (
              <Alert variant="light" color="yellow" icon={<Icon name="warning" />}>
                Some bots can’t be reached at the moment, and are missing here.
              </Alert>
            )}
            {canWrite && !isRecognized && first && firstBot && <Checklist bot={firstBot} uses={first} />}
            <Numbers counts={counts} />
            <div className={classes.columns}>
              <div className={classes.column}>
                <GrowthPanel days={days} />
                <BotsPanel bots={bots} usages={usages} />
              </div>
              <Account />
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function hasVisitor({ bots }: Overview): boolean {
  return bots.some(({ visitorRecognizedAt }) => visitorRecognizedAt !== null);
}

function Account({ botId }: { botId?: string }) {
  const { isOwner } = useSignedIn();
  return (
    <div className={classes.column}>
      <SecretsPanel botId={botId} />
      {isOwner && <ChangesPanel />}
    </div>
  );
}

/** The last step of the checklist takes the whole list away: a notice says why to somebody who looks elsewhere. */
function useFirstVisitorNotice(isRecognized: boolean | undefined): void {
  const notify = useNotify();
  const before = useRef(isRecognized);
  useEffect(() => {
    if (before.current === false && isRecognized) notify('Your first visitor was recognized.');
    before.current = isRecognized ?? before.current;
  }, [isRecognized, notify]);
}
