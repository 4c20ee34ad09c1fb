// The panel of a contact beside the list. The list stays usable: this is no dialog.
import { ActionIcon } from '@mantine/core';
import { ApiError } from '@roster/client/parts';
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
  /** Closes the panel, and asks nothing about edits: there is no contact left to save them to. */
  onDeleted(): void;
}

export default function ContactPeek(props: ContactPeekProps) {
  const { botId, contactId, name, list, previous, next, onPeek, onDeleted } = props;
  const { connection, canWrite } = useSignedIn();
  const query = useQuery(contactQuery(connection, botId, contactId));
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  // It was there, and is not any more: deleted by a bulk action, or by somebody else.
  const isGone = query.data !== undefined && query.error instanceof ApiError && query.error.status === 404;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the contact is gone.
  useEffect(() => {
    if (isGone) onDeleted();
  }, [isGone]);
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
          aria-label="Open contact page"
          href={contactLink(botId, contactId, list)}
        >
          <Icon name="expand" size={17} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label="Close panel" onClick={() => onPeek(undefined)}>
          <Icon name="close" size={17} />
        </ActionIcon>
      </header>
      <KeptScope key={contactId} value={contactId}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, and this has more than these. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by the keyboard. */}
        <div className={classes.body} role="group" aria-label="Contact details" tabIndex={0} data-takes-arrows>
          <Loaded query={query}>
            {(contact) => (
              <>
                <ContactContent botId={botId} contact={contact} />
                {canWrite && (
                  <div>
                    <DeleteContact botId={botId} contact={contact} onDeleted={onDeleted} />
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
