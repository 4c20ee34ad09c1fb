// A contact: see ContactContent.
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { ContactContent } from '../contacts/contact-content.tsx';
import { DeleteContact } from '../contacts/delete-contact.tsx';
import { listLink } from '../contacts/list-state.ts';
import { contactQuery } from '../contacts/whole-contact.ts';
import { navigate, useRoute } from '../router.ts';
import { useSignedIn } from '../session.tsx';

export default function ContactPage({ botId, contactId }: { botId: string; contactId: string }) {
  const { connection, canWrite } = useSignedIn();
  const query = useQuery(contactQuery(connection, botId, contactId));
  const list = listLink(botId, useRoute().parameters.get('list') ?? '');
  const contact = query.data;
  return (
    <Page
      title={contact?.name ?? 'Contact'}
      back={{ href: list, label: 'Contacts' }}
      actions={
        canWrite &&
        contact && (
          <DeleteContact botId={botId} contact={contact} onDeleted={() => navigate(list, { isReplacing: true })} />
        )
      }
    >
      <Loaded query={query}>{(loaded) => <ContactContent botId={botId} contact={loaded} />}</Loaded>
    </Page>
  );
}
