// Tells a viewer why the page offers nothing to change, and who can help.
import { Text } from '@mantine/core';

export function ViewerNote() {
  return (
    <Text size="sm" c="dimmed">
      As a viewer, you can’t make changes. Ask an owner to make you a member.
    </Text>
  );
}
