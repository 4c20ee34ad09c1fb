// All reads by key, on the main thread's connection, in the snapshot that they share.
import type { DatabaseSync } from 'node:sqlite';
import { accountReads } from '../account/account-sql.ts';
import { purgingReads } from '../purge-sql.ts';
import { prepareContactReads } from './contacts/reads.ts';
import { prepareSteps } from './contacts/rows.ts';
import { prepareFeeds } from './events/events.ts';
import { prepareSnapshot } from './snapshot.ts';
import { prepareBotNumbers } from './tenants/bot-numbers.ts';
import { prepareTenantReads } from './tenants/tenants.ts';
import { prepareTokenReads } from './tokens/contact-tokens.ts';
import { prepareAttributeReads } from './values/attributes.ts';
import { prepareWebhookReads } from './webhooks/webhooks.ts';

type Read = (...args: unknown[]) => unknown;
type Promised<Reads extends Record<string, (...args: never[]) => unknown>> = {
  [Name in keyof Reads]: (...args: Parameters<Reads[Name]>) => Promise<ReturnType<Reads[Name]>>;
};

/** `closing` is aborted with the error that reads are rejected with from then on. */
export function prepareMainReads(db: DatabaseSync, closing: AbortSignal, noteError: (error: unknown) => unknown) {
  const snapshot = prepareSnapshot(db, noteError);
  const numbers = prepareBotNumbers(db);
  const any = db.prepare('SELECT rowid FROM search_pending LIMIT 1');
  const reads = {
    ...prepareTenantReads(db),
    ...prepareContactReads(db, numbers),
    ...prepareAttributeReads(db, numbers),
    ...prepareTokenReads(db, numbers),
    ...prepareFeeds(db),
    ...prepareWebhookReads(db, numbers),
    ...prepareSteps(db)({ ...accountReads, ...purgingReads('NULL') }),
  };
  const promised = Object.entries(reads).map(([name, read]) => {
    const readShared = snapshot.share(read as Read);
    const readOpen = async (...args: unknown[]) => {
      closing.throwIfAborted();
      return readShared(...args);
    };
    return [name, readOpen];
  });
  const findContact = snapshot.share(reads.findContact);

  return {
    reads: {
      ...(Object.fromEntries(promised) as Promised<typeof reads>),
      findContact(botId: string, contactId: string) {
        closing.throwIfAborted();
        return findContact(botId, contactId);
      },
    },
    dropSnapshot: snapshot.drop,
    forgetBot: numbers.forget,
    /** Throws when nothing can be read. */
    tryRead: snapshot.share(() => void any.get()),
  };
}
