// The form for creating or editing a contact.
import { Anchor, TextInput } from '@mantine/core';
import type { Contact } from '@roster/client';
import { ApiError, type Contacts } from '@roster/client/parts';
import { useQueryClient } from '@tanstack/react-query';
import { includedValues, keys } from '../api/queries.ts';
import { Dialog } from '../components/confirm.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { linkTo } from '../router.ts';
import classes from './contact-form.module.css';

interface ContactFormProps {
  botId: string;
  contacts: Contacts;
  /** The contact to edit. Left out: a new one. */
  contact?: Contact;
  onClose(): void;
}

export function ContactForm({ botId, contacts, contact, onClose }: ContactFormProps) {
  const queries = useQueryClient();
  const notify = useNotify();
  const { name = '', email = '', phone = '', wid = '', mid = '' } = contact ?? {};
  const form = useForm(
    { name, email, phone, wid, mid },
    (values, changed) =>
      contact === undefined
        ? contacts.create(values, { include: includedValues })
        : contacts.update(contact.id, changed, { include: includedValues }),
    ({ data }) => {
      queries.setQueryData(keys.contact(botId, data.id), data);
      for (const queryKey of [keys.contacts(botId), keys.bots, keys.events(botId)]) {
        queries.invalidateQueries({ queryKey });
      }
      notify(contact === undefined ? `${data.name} was created.` : 'Saved.');
      onClose();
    },
  );
  const holder = form.error instanceof ApiError ? form.error.error?.contactId : undefined;
  return (
    <Dialog title={contact === undefined ? 'New contact' : 'Edit contact'} onClose={onClose}>
      <Form form={form} label="Contact">
        {holder !== undefined && (
          <Anchor href={linkTo(['bots', botId, 'contacts', holder])} size="sm" onClick={onClose}>
            Show the contact that has this email
          </Anchor>
        )}
        <TextInput label="Name" required data-autofocus autoComplete="off" {...form.field('name')} />
        <TextInput label="Email" type="email" required autoComplete="off" {...form.field('email')} />
        <TextInput label="Phone" type="tel" autoComplete="off" {...form.field('phone')} />
        <div className={classes.pair}>
          <TextInput
            label="WhatsApp"
            description="In international format"
            autoComplete="off"
            placeholder="+15550100123"
            {...form.field('wid')}
          />
          <TextInput
            label="Messenger ID"
            description="The ID that Messenger sends"
            autoComplete="off"
            {...form.field('mid')}
          />
        </div>
        <FormButtons form={form} submitLabel={contact === undefined ? 'Create contact' : 'Save'} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
