// The types of webhooks, their deliveries and the messages that a receiver gets. As those of api-types.ts, they equal the
// contract's.
import type { ContactWith } from './api-types.ts';
import type { AttributeValues } from './attribute-types.ts';
import type { ContactEvent, EventType } from './events.ts';

/** Where events of a bot are sent to. */
export interface Webhook {
  /** `whk_…`, opaque. */
  id: string;
  url: string;
  /** `null`: all types. */
  types: EventType[] | null;
  /** `''` when there is none. */
  description: string;
  isEnabled: boolean;
  /** Why Roster switched it off. `gone`: the receiver answered 410. `failing`: all deliveries failed for five days. */
  disabledReason: 'gone' | 'failing' | null;
  /** Since when every delivery has failed; `null` if the last one succeeded. */
  failingSince: string | null;
  /** ISO 8601 in UTC with milliseconds. */
  createdAt: string;
  /** `null` if it was created with an earlier version. */
  createdBy: WebhookMaker | null;
  /** Who last changed it or rotated its secret; `null` if nobody has. */
  changedBy: WebhookMaker | null;
}

export interface WebhookMaker {
  kind: 'member' | 'secret';
  id: string;
  /** At that time. */
  name: string;
}

export interface NewWebhook extends Webhook {
  /** `whsec_…`: signs the messages, and `verifyWebhook` takes it. Shown once. */
  secret: string;
}

export interface WebhookCreate {
  /** Must be `https:`, unless the operator allows private addresses. */
  url: string;
  /** Only events of these types. Left out or `null`: all. */
  types?: readonly EventType[] | null | undefined;
  /** What the webhook is for, at most 256 characters. */
  description?: string | undefined;
}

/** A field left out keeps its value. */
export interface WebhookChanges {
  url?: string | undefined;
  types?: readonly EventType[] | null | undefined;
  description?: string | undefined;
  /** Once enabled again, it goes on with the events that are pending. */
  isEnabled?: boolean | undefined;
}

/**
 * `pending`: not sent yet, or to be tried again. `failed`: given up after the last attempt. `skipped`: given up by whoever
 * skipped it.
 */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'skipped';

/** How a receiver responded. */
interface ReceiverResponse {
  /** `null` if there was no response. */
  statusCode: number | null;
  /** The first 1,024 characters of the response. A delivery keeps those that are not 2xx, until the contact is deleted. */
  response: string | null;
  /** Why there was no response, for example a timeout. */
  error: string | null;
}

/** How an event was sent to a webhook. */
export interface Delivery extends ReceiverResponse {
  /** `evt_…`: the `webhook-id` of the message. */
  eventId: string;
  type: EventType;
  /** `null` for events about all contacts of the bot. */
  contactId: string | null;
  /** When the event happened. */
  eventAt: string;
  status: DeliveryStatus;
  attempts: number;
  createdAt: string;
  lastAttemptAt: string | null;
  /** Now, if it is being sent. `null` unless it is pending, while it waits, and while the webhook is off. */
  nextAttemptAt: string | null;
  /** It is sent after an earlier event of its contact, which failed. */
  isWaiting: boolean;
}

export interface DeliveryDetail extends Delivery {
  /** Each attempt, oldest first. */
  history: { at: string; statusCode: number | null; error: string | null }[];
  /** As it would be sent now: what was sent is not stored. Without the signature; `body` is `null` without `contacts:read`. */
  request: { headers: Record<string, string>; body: string | null };
}

/** How a test message was sent. */
export interface WebhookTest extends ReceiverResponse {
  status: 'succeeded' | 'failed';
  durationMs: number;
}

export interface DeliveryList {
  /** Only those with this status. */
  status?: DeliveryStatus | undefined;
  /** The `next` of an earlier result. Left out: the newest deliveries. */
  before?: string | undefined;
  /** Deliveries on a page: 1 to 200, and 50 by default. */
  limit?: number | undefined;
}

/** What a receiver gets. A newer server may send other types. */
export interface WebhookMessage<Attributes = AttributeValues> {
  /** `webhook.test`: a test message, whose event is not in the feed. */
  type: EventType | 'webhook.test';
  /** When the event happened. */
  timestamp: string;
  data: {
    /** Its `id` is the `webhook-id`: the same whenever the message is sent again. */
    event: Omit<ContactEvent, 'type'> & { type: EventType | 'webhook.test' };
    /** As it is now, with attributes and tags; `null` if it was deleted, or the event is about none. */
    contact: ContactWith<'attributes' | 'tags', Attributes> | null;
  };
}
