// The sign-in, at any route, which is shown afterwards. Before the first set-up, the set-up page is shown instead.
import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Form, useForm } from '../components/form.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { SignedOutLayout } from '../components/signed-out-layout.tsx';
import { useRoute } from '../router.ts';
import { useAnonymous, useSessionChange } from '../session.tsx';
import SetUpPage from './set-up.tsx';

export default function SignInPage() {
  const connection = useAnonymous();
  const changeSession = useSessionChange();
  const route = useRoute();
  const state = useQuery({
    queryKey: ['state'],
    queryFn: async ({ signal }) => (await connection.call('readAccountState', {}, { signal })).data,
  });
  const form = useForm(
    { email: '', password: '' },
    (body) => connection.call('signIn', { body }),
    ({ data }) => changeSession(data),
  );
  if (state.data?.isSetUp === false) return <SetUpPage code="" />;
  // Until the state is known, nothing is shown. When it cannot be read, the form is the more likely page.
  if (state.isPending) return <SignedOutLayout title="" />;
  const isElsewhere = route.segments.length > 0;
  return (
    <SignedOutLayout title="Sign in" lead={isElsewhere ? 'Afterwards you are back where you were.' : undefined}>
      <Form form={form} label="Sign in">
        <TextInput label="Email" type="email" autoComplete="username" autoFocus required {...form.field('email')} />
        <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
        <Button type="submit" loading={form.isPending} fullWidth mt={4}>
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          Forgot your password? Whoever runs this server can make a link for a new one, with{' '}
          <code>roster member reset-password</code>.{' '}
          <Anchor href="#/setup" size="sm">
            Have a set-up code?
          </Anchor>
        </Text>
      </Form>
    </SignedOutLayout>
  );
}
