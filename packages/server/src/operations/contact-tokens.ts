// Contact tokens: a server exchanges a contact for one, the visitor's browser asks who the visitor is, and members list
// and revoke them.
import { type Contact, contactTokenPattern, emailKey, isId, limits, type operations } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { hashCredential, makeContactToken } from '../account/credentials.ts';
import { ApiError, invalidRequest, noSuchContact } from '../http/api-error.ts';
import type { Call, Handler } from '../http/operation-types.ts';
import { ignoredIn } from '../http/validation.ts';
import { contactAudit } from './action-of.ts';
import { toTimestamp, toTimestampOrNull } from './timestamps.ts';

type Operations = typeof operations;
type IdentityCall = Call<Operations['authenticateContact']>;

const knownInIdentity: ReadonlySet<string> = new Set(['id', 'email']);

export function contactTokenHandlers(deps: Pick<AccountDeps, 'store' | 'clock' | 'nextId'>) {
  const { store, clock } = deps;
  const findContact = async (botId: string, { id, email }: IdentityCall['body']): Promise<Contact> => {
    const byId = id !== undefined && isId('contact', id) ? await store.findContact(botId, id) : undefined;
    const byEmail = email === undefined ? undefined : await store.findContactByEmail(botId, emailKey(email));
    const contact = byId ?? byEmail;
    if (contact === undefined) throw noSuchContact();
    if (id !== undefined && email !== undefined && byId?.id !== byEmail?.id) {
      throw invalidRequest([{ field: 'email', message: 'and id must name the same contact' }]);
    }
    return contact;
  };

  const issueToken = async ({ bot, body, rawBody }: IdentityCall) => {
    const contact = await findContact(bot.id, body);
    const token = makeContactToken();
    const createdAtMs = clock();
    const expiresAtMs = createdAtMs + limits.contactTokenTtlMs;
    const stored = { hash: hashCredential(token), createdAtMs, expiresAtMs };
    if (!(await store.createContactToken(bot.id, contact.id, stored))) throw noSuchContact();
    return {
      token: { token, createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) },
      headers: ignoredIn(rawBody, knownInIdentity),
    };
  };

  const authenticateContact: Handler<Operations['authenticateContact']> = async (call) => {
    const { token, headers } = await issueToken(call);
    return { body: token, headers };
  };

  const tokenizeContact = async (call: Call<Operations['tokenizeContact']>) => {
    const { token, headers } = await issueToken(call);
    return { body: { data: token }, headers };
  };

  const revokeContactToken: Handler<Operations['revokeContactToken']> = async ({ bot, params }) => {
    const isRevoked =
      contactTokenPattern.test(params.token) && (await store.revokeContactToken(bot.id, hashCredential(params.token)));
    if (!isRevoked) throw new ApiError('not_found', 'There is no such contact token in this bot.');
    return {};
  };

  const identifyVisitor: Handler<Operations['identifyVisitor']> = ({ visitor }) => {
    const { id, name, expiresAtMs } = visitor;
    return { body: { data: { id, name, expiresAt: toTimestamp(expiresAtMs) } } };
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
    const { contactId } = call.params;
    const isRevoked =
      isId('contact', contactId) && (await store.revokeContactTokens(call.bot.id, contactId, contactAudit(deps, call)));
    if (!isRevoked) throw noSuchContact();
    return {};
  };

  return {
    authenticateContact,
    tokenizeContact,
    tokenizeContactByPost: tokenizeContact,
    revokeContactToken,
    identifyVisitor,
    listContactTokens,
    revokeContactTokens,
  };
}
