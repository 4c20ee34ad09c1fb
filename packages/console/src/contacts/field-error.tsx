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

/** `inNewTab`: beside a form with much that was typed, which the link to the other contact must not close. */
export function fieldError(botId: string, form: FailedForm, name: string, inNewTab = false): ReactNode {
  const holder = form.error instanceof ApiError ? form.error.error?.contactId : undefined;
  if (name !== 'email' || holder === undefined) return form.field(name).error;
  return <EmailHolder botId={botId} contactId={holder} inNewTab={inNewTab} />;
}

interface EmailHolderProps {
  botId: string;
  contactId: string;
  inNewTab: boolean;
}

function EmailHolder({ botId, contactId, inNewTab }: EmailHolderProps) {
  const { connection } = useSignedIn();
  const { data } = useQuery(contactQuery(connection, botId, contactId));
  return (
    <>
      This email belongs to{' '}
      <Anchor href={contactLink(botId, contactId)} inherit {...(inNewTab && { target: '_blank', rel: 'noopener' })}>
        {data?.name ?? 'another contact'}
      </Anchor>
      .
    </>
  );
}
