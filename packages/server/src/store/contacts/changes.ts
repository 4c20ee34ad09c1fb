// What the port's writes of contacts take, and what they come to.
import type { Contact, ContactOutcome } from '@roster/contract';
import type { ContactValues, ValueChanges, ValueFault } from '../values/attribute-store.ts';

/** What a contact is made of. The key is `emailKey(email)`, made by the caller. */
export interface ContactFields extends ValueChanges {
  name: string;
  email: string;
  emailKey: string;
  phone: string;
  mid: string;
  wid: string;
}

/** Fields left out keep their value. `email` and `emailKey` come together or not at all. */
export type ContactChanges = Partial<ContactFields>;

export type UpsertItem = ContactChanges & Pick<ContactFields, 'email' | 'emailKey'>;

/** A contact, and what it has beside its fields. */
export interface ContactWithValues {
  contact: Contact;
  values: ContactValues;
}

/** An email that is taken is reported before faults of values. Nothing was written. */
type RefusedWrite =
  | { kind: 'email_taken'; contactId: string }
  | { kind: 'invalid_values'; fault: ValueFault }
  | { kind: 'missing' };
export type CreateOutcome = ({ kind: 'created' } & ContactWithValues) | RefusedWrite;
export type UpdateOutcome = ({ kind: 'updated' } & ContactWithValues) | RefusedWrite;

/** `nameless`: the item would create a contact without a name. */
export interface ItemFault {
  position: number;
  fault: 'nameless' | ValueFault;
}

/**
 * `outcomes` says of each item what the whole upsert did to its contact. With faults nothing was written; an item with one
 * is passed over when those after it are judged.
 */
export type UpsertOutcome =
  | { kind: 'upserted'; ids: string[]; outcomes: ContactOutcome[] }
  | { kind: 'invalid_items'; faults: ItemFault[] }
  | { kind: 'missing' };
