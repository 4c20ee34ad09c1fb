// A contact: its fields, attributes, tags and tokens, and what happened to it.
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { includedValues, keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import { CopyIcon } from '../components/copy.tsx';
import danger from '../components/danger.module.css';
import { Detail, Details, NoValue } from '../components/details.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { LoadingSkeleton } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { Page, Panel } from '../components/page.tsx';
import { ContactForm } from '../contacts/contact-form.tsx';
import { ContactTokens } from '../contacts/contact-tokens.tsx';
import { ContactAttributes, ContactTags } from '../contacts/contact-values.tsx';
import { listLink } from '../contacts/list-state.ts';
import { Timeline } from '../events/timeline.tsx';
import { useKept } from '../kept-state.ts';
import { navigate, useRoute } from '../router.ts';
import { useSignedIn } from '../session.tsx';

export default function ContactPage({ botId, contactId }: { botId: string; contactId: string }) {
  const { connection, canWrite } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const contacts = useMemo(() => connection.contactsOf(botId), [connection, botId]);
  const [dialog, setDialog] = useKept<'edit' | 'delete' | undefined>('dialog', undefined);
  const query = useQuery({
    queryKey: keys.contact(botId, contactId),
    queryFn: async ({ signal }) => (await contacts.retrieve(contactId, { signal, include: includedValues })).data,
  });
  const list = listLink(botId, useRoute().parameters.get('list') ?? '');
  const back = { href: list, label: 'Contacts' };
  const contact = query.data;
  if (contact === undefined) {
    return (
      <Page title="Contact" back={back}>
        {query.isError ? <FailureNote error={query.error} onRetry={() => query.refetch()} /> : <LoadingSkeleton />}
      </Page>
    );
  }
  const fields = [
    ['Email', contact.email],
    ['Phone', contact.phone],
    ['WhatsApp', contact.wid],
    ['Messenger ID', contact.mid],
  ] as const;
  return (
    <Page
      title={contact.name}
      back={back}
      actions={
        canWrite && (
          <>
            <Button variant="default" className={danger.item ?? ''} onClick={() => setDialog('delete')}>
              Delete…
            </Button>
            <Button onClick={() => setDialog('edit')}>Edit</Button>
          </>
        )
      }
    >
      <Panel title="Details">
        <Details>
          {fields.map(([label, value]) => (
            <Detail key={label} label={label}>
              {value || <NoValue />}
            </Detail>
          ))}
          <Detail label="Created">
            <Moment at={contact.createdAt} />
          </Detail>
          <Detail label="Updated">
            <Moment at={contact.updatedAt} />
          </Detail>
          <Detail label="ID" isWide>
            <code>{contact.id}</code> <CopyIcon text={contact.id} label="Copy ID" />
          </Detail>
        </Details>
      </Panel>
      <ContactAttributes botId={botId} contacts={contacts} contact={contact} />
      <ContactTags botId={botId} contacts={contacts} contact={contact} />
      <ContactTokens botId={botId} contact={contact} />
      <Timeline botId={botId} contactId={contactId} />
      {dialog === 'edit' && (
        <ContactForm botId={botId} contacts={contacts} contact={contact} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'delete' && (
        <Confirm
          title={`Delete ${contact.name}?`}
          confirmLabel="Delete contact"
          onClose={() => setDialog(undefined)}
          onConfirm={() => contacts.delete(contactId)}
          onDone={() => {
            navigate(list, { isReplacing: true });
            queries.removeQueries({ queryKey: keys.contact(botId, contactId) });
            queries.invalidateQueries({ queryKey: keys.contacts(botId) });
            queries.invalidateQueries({ queryKey: keys.bots });
            notify(`${contact.name} was deleted.`);
          }}
        >
          <p>Their tokens are deleted too, and the widget no longer recognizes this visitor. This can’t be undone.</p>
        </Confirm>
      )}
    </Page>
  );
}
