// What happened to a contact, newest first.
import { EmptyState } from '../components/empty-state.tsx';
import { Panel } from '../components/page.tsx';
import { EventList } from './event-list.tsx';
import { useEvents } from './use-events.ts';

const step = 20;

export function Timeline({ botId, contactId }: { botId: string; contactId: string }) {
  const events = useEvents(botId, { contactId }, { step });
  const empty = (
    <EmptyState icon="activity" title="No recent events">
      <p>Changes to this contact, its tokens and its visits appear here.</p>
    </EmptyState>
  );
  return (
    <Panel title="Timeline" isFlush>
      <EventList botId={botId} events={events} empty={empty} />
    </Panel>
  );
}
