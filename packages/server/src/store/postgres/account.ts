// Members, sessions and one-time links: the steps of account-sql.ts, each write as a transaction.
import { accountReads, accountWrites } from '../account-sql.ts';
import type { Store } from '../store.ts';
import type { Transactions } from './transactions.ts';

export function prepareAccount({ readMethods, writeMethods }: Transactions) {
  const writes = writeMethods(accountWrites);
  return {
    ...readMethods(accountReads),
    ...writes,
    revokeInvitation: async (...args) => (await writes.revokeInvitation(...args)) || undefined,
    resetPassword: async (...args) => (await writes.resetPassword(...args)) || undefined,
  } satisfies Partial<Store>;
}
