// The fields of a contact, those of every bot and the attributes of one: what each is called, and how its value is read and sent.
import type { Attribute, AttributeValue, ContactUpdate } from '@roster/client';
import { type FieldType, readValue } from './attribute-value.tsx';
import type { WholeContact } from './whole-contact.ts';

export interface ContactField {
  /** The server's name for it: `email`, `attributes.plan`. */
  name: string;
  label: string;
  type: FieldType;
  /** Of the type `choice`. */
  choices?: readonly string[] | undefined;
  description?: string | undefined;
  placeholder?: string;
  isRequired?: boolean;
}

export const ownFields: readonly ContactField[] = [
  { name: 'name', label: 'Name', type: 'text', isRequired: true },
  { name: 'email', label: 'Email', type: 'email', isRequired: true },
  { name: 'phone', label: 'Phone', type: 'tel' },
  { name: 'wid', label: 'WhatsApp', type: 'tel', description: 'In international format', placeholder: '+15550100123' },
  { name: 'mid', label: 'Messenger ID', type: 'text', description: 'The ID that Messenger sends' },
];

export function attributeField({ key, label, type, choices, description }: Attribute): ContactField {
  return { name: `attributes.${key}`, label, type, choices, description: description || undefined };
}

/** Undefined when there is none. */
export function fieldValue(contact: WholeContact, { name }: ContactField): AttributeValue | undefined {
  const key = attributeKey(name);
  if (key !== undefined) return contact.attributes[key];
  return contact[name as 'name' | 'email' | 'phone' | 'wid' | 'mid'] || undefined;
}

/** What to send for what was typed. */
export function changeOf({ name, type }: ContactField, typed: string): ContactUpdate {
  const key = attributeKey(name);
  return key === undefined ? { [name]: typed } : { attributes: { [key]: readValue(type, typed) } };
}

function attributeKey(name: string): string | undefined {
  return /^attributes\.(.+)$/.exec(name)?.[1];
}
