// The role of a member or of an invitation.
import { Badge } from '@mantine/core';
import type { Member } from '@roster/contract';
import classes from '../pages/members.module.css';
import { roleNames } from './role-names.ts';

export function RoleBadge({ role }: Pick<Member, 'role'>) {
  return (
    <Badge variant="light" color={role === 'owner' ? 'pine' : 'gray'} className={classes.badge ?? ''}>
      {roleNames[role]}
    </Badge>
  );
}
