// Queries that several pages share, each under one key, so that a change on one page updates all.
import type { BotUsage, operations } from '@roster/contract';
import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { type Connection, serviceUrl } from './connection.ts';
import { isOutage } from './failure.ts';

export const keys = {
  readOnly: ['read-only'],
  organizationSettings: ['organization', 'settings'],
  bots: ['bots'],
  members: ['members'],
  invitations: ['invitations'],
  sessions: ['sessions'],
  secrets: ['secrets'],
  audit: ['audit'],
  overview: ['overview'],
  /** Without an id: those of all bots. */
  webhooks: (botId?: string) => (botId === undefined ? ['webhooks'] : ['webhooks', botId]),
  contacts: (botId: string) => ['contacts', botId],
  /** Without an id: all of the bot. */
  contact: (botId: string, contactId?: string) =>
    contactId === undefined ? ['contact', botId] : ['contact', botId, contactId],
  attributes: (botId: string) => ['attributes', botId],
  tags: (botId: string) => ['tags', botId],
  segments: (botId: string) => ['segments', botId],
  tokens: (botId: string, contactId: string) => ['tokens', botId, contactId],
  events: (botId: string) => ['events', botId],
} as const;

type Readiness = (typeof operations)['checkReadiness'];

const readinessPath: Readiness['path'] = '/readyz';
const readinessPauseMs = 30_000;

/** Whether the server's disk is full, so that it stores nothing. Not by a connection: the answer has another shape. */
export const readOnlyQuery = queryOptions({
  queryKey: keys.readOnly,
  queryFn: async ({ signal }) => {
    const reply = await fetch(`${serviceUrl}${readinessPath}`, { signal });
    return reply.ok && ((await reply.json()) as z.output<Readiness['answer']['schema']>).mode === 'read-only';
  },
  // Not while the tab is hidden.
  refetchInterval: readinessPauseMs,
});

export function organizationSettingsQuery(connection: Connection) {
  return queryOptions({
    queryKey: keys.organizationSettings,
    queryFn: async ({ signal }) => (await connection.call('readOrganizationSettings', {}, { signal })).data,
  });
}

export function botsQuery(connection: Connection) {
  return queryOptions({
    queryKey: keys.bots,
    queryFn: async ({ signal }) => (await connection.call('listBots', {}, { signal })).data,
  });
}

/** One bot, which the cached list may not contain yet when another member has created it. */
export function botQuery(connection: Connection, botId: string) {
  return queryOptions({
    queryKey: [...keys.bots, botId],
    queryFn: async ({ signal }) => (await connection.call('retrieveBot', { path: { botId } }, { signal })).data,
  });
}

export function membersQuery(connection: Connection) {
  return queryOptions({
    queryKey: keys.members,
    queryFn: async ({ signal }) => (await connection.call('listMembers', {}, { signal })).data,
  });
}

export function invitationsQuery(connection: Connection) {
  return queryOptions({
    queryKey: keys.invitations,
    queryFn: async ({ signal }) => (await connection.call('listInvitations', {}, { signal })).data,
  });
}

export function sessionsQuery(connection: Connection) {
  return queryOptions({
    queryKey: keys.sessions,
    queryFn: async ({ signal }) => (await connection.call('listSessions', {}, { signal })).data,
  });
}

export function secretsQuery(connection: Connection) {
  return queryOptions({
    queryKey: keys.secrets,
    queryFn: async ({ signal }) => (await connection.call('listSecrets', {}, { signal })).data,
  });
}

export function attributesQuery(connection: Connection, botId: string) {
  return queryOptions({
    queryKey: keys.attributes(botId),
    queryFn: async ({ signal }) => (await connection.attributesOf(botId).list({ signal })).data,
  });
}

export function tagsQuery(connection: Connection, botId: string) {
  return queryOptions({
    queryKey: keys.tags(botId),
    queryFn: async ({ signal }) => (await connection.tagsOf(botId).list({ signal })).data,
  });
}

export function segmentsQuery(connection: Connection, botId: string) {
  return queryOptions({
    queryKey: keys.segments(botId),
    // The navigation reads them shortly before the page does.
    staleTime: 5000,
    queryFn: async ({ signal }) => (await connection.segmentsOf(botId).list({ signal })).data,
  });
}

/** How many contacts a segment has. It is read again whenever contacts change. */
export function segmentTotalQuery(connection: Connection, botId: string, key: string) {
  return queryOptions({
    queryKey: [...keys.contacts(botId), 'segment', key],
    queryFn: async ({ signal }) =>
      (await connection.segmentsOf(botId).retrieve(key, { include: ['total'], signal })).data.total,
  });
}

/** Of how many contacts values are suggested. */
const contactsSuggesting = 100;

/** Values of a text attribute: those of the contacts that were updated last. */
export function attributeValuesQuery(connection: Connection, botId: string, key: string) {
  return queryOptions({
    queryKey: [...keys.contacts(botId), 'values', key],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { data } = await connection.contactsOf(botId).search(
        {
          filter: { attributes: { [key]: { exists: true } } },
          include: ['attributes'],
          sort: '-updatedAt',
          limit: contactsSuggesting,
        },
        { signal },
      );
      const values = data.map(({ attributes }) => String(attributes[key] ?? '')).filter((value) => value !== '');
      return [...new Set(values)].sort((one, two) => one.localeCompare(two));
    },
  });
}

/** How often a page looks for the first visitor. */
const firstVisitorPauseMs = 3000;
/** When a visitor was seen is known some seconds later than that they were recognised, so a page looks that much longer. */
const firstVisitorSeenMs = 60_000;

/** Until the first visitor is recognised somebody may be waiting for it. A tab that is not visible asks for nothing. */
function pauseUntilVisitor(
  bots: readonly Pick<BotUsage, 'visitorRecognizedAt'>[] | undefined,
  error: Error | null,
): number | false {
  const firstMs = bots?.map(({ visitorRecognizedAt }) => Date.parse(visitorRecognizedAt ?? '')).filter(Number.isFinite);
  const isWaiting = firstMs !== undefined && Date.now() - Math.min(...firstMs) < firstVisitorSeenMs;
  return (isWaiting || isOutage(error)) && firstVisitorPauseMs;
}

export function overviewQuery(connection: Connection) {
  return queryOptions({
    queryKey: keys.overview,
    queryFn: async ({ signal }) => (await connection.call('retrieveOverview', {}, { signal })).data,
    refetchInterval: ({ state: { data, error } }) => pauseUntilVisitor(data?.bots, error),
  });
}

export function botOverviewQuery(connection: Connection, botId: string) {
  return queryOptions({
    queryKey: [...keys.overview, botId],
    queryFn: async ({ signal }) => (await connection.call('retrieveBotOverview', { path: { botId } }, { signal })).data,
    refetchInterval: ({ state: { data, error } }) => pauseUntilVisitor(data && [data], error),
  });
}
