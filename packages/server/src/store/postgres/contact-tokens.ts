// Contact tokens: found by their hash, and written in the transactions of their bot's contacts.
import type { ContactTokenState, Store, Visitor } from '../store.ts';
import { firstPosition, toTokenPage } from '../token-rows.ts';
import { hexOf } from './contact-plan.ts';
import { statements } from './contact-statements.ts';
import type { ContactWrites } from './contact-writes.ts';
import { gatherReads } from './gathered-reads.ts';
import type { Transactions } from './transactions.ts';

export function prepareContactTokens({ readOf, readWith, changeRows }: Transactions, writes: ContactWrites) {
  const visitors = gatherReads<Visitor>({
    lend: readWith,
    async load(connection, botId, keys) {
      const hashes = keys.map((hex) => Buffer.from(hex, 'hex'));
      const rows = await connection.query<Visitor & { key: string }>(statements.findVisitors, [botId, hashes]);
      return new Map(rows.map(({ key, ...visitor }) => [key, visitor]));
    },
  });

  const methods = {
    createContactToken: (botId, contactId, token, max) =>
      writes.write(botId, { contactIds: [contactId], decide: (plan) => plan.createToken(contactId, token, max) }),
    revokeContactToken: (botId, hash, audit) =>
      writes.write(botId, { token: hash, decide: (plan) => plan.revokeToken(hash) }, audit),
    revokeContactTokens: (botId, contactId, audit) =>
      writes.write(botId, { contactIds: [contactId], decide: (plan) => plan.revokeTokensOf(contactId) }, audit),
    findVisitor: (botId, hash) => visitors.find(botId, hexOf(hash)),
    async noteTokensSeen(botId, seen) {
      const values = [botId, seen.map(({ hash }) => hash), seen.map(({ seenAtMs }) => seenAtMs)];
      await changeRows(statements.noteTokensSeen, values, botId);
    },
    async listContactTokens(botId, contactId, { nowMs, after = firstPosition, limit }) {
      const position = [nowMs, after.createdAtMs, after.hash, limit + 1];
      return toTokenPage(
        await readOf<ContactTokenState>(statements.listTokens, [botId, contactId, ...position]),
        limit,
      );
    },
    async findLastSeen(botId, contactIds, nowMs) {
      const rows = await readOf<{ contactId: string; lastSeenAtMs: number | undefined }>(statements.findLastSeen, [
        botId,
        contactIds,
        nowMs,
      ]);
      const seen = new Map(rows.map(({ contactId, lastSeenAtMs }) => [contactId, lastSeenAtMs]));
      return contactIds.map((id) => seen.get(id));
    },
  } satisfies Partial<Store>;
  return { methods, pending: visitors.pending };
}
