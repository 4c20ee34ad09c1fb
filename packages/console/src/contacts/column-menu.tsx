// The menu in which the columns of the list are chosen.
import { Menu } from '@mantine/core';
import { type ButtonElement, useOpened } from '../components/use-opened.ts';
import type { Column } from './columns.ts';
import classes from './filter-bar.module.css';

interface ColumnMenuProps {
  button: ButtonElement;
  columns: readonly Column[];
  chosen: readonly string[];
  onChoose(keys: readonly string[]): void;
}

export default function ColumnMenu({ button, columns, chosen, onChoose }: ColumnMenuProps) {
  const { isOpened, setIsOpened, focusedButton } = useOpened(button);
  const toggle = (key: string) => {
    const next = chosen.includes(key) ? chosen.filter((each) => each !== key) : [...chosen, key];
    onChoose(next);
  };
  return (
    <Menu opened={isOpened} onChange={setIsOpened} position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>{focusedButton}</Menu.Target>
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
