// The feed of a bot's events, as an organization's server reads it with its secret.
import * as z from 'zod';
import { eventSchema, eventsQuerySchema } from './events.ts';
import type { Operation } from './operation.ts';

export const eventOperations = {
  listEvents: {
    id: 'events.list',
    method: 'GET',
    path: '/v1/bots/{botId}/events',
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'Read the feed of events',
    description:
      'In the order in which they happened. Pass `next` as `after` to go on: every event comes exactly once. With `type` or `contactId`, a page can be empty before the end of the feed.',
    query: eventsQuerySchema,
    answer: {
      status: 200,
      description: 'One page and the position to go on from.',
      schema: z.strictObject({
        data: z.array(eventSchema),
        next: z.string().meta({ description: 'Pass it as `after` to go on from here.' }),
      }),
    },
    errors: ['events_expired'],
  },
} as const satisfies Record<string, Operation>;
