// The set-up: the code that the server printed at its first start creates the first owner.
import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { Form, useForm } from '../components/form.tsx';
import { NewPassword, PasswordField } from '../components/password-field.tsx';
import { SignedOutLayout } from '../components/signed-out-layout.tsx';
import { navigate } from '../router.ts';
import { useAnonymous, useSessionChange } from '../session.tsx';

export default function SetUpPage({ code }: { code: string }) {
  const connection = useAnonymous();
  const changeSession = useSessionChange();
  const form = useForm(
    { code, organizationName: '', name: '', email: '', password: '' },
    (body) => connection.call('setUpAccount', { body }),
    ({ data }) => {
      navigate('#/', { isReplacing: true });
      changeSession(data);
    },
  );
  return (
    <SignedOutLayout title="Set up Roster" lead="You’ll be the first owner. You can invite colleagues later.">
      <Form form={form} label="Set up Roster">
        {code === '' && (
          <PasswordField
            label="Set-up code"
            description="The server prints it, with a link, when it starts."
            autoComplete="off"
            autoFocus
            {...form.field('code')}
          />
        )}
        <TextInput
          label="Organization"
          autoComplete="organization"
          autoFocus={code !== ''}
          required
          {...form.field('organizationName')}
        />
        <TextInput label="Your name" autoComplete="name" required {...form.field('name')} />
        <TextInput label="Email" type="email" autoComplete="username" required {...form.field('email')} />
        <NewPassword {...form.field('password')} />
        <Button type="submit" loading={form.isPending} fullWidth mt={4}>
          Set up
        </Button>
        <Text size="sm" c="dimmed">
          Already set up?{' '}
          <Anchor href="#/" size="sm">
            Sign in
          </Anchor>
        </Text>
      </Form>
    </SignedOutLayout>
  );
}
