// Members, sessions and one-time links: the steps of account-sql.ts, each write as a transaction.
import { accountReads, accountWrites } from '../account-sql.ts';
import type { AccountStore, NewSession } from '../account-store.ts';
import type { Store } from '../store.ts';
import type { Transactions } from './transactions.ts';

/** No two calls share a session: one that is there was begun by an earlier try of the same call. */
const begunSessions: { [Name in keyof AccountStore]?: (...args: Parameters<AccountStore[Name]>) => NewSession } = {
  createFirstOwner: ({ session }) => session,
  createSession: (_memberId, session) => session,
  changePassword: (_memberId, _change, session) => session,
  acceptInvitation: (_hash, _joining, session) => session,
  resetPassword: (_hash, _passwordHash, session) => session,
};

function findBegunSession(name: string, args: unknown[]) {
  const sessionOf = begunSessions[name as keyof AccountStore] as ((...args: unknown[]) => NewSession) | undefined;
  return sessionOf && { sql: 'SELECT member_id FROM sessions WHERE hash = $1', values: [sessionOf(...args).hash] };
}

export function prepareAccount({ readMethods, writeMethods }: Transactions) {
  const writes = writeMethods(accountWrites, findBegunSession);
  return {
    ...readMethods(accountReads),
    ...writes,
    revokeInvitation: async (...args) => (await writes.revokeInvitation(...args)) || undefined,
    resetPassword: async (...args) => (await writes.resetPassword(...args)) || undefined,
  } satisfies Partial<Store>;
}
