// What is wrong with a field of a contact. An email that another contact has leads to that contact.
import { Anchor } from '@mantine/core';
import { ApiError } from '@roster/client/parts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { FormState } from '../components/form.tsx';
import { useSignedIn } from '../session.tsx';
import { contactLink } from './list-state.ts';
import { contactQuery } from './whole-contact.ts';

type FailedForm = Pick<FormState<Record<string, string>>, 'error' | 'field'>;

/** `onLeave`: the link to the other contact is followed. */
export function fieldError(botId: string, form: FailedForm, name: string, onLeave?: () => void): ReactNode {
  const holder = form.error instanceof ApiError ? form.error.error?.contactId : undefined;
  if (name !== 'email' || holder === undefined) return form.field(name).error;
  return <EmailHolder botId={botId} contactId={holder} onLeave={onLeave} />;
}

interface EmailHolderProps {
  botId: string;
  contactId: string;
  onLeave: (() => void) | undefined;
}

function EmailHolder({ botId, contactId, onLeave }: EmailHolderProps) {
  const { connection } = useSignedIn();
  const { data } = useQuery(contactQuery(connection, botId, contactId));
  return (
    <>
      This email belongs to{' '}
      <Anchor href={contactLink(botId, contactId)} inherit onClick={onLeave}>
        {data?.name ?? 'another contact'}
      </Anchor>
      .
    </>
  );
}
