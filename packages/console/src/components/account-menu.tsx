// The menu of the signed-in member: account settings, colour scheme and sign-out.
import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { roleNames } from '../members/role-badge.tsx';
import { useSignedIn } from '../session.tsx';
import { useSignOut } from '../sign-out.ts';
import { Icon } from './icons.tsx';
import classes from './navigation.module.css';

const schemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const satisfies { value: MantineColorScheme; label: string }[];

export function AccountMenu() {
  const { session } = useSignedIn();
  // Mantine would switch transitions off by an inline style, which the content security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const { signOut } = useSignOut();
  const { name, role } = session.member;
  return (
    <Menu position="top-start" width={220} withinPortal={false} transitionProps={{ duration: 100 }}>
      <Menu.Target>
        <UnstyledButton className={classes.member ?? ''}>
          <span className={classes.initial} aria-hidden="true">
            {Array.from(name)[0]?.toUpperCase()}
          </span>
          <span className={classes.memberText}>
            <span className={classes.memberName}>{name}</span>
            <span className={classes.memberRole}>{roleNames[role]}</span>
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href="#/account" leftSection={<Icon name="gear" size={16} />}>
          Your account
        </Menu.Item>
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
