// The menu of what is done with files of contacts.
import { Menu } from '@mantine/core';
import { Icon } from '../components/icons.tsx';
import { type ButtonElement, useOpened } from '../components/use-opened.ts';
import { linkTo } from '../router.ts';

interface FilesMenuProps {
  button: ButtonElement;
  botId: string;
  onExport(): void;
}

export default function FilesMenu({ button, botId, onExport }: FilesMenuProps) {
  const { isOpened, setIsOpened, focusedButton } = useOpened(button);
  return (
    <Menu opened={isOpened} onChange={setIsOpened} position="bottom-end" transitionProps={{ duration: 100 }}>
      <Menu.Target>{focusedButton}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={linkTo(['bots', botId, 'import'])}
          leftSection={<Icon name="upload" size={16} />}
        >
          Import a CSV…
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="download" size={16} />} onClick={onExport}>
          Export as CSV…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
