// Contact tokens: found by their hash, and written in the transactions of their bot's contacts.
import type { ContactTokenState, Store, Visitor } from '../../store.ts';
import { firstPosition, toTokenPage } from '../../tokens/rows.ts';
import { gatherReads } from '../contacts/gathered-reads.ts';
import type { WritePlan } from '../contacts/plan.ts';
import { statements } from '../contacts/statements.ts';
import type { ContactWrites } from '../contacts/writes.ts';
import type { Transactions } from '../transactions.ts';
import { hexOf } from './planned-tokens.ts';

export function prepareContactTokens({ readOf, readWith }: Transactions, writes: ContactWrites) {
  const visitors = gatherReads<Visitor>({
    lend: readWith,
    async load(connection, botId, keys) {
      const hashes = keys.map((hex) => Buffer.from(hex, 'hex'));
      const rows = await connection.query<Visitor & { key: string }>(statements.findVisitors, [botId, hashes]);
      return new Map(rows.map(({ key, ...visitor }) => [key, visitor]));
    },
  });

  const methods = {
    createContactToken(botId, contactId, token, max, context) {
      const decide = (plan: WritePlan) => plan.createToken(contactId, token, max);
      return writes.write(botId, { contactIds: [contactId], decide, context });
    },
    revokeContactToken: (botId, hash, context) =>
      writes.write(botId, { tokens: [hash], decide: (plan) => plan.revokeToken(hash), context }),
    revokeContactTokens(botId, contactId, context) {
      const decide = (plan: WritePlan) => plan.revokeTokensOf(contactId);
      return writes.write(botId, { contactIds: [contactId], tokensOf: [contactId], decide, context });
    },
    findVisitor: (botId, hash) => visitors.find(botId, hexOf(hash)),
    async noteTokensSeen(botId, seen, context) {
      const tokens = seen.map(({ hash }) => hash);
      await writes.write(botId, { tokens, rows: seen.length, decide: (plan) => plan.noteSeen(seen), context });
    },
    async listContactTokens(botId, contactId, { nowMs, after = firstPosition, limit }) {
      const position = [nowMs, after.createdAtMs, after.hash, limit + 1];
      return toTokenPage(
        await readOf<ContactTokenState>(statements.listTokens, [botId, contactId, ...position]),
        limit,
      );
    },
    async findLastSeen(botId, contactIds) {
      const sql = statements.findLastSeen;
      const rows = await readOf<{ id: string; lastSeenAtMs: number | undefined }>(sql, [botId, contactIds]);
      const seen = new Map(rows.map(({ id, lastSeenAtMs }) => [id, lastSeenAtMs]));
      return contactIds.map((id) => seen.get(id));
    },
  } satisfies Partial<Store>;
  return { methods, pending: visitors.pending };
}
