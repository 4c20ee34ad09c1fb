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

/** A contact by its id; as an object only if it was last updated at one of these times. */
export type ContactRef = string | { id: string; updatedAtMs: readonly number[] };

export function idOf(contact: ContactRef): string {
  return typeof contact === 'string' ? contact : contact.id;
}

/** Whether the contact that has the id is another version than those asked for. */
export function isOtherVersion(contact: ContactRef, updatedAtMs: number): boolean {
  return typeof contact !== 'string' && !contact.updatedAtMs.includes(updatedAtMs);
}

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
/** The contact is another version than those asked for. */
export type OtherVersion = { kind: 'precondition_failed' };
export type UpdateOutcome = ({ kind: 'updated' } & ContactWithValues) | OtherVersion | RefusedWrite;
/** False when there is no such contact. */
export type DeleteOutcome = boolean | OtherVersion;

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
