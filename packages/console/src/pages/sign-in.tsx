// The sign-in, at any route, which is shown afterwards. Before the first set-up, the set-up page is shown instead. Whoever
// has the same password in several organizations then chooses one; to change to another, they sign out and in again.
import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { ApiError } from '@roster/client/parts';
import type { Problem } from '@roster/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FailureNote } from '../components/failure-note.tsx';
import { Form, useForm } from '../components/form.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { SignedOutLayout } from '../components/signed-out-layout.tsx';
import { hasSessionEnded } from '../kept-state.ts';
import { useRoute } from '../router.ts';
import { useAnonymous, useSessionChange } from '../session.tsx';
import SetUpPage from './set-up.tsx';
import classes from './sign-in.module.css';

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
  const [isAsking, setIsAsking] = useState(false);
  const { email, password } = form.values;
  /** The server says only that it was incorrect. */
  const submit = (event: FormEvent) => {
    const isComplete = email.trim() !== '' && password !== '';
    setIsAsking(!isComplete);
    if (isComplete) form.submit(event);
    else event.preventDefault();
  };
  const offered = organizationsToChoose(form.error);
  if (state.data?.isSetUp === false) return <SetUpPage code="" />;
  // Until the state is known, nothing is shown. When it cannot be read, the form is the more likely page.
  if (state.isPending) return <SignedOutLayout title="" />;
  const isElsewhere = route.segments.length > 0;
  if (offered !== undefined) return <ChooseOrganization organizations={offered} credentials={form.values} />;
  return (
    <SignedOutLayout
      title="Sign in"
      lead={isElsewhere ? `${hasSessionEnded() ? 'Your session ended. ' : ''}Sign in to continue.` : undefined}
    >
      <Form form={{ ...form, submit }} label="Sign in" isDisposable>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          required
          {...form.field('email')}
          {...(isAsking && email.trim() === '' && { error: 'Enter your email.' })}
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          {...form.field('password')}
          {...(isAsking && password === '' && { error: 'Enter your password.' })}
        />
        <Button type="submit" loading={form.isPending} fullWidth mt={4}>
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          Forgot your password? Ask your server admin for a reset link (<code>roster member reset-password</code>).{' '}
          <Anchor href="#/setup" size="sm">
            Have a set-up code?
          </Anchor>
        </Text>
      </Form>
    </SignedOutLayout>
  );
}

type Organizations = NonNullable<Problem['organizations']>;

/** Undefined unless the email and the password fit several organizations. */
function organizationsToChoose(error: unknown): Organizations | undefined {
  const isChoice = error instanceof ApiError && (error.code as string) === 'organization_required';
  return isChoice ? (error.error as Pick<Problem, 'organizations'>).organizations : undefined;
}

interface ChooseOrganizationProps {
  organizations: Organizations;
  credentials: { email: string; password: string };
}

function ChooseOrganization({ organizations, credentials }: ChooseOrganizationProps) {
  const connection = useAnonymous();
  const changeSession = useSessionChange();
  const choice = useMutation({
    mutationFn: (organizationId: string) => connection.call('signIn', { body: { ...credentials, organizationId } }),
    onSuccess: ({ data }) => changeSession(data),
  });
  return (
    <SignedOutLayout title="Choose an organization" lead={`${credentials.email} is a member of several.`}>
      {choice.error !== null && <FailureNote error={choice.error} />}
      <ul className={classes.choices}>
        {organizations.map(({ id, name }, index) => (
          <li key={id}>
            <Button
              variant="default"
              fullWidth
              autoFocus={index === 0}
              loading={choice.isPending && choice.variables === id}
              disabled={choice.isPending}
              onClick={() => choice.mutate(id)}
            >
              {name}
            </Button>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        To switch later, sign out and sign in again.
      </Text>
    </SignedOutLayout>
  );
}
