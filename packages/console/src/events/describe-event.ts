// What an event is called in a list of events, and what its type is called in a choice of types.
import type { Attribute } from '@roster/client';
import type { EventType, FeedEvent } from '@roster/contract';
import type { IconName } from '../components/icons.tsx';
import { count } from '../components/moment.tsx';
import { columnsOf, nameColumn } from '../contacts/columns.ts';

export const eventTypeLabels: Record<EventType, string> = {
  'contact.created': 'Contact created',
  'contact.updated': 'Contact updated',
  'contact.deleted': 'Contact deleted',
  'token.created': 'Token issued',
  'token.revoked': 'Token revoked',
  'visitor.recognized': 'Visitor recognized',
  'attribute.deleted': 'Attribute deleted',
  'tag.renamed': 'Tag renamed',
  'tag.deleted': 'Tag deleted',
};

const icons: Record<EventType, IconName> = {
  'contact.created': 'plus',
  'contact.updated': 'edit',
  'contact.deleted': 'trash',
  'token.created': 'key',
  'token.revoked': 'close',
  'visitor.recognized': 'team',
  'attribute.deleted': 'columns',
  'tag.renamed': 'tag',
  'tag.deleted': 'tag',
};

/** Of a type that a newer server sends there is nothing but its name. */
export function iconOf({ type }: FeedEvent): IconName {
  return icons[type] ?? 'activity';
}

const list = new Intl.ListFormat('en-GB');
/** Of more, the first are named and the rest is counted. */
const fieldsShown = 4;

/** How many of an event's fields are named. One more than usual is named too: to count it would take as much room. */
export function namedCount(fields: number): number {
  return fields <= fieldsShown + 1 ? fields : fieldsShown;
}

/** `attributes` are those of the bot. One that was deleted since is called by its key. */
export function describeEvent({ type, fields = [] }: FeedEvent, attributes: readonly Attribute[]): string {
  const labels = fieldLabels(fields, attributes);
  switch (type) {
    case 'contact.created':
      return 'Created';
    case 'contact.updated': {
      if (labels.length === 0) return 'Updated';
      const named = labels.slice(0, namedCount(labels.length));
      const rest = labels.length - named.length;
      return `${list.format(rest === 0 ? named : [...named, `${count(rest)} more`])} changed`;
    }
    case 'contact.deleted':
      return 'Deleted';
    case 'visitor.recognized':
      return 'Recognized on the website';
    case 'attribute.deleted':
      return `Attribute “${list.format(labels)}” deleted`;
    default:
      return eventTypeLabels[type] ?? type;
  }
}

function fieldLabels(fields: readonly string[], attributes: readonly Attribute[]): string[] {
  const columns = [nameColumn, ...columnsOf(attributes)];
  return fields.map((field) => columns.find(({ key }) => key === field)?.label ?? field.replace(/^attributes\./, ''));
}
