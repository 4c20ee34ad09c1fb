// The very first start: makes an organization, a bot and a secret, so that the service can be tried at once.
import { defaultBotSettings } from '@roster/contract';
import { newSecret } from '../account/secrets.ts';
import { makeId } from '../contacts/ids.ts';
import type { Store } from '../store/store.ts';

export interface FirstRun {
  organizationId: string;
  botId: string;
  secret: string;
}

/** Undefined when there is an organization already, or another process makes the first one at this moment. */
export async function createFirstOrganization(store: Store, nowMs: number): Promise<FirstRun | undefined> {
  const organizationId = makeId('organization', nowMs * 1000);
  const botId = makeId('bot', nowMs * 1000);
  const id = makeId('secret', nowMs * 1000);
  const secret = newSecret({ id, organizationId, name: 'First secret', createdAtMs: nowMs });
  const isFirst = await store.createFirstOrganization({
    organization: { id: organizationId, name: 'My organization', createdAtMs: nowMs },
    bot: { id: botId, organizationId, ...defaultBotSettings, name: 'My bot', createdAtMs: nowMs },
    secret: secret.stored,
  });
  return isFirst ? { organizationId, botId, secret: secret.text } : undefined;
}

/** Goes straight to the terminal, and nowhere else: it holds the secret. */
export function welcomeText({ organizationId, botId, secret }: FirstRun, url: string): string {
  return `
Welcome to Roster. This is the first start, so we created an organization, a bot and a secret for you:

  organization  ${organizationId}
  bot           ${botId}
  secret        ${secret}

Copy the secret now: it won't be shown again. Store it where only your server can read it.

To create your first contact, run:

  curl -X PUT ${url}/v1/bots/${botId}/contacts \\
    -H 'Authorization: Bearer ${secret}' \\
    -H 'Content-Type: application/json' \\
    -d '{"name":"Jane Doe","email":"jane@example.com"}'
`;
}
