// What happened to a contact, newest first. Events name the fields that changed and not their contents, so beside the latest change
// of a field stands the value that the contact has now.
import { VisuallyHidden } from '@mantine/core';
import type { Attribute } from '@roster/client';
import type { FeedEvent } from '@roster/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { attributesQuery } from '../api/queries.ts';
import { NoValue } from '../components/details.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icons.tsx';
import { Moment } from '../components/moment.tsx';
import { Panel } from '../components/page.tsx';
import { shownValue } from '../contacts/attribute-value.tsx';
import { attributeField, fieldValue, ownFields } from '../contacts/contact-fields.ts';
import type { WholeContact } from '../contacts/whole-contact.ts';
import { useSignedIn } from '../session.tsx';
import { describeEvent, iconOf, namedCount } from './describe-event.ts';
import { EventList } from './event-list.tsx';
import classes from './timeline.module.css';
import { useActorNames } from './use-actor-names.ts';
import { useEvents } from './use-events.ts';

const step = 20;

/** For how long is a setting of the server. */
const keptFor = 'Events are kept for a limited time.';

export function Timeline({ botId, contact }: { botId: string; contact: WholeContact }) {
  const events = useEvents(botId, { contactId: contact.id }, { step });
  const empty = (
    <EmptyState icon="activity" title="No recent events">
      <p>This contact’s changes, tokens and visits appear here. {keptFor}</p>
    </EmptyState>
  );
  return (
    <Panel title="Timeline" isFlush>
      <dl className={classes.moments}>
        <div>
          <dt>Last seen</dt>
          <dd>{contact.lastSeenAt ? <Moment at={contact.lastSeenAt} /> : 'Never'}</dd>
        </div>
        <div>
          <dt>Updated</dt>
          <dd>
            <Moment at={contact.updatedAt} />
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Moment at={contact.createdAt} />
          </dd>
        </div>
      </dl>
      <EventList events={events} lines={3} empty={empty}>
        {(shown) => (
          <>
            <EventItems botId={botId} contact={contact} events={shown} />
            {!events.more.hasNextPage && shown.at(-1)?.type !== 'contact.created' && (
              <p className={classes.end}>{keptFor}</p>
            )}
          </>
        )}
      </EventList>
    </Panel>
  );
}

interface EventItemsProps {
  botId: string;
  contact: WholeContact;
  events: readonly FeedEvent[];
}

function EventItems({ botId, contact, events }: EventItemsProps) {
  const { connection } = useSignedIn();
  const { data: attributes } = useQuery(attributesQuery(connection, botId));
  const nameOf = useActorNames(events.map(({ actor }) => actor));
  /** By field, the id of its latest change. */
  const latest = new Map(events.toReversed().flatMap(({ id, fields = [] }) => fields.map((field) => [field, id])));
  return (
    <ol className={classes.events} aria-label="Events">
      {events.map((event) => (
        <li key={event.id}>
          <span className={classes.icon}>
            <Icon name={iconOf(event)} size={15} />
          </span>
          <div className={classes.what}>
            <strong>{describeEvent(event, attributes ?? [])}</strong>
            {attributes && event.fields && (
              <dl className={classes.values}>
                {event.fields.slice(0, namedCount(event.fields.length)).map((field) => {
                  const { label, value } = presentValue(contact, field, attributes);
                  return (
                    <div key={field}>
                      {event.fields?.length === 1 ? (
                        <VisuallyHidden component="dt">{label}</VisuallyHidden>
                      ) : (
                        <dt>{label}</dt>
                      )}
                      <dd>{latest.get(field) === event.id ? value : <NoValue text="changed again since" />}</dd>
                    </div>
                  );
                })}
              </dl>
            )}
            <div className={classes.by}>
              {nameOf(event.actor)} · <Moment at={event.at} />
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** `name` as in an event: `email`, `attributes.plan`, `tags`. */
function presentValue(
  contact: WholeContact,
  name: string,
  attributes: readonly Attribute[],
): { label: string; value: ReactNode } {
  if (name === 'tags') return { label: 'Tags', value: contact.tags.join(', ') || <NoValue /> };
  const field = [...ownFields, ...attributes.map(attributeField)].find((each) => each.name === name);
  if (field === undefined) {
    return { label: name.replace(/^attributes\./, ''), value: <NoValue text="deleted since" /> };
  }
  return { label: field.label, value: shownValue(field, fieldValue(contact, field)) ?? <NoValue /> };
}
