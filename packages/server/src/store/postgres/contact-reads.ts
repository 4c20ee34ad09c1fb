// Reads of contacts: by key, gathered into few statements, and pages of an export. Searches are in search/.
import type { Contact } from '@roster/contract';
import { type ContactRow, planUpsert, toContact } from '../contact-row.ts';
import type { Store } from '../store.ts';
import { statements } from './contact-statements.ts';
import { gatherReads } from './gathered-reads.ts';
import { readRetryMs, retrying } from './retries.ts';
import type { SearchQueue } from './search/queue.ts';
import type { Transactions } from './transactions.ts';

/** `connections`: how many reads by key may be in flight. Pages of an export, which may take long, are in the queue. */
export function prepareContactReads({ read, readTuples }: Transactions, queue: SearchQueue, connections: number) {
  const gather = (statement: { name: string; text: string }) =>
    gatherReads<Contact>(async (botId, keys) => {
      const rows = await readTuples<[key: string, ...contact: ContactRow]>(statement, [botId, keys]);
      return new Map(rows.map(([key, ...contact]) => [key, toContact(contact)]));
    }, connections);
  const byId = gather(statements.findById);
  const byEmail = gather(statements.findByEmail);

  const methods = {
    findContact: byId.find,
    findContactByEmail: byEmail.find,
    async findNameless(botId, items) {
      const keys = items.map(({ emailKey }) => emailKey);
      const rows = await read<{ email_key: string }>(statements.findByEmail, [botId, keys]);
      const found = new Set(rows.map(({ email_key }) => email_key));
      return planUpsert(items, (emailKey) => found.has(emailKey) || undefined).nameless;
    },
    async exportContacts(botId, { after = '', limit }, caller) {
      // One row more than asked for tells whether there is a next page.
      const plan = { statement: statements.exportPage, values: [botId, after, limit + 1], isBroad: false };
      const rows = await retrying(readRetryMs, () => queue.query<ContactRow>(plan, caller));
      const contacts = rows.slice(0, limit).map(toContact);
      return { contacts, next: rows.length > limit ? contacts.at(-1)?.id : undefined };
    },
  } satisfies Partial<Store>;
  return { methods, pending: () => byId.pending() + byEmail.pending() };
}
