// The empty state of a bot without contacts: three ways to add them.
import { Button, Group } from '@mantine/core';
import { serviceUrl } from '../api/connection.ts';
import { CopyBox } from '../components/copy.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icons.tsx';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';

export default function NoContacts({ botId, onCreate }: { botId: string; onCreate: () => void }) {
  const { canWrite } = useSignedIn();
  if (!canWrite) {
    return (
      <EmptyState icon="contacts" title="No contacts yet" level={2}>
        <p>Contacts that your colleagues and servers add appear here.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="contacts" title="No contacts yet" level={2}>
      <p>Create a contact, import a CSV file, or send contacts from your server:</p>
      <CopyBox
        label="Command that creates a contact"
        text={`curl -X PATCH ${serviceUrl}/v1/bots/${botId}/contacts \\\n  -H "Authorization: Bearer $ROSTER_SECRET" -H "Content-Type: application/json" \\\n  -d '{"data":[{"name":"Jane Doe","email":"jane@example.com"}]}'`}
      />
      <p>
        Create the secret under <a href="#/secrets">Secrets</a>, and get the widget for your pages under{' '}
        <a href={linkTo(['bots', botId, 'settings'])}>Widget</a>.
      </p>
      <Group justify="center" gap="sm">
        <Button onClick={onCreate} leftSection={<Icon name="plus" size={16} />}>
          New contact
        </Button>
        <Button
          component="a"
          href={linkTo(['bots', botId, 'import'])}
          variant="default"
          leftSection={<Icon name="upload" size={16} />}
        >
          Import a CSV
        </Button>
      </Group>
    </EmptyState>
  );
}
