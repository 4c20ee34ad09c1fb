// The menu in which the columns of the list are chosen.
import { Button, Menu } from '@mantine/core';
import { Icon } from '../components/icons.tsx';
import type { Column } from './columns.ts';
import classes from './filter-bar.module.css';

interface ColumnMenuProps {
  columns: readonly Column[];
  chosen: readonly string[];
  onChoose(keys: readonly string[]): void;
}

export function ColumnMenu({ columns, chosen, onChoose }: ColumnMenuProps) {
  const toggle = (key: string) => {
    const next = chosen.includes(key) ? chosen.filter((each) => each !== key) : [...chosen, key];
    onChoose(next);
  };
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<Icon name="columns" size={15} />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu ?? ''}>
        {columns.map(({ key, label }) => (
          <Menu.CheckboxItem key={key} checked={chosen.includes(key)} onChange={() => toggle(key)}>
            {label}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
