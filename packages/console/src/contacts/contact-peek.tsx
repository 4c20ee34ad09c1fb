// The panel of a contact beside the list. The list stays usable: this is no dialog.
import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { includedValues, keys } from '../api/queries.ts';
import { Detail, Details, NoValue } from '../components/details.tsx';
import { Icon, type IconName } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { Panel } from '../components/page.tsx';
import { KeptScope } from '../kept-state.ts';
import { useSignedIn } from '../session.tsx';
import classes from './contact-peek.module.css';
import { ContactAttributes, ContactTags } from './contact-values.tsx';
import { contactLink } from './list-state.ts';

interface ContactPeekProps {
  botId: string;
  contactId: string;
  /** As the list has it. Undefined: the contact is not on the page that is shown. */
  name: string | undefined;
  /** The parameters of the list, to which the page of the contact leads back. */
  list: string;
  /** The rows around it. */
  previous: string | undefined;
  next: string | undefined;
  onPeek(id: string | undefined): void;
}

export default function ContactPeek({ botId, contactId, name, list, previous, next, onPeek }: ContactPeekProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const steps: { label: string; icon: IconName; to: string | undefined }[] = [
    { label: 'Previous contact', icon: 'up', to: previous },
    { label: 'Next contact', icon: 'down', to: next },
  ];
  return (
    <section className={classes.peek} aria-label="Contact">
      <header className={classes.head}>
        <h2 ref={heading} tabIndex={-1} className={classes.title} aria-live="polite">
          {name ?? 'Contact'}
        </h2>
        {steps.map(({ label, icon, to }) => (
          <ActionIcon
            key={label}
            variant="subtle"
            color="gray"
            aria-label={label}
            disabled={to === undefined}
            onClick={() => onPeek(to)}
          >
            <Icon name={icon} size={18} />
          </ActionIcon>
        ))}
        <ActionIcon
          component="a"
          variant="subtle"
          color="gray"
          aria-label="Open the page of this contact"
          href={contactLink(botId, contactId, list)}
        >
          <Icon name="expand" size={17} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label="Close the panel" onClick={() => onPeek(undefined)}>
          <Icon name="close" size={17} />
        </ActionIcon>
      </header>
      <KeptScope key={contactId} value={contactId}>
        <div className={classes.body}>
          <PeekedContact botId={botId} contactId={contactId} />
        </div>
      </KeptScope>
    </section>
  );
}

function PeekedContact({ botId, contactId }: { botId: string; contactId: string }) {
  const { connection } = useSignedIn();
  const contacts = useMemo(() => connection.contactsOf(botId), [connection, botId]);
  const query = useQuery({
    queryKey: keys.contact(botId, contactId),
    queryFn: async ({ signal }) => (await contacts.retrieve(contactId, { signal, include: includedValues })).data,
  });
  return (
    <Loaded query={query}>
      {(contact) => (
        <>
          <Panel title="Details">
            <Details>
              <Detail label="Email">{contact.email}</Detail>
              <Detail label="Phone">{contact.phone || <NoValue />}</Detail>
              <Detail label="WhatsApp">{contact.wid || <NoValue />}</Detail>
              <Detail label="Messenger ID">{contact.mid || <NoValue />}</Detail>
              <Detail label="Created">
                <Moment at={contact.createdAt} />
              </Detail>
              <Detail label="Updated">
                <Moment at={contact.updatedAt} />
              </Detail>
            </Details>
          </Panel>
          <ContactAttributes botId={botId} contacts={contacts} contact={contact} />
          <ContactTags botId={botId} contacts={contacts} contact={contact} />
        </>
      )}
    </Loaded>
  );
}
