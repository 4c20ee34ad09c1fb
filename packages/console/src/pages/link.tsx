// A one-time link: reading its purpose does not use it up; then the visitor joins, or chooses a new password.
import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { describeFailure } from '../api/failure.ts';
import { FailureNote } from '../components/failure-note.tsx';
import { Form, useForm } from '../components/form.tsx';
import { NewPassword } from '../components/password-field.tsx';
import { SignedOutLayout } from '../components/signed-out-layout.tsx';
import { navigate } from '../router.ts';
import { useAnonymous, useSessionChange } from '../session.tsx';

interface LinkFormProps {
  token: string;
  email: string;
}

export default function LinkPage({ token }: { token: string }) {
  const connection = useAnonymous();
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: async ({ signal }) => (await connection.call('readLink', { body: { token } }, { signal })).data,
    // A used link cannot be read again, so the page must not be refetched after it was used.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (link.isPending) return <SignedOutLayout title="" />;
  if (link.data?.kind === 'invitation') {
    const { email, organizationName } = link.data;
    return (
      <SignedOutLayout title={`Join ${organizationName}`} lead={`You were invited as ${email}.`}>
        <JoinForm token={token} email={email} />
      </SignedOutLayout>
    );
  }
  if (link.data?.kind === 'passwordReset') {
    return (
      <SignedOutLayout title="Choose a new password" lead="This signs you out everywhere else.">
        <ResetForm token={token} email={link.data.email} />
      </SignedOutLayout>
    );
  }
  return (
    <SignedOutLayout title="This link doesn’t work">
      {describeFailure(link.error).canRetry ? (
        <FailureNote error={link.error} onRetry={() => link.refetch()} />
      ) : (
        <Text mt="sm" c="dimmed">
          It was already used, has expired, or was revoked. Ask whoever sent it for a new one.
        </Text>
      )}
      <Text mt="lg" size="sm">
        <Anchor href="#/" size="sm">
          Go to sign-in
        </Anchor>
      </Text>
    </SignedOutLayout>
  );
}

/** The link has created a session: shows the first page, and removes the token from the URL. */
function useLinkSession() {
  const changeSession = useSessionChange();
  return ({ data }: { data: Parameters<typeof changeSession>[0] }) => {
    navigate('#/', { isReplacing: true });
    changeSession(data);
  };
}

function JoinForm({ token, email }: LinkFormProps) {
  const connection = useAnonymous();
  const form = useForm(
    { name: '', password: '' },
    (values) => connection.call('acceptInvitation', { body: { token, ...values } }),
    useLinkSession(),
  );
  return (
    <Form form={form} label="Join">
      <TextInput label="Email" type="email" autoComplete="username" value={email} readOnly />
      <TextInput label="Your name" autoComplete="name" autoFocus required {...form.field('name')} />
      <NewPassword {...form.field('password')} />
      <Button type="submit" loading={form.isPending} fullWidth mt={4}>
        Join
      </Button>
    </Form>
  );
}

function ResetForm({ token, email }: LinkFormProps) {
  const connection = useAnonymous();
  const form = useForm(
    { password: '' },
    (values) => connection.call('resetPassword', { body: { token, ...values } }),
    useLinkSession(),
  );
  return (
    <Form form={form} label="New password">
      <TextInput label="Email" type="email" autoComplete="username" value={email} readOnly />
      <NewPassword label="New password" {...form.field('password')} />
      <Button type="submit" loading={form.isPending} fullWidth mt={4}>
        Set password
      </Button>
    </Form>
  );
}
