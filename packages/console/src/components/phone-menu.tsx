// The navigation on a phone, over the page.
import { Drawer } from '@mantine/core';
import type { Route } from '../router.ts';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

interface PhoneMenuProps {
  route: Route;
  onJump(): void;
  onClose(): void;
}

export default function PhoneMenu({ route, onJump, onClose }: PhoneMenuProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      title="Menu"
      size="17rem"
      // Mantine locks scrolling by an inline style, which the content security policy forbids.
      lockScroll={false}
      closeButtonProps={{ 'aria-label': 'Close the menu' }}
      classNames={{ body: classes.drawerBody ?? '', content: classes.drawer ?? '', header: classes.drawer ?? '' }}
    >
      <Navigation route={route} onJump={onJump} />
    </Drawer>
  );
}
