// The secret of a webhook, after it was created or rotated.
import { NewSecret } from '../components/new-secret.tsx';

export function NewWebhookSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <NewSecret title="The webhook’s secret" secret={secret} onClose={onClose}>
      Your receiver needs it to verify that messages come from Roster. Store it where only the receiver can read it.
    </NewSecret>
  );
}
