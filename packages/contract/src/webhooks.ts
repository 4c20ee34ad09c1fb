// Webhooks: what a bot's events are sent to, how each delivery went, and the message that a receiver gets.
import * as z from 'zod';
import { list } from './bounded.ts';
import { contactIdSchema, includingContactSchema, timestampSchema } from './contact.ts';
import { eventPositionPattern } from './event-position.ts';
import { eventSchema } from './events.ts';
import { idKinds } from './ids.ts';
import { limits } from './limits.ts';
import { deliveryStatuses, eventTypes } from './names.ts';
import { wholeNumber } from './paging.ts';
import { parameter, required, text } from './text.ts';

function faultOfUrl(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'must be a URL, like https://shop.example.com/hooks/roster';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  return undefined;
}

const urlSchema = required({
  description: 'Where events are sent to. Must be `https:`, unless the operator allows private addresses.',
  maxLength: limits.webhookUrlLength,
  example: 'https://shop.example.com/hooks/roster',
  // URLs are parsed tolerantly, which no pattern can state.
  form: '[Hh][Tt][Tt][Pp][Ss]?:[\\s\\S]*',
  fault: faultOfUrl,
});

const typesDescription = 'Only events of these types. Null for all, including types of later versions.';

const typesSchema = list(z.enum(eventTypes, { error: `must be one of: ${eventTypes.join(', ')}` }), {
  max: 100,
  error: 'must be a list of types of events, or null for all',
  tooLong: 'must be at most 100 types',
  empty: 'must name at least one type',
})
  .transform((given) => eventTypes.filter((type) => given.includes(type)))
  .nullable();

const descriptionSchema = text({
  description: 'What the webhook is for; can be empty.',
  maxLength: limits.webhookDescriptionLength,
  example: 'CRM',
});

export const webhookCreateSchema = z.object({
  url: urlSchema,
  types: typesSchema
    .optional()
    .transform((types) => types ?? null)
    .meta({ description: `${typesDescription} Default: null.` }),
  description: descriptionSchema.default(''),
});

export const webhookChangesSchema = z.object({
  url: urlSchema.optional(),
  types: typesSchema.optional().meta({ description: typesDescription }),
  description: descriptionSchema.optional(),
  isEnabled: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .meta({ description: 'Once enabled again, it goes on with the events that are pending.' }),
});

/** `gone`: the receiver answered 410. `failing`: every delivery failed for days. */
export const disabledReasons = ['gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

const makerSchema = z
  .strictObject({
    kind: z.enum(['member', 'secret']),
    id: z.string(),
    name: z.string().meta({ description: 'At that time.' }),
  })
  .nullable();
export type WebhookMaker = z.infer<typeof makerSchema>;

export const webhookSchema = z
  .strictObject({
    id: z.string().regex(idKinds.webhook.pattern),
    url: z.string(),
    types: z.array(z.enum(eventTypes)).nullable().meta({ description: 'Null for all types.' }),
    description: z.string(),
    isEnabled: z.boolean(),
    disabledReason: z.enum(disabledReasons).nullable().meta({
      description:
        'Why Roster switched it off. `gone`: the receiver answered 410. `failing`: all deliveries failed for five days. Null otherwise.',
    }),
    failingSince: timestampSchema.nullable().meta({
      description: 'Since when every delivery has failed; null if the last one succeeded.',
    }),
    createdAt: timestampSchema,
    createdBy: makerSchema.meta({ description: 'Null if it was created with an earlier version.' }),
    changedBy: makerSchema.meta({ description: 'Who last changed it or rotated its secret; null if nobody has.' }),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof webhookSchema>;

/** `whsec_` and 32 random bytes in base64, as Standard Webhooks has it. */
export const webhookSecretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** The only answers that hold the secret. */
export const newWebhookSchema = z.strictObject({
  ...webhookSchema.shape,
  secret: z
    .string()
    .regex(webhookSecretPattern)
    .meta({
      description: 'Signs the messages. It is shown this once.',
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDnhK7YUd1zXg='],
    }),
});

const responseDescription = `The first ${limits.webhookResponseLength} characters of the receiver’s response`;

const answerOfReceiver = {
  statusCode: z.int().nullable().meta({ description: 'Of the receiver’s response; null if there was none.' }),
  response: z
    .string()
    .nullable()
    .meta({ description: `${responseDescription}.` }),
  error: z.string().nullable().meta({ description: 'Why there was no response, for example a timeout.' }),
};

/** How an event was sent to a webhook. */
export const deliverySchema = z
  .strictObject({
    eventId: z.string().regex(idKinds.event.pattern),
    type: z.enum(eventTypes),
    contactId: contactIdSchema.nullable(),
    eventAt: timestampSchema.meta({ description: 'When the event happened.' }),
    status: z.enum(deliveryStatuses).meta({
      description:
        '`pending`: not sent yet, or to be tried again. `failed`: given up after the last attempt. `skipped`: given up by whoever skipped it.',
    }),
    attempts: z.int().min(0),
    createdAt: timestampSchema,
    lastAttemptAt: timestampSchema.nullable(),
    nextAttemptAt: timestampSchema.nullable().meta({
      description: 'Now, if it is being sent. Null unless it is pending, while it waits, and while the webhook is off.',
    }),
    isWaiting: z.boolean().meta({ description: 'It is sent after an earlier event of its contact, which failed.' }),
    ...answerOfReceiver,
    response: answerOfReceiver.response.meta({
      description: `${responseDescription}, if it is not 2xx, until the contact is deleted. Null without \`contacts:read\`.`,
    }),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof deliverySchema>;

export const deliveryDetailSchema = z
  .strictObject({
    ...deliverySchema.shape,
    history: z
      .array(z.strictObject({ at: timestampSchema, ...answerOfReceiver }).omit({ response: true }))
      .meta({ description: 'Each attempt, oldest first.' }),
    request: z
      .strictObject({
        headers: z.record(z.string(), z.string()).meta({ description: 'Without the signature.' }),
        body: z.string().nullable().meta({ description: 'Null without `contacts:read`.' }),
      })
      .meta({ description: 'As it would be sent now. What was sent is not stored.' }),
  })
  .meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;

export const retriedSchema = z
  .strictObject({ count: z.int().min(0).meta({ description: 'Deliveries that are pending again.' }) })
  .meta({ id: 'RetriedDeliveries' });

export const testResultSchema = z
  .strictObject({
    status: z.enum(['succeeded', 'failed']),
    ...answerOfReceiver,
    durationMs: z.int().min(0),
  })
  .meta({ id: 'WebhookTest' });

/** Of a page of deliveries: the number of an event in the feed. */
const deliveriesPositionPattern = /^[1-9][0-9]{0,14}$/;

export const deliveriesQuerySchema = z.object({
  before: parameter
    .refine((value) => value === '' || deliveriesPositionPattern.test(value), {
      error: 'must be the `next` of an earlier page',
    })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .meta({ description: 'The `next` of the previous page. If left out or empty, the newest deliveries.' }),
  status: parameter
    .pipe(z.enum(deliveryStatuses, { error: `must be one of: ${deliveryStatuses.join(', ')}` }))
    .optional()
    .meta({ description: 'Deliveries with this status.', enum: [...deliveryStatuses] }),
  limit: wholeNumber({
    min: 1,
    max: limits.deliveryPageSizeMax,
    fallback: limits.deliveryPageSizeDefault,
    description: 'Deliveries per page.',
  }),
});

export const replaySchema = z.object({
  after: z
    .string({ error: 'must be a string' })
    .refine((value) => value === '' || eventPositionPattern.test(value), {
      error: 'must be a position of the feed: the `next` of a response',
    })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .meta({
      description:
        'A position of the feed: the events after it are sent again. If left out or empty, all that are kept.',
    }),
});

/** Sent by the test of a webhook. It is not in the feed. */
export const webhookTestType = 'webhook.test';

/** The body of a message, signed as Standard Webhooks describes. */
export const webhookMessageSchema = z
  .strictObject({
    type: z.enum([...eventTypes, webhookTestType]),
    timestamp: timestampSchema.meta({ description: 'When the event happened.' }),
    data: z.strictObject({
      event: z
        .strictObject({ ...eventSchema.shape, type: z.enum([...eventTypes, webhookTestType]) })
        .omit({ contact: true }),
      contact: includingContactSchema.nullable().meta({
        description:
          'The contact as it is now, with attributes and tags; null if it was deleted, or the event is about none.',
      }),
    }),
  })
  .meta({ id: 'WebhookMessage' });
export type WebhookMessage = z.infer<typeof webhookMessageSchema>;
