// Offers to switch off the webhooks of a member who is being removed. The server finds which these are.
import { Checkbox } from '@mantine/core';

interface WebhooksOfMemberProps {
  isChecked: boolean;
  onChange(isChecked: boolean): void;
}

export function WebhooksOfMember({ isChecked, onChange }: WebhooksOfMemberProps) {
  return (
    <Checkbox
      label="Turn off the webhooks that they created or last changed"
      description="Of all bots, including those created or changed with secrets of theirs."
      checked={isChecked}
      onChange={(event) => onChange(event.currentTarget.checked)}
      mb="sm"
    />
  );
}
