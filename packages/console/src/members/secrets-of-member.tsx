// Offers to revoke the secrets of a member who is being removed.
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { secretsQuery } from '../api/queries.ts';
import { counted } from '../components/moment.tsx';
import { createdWith } from '../secrets/created-with.ts';
import { useSignedIn } from '../session.tsx';

interface SecretsOfMemberProps {
  memberId: string;
  isChecked: boolean;
  onChange(isChecked: boolean): void;
}

export function SecretsOfMember({ memberId, isChecked, onChange }: SecretsOfMemberProps) {
  const { connection } = useSignedIn();
  const { data = [] } = useQuery(secretsQuery(connection));
  const secrets = createdWith(data, memberId, Date.now());
  if (secrets.length === 0) return null;
  return (
    <Checkbox
      label={`Revoke ${counted(secrets.length, 'secret')} that they created`}
      description={`${secrets.map(({ name }) => name).join(', ')}. Servers that use them are rejected at once.`}
      checked={isChecked}
      onChange={(event) => onChange(event.currentTarget.checked)}
      mb="sm"
    />
  );
}
