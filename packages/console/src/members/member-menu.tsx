// An owner's actions on a member.
import { ActionIcon, Menu } from '@mantine/core';
import type { Member, Role } from '@roster/contract';
import danger from '../components/danger.module.css';
import { Icon } from '../components/icons.tsx';

interface MemberMenuProps {
  member: Member;
  onAct(act: Role | 'remove'): void;
}

export function MemberMenu({ member, onAct }: MemberMenuProps) {
  const others = (['owner', 'member', 'viewer'] as const).filter((role) => role !== member.role);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.name}`}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {others.map((role) => (
          <Menu.Item key={role} onClick={() => onAct(role)}>
            Make {role}…
          </Menu.Item>
        ))}
        <Menu.Item className={danger.item ?? ''} onClick={() => onAct('remove')}>
          Remove…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
