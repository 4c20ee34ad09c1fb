// The contact that a user names by its id or email.
import type { Contact, ContactInclude, ContactWith, Roster } from '@roster/client';
import { refusal } from './failure.ts';

export type ShownContact = Contact & Partial<ContactWith<ContactInclude>>;

/** Attributes and tags too. */
export const withAll = { include: ['attributes', 'tags'] as ContactInclude[] };

/** An id never holds an @. */
export async function findContact(roster: Roster, contact: string): Promise<ShownContact> {
  return contact.includes('@')
    ? findByEmail(roster, contact, withAll)
    : (await roster.contacts.retrieve(contact, withAll)).data;
}

export async function findContactId(roster: Roster, contact: string): Promise<string> {
  return contact.includes('@') ? (await findByEmail(roster, contact)).id : contact;
}

async function findByEmail(
  roster: Roster,
  email: string,
  options: { include?: readonly ContactInclude[] } = {},
): Promise<ShownContact> {
  const { data } = await roster.contacts.find({ email }, options);
  if (data !== undefined) return data;
  throw refusal(
    `This bot has no contact with the email ${email.trim()}. Check the email and the bot (--bot or ROSTER_BOT).`,
  );
}
