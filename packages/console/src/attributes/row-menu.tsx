// The actions on one row of a table.
import { ActionIcon, Menu, Table } from '@mantine/core';
import danger from '../components/danger.module.css';
import { Icon } from '../components/icons.tsx';

interface RowMenuProps {
  name: string;
  change: { label: string; onChoose(): void };
  onDelete(): void;
}

export function RowMenu({ name, change, onDelete }: RowMenuProps) {
  return (
    <Table.Td align="right">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={change.onChoose}>{change.label}</Menu.Item>
          <Menu.Item className={danger.item ?? ''} onClick={onDelete}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Table.Td>
  );
}
