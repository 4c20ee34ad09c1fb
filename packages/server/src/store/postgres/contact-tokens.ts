// Contact tokens: found by their hash, and written in the transactions of their bot's contacts.
import type { ContactTokenState, Store, Visitor } from '../store.ts';
import { hexOf } from './contact-plan.ts';
import { statements } from './contact-statements.ts';
import type { ContactWrites } from './contact-writes.ts';
import { GatheredReads } from './gathered-reads.ts';
import type { Pool } from './pool.ts';
import { readRetryMs, retrying, writeRetryMs } from './retries.ts';

type ContactTokens = Pick<
  Store,
  | 'createContactToken'
  | 'revokeContactToken'
  | 'revokeContactTokens'
  | 'findVisitor'
  | 'noteTokensSeen'
  | 'listContactTokens'
>;

interface TokenRow extends Omit<ContactTokenState, 'lastSeenAtMs'> {
  lastSeenAtMs: number | null;
}

export interface ContactTokenSettings {
  reads: Pool;
  writes: Pool;
  contactWrites: ContactWrites;
  /** How many reads may be in flight. */
  connections: number;
}

export function prepareContactTokens(settings: ContactTokenSettings): ContactTokens & { pending(): number } {
  const { reads, writes, contactWrites, connections } = settings;
  const visitors = new GatheredReads<Visitor>(async (botId, keys) => {
    const hashes = keys.map((hex) => Buffer.from(hex, 'hex'));
    const read = () => reads.query<Visitor & { key: string }>(statements.findVisitors, [botId, hashes]);
    return new Map((await retrying(readRetryMs, read)).map(({ key, ...visitor }) => [key, visitor]));
  }, connections);

  return {
    createContactToken: async (botId, contactId, token) =>
      (await contactWrites.write(botId, { kind: 'createToken', contactId, token })) as boolean,
    revokeContactToken: async (botId, hash) =>
      (await contactWrites.write(botId, { kind: 'revokeToken', hash })) as boolean,
    revokeContactTokens: async (botId, contactId, audit) =>
      (await contactWrites.write(botId, { kind: 'revokeTokensOf', contactId }, { audit })) as boolean,
    findVisitor: (botId, hash) => visitors.find(botId, hexOf(hash)),
    async noteTokensSeen(botId, seen) {
      const values = [botId, seen.map(({ hash }) => hash), seen.map(({ seenAtMs }) => seenAtMs)];
      await retrying(writeRetryMs, () => writes.change(statements.noteTokensSeen, values));
    },
    async listContactTokens(botId, contactId) {
      const rows = await retrying(readRetryMs, () => reads.query<TokenRow>(statements.listTokens, [botId, contactId]));
      return rows.map((row) => ({ ...row, lastSeenAtMs: row.lastSeenAtMs ?? undefined }));
    },
    pending: () => visitors.pending,
  };
}
