// The menu of the signed-in member: account settings, colour scheme and sign-out.
import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { useSignOut } from '../sign-out.ts';
import { Icon } from './icons.tsx';
import { type ButtonElement, useOpened } from './use-opened.ts';

const schemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const satisfies { value: MantineColorScheme; label: string }[];

interface AccountMenuProps {
  button: ButtonElement;
  /** Left out: on a phone. */
  onShortcuts: (() => void) | undefined;
}

export default function AccountMenu({ button, onShortcuts }: AccountMenuProps) {
  const { isOpened, setIsOpened, focusedButton } = useOpened(button);
  // Mantine would switch transitions off by an inline style, which the content security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const { signOut } = useSignOut();
  return (
    <Menu
      opened={isOpened}
      onChange={setIsOpened}
      position="top-start"
      width="target"
      withinPortal={false}
      transitionProps={{ duration: 100 }}
    >
      <Menu.Target>{focusedButton}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href="#/account" leftSection={<Icon name="gear" size={16} />}>
          Your account
        </Menu.Item>
        {onShortcuts && (
          <Menu.Item leftSection={<Icon name="keyboard" size={16} />} onClick={onShortcuts}>
            Keyboard shortcuts
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          {schemes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
