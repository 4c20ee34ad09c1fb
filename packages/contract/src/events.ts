// What happens to the contacts of a bot, as the feed tells it. An event holds no personal data.
import * as z from 'zod';
import { contactIdSchema, includingContactSchema, timestampSchema } from './contact.ts';
import { eventPositionPattern } from './event-position.ts';
import { idKinds } from './ids.ts';
import { limits } from './limits.ts';
import { type EventType, eventTypes } from './names.ts';
import { include, wholeNumber } from './paging.ts';
import { parameter } from './text.ts';

export const eventActorKinds = ['secret', 'member', 'operator', 'visitor'] as const;

export const eventActorSchema = z.strictObject({
  kind: z.enum(eventActorKinds),
  id: z.string().nullable().meta({ description: 'Of the secret or the member; null for an operator or a visitor.' }),
});

export type EventActor = z.infer<typeof eventActorSchema>;

const exampleEvent = {
  id: 'evt_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0a0',
  type: 'contact.updated',
  at: '2026-11-14T09:30:00.123Z',
  contactId: 'con_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0y5',
  fields: ['email', 'attributes.plan'],
  actor: { kind: 'secret', id: 'sec_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0y5' },
};

export const eventSchema = z
  .strictObject({
    id: z.string().regex(idKinds.event.pattern),
    type: z.enum(eventTypes),
    at: timestampSchema,
    contactId: contactIdSchema.nullable().meta({ description: 'Null for events about all contacts of the bot.' }),
    fields: z.array(z.string()).optional().meta({
      description:
        'What changed: `name`, `email`, `phone`, `mid`, `wid`, `tags`, or `attributes.` and a key. Only with `contact.updated`, `attribute.deleted`, `tag.renamed` and `tag.deleted`.',
    }),
    actor: eventActorSchema,
    contact: includingContactSchema.nullable().optional().meta({
      description: 'Only with `include`. The contact as it is now; null if it was deleted, or the event is about none.',
    }),
  })
  .meta({ id: 'Event', examples: [exampleEvent] });

export type FeedEvent = z.infer<typeof eventSchema>;

const includable = ['contact', 'attributes', 'tags'] as const;
export type EventInclude = (typeof includable)[number];

const isType = (type: string): type is EventType => (eventTypes as readonly string[]).includes(type);

export const eventsQuerySchema = z.object({
  after: parameter
    .refine((value) => value === '' || value === 'now' || eventPositionPattern.test(value), {
      error: 'must be the `next` of an earlier response, or `now`',
    })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .meta({
      description:
        'The `next` of an earlier response, or `now` for the end of the feed. If left out or empty, the oldest event.',
    }),
  limit: wholeNumber({
    min: 1,
    max: limits.eventPageSizeMax,
    fallback: limits.eventPageSizeDefault,
    description: `Events per page. With \`include\` a page has at most ${limits.eventPageSizeWithContacts}, whatever the limit.`,
  }),
  type: z
    .union([z.string(), z.array(z.string())])
    .transform((types) => [types].flat())
    .refine((types) => types.every(isType), { error: `must be one of: ${eventTypes.join(', ')}` })
    .transform((types) => types.filter(isType))
    .optional()
    .meta({
      description: 'Events of this type. Repeat it to get several types.',
      type: 'array',
      items: { type: 'string', enum: [...eventTypes] },
      examples: [['contact.deleted']],
    }),
  contactId: parameter
    .refine((value) => idKinds.contact.pattern.test(value), { error: 'must be the id of a contact' })
    .optional()
    .meta({ description: 'Events of this contact.' }),
  wait: wholeNumber({
    min: 0,
    max: limits.eventWaitSeconds,
    fallback: 0,
    description: 'Seconds to wait for an event at the end of the feed, before the response is empty.',
  }),
  include: include(
    includable,
    '`contact`: the contact of each event as it is now. `attributes`, `tags`: the contact with these.',
  ),
});
