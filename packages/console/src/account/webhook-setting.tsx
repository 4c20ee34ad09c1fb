// The organization's setting of who may decide where webhooks send events: owners alone, or members too.
import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { organizationSettingsQuery } from '../api/queries.ts';
import { FailureNote } from '../components/failure-note.tsx';
import { Loaded } from '../components/loaded.tsx';
import { useNotify } from '../components/notices.tsx';
import { useSignedIn } from '../session.tsx';

export function WebhookSetting() {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const query = organizationSettingsQuery(connection);
  const settings = useQuery(query);
  const change = useMutation({
    mutationFn: (membersMayManageWebhooks: boolean) =>
      connection.call('updateOrganizationSettings', { body: { membersMayManageWebhooks } }),
    onSuccess: ({ data }) => {
      queries.setQueryData(query.queryKey, data);
      notify('Saved.');
    },
  });
  return (
    <Loaded query={settings} lines={1}>
      {({ membersMayManageWebhooks }) => (
        <>
          {change.error !== null && <FailureNote error={change.error} />}
          <Switch
            label="Members can manage webhooks"
            description="Create them, change their URL, rotate their secret and replay events. Each asks for the password, as it does for owners."
            checked={change.isPending ? change.variables : membersMayManageWebhooks}
            // A switch that is disabled would lose the focus.
            onChange={(event) => change.isPending || change.mutate(event.currentTarget.checked)}
          />
        </>
      )}
    </Loaded>
  );
}
