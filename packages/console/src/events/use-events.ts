// The events of a bot, or of one of its contacts, for a page that shows them: newest first, more on request, and as they happen.
import { AbortError } from '@roster/client/parts';
import type { EventType, FeedEvent } from '@roster/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Connection } from '../api/connection.ts';
import { isOutage } from '../api/failure.ts';
import { keys } from '../api/queries.ts';
import { useSignedIn } from '../session.tsx';
import {
  type EventHistory,
  type EventReader,
  eventsOf,
  readLatest,
  readNewer,
  readOlder,
  withOlder,
} from './event-history.ts';

export interface EventSelection {
  type?: EventType | undefined;
  contactId?: string | undefined;
  /** With each event the contact as it is now. */
  include?: 'contact' | undefined;
}

interface EventsOptions {
  /** How many are shown at first, and how many more on each request. */
  step: number;
  /** Follows the feed while the page is visible. */
  isLive?: boolean;
}

/** How long the server holds an answer back until something happens. A shorter time than that of proxies. */
const waitSeconds = 25;
/** For each request: the wait, and as long as other requests may take. */
const timeoutMs = (waitSeconds + 30) * 1000;
/** Between two requests for newer events, however much happens. */
const followPauseMs = 500;
const outagePauseMs = 4000;

export type Events = ReturnType<typeof useEvents>;

export function useEvents(botId: string, selection: EventSelection, { step, isLive = false }: EventsOptions) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const queryKey = [...keys.events(botId), selection];
  const [wanted, setWanted] = useState(step);
  const query = useQuery({
    queryKey,
    queryFn: ({ client, signal }) => {
      const state = client.getQueryState<EventHistory>(queryKey);
      const before = state?.data;
      if (before === undefined) return readLatest(readerOf(connection, botId, selection, signal));
      const current = () => client.getQueryData<EventHistory>(queryKey) ?? before;
      const read = (ending: AbortSignal, wait: number) =>
        readNewer(readerOf(connection, botId, selection, ending), current, wait);
      // After a failure the first answer is not held back, so that the page knows soon that all is well again.
      if (!isLive || state?.status === 'error') return read(signal, 0);
      return untilHidden(signal, (ending) => read(ending, waitSeconds), current);
    },
    // Not while the tab is hidden.
    refetchInterval: ({ state: { error, fetchStatus } }) => {
      if (error !== null) return isOutage(error) && outagePauseMs;
      return isLive && fetchStatus === 'idle' && followPauseMs;
    },
  });
  const older = useMutation({
    mutationFn: async () => {
      const before = queries.getQueryData<EventHistory>(queryKey);
      if (before === undefined) return;
      const found = await readOlder(readerOf(connection, botId, selection), before);
      if (found === undefined) return queries.invalidateQueries({ queryKey });
      queries.setQueryData<EventHistory>(queryKey, (now) => now && withOlder(now, before, found));
    },
  });
  const history = query.data;
  const events = useMemo(() => history && eventsOf(history), [history]);
  const isWhole = history?.isWhole ?? true;
  return {
    /** As many as are shown. */
    list: { ...query, data: events?.slice(0, wanted) },
    older,
    more: {
      hasNextPage: events !== undefined && (events.length > wanted || !isWhole),
      isFetchingNextPage: older.isPending,
      fetchNextPage() {
        const next = Math.min(wanted, events?.length ?? 0) + step;
        setWanted(next);
        if ((events?.length ?? 0) < next && !isWhole) older.mutate();
      },
    },
  };
}

function readerOf(
  connection: Connection,
  botId: string,
  { type, contactId, include }: EventSelection,
  signal?: AbortSignal,
): EventReader {
  return {
    isOfContact: contactId !== undefined,
    readPage: (wanted): Promise<{ data: FeedEvent[]; next: string }> =>
      connection.call(
        'listEventsAsMember',
        { path: { botId }, query: { type, contactId, include, ...wanted } },
        { signal, timeoutMs },
      ),
  };
}

/** Ends the request when the tab is hidden: the result is then what is there. The query begins again when it is visible. */
async function untilHidden<Result>(
  signal: AbortSignal,
  request: (ending: AbortSignal) => Promise<Result>,
  current: () => Result,
): Promise<Result> {
  const ending = new AbortController();
  const onChange = () => {
    if (signal.aborted || document.hidden) ending.abort();
  };
  signal.addEventListener('abort', onChange);
  document.addEventListener('visibilitychange', onChange);
  onChange();
  try {
    return await request(ending.signal);
  } catch (error) {
    if (error instanceof AbortError && !signal.aborted) return current();
    throw error;
  } finally {
    signal.removeEventListener('abort', onChange);
    document.removeEventListener('visibilitychange', onChange);
  }
}
