// The messages that receivers get: an event, and the contact that it is about as it is now.
import { type EventActor, type WebhookMessage, webhookTestType } from '@roster/contract';
import { toEventAnswer, toTimestamp } from '../answers/answers.ts';
import { prepareAnswers } from '../answers/contact-answers.ts';
import type { StoredEvent } from '../store/events/event-store.ts';
import type { Store } from '../store/store.ts';
import type { Message } from './send.ts';

export function prepareMessages(deps: { store: Store; clock: () => number }) {
  const { store } = deps;
  const withIncluded = prepareAnswers(deps);

  const findContact = async (botId: string, contactId: string) => {
    const found = await store.findContactWithValues(botId, contactId);
    if (found === undefined) return null;
    const [contact] = await withIncluded(botId, ['attributes', 'tags'], [found.contact], [found.values]);
    return contact ?? null;
  };

  return async (botId: string, event: StoredEvent): Promise<Message> => {
    const { id, type, atMs, contactId } = event;
    const contact = contactId === null ? null : await findContact(botId, contactId);
    return toMessage(id, { type, timestamp: toTimestamp(atMs), data: { event: toEventAnswer(event), contact } });
  };
}

/** Looks like an event, and is in no feed. */
export function testMessage({ id, atMs, actor }: { id: string; atMs: number; actor: EventActor }): Message {
  const at = toTimestamp(atMs);
  const event = { id, type: webhookTestType, at, contactId: null, actor } as const;
  return toMessage(id, { type: webhookTestType, timestamp: at, data: { event, contact: null } });
}

function toMessage(id: string, message: WebhookMessage): Message {
  return { id, body: JSON.stringify(message) };
}
