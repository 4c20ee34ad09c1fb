// The panel of a contact beside the list. The list stays usable: this is no dialog.
import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Icon, type IconName } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { KeptScope } from '../kept-state.ts';
import { useSignedIn } from '../session.tsx';
import { ContactContent } from './contact-content.tsx';
import classes from './contact-peek.module.css';
import { DeleteContact } from './delete-contact.tsx';
import { contactLink } from './list-state.ts';
import { contactQuery } from './whole-contact.ts';

interface ContactPeekProps {
  botId: string;
  contactId: string;
  /** As the list has it, until the contact is loaded. */
  name: string | undefined;
  /** The parameters of the list, to which the page of the contact leads back. */
  list: string;
  /** The rows around it. */
  previous: string | undefined;
  next: string | undefined;
  onPeek(id: string | undefined): void;
}

export default function ContactPeek({ botId, contactId, name, list, previous, next, onPeek }: ContactPeekProps) {
  const { connection, canWrite } = useSignedIn();
  const query = useQuery(contactQuery(connection, botId, contactId));
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
          {query.data?.name ?? name ?? 'Contact'}
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
          <Loaded query={query}>
            {(contact) => (
              <>
                <ContactContent botId={botId} contact={contact} />
                {canWrite && (
                  <div>
                    <DeleteContact botId={botId} contact={contact} onDeleted={() => onPeek(undefined)} />
                  </div>
                )}
              </>
            )}
          </Loaded>
        </div>
      </KeptScope>
    </section>
  );
}
