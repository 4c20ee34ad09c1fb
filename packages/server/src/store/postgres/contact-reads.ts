// Reads of contacts by key, gathered into few statements. Searches and exports are in search/.
import type { Contact } from '@roster/contract';
import { type ContactRow, planUpsert, toContact } from '../contact-row.ts';
import type { Store } from '../store.ts';
import { statements } from './contact-statements.ts';
import { gatherReads } from './gathered-reads.ts';
import type { Transactions } from './transactions.ts';

export function prepareContactReads({ readOf, readWith }: Transactions) {
  const gather = (statement: { name: string; text: string }) =>
    gatherReads<Contact>({
      lend: readWith,
      async load(connection, botId, keys) {
        const rows = await connection.tuples<[key: string, ...contact: ContactRow]>(statement, [botId, keys]);
        return new Map(rows.map(([key, ...contact]) => [key, toContact(contact)]));
      },
    });
  const byId = gather(statements.findById);
  const byEmail = gather(statements.findByEmail);

  const methods = {
    findContact: byId.find,
    findContactByEmail: byEmail.find,
    async findNameless(botId, items) {
      const keys = items.map(({ emailKey }) => emailKey);
      const rows = await readOf<{ email_key: string }>(statements.findByEmail, [botId, keys]);
      const found = new Set(rows.map(({ email_key }) => email_key));
      return planUpsert(items, (emailKey) => found.has(emailKey) || undefined).nameless;
    },
  } satisfies Partial<Store>;
  return { methods, pending: () => byId.pending() + byEmail.pending() };
}
