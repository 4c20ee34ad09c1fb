// Whether the member decides where events are sent: creates webhooks, changes their URLs, rotates secrets and replays events.
import { useQuery } from '@tanstack/react-query';
import { organizationSettingsQuery } from '../api/queries.ts';
import { useSignedIn } from '../session.tsx';

/** False until it is known. */
export function useCanManageWebhooks(): boolean {
  const { connection, isOwner, canWrite } = useSignedIn();
  const settings = useQuery({ ...organizationSettingsQuery(connection), enabled: canWrite && !isOwner });
  return isOwner || (canWrite && settings.data?.membersMayManageWebhooks === true);
}
