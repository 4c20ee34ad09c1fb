// The activity of a bot: what happens to its contacts, as it happens, newest first.
import { NativeSelect } from '@mantine/core';
import type { EventType } from '@roster/contract';
import { useQuery } from '@tanstack/react-query';
import { botQuery } from '../api/queries.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Page, Panel } from '../components/page.tsx';
import { eventTypeLabels } from '../events/describe-event.ts';
import { EventList, EventTable } from '../events/event-list.tsx';
import { useEvents } from '../events/use-events.ts';
import { linkTo, navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';

const step = 50;

const types = Object.entries(eventTypeLabels).map(([value, label]) => ({ value, label }));

export default function ActivityPage({ botId, parameters }: { botId: string; parameters: URLSearchParams }) {
  const { connection, canWrite } = useSignedIn();
  const { data: bot } = useQuery(botQuery(connection, botId));
  const wanted = parameters.get('type') ?? '';
  const type = Object.hasOwn(eventTypeLabels, wanted) ? (wanted as EventType) : undefined;
  // Viewers look contacts up one by one.
  const events = useEvents(botId, { type, include: canWrite ? 'contact' : undefined }, { step, isLive: true });
  const choice = (
    <NativeSelect
      aria-label="Type of event"
      data={[{ value: '', label: 'All events' }, ...types]}
      value={type ?? ''}
      onChange={({ currentTarget: { value } }) => navigate(linkTo(['bots', botId, 'activity'], { type: value }))}
    />
  );
  const empty = (
    <EmptyState
      icon="activity"
      title={type === undefined ? 'No recent activity' : 'No recent events of this type'}
      level={2}
    >
      <p>Changes to contacts, their tokens and their visits appear here as they happen.</p>
    </EmptyState>
  );
  return (
    <Page
      title="Activity"
      lead={bot && `What happens to contacts of ${bot.name}. New events appear as they happen.`}
      actions={choice}
    >
      <Panel isFlush>
        <EventList events={events} lines={8} empty={empty}>
          {(shown) => <EventTable botId={botId} events={shown} />}
        </EventList>
      </Panel>
    </Page>
  );
}
