// A bot's contacts as members reach them: the handlers of the organization's own operations, and a word to the audit
// log. It tells of the bot, not of the contacts: their names are not kept beyond their deletion.
import { type AuditAction, isId, type operations } from '@roster/contract';
import type { RecordAction } from '../account/audit.ts';
import type { Deps } from '../deps.ts';
import { noSuchContact } from '../http/api-error.ts';
import type { Call, Handler } from '../http/operation-types.ts';
import { recordFor } from './account-deps.ts';
import { contactRoutes } from './contacts.ts';
import { toTimestamp, toTimestampOrNull } from './timestamps.ts';

type Operations = typeof operations;
type MembersCall = Pick<Call<Operations['listContactTokens']>, 'bot' | 'session' | 'request'>;

export function memberContactRoutes(deps: Pick<Deps, 'store' | 'clock'>, record: RecordAction) {
  const { store, clock } = deps;
  const contacts = contactRoutes(deps, '/v1/account/bots');

  const tell = async (call: MembersCall, action: AuditAction, count = 1): Promise<void> => {
    if (count > 0) await recordFor(record, call)(action, call.bot, count);
  };

  const createContact: Handler<Operations['createContactAsMember']> = async (call) => {
    const answer = await contacts.createContact({ ...call, session: undefined });
    await tell(call, 'contact.create');
    return answer;
  };

  const upsertContacts: Handler<Operations['upsertContactsAsMember']> = async (call) => {
    const answer = await contacts.upsertContacts({ ...call, session: undefined });
    await tell(call, 'contacts.import', answer.body.data.length);
    return answer;
  };

  const searchContacts = (call: Call<Operations['searchContactsAsMember']>) =>
    contacts.searchContacts({ ...call, session: undefined });

  const retrieveContact: Handler<Operations['retrieveContactAsMember']> = (call) =>
    contacts.retrieveContact({ ...call, session: undefined });

  const updateContact: Handler<Operations['updateContactAsMember']> = async (call) => {
    const answer = await contacts.updateContact({ ...call, session: undefined });
    await tell(call, 'contact.update');
    return answer;
  };

  const deleteContact: Handler<Operations['deleteContactAsMember']> = async (call) => {
    const answer = await contacts.deleteContact({ ...call, session: undefined });
    await tell(call, 'contact.delete');
    return answer;
  };

  /** Counted in contacts, over all pages. */
  const exportContacts: Handler<Operations['exportContactsAsMember']> = async (call) => {
    const answer = await contacts.exportContacts({ ...call, session: undefined });
    await tell(call, 'contacts.export', answer.body.data.length);
    return answer;
  };

  const listContactTokens: Handler<Operations['listContactTokens']> = async ({ bot, params }) => {
    const { contactId } = params;
    const contact = isId('contact', contactId) ? await store.findContact(bot.id, contactId) : undefined;
    if (contact === undefined) throw noSuchContact();
    const nowMs = clock();
    const tokens = await store.listContactTokens(bot.id, contactId);
    const live = tokens.filter(({ expiresAtMs }) => nowMs < expiresAtMs);
    const data = live.map(({ createdAtMs, expiresAtMs, lastSeenAtMs }) => ({
      createdAt: toTimestamp(createdAtMs),
      expiresAt: toTimestamp(expiresAtMs),
      lastSeenAt: toTimestampOrNull(lastSeenAtMs),
    }));
    return { body: { data } };
  };

  const revokeContactTokens: Handler<Operations['revokeContactTokens']> = async (call) => {
    const { bot, params } = call;
    const isRevoked = isId('contact', params.contactId) && (await store.revokeContactTokens(bot.id, params.contactId));
    if (!isRevoked) throw noSuchContact();
    await tell(call, 'contact.revokeTokens');
    return {};
  };

  return {
    createContact,
    upsertContacts,
    searchContacts,
    retrieveContact,
    updateContact,
    deleteContact,
    exportContacts,
    listContactTokens,
    revokeContactTokens,
  };
}
