// Asks for the password again, when the server wants it confirmed before a sensitive action.
import { Button, Group } from '@mantine/core';
import type { Connection } from '../api/connection.ts';
import { Dialog } from './confirm.tsx';
import { Form, useForm } from './form.tsx';
import { PasswordField } from './password-field.tsx';

interface PasswordPromptProps {
  connection: Connection;
  email: string;
  onClose(isConfirmed: boolean): void;
}

export default function PasswordPrompt({ connection, email, onClose }: PasswordPromptProps) {
  const form = useForm(
    { password: '' },
    (body) => connection.call('confirmPassword', { body }),
    () => onClose(true),
  );
  return (
    <Dialog title="Confirm your password" onClose={() => onClose(false)} isOnTop>
      <Form form={form} label="Confirm your password" isDisposable>
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <PasswordField
          label="Password"
          description="This action is sensitive, and you signed in a while ago."
          autoComplete="current-password"
          data-autofocus
          {...form.field('password')}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => onClose(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isPending}>
            Confirm
          </Button>
        </Group>
      </Form>
    </Dialog>
  );
}
