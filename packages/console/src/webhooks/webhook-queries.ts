// What the pages of webhooks read. Everything about the webhooks of a bot is below one key.
import type { DeliveryStatus } from '@roster/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Connection } from '../api/connection.ts';
import { keys } from '../api/queries.ts';

export function webhooksQuery(connection: Connection, botId: string) {
  return queryOptions({
    queryKey: keys.webhooks(botId),
    queryFn: async ({ signal }) => (await connection.webhooksOf(botId).list({ signal })).data,
  });
}

export function webhookQuery(connection: Connection, botId: string, webhookId: string) {
  return queryOptions({
    queryKey: [...keys.webhooks(botId), webhookId],
    queryFn: async ({ signal }) => (await connection.webhooksOf(botId).retrieve(webhookId, { signal })).data,
  });
}

export function deliveryQuery(connection: Connection, botId: string, webhookId: string, eventId: string) {
  return queryOptions({
    queryKey: [...keys.webhooks(botId), webhookId, 'delivery', eventId],
    queryFn: async ({ signal }) => (await connection.webhooksOf(botId).delivery(webhookId, eventId, { signal })).data,
  });
}

export function deliveriesQuery(connection: Connection, botId: string, webhookId: string, status?: DeliveryStatus) {
  return infiniteQueryOptions({
    queryKey: [...keys.webhooks(botId), webhookId, 'deliveries', status],
    queryFn: ({ pageParam: before, signal }) =>
      connection.webhooksOf(botId).deliveries(webhookId, { status, before }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}
