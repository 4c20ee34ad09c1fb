// The deliveries of a webhook for a page that shows them. They are read again and again, and not while the tab is hidden.
import type { DeliveryStatus, Webhook } from '@roster/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isOutage } from '../api/failure.ts';
import { useSignedIn } from '../session.tsx';
import { pauseUntilNews, shortestPauseMs } from './delivery-pause.ts';
import { deliveriesQuery, webhookQuery } from './webhook-queries.ts';

interface DeliveriesOptions {
  status: DeliveryStatus | undefined;
  /** Until then news are expected at any moment. */
  expectedUntilMs: number;
}

export function useDeliveries(botId: string, webhook: Webhook, { status, expectedUntilMs }: DeliveriesOptions) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const deliveries = useInfiniteQuery({
    ...deliveriesQuery(connection, botId, webhook.id, status),
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state: { data, error } }) => {
      const pages = data?.pages ?? [];
      const isExpected = Date.now() < expectedUntilMs || isOutage(error);
      const news = webhook.isEnabled
        ? pauseUntilNews(
            pages.flatMap(({ data }) => data),
            Date.now(),
          )
        : undefined;
      const pauseMs = isExpected ? shortestPauseMs : news;
      // All pages that are shown are read, one after the other.
      return pauseMs !== undefined && pauseMs * Math.max(pages.length, 1);
    },
  });
  const { data } = deliveries;
  const lastAttempt = useRef<string>(undefined);
  useEffect(() => {
    if (data === undefined) return;
    const before = lastAttempt.current;
    const times = data.map(({ lastAttemptAt }) => lastAttemptAt ?? '');
    const now = times.reduce((latest, time) => (time > latest ? time : latest), before ?? '');
    lastAttempt.current = now;
    // An attempt can change the state of the webhook.
    const { queryKey } = webhookQuery(connection, botId, webhook.id);
    if (before !== undefined && now > before) queries.invalidateQueries({ queryKey, exact: true });
  }, [data, queries, connection, botId, webhook.id]);
  return deliveries;
}
