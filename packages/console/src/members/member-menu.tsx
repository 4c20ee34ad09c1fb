// An owner's actions on a member.
import { ActionIcon, Menu } from '@mantine/core';
import type { Member } from '@roster/contract';
import danger from '../components/danger.module.css';
import { Icon } from '../components/icons.tsx';

interface MemberMenuProps {
  member: Member;
  onAct(kind: 'promote' | 'demote' | 'remove'): void;
}

export function MemberMenu({ member, onAct }: MemberMenuProps) {
  const isOwner = member.role === 'owner';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.name}`}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onAct(isOwner ? 'demote' : 'promote')}>
          {isOwner ? 'Make member…' : 'Make owner…'}
        </Menu.Item>
        <Menu.Item className={danger.item ?? ''} onClick={() => onAct('remove')}>
          Remove…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
