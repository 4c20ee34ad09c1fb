// An event as a line: for a person at the terminal.
import { joinTags } from '@roster/contact-files/value-cells';
import { attributeTitle } from '@roster/contact-files/value-columns';
import { eventTypes } from '@roster/contract/names';
import { moment } from '../terminal/locale.ts';
import { safeText } from '../terminal/safe-text.ts';
import type { FollowedEvent } from './feed.ts';

const typeWidth = Math.max(...eventTypes.map((type) => type.length));

/** The begin of a line, at the same width for every type. */
export const stamp = (at: string, type: string): string => `${moment(at)}  ${type.padEnd(typeWidth)}`;

export function eventText({ at, type, contactId, fields = [], actor, contact }: FollowedEvent): string {
  const parts = [stamp(at, type), contactId ?? 'all contacts', ...contactParts(contact)];
  if (fields.length > 0) parts.push(fields.join(', '));
  return safeText([...parts, `by ${actor.kind}`].join('  '));
}

function contactParts(contact: FollowedEvent['contact']): string[] {
  if (contact === null || contact === undefined) return [];
  const { name, email, attributes = {}, tags = [] } = contact;
  const values = Object.entries(attributes).map(([key, value]) => `${attributeTitle(key)}=${value}`);
  return [`${name} <${email}>`, ...values, ...(tags.length > 0 ? [`tags=${joinTags(tags)}`] : [])];
}
