// All writes by name, as the writer thread runs them inside a transaction that may hold many, and what belongs to
// that transaction.
import type { DatabaseSync } from 'node:sqlite';
import { accountWrites } from '../account/account-sql.ts';
import { attemptWrites } from '../account/attempt-sql.ts';
import { purgingWrites } from '../purge-sql.ts';
import { prepareAuditWrites } from './account/audit.ts';
import { prepareActivityWrites, prepareCountCreated } from './activity/activity.ts';
import { prepareSteps } from './contacts/rows.ts';
import { prepareContactWrites } from './contacts/writes.ts';
import { prepareEventWrites } from './events/events.ts';
import { preparePurge } from './purge.ts';
import { prepareNoteChanges } from './search/note-changes.ts';
import { prepareValueIndex } from './search/value-index.ts';
import type { EngineSettings } from './settings.ts';
import { prepareBotStates } from './tenants/bot-states.ts';
import { prepareTenantWrites } from './tenants/tenants.ts';
import { prepareTokenWrites } from './tokens/contact-tokens.ts';
import { prepareAttributeWrites } from './values/attributes.ts';
import { prepareBotValues } from './values/bot-values.ts';
import { prepareRemovedValues } from './values/removed-values.ts';
import { prepareWebhookWrites } from './webhooks/webhooks.ts';

export type Writes = ReturnType<typeof prepareWrites>['writes'];

export function prepareWrites(db: DatabaseSync, settings: Pick<EngineSettings, 'indexThreshold'>) {
  const search = prepareNoteChanges(db, settings);
  const states = prepareBotStates(db);
  const botValues = prepareBotValues(db, states.takeNumber);
  const valueIndex = prepareValueIndex(db);
  const events = prepareEventWrites(db, states);
  const contacts = prepareContactWrites(db, states, botValues, search, valueIndex, prepareCountCreated(db), events);
  const audit = prepareAuditWrites(db);
  const purgeValues = prepareRemovedValues(db, states, botValues, search, valueIndex);
  const schemaVersion = db.prepare('PRAGMA user_version');

  const writes = {
    ...prepareTenantWrites(db, states),
    ...contacts.writes,
    ...prepareAttributeWrites(db, states, botValues, events),
    ...prepareTokenWrites(db, states, contacts.find, events),
    ...prepareActivityWrites(db),
    ...prepareWebhookWrites(db, states),
    ...prepareSteps(db)({ ...accountWrites, ...attemptWrites, ...purgingWrites }),
    ...audit.writes,
    ...preparePurge(db, search, purgeValues),

    /** Writes for real, and the same value: whether writing works shows only by doing it. */
    ping(): void {
      const { user_version } = schemaVersion.get() as { user_version: number };
      db.exec(`PRAGMA user_version = ${user_version}`);
    },
  };

  return {
    writes,

    /** To be called before each write. */
    beforeWrite: events.begin,

    recordAudit: audit.record,

    /** To be called before the transaction is committed. */
    beforeCommit(): void {
      botValues.saveAll();
      search.beforeCommit(states.changed);
      events.save();
      states.save();
    },

    /** Undoes the transaction, if one is open, and what is remembered of it. */
    rollBack(): void {
      if (db.isTransaction) db.exec('ROLLBACK');
      states.clear();
      botValues.clear();
      events.clear();
    },
  };
}
