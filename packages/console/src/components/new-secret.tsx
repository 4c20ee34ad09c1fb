// A secret that was just created. It is shown this once, and closing the dialog takes a decision.
import { Alert, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './confirm.module.css';
import { Dialog } from './confirm.tsx';
import { CopyBox } from './copy.tsx';
import { Icon } from './icons.tsx';

interface NewSecretProps {
  title: string;
  secret: string;
  /** Where to store it. */
  children: ReactNode;
  onClose(): void;
}

export function NewSecret({ title, secret, children, onClose }: NewSecretProps) {
  return (
    <Dialog title={title} onClose={onClose} isDismissible={false} size="lg">
      <div className={classes.form}>
        <Alert variant="light" className={classes.callout ?? ''} icon={<Icon name="warning" />}>
          You won’t see it again. {children}
        </Alert>
        <CopyBox text={secret} label="The secret" isFirst />
        <Group justify="flex-end">
          <Button onClick={onClose}>I’ve saved it</Button>
        </Group>
      </div>
    </Dialog>
  );
}
