// The types of events that a webhook can be limited to, and those that one is limited to.
import type { EventType } from '@roster/contract';
import classes from './webhooks.module.css';

/** In the order of the contract. */
export const eventTypeTexts: Record<EventType, string> = {
  'contact.created': 'A contact was created.',
  'contact.updated': 'A contact’s fields, attributes or tags changed.',
  'contact.deleted': 'A contact was deleted.',
  'token.created': 'Your server got a token for a contact.',
  'token.revoked': 'One or all tokens of a contact were revoked.',
  'attribute.deleted': 'An attribute was deleted, with its values.',
  'tag.renamed': 'A tag was renamed.',
  'tag.deleted': 'A tag was deleted.',
  'visitor.recognized': 'The widget recognized a contact. Once a day for each token.',
};

export function EventTypes({ types }: { types: readonly EventType[] | null }) {
  if (types === null) return 'All';
  return (
    <span className={classes.types}>
      {types.map((type) => (
        <code key={type}>{type}</code>
      ))}
    </span>
  );
}
