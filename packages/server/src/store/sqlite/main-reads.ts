// All reads by key, on the main thread's connection, in the snapshot that they share.
import type { DatabaseSync } from 'node:sqlite';
import { prepareAccountReads } from './account-reads.ts';
import { prepareAuditReads } from './audit.ts';
import { prepareBotNumbers } from './bot-numbers.ts';
import { prepareContactReads } from './contact-reads.ts';
import { prepareTokenReads } from './contact-tokens.ts';
import { prepareSnapshot } from './snapshot.ts';
import { prepareTenantReads } from './tenants.ts';

export function prepareMainReads(db: DatabaseSync) {
  const snapshot = prepareSnapshot(db);
  const numbers = prepareBotNumbers(db);
  const pending = db.prepare('SELECT count(*) AS count FROM search_pending');

  return {
    ...prepareTenantReads(db, snapshot),
    ...prepareContactReads(db, snapshot, numbers),
    ...prepareTokenReads(db, snapshot, numbers),
    ...prepareAccountReads(db, snapshot),
    ...prepareAuditReads(db, snapshot),

    dropSnapshot: snapshot.drop,
    forgetBot: numbers.forget,
    countUnindexed: () => snapshot.read(() => (pending.get() as { count: number }).count),
  };
}
