// Contact tokens: a server exchanges a contact for one, the visitor's browser asks who the visitor is, and members list
// and revoke them.
import {
  type Contact,
  contactTokenPattern,
  emailKey,
  isId,
  limits,
  type operations,
  tokenIdPattern,
} from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { hashCredential, makeContactToken } from '../account/credentials.ts';
import { toTimestamp, toTimestampOrNull } from '../answers/answers.ts';
import { ApiError, invalidRequest, noSuchContact } from '../http/api-error.ts';
import type { Call, Handlers } from '../http/operation-types.ts';
import type { ContactTokenState, TokenPosition } from '../store/store.ts';
import { contextOf } from './action-of.ts';

type IdentityCall = Call<(typeof operations)['authenticateContact']>;

export function contactTokenHandlers(deps: Pick<AccountDeps, 'store' | 'clock' | 'nextId' | 'quotas'>) {
  const { store, clock, quotas } = deps;
  const findContact = async (botId: string, { id, email }: IdentityCall['body']): Promise<Contact> => {
    const byId = id !== undefined && isId('contact', id) ? await store.findContact(botId, id) : undefined;
    const byEmail = email === undefined ? undefined : await store.findContactByEmail(botId, emailKey(email));
    const contact = byId ?? byEmail;
    if (contact === undefined) throw noSuchContact();
    if (id !== undefined && email !== undefined && byId?.id !== byEmail?.id) {
      throw invalidRequest([{ field: 'email', message: 'and id must belong to the same contact' }]);
    }
    return contact;
  };

  const issueToken = async (call: IdentityCall) => {
    const { bot, body } = call;
    const contact = await findContact(bot.id, body);
    const token = makeContactToken();
    const createdAtMs = clock();
    const seconds = Math.min(body.expiresIn ?? limits.contactTokenSecondsMax, bot.tokenMaxSeconds);
    const expiresAtMs = createdAtMs + seconds * 1000;
    const stored = { hash: hashCredential(token), createdAtMs, expiresAtMs };
    const max = quotas.tokensPerContact;
    const isCreated = await store.createContactToken(bot.id, contact.id, stored, max, contextOf(deps, call));
    if (!isCreated) throw noSuchContact();
    return { token, createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) };
  };

  const findToken = async (botId: string, contactId: string, id: string): Promise<ContactTokenState | undefined> => {
    const { createdAtMs, start } = parseTokenId(id);
    const page = { nowMs: clock(), after: { createdAtMs, hash: start }, limit: 1 };
    const { tokens } = await store.listContactTokens(botId, contactId, page);
    return tokens.find((token) => tokenId(token) === id);
  };

  const tokenizeContact = async (call: IdentityCall) => ({ body: { data: await issueToken(call) } });

  return {
    tokenizeContact,
    tokenizeContactByPost: tokenizeContact,

    authenticateContact: async (call) => ({ body: await issueToken(call) }),

    async revokeContactToken(call) {
      const { bot, params } = call;
      const isRevoked =
        contactTokenPattern.test(params.token) &&
        (await store.revokeContactToken(bot.id, hashCredential(params.token), contextOf(deps, call)));
      if (!isRevoked) throw new ApiError('not_found', 'This bot has no such contact token.');
      return {};
    },

    identifyVisitor({ visitor: { id, name, expiresAtMs } }) {
      return { body: { data: { id, name, expiresAt: toTimestamp(expiresAtMs) } } };
    },

    async listContactTokens({ bot, params: { contactId }, query: { after, limit } }) {
      const contact = isId('contact', contactId) ? await store.findContact(bot.id, contactId) : undefined;
      if (contact === undefined) throw noSuchContact();
      const page = { nowMs: clock(), after: after === undefined ? undefined : afterToken(after), limit };
      const { tokens, next } = await store.listContactTokens(bot.id, contactId, page);
      const data = tokens.map((token) => ({
        id: tokenId(token),
        createdAt: toTimestamp(token.createdAtMs),
        expiresAt: toTimestamp(token.expiresAtMs),
        lastSeenAt: toTimestampOrNull(token.lastSeenAtMs),
      }));
      return { body: { data, next: next === undefined ? null : tokenId(next) } };
    },

    async revokeListedToken(call) {
      const { bot, params } = call;
      const token =
        isId('contact', params.contactId) && tokenIdPattern.test(params.tokenId)
          ? await findToken(bot.id, params.contactId, params.tokenId)
          : undefined;
      const isRevoked =
        token !== undefined && (await store.revokeContactToken(bot.id, token.hash, contextOf(deps, call)));
      if (!isRevoked) throw new ApiError('not_found', 'This contact has no such token, or it has expired.');
      return {};
    },

    async revokeContactTokens(call) {
      const { contactId } = call.params;
      const isRevoked =
        isId('contact', contactId) && (await store.revokeContactTokens(call.bot.id, contactId, contextOf(deps, call)));
      if (!isRevoked) throw noSuchContact();
      return {};
    },
  } satisfies Partial<Handlers>;
}

const idBytes = 8;
const hashBytes = 32;

/** Holds as much of the hash as makes the id unique. The whole hash of a token leaves the server nowhere. */
export function tokenId({ createdAtMs, hash }: TokenPosition): string {
  return `${createdAtMs}-${Buffer.from(hash.subarray(0, idBytes)).toString('hex')}`;
}

/** `start` is before every hash that begins like this. */
function parseTokenId(id: string): { createdAtMs: number; start: Uint8Array } {
  const [createdAt = '', start = ''] = id.split('-');
  return { createdAtMs: Number(createdAt), start: Buffer.from(start, 'hex') };
}

/** Behind every hash that begins like this. */
function afterToken(id: string): TokenPosition {
  const { createdAtMs, start } = parseTokenId(id);
  const hash = Buffer.alloc(hashBytes, 0xff);
  hash.set(start);
  return { createdAtMs, hash };
}
